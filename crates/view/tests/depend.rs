//! Dependences between tasks in the DAG: drawn between what is visible, once, red where the critical path takes them.

use std::path::Path;

use crosscut_run::{NO_SITE, Places, RunWriter};
use crosscut_scene::palette::Theme;
use crosscut_scene::scene::Scene;
use crosscut_scene::svg::svg;
use crosscut_tasks::Tasks;
use crosscut_tasks::schema::{Chunk, Depend, Edge, Kind, Mark, TaskWriter};
use crosscut_tree::{Cut, NodeId};
use crosscut_view::tasks::chain;
use crosscut_view::tasks::colour::ColourBy;
use crosscut_view::tasks::dag::{DagOptions, dag};
use crosscut_view::tasks::styles::{CRITICAL, LinkKind};

/// Two open sections with a task each, the second of which needs the first, and a lane with a chunk; a deep wait for all.
fn run(work: &Path) -> Tasks {
    let mut run = RunWriter::create(&work.join("depend.crosscut")).unwrap();
    let rows = [
        (16, 0, Kind::Task, 0, 0),
        (14, 0, Kind::Section, 0, 0),
        (4, 1, Kind::Section, 0, 0),
        (1, 2, Kind::Create, 0, 1),
        (2, 2, Kind::Task, 0, 0),
        (1, 4, Kind::End, 1, 21),
        (4, 1, Kind::Section, 0, 0),
        (1, 6, Kind::Create, 1, 2),
        (2, 6, Kind::Task, 0, 0),
        (1, 8, Kind::End, 21, 41),
        (1, 1, Kind::Fork, 2, 3),
        (3, 1, Kind::Task, 0, 0),
        (1, 11, Kind::Chunk, 3, 5),
        (1, 11, Kind::End, 5, 6),
        (1, 1, Kind::Wait, 3, 4),
        (1, 0, Kind::End, 41, 42),
    ];
    let mut tasks = TaskWriter::new(&run, rows.len()).unwrap();
    for (i, (len, parent, kind, start, end)) in rows.into_iter().enumerate() {
        (tasks.len[i], tasks.parent[i], tasks.site[i]) = (len, parent, NO_SITE);
        (tasks.start[i], tasks.end[i]) = (start, end);
        tasks.mark[i] = Mark::new(kind, Edge::Create, false).0;
    }
    tasks.mark[14] = Mark::deep_wait(Edge::CreateCont).0;
    tasks.depends.push(Depend { to: 8, from: 4 });
    tasks.chunks.push(Chunk { node: 12, first: 100, count: 50 });
    let places = Places::workers(4).unwrap();
    crosscut_tasks::finish(&mut run, tasks, &places).unwrap();
    Tasks::open(run.finish().unwrap()).unwrap()
}

fn is_critical(scene: &Scene, style: u16) -> bool {
    scene.styles.at(style).meaning.ends_with(CRITICAL)
}

/// (from, to, critical) of the dependences drawn.
fn depends(scene: &Scene) -> Vec<(u32, u32, bool)> {
    let links = &scene.links;
    (0..links.len())
        .filter(|&i| links.role[i] == LinkKind::Depend as u8)
        .map(|i| (links.node[i], links.to[i], is_critical(scene, links.style[i])))
        .collect()
}

