"""Operations on call paths, beside what a few lines of Python make of the same rows."""

import statistics

import polars
import pytest

import crosscut as cc


@pytest.fixture(scope="module")
def rows(calls):
    return list(calls.paths().rows())


def above(rows, node):
    """The nodes around one, the nearest first."""
    around = []
    while rows[node]["parent"] is not None:
        node = rows[node]["parent"]
        around.append(node)
    return around


def squashed(rows, kept, stays):
    """Names and values of a tree of some nodes, the slow way."""
    own = {node: 0 for node in kept}
    for node, row in enumerate(rows):
        if node in own:
            own[node] += row["time"]
        elif stays:
            own[next(up for up in above(rows, node) if up in own)] += row["time"]
    return [(rows[node]["name"], own[node]) for node in sorted(kept)]


def names_and_values(profile):
    return [(row["name"], row["time"]) for row in profile.paths("name", "time").rows()]


HEAVY = 5e6


@pytest.mark.parametrize("left_out", ["stays", "goes"])
def test_filter_by_any_predicate(calls, rows, left_out):
    wanted = [row["time (inc)"] > HEAVY for row in rows]
    expected = squashed(rows, {0} | {node for node, heavy in enumerate(wanted) if heavy}, left_out == "stays")
    assert 1 < len(expected) < len(rows)
    for which in (
        lambda row: row["time (inc)"] > HEAVY,
        f"time > {HEAVY}",
        f"(q) where q.time > {HEAVY}",
        wanted,
        polars.col("time (inc)") > HEAVY,
    ):
        assert names_and_values(calls.filter(which, left_out)) == expected
    if left_out == "goes":
        assert names_and_values(calls.squash(wanted)) == expected
    else:
        assert calls.filter(wanted).total() == calls.total()


def test_operations_chain(calls):
    flat = calls.filter(f"time > {HEAVY}").filter('name != "nothing"').prune().profile.flat()
    assert sum(row["itself"] for row in flat.rows()) <= calls.total()
    assert len(calls.query('("*", p) -> (q) where q.depth = 2')) > 1


def test_expressions_are_tests_of_fields(calls, rows):
    name = rows[5]["name"]
    expected = [node for node, row in enumerate(rows) if row["name"] == name and row["depth"] >= 1]
    assert calls.nodes(f"name == '{name}' and depth >= 1") == expected
    assert calls.nodes(f'name = "{name}" and not depth < 1') == expected
    assert calls.nodes("name = 'and == or'") == []


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda calls: calls.filter("time >"), cc.CrosscutError, "neither a test of fields nor a path query"),
        (lambda calls: calls.filter("weather > 1"), cc.CrosscutError, "weather"),
        (lambda calls: calls.filter([True]), cc.CrosscutError, "call paths, and 1 were said"),
        (lambda calls: calls.filter("time > 1", left_out="hides"), cc.CrosscutError, "stays or goes"),
        (lambda calls: calls.flat("weather"), cc.CrosscutError, "no metric `weather`; there are time"),
        (lambda calls: calls.graph("weather"), cc.CrosscutError, "no map `weather`; there are module"),
        (lambda calls: calls.graph(rules="("), cc.CrosscutError, "rule 1: write PATTERN => LABEL"),
        (lambda calls: calls.graph().split("weather"), cc.CrosscutError, "no super node 'weather'; there are"),
        (lambda calls: calls - 3, TypeError, "goes with another profile, not with int"),
        (lambda calls: cc.ensemble([]), cc.CrosscutError, "at least one run"),
        (lambda calls: cc.ensemble([calls], ranks=[1, 2]), cc.CrosscutError, "ranks has 2 values for 1 runs"),
    ],
)
def test_what_cannot_be_done_is_said(calls, ask, error, words):
    with pytest.raises(error, match=words):
        ask(calls)


def test_subtree_sums_and_totals(calls, rows):
    values = [row["time"] for row in rows]
    sums = list(values)
    for node in range(len(rows) - 1, 0, -1):
        sums[rows[node]["parent"]] += sums[node]
    assert calls.subtree_sums(values) == sums == [row["time (inc)"] for row in rows]
    assert calls.total() == sum(values)
    with pytest.raises(cc.CrosscutError, match="nodes, and 1 values"):
        calls.subtree_sums([1])


