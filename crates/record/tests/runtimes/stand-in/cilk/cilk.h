/* STAND-IN for OpenCilk's <cilk/cilk.h>, for Crosscut's tests; not OpenCilk.
 *
 * In OpenCilk cilk_spawn and cilk_sync are keywords of the compiler. Here a spawned call runs at once, as on one Cilk
 * worker, and what follows a spawn or a sync goes on on another thread, as a stolen continuation does. */
#ifndef CROSSCUT_STAND_IN_CILK_H
#define CROSSCUT_STAND_IN_CILK_H

#ifdef __cplusplus
extern "C" {
#endif

int cilk_stand_in_spawn(void); /* 1 */
int cilk_stand_in_go_on(void); /* 0, on another thread */

#ifdef __cplusplus
}
#endif

#define cilk_spawn for (int cilk_once = cilk_stand_in_spawn(); cilk_once; cilk_once = cilk_stand_in_go_on())
#define cilk_sync (void)cilk_stand_in_go_on()

#endif