#[test]
fn dependences_follow_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = run(dir.path());
    assert_eq!(tasks.summary().span, 1 + 20 + 20 + 1);
    let tree = tasks.tree();
    let options = DagOptions { critical: true, colour: ColourBy::Kind, ..DagOptions::default() };
    let at = |open: &[u32]| {
        let mut cut = Cut::closed();
        for &node in open {
            cut.open(tree, NodeId(node));
        }
        dag(&tasks, &cut, &options)
    };
    // Both ends in one visible node.
    assert_eq!(depends(&at(&[])), []);
    assert_eq!(depends(&at(&[0])), []);
    // From the sections to the tasks, as far as they are open.
    assert_eq!(depends(&at(&[0, 1])), [(2, 6, true)]);
    assert_eq!(depends(&at(&[0, 1, 2])), [(4, 6, true)]);
    assert_eq!(depends(&at(&[0, 1, 2, 6])), [(4, 8, true)]);
    let all = at(&[0, 1, 2, 4, 6, 8, 11]);
    assert_eq!(depends(&all), [(4, 8, true)]);
    // What is red is the path: create, both tasks, and the end of the program.
    let red = |i: &usize| is_critical(&all, all.boxes.style[*i]);
    let nodes: Vec<u32> = (0..all.boxes.len()).filter(red).map(|i| all.boxes.node[i]).collect();
    assert_eq!(nodes, [3, 5, 9, 15]);
    let words: Vec<&str> = all.legend.iter().map(|item| item.text.as_str()).collect();
    assert!(words.contains(&"fork") && words.contains(&"chunk"), "{words:?}");
    let drawn = |what: &str| all.boxes.style.iter().any(|&style| all.styles.at(style).meaning == what);
    assert!(drawn("fork") && drawn("chunk"));
    // The picture has an arrowhead for it, and none where nothing depends.
    let heads = |scene: &Scene| {
        let document = svg(scene, &Theme::LIGHT);
        let red = format!("Z\" fill=\"{}\"/>", Theme::LIGHT.red.hex());
        document.lines().filter(|line| line.ends_with(&red) && !line.contains("stroke")).count()
    };
    assert_eq!((heads(&all), heads(&at(&[0]))), (1, 0));
    let closed = at(&[0, 1]);
    assert!(closed.labels.iter().any(|label| label.text == "lane #11"), "{:?}", closed.labels);
}

/// A section with so many tasks, of these lengths, that need one another as told.
fn section(work: &Path, lengths: &[i64], depends: &[(usize, usize)]) -> Tasks {
    let mut run = RunWriter::create(&work.join("chain.crosscut")).unwrap();
    let count = lengths.len();
    let nodes = 3 * count + 4;
    let mut tasks = TaskWriter::new(&run, nodes).unwrap();
    let mut rows = vec![(nodes, 0, Kind::Task, 0, 0), (nodes - 2, 0, Kind::Section, 0, 0)];
    for (i, length) in lengths.iter().enumerate() {
        let at = i as i64;
        rows.push((1, 1, Kind::Create, at, at + 1));
        rows.push((2, 1, Kind::Task, 0, 0));
        rows.push((1, rows.len() - 1, Kind::End, at + 1, at + 1 + length));
    }
    let end = 10_000 + count as i64;
    rows.push((1, 1, Kind::Wait, count as i64, end));
    rows.push((1, 0, Kind::End, end, end + 1));
    for (i, (len, parent, kind, start, end)) in rows.into_iter().enumerate() {
        (tasks.len[i], tasks.parent[i], tasks.site[i]) = (len as u32, parent as u32, NO_SITE);
        (tasks.start[i], tasks.end[i]) = (start, end);
        tasks.mark[i] = Mark::new(kind, Edge::Create, false).0;
    }
    let node = |task: usize| 3 * task as u32 + 3;
    let mut depends: Vec<Depend> =
        depends.iter().map(|&(from, to)| Depend { to: node(to), from: node(from) }).collect();
    depends.sort_by_key(|depend| (depend.to, depend.from));
    tasks.depends.extend(depends);
    crosscut_tasks::finish(&mut run, tasks, &Places::workers(4).unwrap()).unwrap();
    Tasks::open(run.finish().unwrap()).unwrap()
}

/// The longest way that ends with a task, by trying all.
fn longest_to(task: usize, lengths: &[i64], depends: &[(usize, usize)]) -> i64 {
    let before = depends.iter().filter(|depend| depend.1 == task);
    lengths[task] + before.map(|depend| longest_to(depend.0, lengths, depends)).max().unwrap_or(0)
}

