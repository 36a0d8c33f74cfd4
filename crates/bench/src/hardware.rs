//! What the machine itself can do, measured in the same run: the yardstick for everything else.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;

/// Bytes per second of the machine's own parts.
#[derive(Clone, Copy, Debug)]
pub struct Hardware {
    /// Copying within memory (bytes copied).
    pub copy: f64,
    /// Reading a file that is in the page cache.
    pub cached: f64,
    /// Reading a file that is not.
    pub disk_read: f64,
    /// Writing a file until it is on the disk.
    pub disk_write: f64,
}

const BYTES: usize = 512 << 20;

/// Measures memory and the disk below `dir`.
pub fn measure(dir: &Path) -> Result<Hardware> {
    let source = vec![1u8; BYTES];
    let mut target = vec![2u8; BYTES];
    let copy = best(3, || {
        target.copy_from_slice(&source);
        std::hint::black_box(&target);
        Ok(())
    })?;
    let path = dir.join("disk");
    let disk_write = best(1, || {
        let mut file = File::create(&path)?;
        file.write_all(&source)?;
        file.sync_all()?;
        Ok(())
    })?;
    drop(source);
    let read = |target: &mut [u8]| -> Result<()> {
        let mut file = File::open(&path)?;
        for chunk in target.chunks_mut(4 << 20) {
            file.read_exact(chunk)?;
        }
        Ok(())
    };
    let file = OpenOptions::new().read(true).open(&path)?;
    // SAFETY: a plain system call on a descriptor that we own.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    let disk_read = best(1, || read(&mut target))?;
    let cached = best(3, || read(&mut target))?;
    std::fs::remove_file(&path)?;
    Ok(Hardware { copy, cached, disk_read, disk_write })
}

/// Bytes per second of the fastest of `times` tries over [`BYTES`].
fn best(times: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut seconds = f64::INFINITY;
    for _ in 0..times {
        let begin = Instant::now();
        run()?;
        seconds = seconds.min(begin.elapsed().as_secs_f64());
    }
    Ok(BYTES as f64 / seconds)
}
