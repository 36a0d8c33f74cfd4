//! The domain of tasks as a whole: what it lost, its overview, comparisons, columns, JSON, predictions.

use crate::bench;

use bench::{number, scene, start};
use crosscut_scene::format::text_width;
use crosscut_scene::{Align, Label};
use crosscut_tasks::Finding;
use crosscut_tree::NodeId;
use crosscut_view::tasks::charts::{gaps, migrations, speedup};
use crosscut_view::tasks::colour::ColourBy;
use crosscut_view::tasks::predict::{Curve, counts};
use crosscut_view::tasks::report::Report;
use crosscut_view::tasks::styles;
use crosscut_view::tasks::timeline::{TimelineOptions, timeline};
use crosscut_workbench::{Block, Cell, Refusal, Scope, Settings, Shared, Sheet, Shown, Topic};
use serde_json::{Value, json};

#[test]
fn losses_are_the_causes() {
    let bench = bench::over(&[("fib", 8000), ("wide", 5000), ("chain", 3000), ("skewed", 6000)]);
    let mut seen = 0;
    for run in 0..4 {
        let causes = bench.opened(run).causes();
        let losses = bench
            .bench
            .job(run, |job| bench.bench.runs[run].domains[0].losses(&Scope::default(), job))
            .unwrap();
        assert_eq!(losses.len(), causes.findings.len());
        for (loss, finding) in losses.iter().zip(&causes.findings) {
            assert_eq!((loss.cause, loss.cost), (finding.cause.id(), finding.cost as f64));
            assert_eq!((&loss.what, &loss.evidence), (&finding.what, &finding.evidence));
            assert_eq!((&loss.advice, loss.behind), (&finding.advice, finding.behind));
            assert_eq!(loss.line.is_some(), finding.source.is_some(), "{}", loss.what);
            assert_eq!(loss.stretches.len(), finding.stretches.len());
            let places = bench.opened(run).tasks.places();
            for ((place, span), (worker, from, to)) in loss.stretches.iter().zip(&finding.stretches) {
                assert_eq!(places.worker(*place), Some(*worker as usize));
                assert_eq!((span.0, span.1), (*from as f64, *to as f64));
            }
            assert_eq!(loss.show.run, run);
            let node = loss.show.selected.as_ref().and_then(|selected| selected.nodes.single());
            assert_eq!(node, finding.node);
            // What is linked to can be drawn.
            for look in std::iter::once(&loss.show).chain(&loss.picture) {
                bench.bench.draw(look).unwrap();
            }
        }
        let account = &causes.account;
        assert_eq!(account.work + account.lost + account.shared + account.unexplained, account.capacity);
        // The workbench numbers those that are worth it, in the same order.
        let listed = &bench.bench.found(run).unwrap().findings;
        let worth: Vec<&Finding> = causes.worth().collect();
        assert_eq!(listed.len(), worth.len());
        for (i, (listed, finding)) in listed.iter().zip(&worth).enumerate() {
            assert_eq!((listed.number as usize, listed.id.as_str()), (i + 1, finding.cause.id()));
        }
        seen += worth.len();
    }
    assert!(seen >= 4, "only {seen} findings in four runs");
}

