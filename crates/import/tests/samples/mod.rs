//! The recorder's sample files with its own results, and an obvious reader of them.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io::Read;
use std::path::{Path, PathBuf};

/// All ten sample files.
pub const ALL: [&str; 10] = [
    "bots_sparselu",
    "bots_strassen_full",
    "depchain",
    "fib16_mth2_full",
    "fib25_mth4",
    "nested_sections",
    "omp_other",
    "sort_mth4",
    "sort_omp4",
    "sort_qth2",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where a sample file is: in the repository, or beside it.
pub fn path(name: &str) -> Option<PathBuf> {
    ["fixtures/dag", "../shared/data/made/dag"]
        .iter()
        .map(|folder| root().join(folder).join(name))
        .find(|path| path.is_file())
}

/// The sample files that are on this machine; says which are not.
pub fn present() -> Vec<(&'static str, PathBuf)> {
    let (found, absent): (Vec<_>, Vec<_>) = ALL
        .into_iter()
        .map(|name| (name, path(&format!("{name}.dag"))))
        .partition(|(_, path)| path.is_some());
    for (name, _) in absent {
        println!("SKIPPED: {name}.dag is neither in fixtures/dag nor in ../shared/data/made/dag");
    }
    assert!(found.len() >= 5, "five sample files belong to the repository");
    found.into_iter().filter_map(|(name, path)| Some((name, path?))).collect()
}

/// A node of the file, all of it that the tests use.
#[derive(Clone, Debug)]
pub struct FileNode {
    pub kind: i32,
    pub in_edge: i32,
    pub start: i64,
    pub end: i64,
    pub worker: i32,
    pub t_1: i64,
    pub t_inf: i64,
    pub first_ready: i64,
    pub last_start: i64,
    pub ready: [i64; 5],
    pub nodes: [i64; 4],
    pub edges: [i64; 5],
    pub lines: (i64, i64),
    pub begin: i64,
    pub end_inside: i64,
}

impl FileNode {
    pub fn is_collective(&self) -> bool {
        self.kind >= 4
    }
    pub fn is_collapsed(&self) -> bool {
        self.is_collective() && self.begin == self.end_inside
    }
    /// A leaf or a collapsed node.
    pub fn is_block(&self) -> bool {
        !self.is_collective() || self.is_collapsed()
    }
}

/// A sample file in pre-order.
pub struct Sample {
    pub workers: i64,
    pub nodes: Vec<FileNode>,
    pub parent: Vec<usize>,
    pub depth: Vec<usize>,
    pub children: Vec<Vec<usize>>,
}

fn word(bytes: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn half(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn words<const N: usize>(bytes: &[u8], at: usize) -> [i64; N] {
    std::array::from_fn(|k| word(bytes, at + 8 * k))
}

impl Sample {
    /// Reads a file that is known to be good.
    pub fn read(path: &Path) -> Sample {
        let bytes = std::fs::read(path).unwrap();
        let n = word(&bytes, 45) as usize;
        let file: Vec<FileNode> = (0..n)
            .map(|i| {
                let b = &bytes[77 + 432 * i..77 + 432 * (i + 1)];
                FileNode {
                    kind: half(b, 328),
                    in_edge: half(b, 332),
                    start: word(b, 0),
                    end: word(b, 72),
                    worker: half(b, 320),
                    t_1: word(b, 152),
                    t_inf: word(b, 160),
                    first_ready: word(b, 168),
                    last_start: word(b, 176),
                    ready: words(b, 184),
                    nodes: words(b, 224),
                    edges: words(b, 256),
                    lines: (word(b, 64), word(b, 136)),
                    begin: word(b, 416),
                    end_inside: word(b, 424),
                }
            })
            .collect();
        let mut sample = Sample {
            workers: word(&bytes, 69),
            nodes: Vec::new(),
            parent: Vec::new(),
            depth: Vec::new(),
            children: vec![Vec::new(); n],
        };
        sample.add(&file, 0, 0, 0);
        assert_eq!(sample.nodes.len(), n);
        sample
    }

    fn add(&mut self, file: &[FileNode], i: usize, parent: usize, depth: usize) {
        let at = self.nodes.len();
        let node = file[i].clone();
        let open = !node.is_block();
        self.nodes.push(node);
        self.parent.push(parent);
        self.depth.push(depth);
        if at > 0 {
            self.children[parent].push(at);
        }
        if open {
            for j in (i as i64 + file[i].begin) as usize..(i as i64 + file[i].end_inside) as usize {
                self.add(file, j, at, depth + 1);
                if file[j].kind == 0 {
                    self.add(file, (j as i64 + file[j].begin) as usize, at, depth + 1);
                }
            }
        }
    }
}

/// What the recorder's own tool printed.
pub struct Stat {
    values: std::collections::HashMap<String, String>,
    /// Edges by kind from worker to worker; the last row and column stand for several workers.
    pub edges: Vec<Vec<i64>>,
}

impl Stat {
    pub fn read(path: &Path) -> Stat {
        let text = std::fs::read_to_string(path).unwrap();
        let mut stat = Stat { values: Default::default(), edges: Vec::new() };
        for line in text.lines() {
            if let Some((key, value)) = line.split_once('=') {
                stat.values.insert(key.trim().to_owned(), value.trim().to_owned());
            } else if line.ends_with("edges:") {
                stat.edges.push(Vec::new());
            } else if let Some(matrix) = stat.edges.last_mut() {
                matrix.extend(line.split_whitespace().map(|number| number.parse::<i64>().unwrap()));
            }
        }
        assert_eq!(stat.edges.len(), 5);
        stat
    }

    pub fn get(&self, key: &str) -> i64 {
        self.values[key].parse().unwrap()
    }
}

/// A point of the recorder's profile: the value to the right of the time, summed up over the kinds so far.
pub struct GplPoint {
    pub t: i64,
    pub upto: [f64; 6],
}

/// Reads a profile. Six data sets (running, then ready by kind), each of lines `t lower upper`; the first line stands
/// alone, the others in pairs: the value to the left of a time, then that to its right.
pub fn read_gpl(path: &Path) -> Vec<GplPoint> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let mut sets: Vec<Vec<(i64, f64)>> = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        if line == "e" {
            sets.push(Vec::new());
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            sets.last_mut().unwrap().push((fields[0].parse().unwrap(), fields[2].parse().unwrap()));
        }
    }
    sets.retain(|set| !set.is_empty());
    assert_eq!(sets.len(), 6);
    (2..sets[0].len())
        .step_by(2)
        .map(|line| GplPoint { t: sets[0][line].0, upto: std::array::from_fn(|k| sets[k][line].1) })
        .collect()
}
