//! Dependences between the tasks of one creator, from the addresses that they name (OpenMP `depend`). They are found from
//! the program's order, so they are the same whichever task happened to be done already.

use crosscut_tasks::schema::Depend;
use foldhash::{HashMap, HashMapExt};

/// How a task uses an address, numbered as `ompt_dependence_type_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Beside others that read.
    Read,
    /// Alone.
    Write,
    /// Beside others of the same kind (`inoutset`, or `mutexinoutset`, whose tasks exclude each other in any order).
    Set(u16),
}

impl Use {
    /// `None` for kinds that order no tasks.
    fn from_number(number: u16) -> Option<Self> {
        match number {
            1 => Some(Use::Read),
            2 | 3 => Some(Use::Write),
            4 | 7 => Some(Use::Set(number)),
            _ => None,
        }
    }

    fn beside(self, other: Use) -> bool {
        self == other && self != Use::Write
    }
}

/// Who used an address last, all at once, and who before them.
#[derive(Debug)]
struct Address {
    latest: Vec<u32>,
    how: Use,
    before: Vec<u32>,
}

/// The addresses that the tasks of one creator have named since its last wait.
#[derive(Debug, Default)]
pub struct Depends {
    addresses: HashMap<u64, Address>,
    /// The last task that depends on all memory.
    all: Option<u32>,
}

/// The kinds of OpenMP 5.1 for all memory.
const OUT_ALL: u16 = 34;
const INOUT_ALL: u16 = 35;

impl Depends {
    /// `node` uses an address; adds what it has to wait for.
    pub fn add(&mut self, node: u32, address: u64, number: u16, found: &mut Vec<Depend>) {
        if matches!(number, OUT_ALL | INOUT_ALL) {
            let users = self.addresses.values().flat_map(|address| &address.latest).chain(&self.all);
            found.extend(users.filter(|&&from| from != node).map(|&from| Depend { to: node, from }));
            self.addresses = HashMap::new();
            self.all = Some(node);
            return;
        }
        let Some(how) = Use::from_number(number) else { return };
        let all = self.all;
        let entry = self.addresses.entry(address).or_insert_with(|| Address {
            latest: all.into_iter().collect(),
            how: Use::Write,
            before: Vec::new(),
        });
        if entry.latest.is_empty() {
            entry.how = how;
        } else if !how.beside(entry.how) {
            entry.before = std::mem::take(&mut entry.latest);
            entry.how = how;
        }
        found
            .extend(entry.before.iter().filter(|&&from| from != node).map(|&from| Depend { to: node, from }));
        // One task may name an address twice.
        if entry.latest.last() != Some(&node) {
            entry.latest.push(node);
        }
    }

    /// Adds what somebody who only waits for these addresses has to wait for.
    pub fn wait(&mut self, node: u32, address: u64, number: u16, found: &mut Vec<Depend>) {
        let Some(how) = Use::from_number(number) else { return };
        if let Some(entry) = self.addresses.get(&address) {
            let users = if how.beside(entry.how) { &entry.before } else { &entry.latest };
            found.extend(users.iter().map(|&from| Depend { to: node, from }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Depend, Depends};

    const IN: u16 = 1;
    const OUT: u16 = 2;
    const SET: u16 = 7;

    fn edges(uses: &[(u32, u64, u16)]) -> Vec<(u32, u32)> {
        let mut depends = Depends::default();
        let mut found: Vec<Depend> = Vec::new();
        for &(node, address, how) in uses {
            depends.add(node, address, how, &mut found);
        }
        found.iter().map(|d| (d.from, d.to)).collect()
    }

    #[test]
    fn readers_stand_beside_each_other() {
        assert_eq!(
            edges(&[(1, 9, OUT), (2, 9, IN), (3, 9, IN), (4, 9, OUT)]),
            [(1, 2), (1, 3), (2, 4), (3, 4)]
        );
    }

    #[test]
    fn a_chain() {
        assert_eq!(edges(&[(1, 9, OUT), (2, 9, OUT), (3, 8, OUT), (4, 9, OUT)]), [(1, 2), (2, 4)]);
    }

    #[test]
    fn sets_and_all_memory() {
        assert_eq!(
            edges(&[(1, 9, OUT), (2, 9, SET), (3, 9, SET), (4, 9, IN)]),
            [(1, 2), (1, 3), (2, 4), (3, 4)]
        );
        assert_eq!(
            edges(&[(1, 9, OUT), (2, 0, super::OUT_ALL), (3, 9, IN), (4, 8, IN)]),
            [(1, 2), (2, 3), (2, 4)]
        );
    }

    #[test]
    fn one_task_with_the_same_address_twice() {
        assert_eq!(edges(&[(1, 9, IN), (1, 9, OUT), (2, 9, IN)]), [(1, 2)]);
    }
}