/// Numbers of findings on the timeline: what else is written stands beside them, at any width.
#[test]
fn no_text_stands_under_the_number_of_a_finding() {
    // Recorded ones: their workers lose time in stretches that are wide enough for a number.
    let work = tempfile::tempdir().unwrap();
    let runs = ["sort_mth4", "fib25_mth4", "nested_sections"].map(|name| {
        let file = format!("{}/../../fixtures/dag/{name}.dag", env!("CARGO_MANIFEST_DIR"));
        let target = work.path().join(name);
        let options = crosscut_import::Options::default();
        crosscut_import::import(file.as_ref(), &target, &options, &crosscut_import::Quiet).unwrap()
    });
    let bench = bench::of(runs.into(), &Settings::new(), work);
    let (mut numbers, mut beside) = (0, 0);
    for run in 0..3 {
        let tasks = &bench.opened(run).tasks;
        let found = bench.bench.found(run).unwrap();
        for (width, height) in [(320.0, 90.0), (700.0, 200.0), (1280.0, 600.0), (2400.0, 1200.0)] {
            let options = TimelineOptions { width, height, colour: ColourBy::Source, small: false };
            let scene = timeline(tasks, (0, tasks.end(NodeId::ROOT)), &options, Some(&found));
            let (signs, texts): (Vec<&Label>, Vec<&Label>) =
                scene.labels.iter().partition(|label| label.style.bold);
            assert_eq!(signs.len(), scene.points.len(), "a disc for each number");
            for i in 0..scene.points.len() {
                let [cx, cy, radius] = [scene.points.x[i], scene.points.y[i], scene.points.r[i]];
                for text in &texts {
                    let wide = text_width(&text.text).min(text.w);
                    let left = if text.style.align == Align::End { text.x - wide } else { text.x };
                    let apart = left >= cx + radius
                        || left + wide <= cx - radius
                        || text.y <= cy - radius
                        || text.y - 9.0 >= cy + radius;
                    assert!(apart, "{:?} of run {run} at {width} × {height}", text.text);
                    beside += usize::from(left >= cx + radius && left < cx + 2.0 * radius);
                }
            }
            numbers += signs.len();
        }
    }
    assert!(numbers >= 4, "{numbers} numbers, {beside} with a text beside them");
}

/// A run of which nothing but tasks is known: what could not be looked for in it is said wherever findings are.
#[test]
fn what_was_not_looked_for_is_said() {
    let bench = bench::over(&[("fib", 8000)]);
    let found = bench.bench.found(0).unwrap();
    let said = |part: &str| found.not_looked_for.iter().any(|sentence| sentence.contains(part));
    assert!(
        said("--baseline") && said("no processor times") && said("--locks"),
        "{:?}",
        found.not_looked_for
    );
    assert!(!said("slept"), "nobody measured that");
    let sheet = bench.bench.overview(0, None).unwrap();
    let is_there =
        |block: &Block| matches!(block, Block::Text { text, .. } if text.starts_with("Not looked for: "));
    assert_eq!(sheet.blocks.iter().filter(|block| is_there(block)).count(), 1);
    let report = bench.bench.report(0).unwrap();
    let lines = report.iter().filter(|line| line.starts_with("not looked for: ")).count();
    assert_eq!(lines, found.not_looked_for.len());
    let json = bench.bench.report_json(0).unwrap();
    assert_eq!(json["not_looked_for"], json!(found.not_looked_for));
}

fn looks<'a>(sheet: &'a Sheet) -> Vec<&'a crosscut_workbench::Look> {
    let look = |block: &'a Block| match block {
        Block::Show { look, .. } => Some(&**look),
        _ => None,
    };
    sheet.blocks.iter().filter_map(look).collect()
}

#[test]
fn the_overview_accounts_for_all_time() {
    let bench = bench::over(&[("fib", 8000), ("wide", 5000)]);
    for run in [0, 1] {
        let sheet = bench.bench.overview(run, None).unwrap();
        let facts = sheet.blocks.iter().find_map(|block| match block {
            Block::Facts { rows } => Some(rows),
            _ => None,
        });
        let values: Vec<f64> = facts
            .unwrap()
            .iter()
            .filter_map(|fact| match fact.value {
                Cell::Number { value, .. } => Some(value),
                _ => None,
            })
            .collect();
        let summary = bench.opened(run).tasks.summary();
        let whole = f64::from(summary.workers) * summary.elapsed as f64;
        assert_eq!(values.len(), 3);
        assert!((values.iter().sum::<f64>() - whole).abs() < 1.0, "work + delay + no work");
        let views: Vec<&str> = looks(&sheet).iter().map(|look| look.view.as_str()).collect();
        for view in ["account", "ladder", "speedup", "whatif", "workers", "gaps", "migrations"] {
            assert!(views.contains(&format!("tasks.{view}").as_str()), "{view}");
        }
        for look in looks(&sheet) {
            bench.bench.draw(look).unwrap_or_else(|refusal| panic!("{}: {refusal}", look.view));
        }
    }
}

