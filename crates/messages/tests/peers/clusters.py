"""The clusterings of messages beside those of scipy and igraph, on the same random input.

    clusters.py EXAMPLE              compares; a line for each kind, and "N passed, M failed" at the end
    clusters.py EXAMPLE --seconds    how long each takes, and the ratio

EXAMPLE is the program `examples/clusters` of this crate.
"""

import random
import subprocess
import sys
import tempfile
import time

import igraph
import numpy
import scipy.cluster.hierarchy as hierarchy
from scipy.optimize import linear_sum_assignment


def ask(example, questions):
    """The answers to many questions, a line each."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("\n".join(questions) + "\n")
        file.flush()
        done = subprocess.run([example, file.name], stdout=subprocess.PIPE, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]


def heights(times):
    """The heights at which scipy's median linkage joins neighbours."""
    merges = hierarchy.linkage(numpy.array(times)[:, None], "median")
    distances = hierarchy.cophenet(merges)
    points = len(times)
    return [distances[points * i - i * (i + 1) // 2] for i in range(points - 1)]


def compare_times(example, chance):
    inputs = [sorted(chance.uniform(0, 1e9) for _ in range(chance.randint(2, 60))) for _ in range(1000)]
    answers = ask(example, ["times " + " ".join(map(repr, times)) for times in inputs])
    for times, answer in zip(inputs, answers, strict=True):
        ours = [float(height) for height in answer]
        yield numpy.allclose(ours, heights(times), rtol=1e-9, atol=1e-3), times


def graph(chance, processes, edges):
    pairs = {tuple(sorted(chance.sample(range(processes), 2))) for _ in range(edges)}
    return processes, [(a, b, chance.uniform(1, 1e6)) for a, b in sorted(pairs)]


def torus(chance, wide, high):
    """A halo exchange with eight neighbours, whose weights differ by a little noise."""
    at = lambda x, y: (x % wide) + wide * (y % high)
    steps = [(1, 0), (0, 1), (1, 1), (1, -1)]
    pairs = {tuple(sorted((at(x, y), at(x + dx, y + dy)))) for x in range(wide) for y in range(high) for dx, dy in steps}
    return wide * high, [(a, b, chance.uniform(0.99, 1.01)) for a, b in sorted(pairs) if a != b]


def written(graph):
    processes, edges = graph
    return f"{processes} " + " ".join(f"{a} {b} {weight!r}" for a, b, weight in edges)


def fast_greedy(graph):
    processes, edges = graph
    peer = igraph.Graph(n=processes, edges=[(a, b) for a, b, _ in edges])
    weights = [weight for _, _, weight in edges]
    start = time.perf_counter()
    merges = peer.community_fastgreedy(weights=weights)
    return merges, time.perf_counter() - start


class Greedy:
    """Agglomeration by modularity on a dense matrix, with any choice of merges."""

    def __init__(self, graph):
        processes, edges = graph
        self.shared = numpy.zeros((processes, processes))
        for a, b, weight in edges:
            self.shared[a, b] += weight
            self.shared[b, a] += weight
        self.shared /= self.shared.sum()
        self.ends = self.shared.sum(1)
        self.modularity = -(self.ends**2).sum()
        self.best = self.modularity

    def gains(self):
        gains = 2 * (self.shared - numpy.outer(self.ends, self.ends))
        gains[self.shared == 0] = -numpy.inf
        numpy.fill_diagonal(gains, -numpy.inf)
        return gains

    def merge(self, a, b):
        self.modularity += 2 * (self.shared[a, b] - self.ends[a] * self.ends[b])
        self.best = max(self.best, self.modularity)
        self.shared[a] += self.shared[b]
        self.shared[:, a] += self.shared[:, b]
        self.shared[b] = self.shared[:, b] = 0
        self.ends[a] += self.ends[b]
        self.ends[b] = 0


def greedy_modularity(graph):
    """The highest modularity on the way of always taking the merge that gains most."""
    greedy = Greedy(graph)
    while (gains := greedy.gains()).max() > -numpy.inf:
        greedy.merge(*divmod(int(gains.argmax()), graph[0]))
    return greedy.best


def is_greedy(graph, merges):
    """Whether each of these merges was one that gains most."""
    greedy = Greedy(graph)
    names = list(range(graph[0]))
    for a, b in merges:
        gains = greedy.gains()
        if gains.max() - gains[names[a], names[b]] > 1e-12:
            return False
        greedy.merge(names[a], names[b])
        names.append(names[a])
    return True


def compare_graphs(example, chance):
    """Modularity as of a dense search; and as igraph's, where igraph took the merges that gain most, as it mostly does."""
    graphs = [graph(chance, size := chance.randint(3, 80), chance.randint(size, 4 * size)) for _ in range(200)]
    graphs.append(torus(chance, 12, 10))
    graphs.append(torus(chance, 24, 18))
    answers = ask(example, ["graph " + written(one) for one in graphs])
    equal = 0
    for one, answer in zip(graphs, answers, strict=True):
        merges, _ = fast_greedy(one)
        peer = igraph.Graph(n=one[0], edges=[(a, b) for a, b, _ in one[1]])
        weights = [weight for _, _, weight in one[1]]
        ours = peer.modularity([int(label) for label in answer[2:]], weights=weights)
        claimed = float(answer[0])
        same = abs(claimed - merges.as_clustering(merges.optimal_count).modularity) < 1e-9
        equal += same
        right = abs(claimed - greedy_modularity(one)) < 1e-9 and abs(claimed - ours) < 1e-9
        yield right and (same or not is_greedy(one, merges.merges)), (one, claimed, ours)
    print(f"  equal to igraph's: {equal} of {len(graphs)}; in the others igraph took a merge that gains less")
    yield equal > 0.9 * len(graphs), equal


def compare_distances(example, chance):
    def partition(processes):
        communities = chance.randint(1, 12)
        return [chance.randrange(communities) for _ in range(processes)]

    pairs = []
    for _ in range(300):
        processes = chance.randint(1, 100)
        pairs.append((partition(processes), partition(processes)))
    lines = ["distance " + " ".join(map(str, one)) + " / " + " ".join(map(str, other)) for one, other in pairs]
    for (one, other), answer in zip(pairs, ask(example, lines), strict=True):
        shared = numpy.zeros((max(one) + 1, max(other) + 1))
        for a, b in zip(one, other, strict=True):
            shared[a, b] += 1
        rows, columns = linear_sum_assignment(shared, maximize=True)
        yield abs(float(answer[0]) - (1 - shared[rows, columns].sum() / len(one))) < 1e-12, (one, other)


def compare(example):
    chance = random.Random(1)
    passed = failed = 0
    kinds = [
        ("times as scipy's median linkage", compare_times),
        ("modularity as igraph's fast greedy", compare_graphs),
        ("distance as scipy's assignment", compare_distances),
    ]
    for name, kind in kinds:
        results = list(kind(example, chance))
        wrong = [what for same, what in results if not same]
        print(f"{name}: {len(results)} compared, {len(wrong)} differ")
        for what in wrong[:1]:
            print(f"  for example: {str(what)[:2000]}")
        passed += not wrong
        failed += bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return failed == 0


def seconds(example):
    chance = random.Random(1)
    for name, one in [
        ("halo, 4,320 processes", torus(chance, 72, 60)),
        ("halo, 100,000 processes", torus(chance, 400, 250)),
        ("random, 100,000 processes", graph(chance, 100_000, 400_000)),
    ]:
        [answer] = ask(example, ["seconds graph " + written(one)])
        merges, peer = fast_greedy(one)
        modularity = merges.as_clustering(merges.optimal_count).modularity
        ours = float(answer[0])
        print(f"{name}: {ours:.3f} s, igraph {peer:.3f} s, ratio {peer / ours:.1f} ({float(answer[1]):.9f} {modularity:.9f})")


if __name__ == "__main__":
    if sys.argv[2:] == ["--seconds"]:
        seconds(sys.argv[1])
    else:
        sys.exit(0 if compare(sys.argv[1]) else 1)
