"""How long 10⁷ rows take to reach pandas and Polars, beside Hatchet, which builds a graph frame of 10⁵ nodes. All in turns; the best of each."""

import gc
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import hatchet

import crosscut as cc

TURNS = 5
ROWS = 10_000_000
NODES = 100_000
FAN = 10


def literal(nodes: int) -> list[dict]:
    """A tree of so many nodes, as Hatchet's literal."""
    made = [{"frame": {"name": f"f{n}", "type": "function"}, "metrics": {"time": float(n), "time (inc)": float(n)}} for n in range(nodes)]
    for number in range(1, nodes):
        made[(number - 1) // FAN].setdefault("children", []).append(made[number])
    return [made[0]]


def timed(what) -> float:
    gc.collect()
    start = time.perf_counter()
    kept = what()
    took = time.perf_counter() - start
    del kept
    return took


def main() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "big.crosscut")
        rows = len(cc.synth("fib", size=ROWS, workers=8, to=path).tasks.frame("start"))
        tree = literal(NODES)
        ways = {
            "pandas": lambda: cc.open(path).tasks.frame("start", "end", "span", "len").to_pandas(),
            "Polars": lambda: cc.open(path).tasks.frame("start", "end", "span", "len").to_polars(),
            "Polars, all columns": lambda: cc.open(path).tasks.frame().to_polars(),
            "Hatchet": lambda: hatchet.GraphFrame.from_literal(tree),
        }
        best = {name: min(times) for name, times in zip(ways, zip(*([timed(way) for way in ways.values()] for _ in range(TURNS))))}
    for name, took in best.items():
        if name != "Hatchet":
            beside = f"Hatchet builds {NODES:,} nodes in {best['Hatchet']:.2f} s: {best['Hatchet'] / took:,.0f}×"
            print(f"| {rows:,} tasks of a run on disk to {name} | {took * 1e3:.1f} ms | {beside} |")
    sys.exit(0 if max(took for name, took in best.items() if name != "Hatchet") < best["Hatchet"] else 1)


if __name__ == "__main__":
    main()
