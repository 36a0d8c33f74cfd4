/* STAND-IN for Qthreads' <qthread/sinc.h>, for Crosscut's tests; not Qthreads. A sinc without a value: a counter to wait
 * for. Without extern "C", as in some versions of the real one. */
#ifndef CROSSCUT_STAND_IN_SINC_H
#define CROSSCUT_STAND_IN_SINC_H

typedef void (*qt_sinc_op_f)(void *tgt, const void *src);

typedef struct qt_opaque_sinc_s {
    uint64_t opaque_data[3];
} qt_sinc_t;

void qt_sinc_init(qt_sinc_t *sinc, size_t sizeof_value, const void *initial_value, qt_sinc_op_f op, size_t expect);
void qt_sinc_fini(qt_sinc_t *sinc);
void qt_sinc_expect(qt_sinc_t *sinc, size_t count);
void qt_sinc_submit(qt_sinc_t *sinc, const void *value);
void qt_sinc_wait(qt_sinc_t *sinc, void *target);

#endif
