//! Reading ahead. The walk goes through the events of a thread, and through the index, stretch by stretch, but mostly
//! backwards: the task that was created first ran last. No processor foresees that, so each stretch is read as a whole, once.
//! Hints to the processor do not do it: it drops those whose page it has not at hand, and that is nearly all of them.

/// Words per stretch: a page.
const STRETCH: usize = 512;
/// Words per line of the cache.
const LINE: usize = 8;

/// Which stretches of some words were read.
#[derive(Debug)]
pub(super) struct Ahead {
    read: Vec<bool>,
    recent: usize,
}

impl Ahead {
    pub(super) fn new(words: usize) -> Self {
        Ahead { read: vec![false; words.div_ceil(STRETCH)], recent: usize::MAX }
    }

    /// A word will be read: reads its stretch, and the one before.
    #[inline]
    pub(super) fn read(&mut self, word: usize, words: impl Fn(usize) -> u64) {
        let stretch = word / STRETCH;
        if stretch != self.recent {
            self.recent = stretch;
            self.read_stretch(stretch, words);
        }
    }

    /// Reads a word of each line.
    #[inline(never)]
    fn read_stretch(&mut self, stretch: usize, words: impl Fn(usize) -> u64) {
        for stretch in [stretch, stretch.saturating_sub(1)] {
            if let Some(read) = self.read.get_mut(stretch).filter(|read| !**read) {
                *read = true;
                let lines = (stretch * STRETCH..(stretch + 1) * STRETCH).step_by(LINE);
                std::hint::black_box(lines.fold(0, |all, word| all ^ words(word)));
            }
        }
    }
}