/// A run of half a millisecond: nothing is called a finding, nothing is predicted, and all that happened is drawn.
#[test]
fn a_short_run_is_not_judged() {
    let bench = bench::over(&[("fib", 2000)]);
    let found = bench.bench.found(0).unwrap();
    let why = found.too_little.clone().unwrap();
    assert!(why.starts_with("500 tasks in ") && why.ends_with("µs"), "{why}");
    assert!(found.findings.is_empty() && found.lost.iter().all(|lost| lost.number.is_none()));
    assert!(!found.lost.is_empty());
    let sheet = bench.bench.overview(0, None).unwrap();
    let views: Vec<&str> = looks(&sheet).iter().map(|look| look.view.as_str()).collect();
    assert_eq!(views, ["tasks.account", "tasks.evidence"]);
    let said = |text: &str| {
        sheet.blocks.iter().any(|block| matches!(block, Block::Text { text: own, .. } if own.contains(text)))
    };
    assert!(said(": too little to judge") && said("some hundred times"));
    let json = bench.bench.report_json(0).unwrap();
    assert_eq!((&json["too_little"], &json["findings"]), (&serde_json::json!(why), &serde_json::json!([])));
}

/// What stands beside a line of code is its work and what was lost there, on one scale for the whole run.
#[test]
fn beside_code_stands_what_its_lines_did() {
    let bench = bench::over(&[("fib", 8000)]);
    let (opened, found) = (bench.opened(0), bench.bench.found(0).unwrap());
    let source = opened.tasks.sources().get(0).unwrap();
    let code = crosscut_workbench::sheet::Code {
        file: source.file.clone(),
        first: 1,
        lines: vec![String::new(); 10_000],
        mark: 1,
        beside: Vec::new(),
        scale: String::new(),
    };
    let code = crosscut_view::tasks::gutter::beside(opened, Some(&found), code);
    let bars = || code.beside.iter().flat_map(|beside| &beside.bars);
    let whole =
        |beside: &crosscut_workbench::sheet::Beside| beside.bars.iter().map(|bar| bar.share).sum::<f32>();
    assert!((code.beside.iter().map(whole).fold(0.0, f32::max) - 1.0).abs() < 1e-5);
    assert!(bars().all(|bar| bar.share > 0.0));
    for (id, line) in opened.lines().lines.iter().enumerate().filter(|(_, line)| line.work > 0) {
        let source = opened.tasks.sources().get(id as u32).unwrap();
        let beside = code.beside.iter().find(|beside| i64::from(beside.line) == source.line).unwrap();
        let work = crosscut_view::tasks::words::time_text(line.work, opened.tasks.clock());
        assert!(beside.bars.iter().any(|bar| bar.text.ends_with(&work) && bar.number.is_none()));
    }
    for lost in found.lost.iter().filter(|lost| lost.line.is_some()) {
        assert!(bars().any(|bar| bar.number == lost.number && (bar.fill, bar.slot) == lost.hatch));
    }
}

#[test]
fn charts_hold_the_numbers_of_the_run() {
    let bench = start();
    for run in [0, 1] {
        let tasks = &bench.opened(run).tasks;
        let summary = tasks.summary();
        let bounds = speedup::bounds(tasks);
        assert!(bounds.iter().all(|bound| bound.low <= bound.high));
        assert!(bounds.iter().any(|bound| bound.workers == 3));
        assert_eq!(bounds.iter().map(|bound| bound.workers).collect::<Vec<_>>(), counts(3));
        let all: i64 = migrations::matrix(tasks, None).count.iter().sum();
        let each = crosscut_tasks::schema::Edge::ALL.map(|edge| {
            let matrix = migrations::matrix(tasks, Some(edge));
            assert_eq!((matrix.rows, matrix.share), (3, 1));
            matrix.count.iter().sum::<i64>()
        });
        assert_eq!(each.iter().sum::<i64>(), all);
        assert_eq!(each, summary.edges);
        let bins = gaps::bins(summary);
        let sum = |of: fn(&gaps::Bin) -> i64| bins.iter().map(of).sum::<i64>();
        assert_eq!(sum(|bin| bin.same), summary.gaps.same.iter().sum::<i64>());
        assert_eq!(sum(|bin| bin.moved), summary.gaps.moved.iter().sum::<i64>());
        assert!(bins.windows(2).all(|pair| pair[0].to == pair[1].from));
    }
    for run in [0, 1] {
        let look = crosscut_workbench::Look::of("tasks.account", run);
        let Shown::Scene(account) = bench.bench.draw(&look).unwrap().shown else { panic!("no picture") };
        let plot = account.plots[0].rect;
        let covered: f32 = account.boxes.w.iter().sum();
        assert!((covered - plot.w).abs() < 0.5, "the bar is all workers' time: {covered} of {}", plot.w);
        let lost = |i: &usize| account.boxes.mark(*i).role == styles::role::LOST;
        let work: f32 = (0..account.boxes.len()).filter(|i| !lost(i)).map(|i| account.boxes.w[i]).sum();
        let summary = bench.opened(run).tasks.summary();
        let share = summary.work as f32 / (summary.elapsed * i64::from(summary.workers)) as f32;
        assert!((work / plot.w - share).abs() < 0.01, "{} is work, {share} in the summary", work / plot.w);
    }
    for edge in ["create", "end", "all"] {
        bench.ok(scene("tasks.migrations", json!({"options": {"edge": edge}})));
    }
    bench.refused(scene("tasks.migrations", json!({"options": {"edge": "sideways"}})));
}

