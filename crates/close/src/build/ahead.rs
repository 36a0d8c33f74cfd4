//! Reading ahead. The walk goes through the events of a thread, and through the index, stretch by stretch, but mostly
//! backwards: the task that was created first ran last. No processor foresees that, so each stretch is asked for as a whole.

/// Words per stretch: a page.
const STRETCH: usize = 512;
/// Words per line of the cache.
const LINE: usize = 8;

/// Which stretches of some words were asked for.
#[derive(Debug)]
pub(super) struct Ahead {
    asked: Vec<bool>,
}

impl Ahead {
    pub(super) fn new(words: usize) -> Self {
        Ahead { asked: vec![false; words.div_ceil(STRETCH)] }
    }

    /// A word will be read: asks for its stretch, and for the one before, line by line.
    #[inline]
    pub(super) fn read(&mut self, word: usize, prefetch: impl Fn(usize)) {
        let stretch = word / STRETCH;
        for stretch in [stretch, stretch.saturating_sub(1)] {
            if let Some(asked) = self.asked.get_mut(stretch).filter(|asked| !**asked) {
                *asked = true;
                (stretch * STRETCH..(stretch + 1) * STRETCH).step_by(LINE).for_each(&prefetch);
            }
        }
    }
}
