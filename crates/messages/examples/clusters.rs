//! Clusters what is asked in a file, a line for a question and a line for its answer: how other tools are compared with
//! this one (`tests/peers/clusters.py`).
//!
//! ```text
//! times T0 T1 …             the heights at which the gaps between these ascending times close
//! graph N A B W  A B W …    modularity, and how many communities have it, then the community of each process
//! distance N L0 … / L0 …    how far two partitions of N processes are apart
//! seconds times|graph …     the time that the same question takes, without its answer
//! ```

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::Instant;

use crosscut_messages::communities::{Communities, Edge};
use crosscut_messages::partition::Partition;
use crosscut_messages::times::Linkage;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    let questions = std::env::args().nth(1).ok_or("clusters FILE")?;
    for line in BufReader::new(File::open(questions)?).lines() {
        let line = line?;
        let (kind, rest) = line.split_once(' ').unwrap_or((&line, ""));
        writeln!(out, "{}", answer(kind, rest)?)?;
    }
    Ok(())
}

fn answer(kind: &str, rest: &str) -> Result<String, Box<dyn std::error::Error>> {
    Ok(match kind {
        "times" => spaced(Linkage::of(&numbers(rest)?).heights()),
        "graph" => {
            let (processes, edges) = graph(rest)?;
            let communities = Communities::of(processes, &edges);
            let (count, modularity) = communities.best();
            format!("{modularity} {count} {}", spaced(communities.cut(count).of()))
        }
        "distance" => {
            let (one, other) = rest.split_once('/').ok_or("two partitions with a / between")?;
            let partition =
                |text: &str| numbers(text).map(|labels| Partition::new(labels.iter().map(|&l| l as u32)));
            partition(one)?.distance(&partition(other)?).to_string()
        }
        "seconds" => match rest.split_once(' ') {
            Some(("times", rest)) => {
                let times = numbers(rest)?;
                let start = Instant::now();
                let linkage = Linkage::of(&times);
                format!("{} {}", start.elapsed().as_secs_f64(), linkage.len())
            }
            Some(("graph", rest)) => {
                let (processes, edges) = graph(rest)?;
                let start = Instant::now();
                let communities = Communities::of(processes, &edges);
                format!("{} {}", start.elapsed().as_secs_f64(), communities.best().1)
            }
            _ => return Err("seconds of times or of a graph".into()),
        },
        _ => return Err(format!("\"{kind}\" is no question").into()),
    })
}

fn numbers(text: &str) -> Result<Vec<f64>, std::num::ParseFloatError> {
    text.split_whitespace().map(str::parse).collect()
}

fn graph(text: &str) -> Result<(u32, Vec<Edge>), Box<dyn std::error::Error>> {
    let numbers = numbers(text)?;
    let (processes, edges) = numbers.split_first().ok_or("how many processes")?;
    let edge = |edge: &[f64; 3]| Edge { a: edge[0] as u32, b: edge[1] as u32, weight: edge[2] };
    Ok((*processes as u32, edges.as_chunks::<3>().0.iter().map(edge).collect()))
}

fn spaced<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}