def test_prune_keeps_what_stands_out(calls, rows):
    values = [row["time"] for row in rows if row["time"] != 0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    k = 1.5
    out = {n for n, row in enumerate(rows) if row["time"] != 0 and not low - k * (high - low) < row["time"] < high + k * (high - low)}
    kept = out | {up for node in out for up in above(rows, node)}
    pruned = calls.prune(k)
    assert not pruned.by_hot_path and len(out) > 0
    assert [row["node"] for row in pruned.outliers.rows()] == sorted(out)
    assert names_and_values(pruned.profile) == squashed(rows, kept, True)
    folded = {node for node in kept if any(rows[n]["parent"] == node and n not in kept for n in range(1, len(rows)))}
    assert {row["node"] for row in pruned.surrogates.rows()} == folded
    assert sum(row["nodes"] for row in pruned.surrogates.rows()) == len(rows) - len(kept)


def test_flat_callers_and_hot_path(calls, rows):
    by_name = {}
    for row in rows[1:]:
        by_name[row["name"]] = by_name.get(row["name"], 0) + row["time"]
    flat = {}
    for row in calls.flat().rows():
        flat[row["name"]] = flat.get(row["name"], 0) + row["itself"]
    assert flat == by_name
    callers = list(calls.callers().rows())
    assert callers[0]["time (inc)"] == calls.total()
    tops = {}
    for row in callers:
        if row["parent"] == 0:
            tops[row["name"]] = tops.get(row["name"], 0) + row["time"]
    assert tops == by_name
    path = list(calls.hot_path().rows())
    assert [row["depth"] for row in path] == list(range(len(path)))
    for caller, called in zip(path, path[1:]):
        assert called["parent"] == caller["node"] and called["time (inc)"] * 2 >= caller["time (inc)"]


def test_groups_and_super_graphs_keep_totals(calls, rows):
    groups = list(calls.group_by("function").rows())
    by_name = {}
    for row in rows[1:]:
        by_name[row["name"]] = by_name.get(row["name"], 0) + row["time"]
    got = {}
    for row in groups[1:]:
        got[row["label"]] = got.get(row["label"], 0) + row["time"]
    assert got == by_name
    graph = calls.graph("module")
    assert "super nodes" in repr(graph)
    name = max(graph.nodes.rows(1), key=lambda row: row["time (inc)"])["name"]
    for split in (graph, graph.split(name), graph.split(name, by="caller"), graph.split(name).split(name)):
        assert sum(row["time"] for row in split.nodes.rows()) == calls.total()
    ruled = calls.graph("module", rules=f"{rows[1]['name']} => mine", filter=0)
    assert "mine" in [row["label"] for row in ruled.nodes.rows()]


def test_arithmetic_of_two_profiles(calls):
    other = cc.synth("calls", size=3000, ranks=8, seed=7).calls
    assert (calls - other).total() == calls.total() - other.total()
    assert (calls + other).total() == calls.total() + other.total()
    assert (calls - calls).by_place().to_arrow().column(1).to_pylist() == [0] * len(calls)
    ratio = next((calls / other).rows(0, 1))
    assert ratio["time (inc)"] == pytest.approx(calls.total() / other.total())
    product = next((calls * other).rows(0, 1))
    assert product["time (inc)"] == pytest.approx(calls.total() * other.total())
    # As many places or not: nothing is lost.
    few = cc.synth("calls", size=3000, ranks=2).calls
    assert (calls - few).total() == calls.total() - few.total()


def test_imbalance_and_correlation(calls):
    wide = calls.by_place(inclusive=True).to_arrow().drop_columns("node").to_pylist()
    for row, values in zip(calls.imbalance().rows(), wide):
        values = list(values.values())
        assert row["mean"] == pytest.approx(sum(values) / len(values))
        assert row["most"] == max(values)
        assert row["at"] == calls.place_names[values.index(max(values))]
    first, second = 1, 2
    masks = [[node == number for node in range(len(calls))] for number in (first, second)]
    fit = calls.correlation(*masks)
    x, y = ([row[number] for number in calls.place_names] for row in (calls.by_place().take([first]).to_arrow().to_pylist()[0], calls.by_place().take([second]).to_arrow().to_pylist()[0]))
    if len(set(x)) > 1 and len(set(y)) > 1:
        assert fit.r == pytest.approx(statistics.correlation(x, y))
        assert fit.slope == pytest.approx(statistics.linear_regression(x, y).slope)
    assert calls.correlation(masks[0], masks[0]).r == pytest.approx(1.0)


def test_an_ensemble_has_a_column_for_each_run():
    runs = [cc.synth("calls", size=2000, ranks=ranks) for ranks in (2, 4, 8)]
    many = cc.ensemble(runs, ranks=[2, 4, 8], host=["a", "b", "b"])
    assert many.place_names == ["0", "1", "2"]
    wide = many.by_place(inclusive=True).take([0]).to_arrow().to_pylist()[0]
    assert [wide[run] for run in many.place_names] == [run.calls.total() for run in runs]
    assert many.metadata.columns == ["run", "path", "ranks", "host"]
    long = many.filter("depth < 3").long().to_polars()
    by_host = dict(long.group_by("host").agg(polars.col("time").sum()).iter_rows())
    assert by_host == {"a": runs[0].calls.total(), "b": runs[1].calls.total() + runs[2].calls.total()}


def test_call_paths_have_one_form(calls):
    of_run, of_profile = calls.run.calls.frame(), calls.run.calls.profile.frame()
    assert of_run.types == of_profile.types
    assert of_run.columns[:9] == ["node", "parent", "len", "depth", "name", "module", "file", "line", "kind"]
    assert list(of_run.rows()) == list(of_profile.rows())
    assert calls.filter("depth < 4").frame().types == of_run.types


def test_some_places_are_what_rows_say_of_them(calls, rows):
    some = calls.over("2-3,5")
    assert some.place_names == [calls.place_names[place] for place in (2, 3, 5)]
    spread = list(calls.by_place().rows())
    names = some.place_names
    assert [row["time"] for row in some.frame().rows()] == [sum(row[name] for name in names) for row in spread]
    for row in some.frame().rows():
        inside = list(some.frame("time").rows(row["node"], row["len"]))[:200]
        if row["len"] <= 200:
            assert row["time (inc)"] == sum(each["time"] for each in inside)
    assert some.graph("module").nodes.columns == calls.graph("module").nodes.columns
    assert sum(row["time"] for row in some.graph("module", filter=0).nodes.rows()) == some.total()
    with pytest.raises(cc.CrosscutError, match="there is no place 8: there are 8, from 0 on"):
        calls.over("7-8")
    ensemble = cc.ensemble([calls.run, calls.run], ranks=[2, 4]).over([1])
    assert [row["ranks"] for row in ensemble.metadata.rows()] == [4]
