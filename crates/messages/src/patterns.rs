//! Patterns: phases in which the processes group alike have one name, and what repeats is folded.
//!
//! Greedy clustering is unstable: one per cent of noise in the weights gives the same exchange other communities. So a
//! phase first tries the partitions that are known already, and takes the best of them if its modularity is nearly that
//! of the phase's own clustering. The sequence of names then folds into an expression such as `(A×8 B)×3`.

use std::fmt;
use std::sync::Arc;

use crate::communities::{Edge, modularity};
use crate::partition::Partition;

/// The share of its own modularity that a phase gives up at most to be of a known pattern. A choice, not a truth.
pub const GIVEN_UP: f64 = 0.05;

/// The partitions that have been seen, in the order in which they were seen first.
#[derive(Clone, Debug, Default)]
pub struct Patterns {
    known: Vec<Arc<Partition>>,
}

impl Patterns {
    /// The pattern of a phase with these edges, whose own clustering is `own`.
    pub fn recognise(&mut self, edges: &[Edge], own: &Arc<Partition>) -> usize {
        self.recognise_among(edges, own, |_| true)
    }

    /// The same, where only some of the known patterns come into question.
    pub fn recognise_among(
        &mut self,
        edges: &[Edge],
        own: &Arc<Partition>,
        among: impl Fn(usize) -> bool,
    ) -> usize {
        let quality = modularity(edges, own);
        let enough = quality - GIVEN_UP * quality.abs();
        let best = self
            .known
            .iter()
            .enumerate()
            .filter(|(pattern, _)| among(*pattern))
            .map(|(pattern, known)| (pattern, modularity(edges, known)))
            .reduce(|best, next| if next.1 > best.1 { next } else { best });
        match best {
            Some((pattern, quality)) if quality >= enough => pattern,
            _ => {
                self.known.push(own.clone());
                self.known.len() - 1
            }
        }
    }

    /// The partitions of the patterns.
    pub fn partitions(&self) -> &[Arc<Partition>] {
        &self.known
    }
}

/// The name of a pattern: A to Z, then AA, AB, …
pub fn name(pattern: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = pattern + 1;
    while rest > 0 {
        letters.push(b'A' + ((rest - 1) % 26) as u8);
        rest = (rest - 1) / 26;
    }
    letters.iter().rev().map(|&letter| char::from(letter)).collect()
}

/// A part of a folded sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folded {
    /// One phase of this pattern.
    Phase(usize),
    /// The same again and again.
    Repeat {
        /// How often.
        times: usize,
        /// What is repeated.
        of: Vec<Folded>,
    },
}

/// A sequence of patterns with its repetitions folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// What comes after what.
    pub parts: Vec<Folded>,
}

/// Beyond so many parts repetitions of more than one part are not looked for: the search takes the square of it.
const LONGEST: usize = 5_000;

impl Expression {
    /// Folds a sequence into few names: the repetitions that save most, then those inside them and beside them.
    pub fn of(patterns: &[usize]) -> Expression {
        let mut terms = Terms::default();
        let sequence: Vec<usize> = patterns.iter().map(|&pattern| terms.term(Term::Phase(pattern))).collect();
        let folded = terms.fold(sequence);
        Expression { parts: folded.iter().map(|&term| terms.unfold(term)).collect() }
    }

    /// How many names it is written with.
    pub fn names(&self) -> usize {
        fn names(parts: &[Folded]) -> usize {
            parts.iter().map(|part| if let Folded::Repeat { of, .. } = part { names(of) } else { 1 }).sum()
        }
        names(&self.parts)
    }

    /// How many phases it stands for.
    pub fn phases(&self) -> usize {
        fn phases(parts: &[Folded]) -> usize {
            let of = |part: &Folded| match part {
                Folded::Phase(_) => 1,
                Folded::Repeat { times, of } => times * phases(of),
            };
            parts.iter().map(of).sum()
        }
        phases(&self.parts)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn write(parts: &[Folded], to: &mut fmt::Formatter<'_>) -> fmt::Result {
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    to.write_str(" ")?;
                }
                match part {
                    Folded::Phase(pattern) => to.write_str(&name(*pattern))?,
                    Folded::Repeat { times, of } if of.len() == 1 => {
                        write(of, to)?;
                        write!(to, "×{times}")?;
                    }
                    Folded::Repeat { times, of } => {
                        to.write_str("(")?;
                        write(of, to)?;
                        write!(to, ")×{times}")?;
                    }
                }
            }
            Ok(())
        }
        write(&self.parts, to)
    }
}

/// A phase or a repetition; equal ones have one number, so that sequences of them compare quickly.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Term {
    Phase(usize),
    Repeat(usize, Vec<usize>),
}

#[derive(Default)]
struct Terms {
    all: Vec<Term>,
    /// The names that each is written with.
    names: Vec<usize>,
    numbers: foldhash::HashMap<Term, usize>,
}

impl Terms {
    fn term(&mut self, term: Term) -> usize {
        if let Some(&known) = self.numbers.get(&term) {
            return known;
        }
        self.names.push(match &term {
            Term::Phase(_) => 1,
            Term::Repeat(_, of) => of.iter().map(|&part| self.names[part]).sum(),
        });
        self.all.push(term.clone());
        self.numbers.insert(term, self.all.len() - 1);
        self.all.len() - 1
    }

    /// Folds until nothing repeats any more.
    fn fold(&mut self, mut sequence: Vec<usize>) -> Vec<usize> {
        loop {
            let before = sequence.len();
            sequence = self.fold_runs(&sequence);
            if sequence.len() <= LONGEST {
                sequence = self.fold_blocks(&sequence);
            }
            if sequence.len() == before {
                return sequence;
            }
        }
    }