#[test]
fn json_for_scripts() {
    let bench = start();
    for run in [0, 1] {
        let opened = bench.opened(run);
        let (tasks, summary) = (&opened.tasks, opened.tasks.summary());
        let info = bench.bench.info_json(run).unwrap();
        let keys: Vec<&str> = info.keys().map(String::as_str).collect();
        assert_eq!(keys, ["clock", "crosscut", "partial", "places", "tasks"]);
        assert_eq!(
            (&info["places"], &info["clock"], &info["partial"]),
            (&json!(3), &json!("ns"), &json!(false))
        );
        let told = info["tasks"].as_object().unwrap();
        for (key, value) in [
            ("tasks", summary.tasks),
            ("intervals", summary.intervals),
            ("workers", summary.workers.into()),
            ("elapsed_ns", summary.elapsed),
            ("work_ns", summary.work),
            ("span_ns", summary.span),
            ("delay_ns", summary.delay),
            ("no_work_ns", summary.no_work),
            ("dropped_events", 0),
            ("nodes", summary.nodes.into()),
            ("depth", summary.depth.into()),
        ] {
            assert_eq!(told[key], json!(value), "{key}");
        }
        assert_eq!(told.len(), 11);
        let report = bench.bench.report_json(run).unwrap();
        let grains = &opened.grains().grains;
        let theta = grains.theta(None);
        let grain = report["grain"].as_object().unwrap();
        for (key, value) in [
            ("grains", json!(grains.grain_count())),
            ("fork_joins", json!(grains.fork_joins())),
            ("raw_nodes", json!(grains.raw_nodes())),
            ("groups", json!(grains.group_count())),
            ("depth", json!(grains.tree().max_depth())),
            ("theta_max", json!(theta.most)),
            ("savings", json!(theta.savings(grains.raw_nodes()))),
            ("work_ns", json!(grains.work(NodeId::ROOT))),
            ("outside_ns", json!(grains.outside())),
            ("critical_path_ns", json!(grains.critical_path(NodeId::ROOT))),
        ] {
            assert_eq!(grain[key], value, "{key}");
        }
        assert!(!grain.contains_key("baseline"));
        for problem in grains.problems(tasks, &opened.thresholds, None) {
            let told = &grain["problems"][problem.set.problem.word()];
            assert_eq!(told["grains"], json!(problem.set.grains));
            assert_eq!(told["time_lost_ns"], json!(problem.time_lost));
            assert_eq!(told["threshold"], json!(problem.set.threshold));
            assert_eq!(told["work_ns"], json!(problem.work));
            assert_eq!(told["theta_max"], json!(problem.theta.most));
            assert_eq!(told["where"].as_array().unwrap().len(), problem.sites.len());
        }
        let missing = grain["not_available"].as_object().unwrap();
        assert_eq!(missing.keys().collect::<Vec<_>>(), ["chunk-imbalance", "memory-stall", "work-deviation"]);
        let findings = report["findings"].as_array().unwrap();
        let found = bench.bench.found(run).unwrap();
        assert_eq!(findings.len(), found.findings.len());
        for (told, finding) in findings.iter().zip(&found.findings) {
            assert_eq!((&told["id"], &told["do"]), (&json!(finding.id), &json!(finding.advice)));
            assert_eq!(told["cost_ns"].as_i64(), finding.cost.number().map(|cost| cost as i64));
        }
    }
    let domain = &bench.bench.runs[0].domains[0];
    let own = bench.bench.job(0, |job| domain.json(Topic::Info, job)).unwrap();
    assert_eq!(own.keys().collect::<Vec<_>>(), ["tasks"]);
    assert_eq!(own["tasks"], bench.bench.info_json(0).unwrap()["tasks"]);
}

