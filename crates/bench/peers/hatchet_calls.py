"""Operations on a call profile by Hatchet: seconds of processor time of each as one JSON object, with numbers by which results are
compared.

hatchet_calls.py A.json B.json THRESHOLD MOST: two profiles in Caliper's JSON form; rows above the threshold (in seconds) are kept.
An operation that takes more than MOST seconds is given up, and named.
"""

import json
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import hatchet as ht  # noqa: E402
from hatchet.query import ObjectQuery  # noqa: E402


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


def main(a, b, threshold, most):
    seconds, given_up = {}, []
    signal.signal(signal.SIGPROF, give_up)

    def timed(name, what, limit=most):
        begin = time.process_time()
        value = None
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            value = what()
        except TooLong:
            given_up.append(name)
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds[name] = time.process_time() - begin
        return value

    def unique(frame):
        return None if frame is None else len(frame.dataframe.index.get_level_values("node").unique())

    # All else needs what is read: that is never given up.
    one = timed("read", lambda: ht.GraphFrame.from_caliper(a, node_ordering=False), 0)
    other = ht.GraphFrame.from_caliper(b, node_ordering=False)
    wide = one.dataframe.index.nlevels > 1
    steps = [("*", {"name": "f1.*"}), {"name": "f2.*"}]
    query = ObjectQuery(steps, multi_index_mode="any" if wide else "off")
    asked = timed("query", lambda: one.filter(query, squash=False, num_procs=1))
    # Its filter squashes as well, unless it is told not to.
    timed("filter", lambda: one.filter(lambda row: row["time"] > threshold, num_procs=1))
    # The same rows by pandas alone: what is squashed need not wait for the filter.
    rows = one.dataframe[one.dataframe["time"] > threshold].copy()
    kept = ht.GraphFrame(one.graph, rows, one.exc_metrics, one.inc_metrics)
    left = unique(kept)
    timed("squash", kept.squash)
    timed("subtraction", lambda: one - other)
    copy = one.copy()
    timed("sums", lambda: copy.subtree_sum(["time"], ["sum"]))
    told = {"nodes": len(one.graph), "kept": left, "found": unique(asked)}
    print(json.dumps({"seconds": seconds, "given_up": given_up, **told}))


main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
