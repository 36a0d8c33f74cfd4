"""Operations on a call profile by Hatchet: seconds of processor time of each as one JSON object, with numbers by which results are
compared.

hatchet_calls.py A.json B.json A1.json B1.json RANKS THRESHOLD MOST READING: two profiles in Caliper's JSON form, and the same two
call trees at one rank; rows above the threshold (in seconds) are kept. An operation that takes more than MOST seconds is given up,
and named. So is reading after READING seconds, where there are several ranks: all else is then measured on what is read of the
profiles of one rank, with its rows once for each rank.
"""

import json
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import hatchet as ht  # noqa: E402
import pandas as pd  # noqa: E402
from hatchet.query import ObjectQuery  # noqa: E402


class TooLong(Exception):
    pass


def give_up(*_):
    raise TooLong


def spread(path, ranks):
    """A profile of one rank, with its rows once for each rank."""
    of = ht.GraphFrame.from_caliper(path, node_ordering=False)
    parts = [of.dataframe.assign(rank=rank) for rank in range(ranks)]
    rows = pd.concat(parts).set_index("rank", append=True).sort_index(level=["node", "rank"])
    return ht.GraphFrame(of.graph, rows, of.exc_metrics, of.inc_metrics)


def main(a, b, alone, ranks, threshold, most, reading):
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

    one = timed("read", lambda: ht.GraphFrame.from_caliper(a, node_ordering=False), reading if ranks > 1 else 0)
    if one is None:
        one, other = (spread(path, ranks) for path in alone)
    else:
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
    # Rows of one rank, repeated, have other values.
    told = {"nodes": len(one.graph), "kept": None if "read" in given_up else left, "found": unique(asked)}
    print(json.dumps({"seconds": seconds, "given_up": given_up, **told}))


_, a, b, a1, b1, ranks, threshold, most, reading = sys.argv
main(a, b, (a1, b1), int(ranks), float(threshold), int(most), int(reading))