#[test]
fn a_chain_is_the_longest_way() {
    let mut random = chance(11);
    for _ in 0..40 {
        let lengths: Vec<i64> = (0..14).map(|_| 1 + random(50) as i64).collect();
        // Each needs the one before, most of the time, and some others.
        let mut depends: Vec<(usize, usize)> =
            (1..14).filter(|_| random(8) > 0).map(|to| (to - 1, to)).collect();
        depends.extend((0..6).map(|_| (random(7) as usize, 7 + random(7) as usize)));
        depends.sort_unstable();
        depends.dedup();
        let dir = tempfile::tempdir().unwrap();
        let tasks = section(dir.path(), &lengths, &depends);
        let found = chain::longest(&tasks, 0..tasks.tree().node_count());
        let needed = |task: &usize| depends.iter().any(|depend| depend.1 == *task);
        let longest = (0..14).filter(needed).map(|task| longest_to(task, &lengths, &depends)).max().unwrap();
        let Some(found) = found else { continue };
        assert_eq!(found.time, longest);
        let task = |node: NodeId| (node.0 as usize - 3) / 3;
        assert_eq!(found.tasks.iter().map(|&node| lengths[task(node)]).sum::<i64>(), longest);
        assert!(found.tasks.windows(2).all(|pair| depends.contains(&(task(pair[0]), task(pair[1])))));
    }
}

/// Random numbers below a limit.
fn chance(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |limit| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % limit
    }
}

/// Links are drawn in their order, none over another, all in the section.
#[test]
fn a_chain_is_drawn_at_the_foot_of_its_section() {
    let dir = tempfile::tempdir().unwrap();
    let lengths: Vec<i64> = (1..=20).collect();
    let depends: Vec<(usize, usize)> = (1..20).map(|to| (to - 1, to)).collect();
    let tasks = section(dir.path(), &lengths, &depends);
    let mut cut = Cut::closed();
    cut.open(tasks.tree(), NodeId(0));
    cut.open(tasks.tree(), NodeId(1));
    let scene = dag(&tasks, &cut, &DagOptions::default());
    let is_link = |&i: &usize| scene.styles.at(scene.boxes.style[i]).meaning == "link of a chain";
    let links: Vec<usize> = (0..scene.boxes.len()).filter(is_link).collect();
    assert_eq!(links.len(), 20);
    let boxes = &scene.boxes;
    assert!(links.windows(2).all(|pair| boxes.node[pair[0]] < boxes.node[pair[1]]
        && boxes.x[pair[0]] + boxes.w[pair[0]] <= boxes.x[pair[1]]));
    assert!(links.iter().all(|&i| boxes.y[i] + boxes.h[i] < scene.height));
    let says: Vec<&str> = scene
        .labels
        .iter()
        .map(|label| label.text.as_str())
        .filter(|text| text.contains("chain of 20"))
        .collect();
    assert_eq!(says.len(), 1);
}

/// Chains are not looked for among too many dependences, and the picture says so.
#[test]
fn a_picture_says_that_no_chain_was_looked_for() {
    const MANY: usize = 200_001;
    let work = tempfile::tempdir().unwrap();
    let lengths = vec![1; MANY + 1];
    let depends: Vec<(usize, usize)> = (1..=MANY).map(|task| (task - 1, task)).collect();
    let tasks = section(work.path(), &lengths, &depends);
    let all = 0..tasks.tree().node_count();
    assert_eq!(chain::longest(&tasks, all.clone()), None);
    let said = chain::left_out(&tasks, std::iter::once(all)).unwrap();
    assert!(said.contains("200\u{2009}001 dependences"), "{said}");
    let root = tasks.tree().child(NodeId::ROOT, 0).unwrap_or(NodeId::ROOT);
    assert_eq!(chain::left_out(&tasks, std::iter::once(root.index()..root.index() + 1)), None);
}
