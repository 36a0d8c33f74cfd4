//! Things that are made once for all who wait and kept as long as there is room. Runs do not change, so nothing is ever
//! invalidated: what is dropped is made again.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Refusal;

/// Values by key, bounded by bytes: those used longest ago go first.
pub struct Cache<K, V> {
    most: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V> {
    slots: HashMap<K, Slot<V>>,
    clock: u64,
    bytes: usize,
}

struct Slot<V> {
    /// Held while the value is made: who comes later waits for it, and for nothing else.
    value: Arc<Mutex<Option<V>>>,
    used: u64,
    bytes: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Clone + Eq + Hash, V: Clone> Cache<K, V> {
    /// Keeps at most so many bytes, and the value used last whatever its size.
    pub fn new(most: usize) -> Self {
        Cache { most, inner: Mutex::new(Inner { slots: HashMap::new(), clock: 0, bytes: 0 }) }
    }

    /// The value of a key, made when it is not there; `make` also says how many bytes it takes. A refusal is not kept.
    pub fn get(&self, key: &K, make: impl FnOnce() -> Result<(V, usize), Refusal>) -> Result<V, Refusal> {
        let value = self.slot(key);
        let mut value = lock(&value);
        if let Some(value) = &*value {
            return Ok(value.clone());
        }
        match make() {
            Ok((made, bytes)) => {
                *value = Some(made.clone());
                self.made(key, bytes);
                Ok(made)
            }
            Err(refusal) => {
                lock(&self.inner).slots.remove(key);
                Err(refusal)
            }
        }
    }

    /// The value of a key if it is there and made.
    pub fn peek(&self, key: &K) -> Option<V> {
        let value = lock(&self.inner).slots.get(key)?.value.clone();
        value.try_lock().ok().and_then(|value| value.clone())
    }

    /// Drops what is made; what is being made stays.
    pub fn clear(&self) {
        let mut inner = lock(&self.inner);
        inner.slots.retain(|_, slot| slot.bytes == 0);
        inner.bytes = 0;
    }

    /// Number of bytes that are kept.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        lock(&self.inner).bytes
    }

    fn slot(&self, key: &K) -> Arc<Mutex<Option<V>>> {
        let mut inner = lock(&self.inner);
        inner.clock += 1;
        let used = inner.clock;
        let new = || Slot { value: Arc::default(), used, bytes: 0 };
        let slot = inner.slots.entry(key.clone()).or_insert_with(new);
        slot.used = used;
        slot.value.clone()
    }

    /// Notes the size of what was made, and makes room.
    fn made(&self, key: &K, bytes: usize) {
        let mut inner = lock(&self.inner);
        let Some(slot) = inner.slots.get_mut(key) else { return };
        slot.bytes = bytes;
        inner.bytes += bytes;
        while inner.bytes > self.most {
            // What is being made has no size yet, and is not dropped.
            let others = inner.slots.iter().filter(|(other, slot)| slot.bytes > 0 && *other != key);
            let Some(oldest) = others.min_by_key(|(_, slot)| slot.used).map(|(oldest, _)| oldest.clone())
            else {
                break;
            };
            if let Some(slot) = inner.slots.remove(&oldest) {
                inner.bytes -= slot.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let cache = Cache::new(10);
        for key in 0..3 {
            cache.get(&key, || Ok((key * 10, 4))).unwrap();
            cache.get(&0, || Ok((0, 4))).unwrap();
        }
        assert_eq!((cache.peek(&0), cache.peek(&1), cache.peek(&2)), (Some(0), None, Some(20)));
        assert_eq!(cache.bytes(), 8);
        cache.get(&7, || Ok((70, 100))).unwrap(); // larger than all: it alone stays
        assert_eq!((cache.peek(&7), cache.peek(&0), cache.bytes()), (Some(70), None, 100));
        cache.clear();
        assert_eq!((cache.peek(&7), cache.bytes()), (None, 0));
    }

    #[test]
    fn a_refusal_is_not_kept() {
        let cache: Cache<u8, u8> = Cache::new(10);
        assert!(cache.get(&1, || Err(Refusal::new("no"))).is_err());
        assert_eq!(cache.get(&1, || Ok((5, 1))), Ok(5));
    }

    #[test]
    fn all_who_wait_get_the_same() {
        let cache = Cache::new(10);
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    cache.get(&1, || {
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        Ok((made.fetch_add(1, Ordering::Relaxed), 1))
                    })
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }
}