    /// Neighbours that are equal become one term.
    fn fold_runs(&mut self, sequence: &[usize]) -> Vec<usize> {
        sequence
            .chunk_by(|a, b| a == b)
            .map(|run| if run.len() == 1 { run[0] } else { self.term(Term::Repeat(run.len(), vec![run[0]])) })
            .collect()
    }

    /// Folds the repetitions of blocks that save most names, and then the blocks.
    fn fold_blocks(&mut self, sequence: &[usize]) -> Vec<usize> {
        let length = sequence.len();
        // From the end: the fewest names and parts for the rest, and whether a block of `period` begins here, `times` over.
        let mut least = vec![(0usize, 0usize); length + 1];
        let mut choice = vec![(1usize, 1usize); length];
        // How far the sequence goes on as it does a period further right.
        let mut alike = vec![0usize; length];
        for at in (0..length).rev() {
            let (names, parts) = least[at + 1];
            least[at] = (names + self.names[sequence[at]], parts + 1);
            let mut block = 0;
            for period in 1..length - at {
                block += self.names[sequence[at + period - 1]];
                alike[period] = if sequence[at] == sequence[at + period] { alike[period] + 1 } else { 0 };
                let times = 1 + alike[period] / period;
                let (names, parts) = least[at + period * times];
                if times > 1 && (names + block, parts + 1) <= least[at] {
                    least[at] = (names + block, parts + 1);
                    choice[at] = (period, times);
                }
            }
        }
        let mut folded = Vec::new();
        let mut at = 0;
        while at < length {
            let (period, times) = choice[at];
            if times > 1 {
                let block = self.fold(sequence[at..at + period].to_vec());
                folded.push(self.term(Term::Repeat(times, block)));
            } else {
                folded.push(sequence[at]);
            }
            at += period * times;
        }
        folded
    }

    fn unfold(&self, term: usize) -> Folded {
        match &self.all[term] {
            Term::Phase(pattern) => Folded::Phase(*pattern),
            Term::Repeat(times, of) => {
                Folded::Repeat { times: *times, of: of.iter().map(|&part| self.unfold(part)).collect() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communities::Communities;
    use crosscut_chance::Chance;

    fn folded(letters: &str) -> String {
        expression(letters).to_string()
    }

    fn expression(letters: &str) -> Expression {
        Expression::of(&letters.bytes().map(|letter| usize::from(letter - b'A')).collect::<Vec<_>>())
    }

    #[test]
    fn what_repeats_is_folded() {
        assert_eq!(folded(&"AAAAAAAAB".repeat(3)), "(A×8 B)×3");
        assert_eq!(folded("AAA"), "A×3");
        assert_eq!(folded("ABCD"), "A B C D");
        assert_eq!(folded(""), "");
        assert_eq!(folded("XABABABY"), "X (A B)×3 Y");
        assert_eq!(folded(&("AABAAB".repeat(2) + "C").repeat(5)), "((A×2 B)×4 C)×5");
        assert_eq!(folded("ABABA"), "(A B)×2 A");
    }

    #[test]
    fn an_expression_stands_for_its_sequence() {
        fn unfold(parts: &[Folded], into: &mut Vec<usize>) {
            for part in parts {
                match part {
                    Folded::Phase(pattern) => into.push(*pattern),
                    Folded::Repeat { times, of } => (0..*times).for_each(|_| unfold(of, into)),
                }
            }
        }
        let mut chance = Chance::new(41);
        for _ in 0..500 {
            let kinds = 1 + chance.index(4);
            let sequence: Vec<usize> = (0..chance.index(60)).map(|_| chance.index(kinds)).collect();
            let expression = Expression::of(&sequence);
            let mut unfolded = Vec::new();
            unfold(&expression.parts, &mut unfolded);
            assert_eq!(unfolded, sequence, "{expression}");
            assert_eq!(expression.phases(), sequence.len());
            assert!(expression.names() <= sequence.len());
        }
    }

    #[test]
    fn few_names_for_much_repetition() {
        let expression = expression(&"AAAAAAAAB".repeat(3));
        assert_eq!((expression.phases(), expression.names()), (27, 2));
        let long: Vec<usize> = (0..300).map(|phase| usize::from(phase % 10 == 9)).collect();
        assert_eq!(Expression::of(&long).to_string(), "(A×9 B)×30");
    }

    #[test]
    fn names_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 27, 701, 702].map(name).to_vec();
        assert_eq!(names, ["A", "Z", "AA", "AB", "ZZ", "AAA"]);
    }

    /// A halo exchange with noise in its weights: greedy clustering sees other communities each time.
    #[test]
    fn the_same_exchange_with_noise_is_one_pattern() {
        let mut chance = Chance::new(42);
        let (wide, high) = (20, 15);
        let mut halo = || -> Vec<Edge> {
            let mut edges = Vec::new();
            for a in 0..wide * high {
                let (x, y) = (a % wide, a / wide);
                for b in [(x + 1) % wide + y * wide, x + (y + 1) % high * wide] {
                    edges.push(Edge { a, b, weight: 1e6 + chance.below(10_000) as f64 });
                }
            }
            edges
        };
        let pairs: Vec<Edge> = (0..150).map(|a| Edge { a, b: a + 150, weight: 1.0 }).collect();
        let mut patterns = Patterns::default();
        let mut see = |edges: &[Edge]| {
            let communities = Communities::of(wide * high, edges);
            patterns.recognise(edges, &Arc::new(communities.cut(communities.best().0)))
        };
        let seen: Vec<usize> =
            (0..6).map(|phase| if phase == 3 { see(&pairs) } else { see(&halo()) }).collect();
        assert_eq!(seen, [0, 0, 0, 1, 0, 0]);
    }
}
