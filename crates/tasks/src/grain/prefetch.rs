//! Memory that will be read soon, where no processor foresees it.

/// Asks for something to be brought into the cache.
#[inline]
pub fn prefetch<T>(what: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it is a hint about an address that is ours.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>((&raw const *what).cast())
    };
    #[cfg(not(target_arch = "x86_64"))]
    let _ = what;
}