#[test]
fn a_report_as_text() {
    let bench = start();
    let told = Report::of(bench.opened(0)).told(&[crosscut_tasks::grain::Problem::MemoryStall]);
    assert!(told.facts.iter().any(|fact| fact.value.plain().contains("at most on the way to any grain")));
    let text = told.lines.join("\n");
    assert!(text.contains("instantaneous parallelism < 3"));
    assert!(text.contains("memory-stall is not available: nobody counted"), "{text}");
    assert!(!text.contains("chunk-imbalance is not"));
}

#[test]
fn two_runs_are_compared() {
    let work = tempfile::tempdir().unwrap();
    let runs =
        vec![bench::made_on(work.path(), "sort", 4000, 4), bench::made_on(work.path(), "sort", 4000, 1)];
    let bench = bench::of(runs, &Settings::new(), work);
    let sheet = bench.bench.overview(0, Some(1)).unwrap();
    let pairs: Vec<(String, f64, f64)> = sheet
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Facts { rows } => Some(rows),
            _ => None,
        })
        .flatten()
        .filter_map(|fact| match fact.value {
            Cell::Difference { here, there, .. } => Some((fact.name.clone(), here, there)),
            _ => None,
        })
        .collect();
    let (here, there) = (bench.opened(0).tasks.summary(), bench.opened(1).tasks.summary());
    assert!(pairs.contains(&("elapsed".to_owned(), here.elapsed as f64, there.elapsed as f64)));
    assert!(pairs.contains(&("work".to_owned(), here.work as f64, there.work as f64)));
    let said: Vec<String> = crosscut_view::tasks::compare::Comparison::new(bench.opened(0), bench.opened(1))
        .unwrap()
        .facts()
        .into_iter()
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    assert!(said.iter().any(|text| text.starts_with("structure: the same; similarity 1.00")), "{said:?}");
    assert!(said.iter().any(|text| text.starts_with("matched: ")), "{said:?}");
    // A run is as fast as itself.
    let same = bench.bench.overview(0, Some(0)).unwrap();
    let text = serde_json::to_string(&same).unwrap();
    assert!(text.contains("as fast") && !text.contains("Groups that work longer"));
}

#[test]
fn columns_add_up() {
    let bench = start();
    for run in [0, 1] {
        let tasks = &bench.opened(run).tasks;
        let columns = |of, count: usize| {
            let sets: Vec<Vec<u32>> = (0..count as u32).map(|id| vec![id]).collect();
            bench.bench.job(run, |job| bench.bench.runs[run].domains[0].columns(of, &sets, job))
        };
        let places = columns(Shared::Places, tasks.places().len());
        assert_eq!(places[0].metric.name, "busy");
        let sum = |values: &[f64]| values.iter().filter(|value| !value.is_nan()).sum::<f64>();
        assert_eq!(sum(&places[0].values), tasks.summary().work as f64);
        assert_eq!(sum(&places[1].values), tasks.summary().intervals as f64);
        // Every interval of these runs has a line.
        let lines = columns(Shared::Lines, tasks.sources().source_count());
        assert_eq!(sum(&lines[0].values), tasks.summary().work as f64);
        assert_eq!(sum(&lines[1].values), tasks.summary().intervals as f64);
    }
}

fn quiet(_: &Curve, _: usize) -> Result<(), Refusal> {
    Ok(())
}

fn on(curve: &Curve, workers: u32) -> i64 {
    curve.points.iter().find(|point| point.workers == workers).unwrap().elapsed
}

#[test]
fn the_curve_of_a_run() {
    let bench = start();
    for run in [0, 1] {
        let opened = bench.opened(run);
        let mut steps = Vec::new();
        let mut watch = |curve: &Curve, points: usize| {
            steps.push((curve.points.len(), points));
            Ok(())
        };
        let curve = opened.predictions.before(&opened.tasks, &mut watch).unwrap();
        assert_eq!((steps[0].0, steps.last().unwrap().0), (0, curve.points.len()));
        assert!(steps.is_sorted());
        let workers: Vec<u32> = curve.points.iter().map(|point| point.workers).collect();
        assert_eq!(workers, counts(3));
        for point in &curve.points {
            assert!(point.low <= point.elapsed && point.elapsed <= point.high && point.exact, "{point:?}");
        }
        // One worker does everything; no number of workers is faster than the critical path.
        assert_eq!(on(&curve, 1), curve.bounds.work);
        assert!(on(&curve, 256) >= curve.bounds.span);
    }
}

#[test]
fn as_fast_as_it_was_changes_nothing() {
    let bench = start();
    let opened = bench.opened(0);
    let before = opened.predictions.before(&opened.tasks, &mut quiet).unwrap();
    for node in [0, 1, 7, 1234] {
        let after = opened.predictions.after(&opened.tasks, &NodeId(node).into(), 1.0, &mut quiet).unwrap();
        assert_eq!(format!("{after:?}"), format!("{before:?}"));
    }
}

#[test]
fn twice_as_fast_halves_the_work_and_keeps_the_overhead() {
    let bench = start();
    for run in [0, 1] {
        let opened = bench.opened(run);
        let (tasks, known) = (&opened.tasks, &opened.predictions);
        let work = tasks.summary().work as f64;
        let after = |faster| known.after(tasks, &NodeId::ROOT.into(), faster, &mut quiet).unwrap();
        let before = known.before(tasks, &mut quiet).unwrap();
        let overhead = on(&before, 1) as f64 - work;
        assert!(overhead >= 0.0);
        let twice = after(2.0);
        // Each interval is rounded to the clock's unit.
        let off = (on(&twice, 1) as f64 - overhead - work / 2.0).abs();
        assert!(off < 0.001 * work + 5000.0, "{off}");
        assert!((on(&twice, 3) as f64) < 0.8 * on(&before, 3) as f64 + overhead);
        assert!(twice.bounds.span < before.bounds.span);
        // More is less.
        assert!(on(&after(1e6), 1) < on(&twice, 1));
        assert!(on(&after(0.5), 1) > on(&before, 1));
    }
}

#[test]
fn a_large_run_answers_on_its_own_workers_only() {
    let bench = bench::over(&[("wide", 200_000)]);
    let opened = bench.opened(0);
    let (tasks, known) = (&opened.tasks, &opened.predictions);
    let faster = known.after(tasks, &NodeId::ROOT.into(), 4.0, &mut quiet).unwrap();
    let before = known.before(tasks, &mut quiet).unwrap();
    assert_eq!(faster.points.len(), 1);
    assert!(on(&faster, 3) < on(&before, 3));
    let same = known.after(tasks, &NodeId::ROOT.into(), 1.0, &mut quiet).unwrap();
    assert_eq!(on(&same, 3), on(&before, 3));
}

#[test]
fn predictions_as_pictures() {
    let bench = start();
    let reply = bench.ask(scene("tasks.whatif", json!({"options": {"nodes": "0", "faster": "3"}})));
    let progress = reply.messages.iter().filter(|message| !message["progress"].is_null()).count();
    assert!(progress > 1, "{} messages", reply.messages.len());
    let head = &reply.last()["ok"]["shown"]["head"];
    assert!(head["note"].as_str().unwrap().contains("predicted, not measured"));
    let texts = |options: Value| -> String {
        let look = serde_json::from_value(scene("tasks.whatif", json!({"options": options}))["look"].clone());
        let drawn = bench.bench.draw(&look.unwrap()).unwrap();
        let Shown::Scene(picture) = drawn.shown else { panic!("a picture") };
        picture.labels.iter().map(|label| label.text.as_str()).collect::<Vec<_>>().join("\n")
    };
    let faster = texts(json!({"nodes": "0", "faster": "3"}));
    assert!(faster.contains("If this were 3.00 times as fast, the run would take"), "{faster}");
    assert!(faster.contains("If it took no time: "), "{faster}");
    assert!(texts(json!({})).contains("Predicted for it as it is: "));
    let words = bench.refused(scene("tasks.whatif", json!({"options": {"nodes": "4000000"}})));
    assert!(words.contains("no node 4000000"), "{words}");
    for faster in ["0", "-1", "0.0009", "1000001", "NaN", "x"] {
        bench.refused(scene("tasks.whatif", json!({"options": {"nodes": "0", "faster": faster}})));
    }
    for faster in ["0.001", "1000000"] {
        bench.ok(scene("tasks.whatif", json!({"options": {"nodes": "0", "faster": faster}})));
    }
}

/// Who gives up waits no longer, and nothing half made is kept.
#[test]
fn predictions_are_given_up() {
    let bench = start();
    let opened = bench.opened(0);
    let mut stop = |curve: &Curve, _: usize| match curve.points.len() {
        0 => Ok(()),
        _ => Err(Refusal::new("cancelled")),
    };
    let given_up = opened.predictions.before(&opened.tasks, &mut stop);
    assert_eq!(given_up.err(), Some(Refusal::new("cancelled")));
    let whole = opened.predictions.before(&opened.tasks, &mut quiet).unwrap();
    assert_eq!(whole.points.len(), counts(3).len());
}

/// Every option of every view has a usual value that it takes, and a name that no other of the view has.
#[test]
fn declarations_are_sound() {
    let bench = start();
    let run = &bench.bench.runs[0];
    for view in run.views() {
        let mut names: Vec<&str> = view.options.iter().map(|opt| opt.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}", view.name);
        for opt in view.options {
            opt.check(opt.usual).unwrap();
        }
        for tree in view.trees {
            assert!(run.trees().iter().any(|decl| decl.name == *tree), "{}: {tree}", view.name);
        }
        assert!(view.hidden || !view.icon.is_empty(), "{} has no icon", view.name);
    }
    let drawn = run.views().into_iter().filter(|view| view.name.starts_with("tasks."));
    for view in drawn {
        let answer = bench.ok(scene(view.name, json!({})));
        assert!(number(&answer["shown"]["head"]["width"]) > 0.0, "{}", view.name);
    }
}

/// All lines together are the whole run, and one line is less of it.
#[test]
fn a_faster_line_is_its_share_of_a_faster_run() {
    let bench = start();
    let tasks = &bench.opened(0).tasks;
    let what = crosscut_tasks::WhatIf::new(tasks);
    let bounds = |change: &crosscut_tasks::Change| what.bounds(&change.clone().without_overhead()).unwrap();
    let plain = crosscut_tasks::Change::default();
    let sources = 0..tasks.sources().source_count() as u32;
    let all = sources.clone().fold(plain.clone(), |change, source| change.line(source, 2.0));
    assert_eq!(bounds(&all), bounds(&plain.clone().faster(NodeId::ROOT, 2.0)));
    let work = |source: u32| bounds(&plain.clone().line(source, 1e6)).work;
    let lines = &bench.opened(0).lines().lines;
    for source in sources {
        let left = tasks.summary().work - lines[source as usize].work;
        assert!((work(source) - left).abs() <= 1 + left / 1000, "line {source}");
    }
    let refused = what.bounds(&plain.line(0, 0.0));
    assert!(refused.is_err());
}

/// The inspector of a line offers the prediction, and the picture answers for that line.
#[test]
fn a_faster_line_as_a_picture() {
    let bench = start();
    let nodes = crosscut_workbench::line_nodes(bench.opened(0).tasks.sources());
    let about = bench.ok(json!({"ask": "about", "selection": {"run": 0, "tree": "lines", "nodes": nodes[0].to_string()}, "scope": {}}));
    let blocks = about["blocks"].as_array().unwrap();
    let show = blocks.iter().find(|block| block["is"] == "show").expect("a prediction");
    assert_eq!(show["look"]["options"]["lines"], json!(nodes[0].to_string()));
    let look = crosscut_workbench::Look {
        options: [("lines".to_owned(), nodes[0].to_string())].into(),
        ..crosscut_workbench::Look::of("tasks.whatif", 0)
    };
    let Shown::Scene(picture) = bench.bench.draw(&look).unwrap().shown else { panic!("no picture") };
    assert!(picture.labels.iter().any(|label| label.text.contains("twice as fast")), "it says for what");
    let wrong =
        crosscut_workbench::Look { options: [("lines".to_owned(), "999999".to_owned())].into(), ..look };
    assert!(bench.bench.draw(&wrong).is_err());
}
