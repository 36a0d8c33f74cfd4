//! The memory map of a process, as the kernel writes it: `START-END PERMISSIONS OFFSET DEVICE INODE PATH`.

/// What the kernel adds to the name of a file that is no longer there.
const DELETED: &str = " (deleted)";

/// A range of memory and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    /// The file, or a name in brackets, or "".
    pub path: String,
    /// The file was removed or replaced while it was mapped.
    pub deleted: bool,
}

impl Mapping {
    fn parse(line: &str) -> Option<Self> {
        let mut rest = line;
        let mut field = || {
            let (field, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
            rest = after;
            (!field.is_empty()).then_some(field)
        };
        let (start, end) = field()?.split_once('-')?;
        let (_permissions, offset, _device, _inode) = (field()?, field()?, field()?, field()?);
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let path = unescape(rest.trim_start());
        let (path, deleted) = match path.strip_suffix(DELETED) {
            Some(path) => (path.to_owned(), true),
            None => (path, false),
        };
        let (start, end) = (hex(start)?, hex(end)?);
        (start < end).then_some(Mapping { start, end, offset: hex(offset)?, path, deleted })
    }

    /// Where in the file an address of the range is.
    pub fn file_offset(&self, address: u64) -> u64 {
        (address - self.start).saturating_add(self.offset)
    }
}

/// The kernel writes a line feed in a path as `\012`.
fn unescape(path: &str) -> String {
    path.replace("\\012", "\n")
}

/// All ranges, by address. Lines that are no ranges are left out.
pub struct Maps(Vec<Mapping>);

impl Maps {
    /// From the text.
    pub fn parse(text: &str) -> Self {
        let mut mappings: Vec<Mapping> = text.lines().filter_map(Mapping::parse).collect();
        mappings.sort_by_key(|mapping| mapping.start);
        Maps(mappings)
    }

    /// The file that the code at an address is of, and where in it; none where that is no file any more.
    pub fn file(&self, address: u64) -> Option<(&str, u64)> {
        let mapping = self.at(address).filter(|mapping| mapping.path.starts_with('/') && !mapping.deleted)?;
        Some((&mapping.path, mapping.file_offset(address)))
    }

    /// The program that the process runs: the first file, below all that it has loaded.
    pub fn program(&self) -> Option<&str> {
        let first = self.0.iter().find(|mapping| mapping.path.starts_with('/'))?;
        (!first.deleted).then_some(&*first.path)
    }

    /// Where a byte of a file is in memory.
    pub fn address(&self, path: &str, offset: u64) -> Option<u64> {
        let own = self.0.iter().filter(|mapping| mapping.path == path);
        let inside = |mapping: &Mapping| {
            let inside = offset.checked_sub(mapping.offset)?;
            (inside < mapping.end - mapping.start).then(|| mapping.start + inside)
        };
        own.into_iter().find_map(inside)
    }

    /// The range that an address is in.
    pub fn at(&self, address: u64) -> Option<&Mapping> {
        let after = self.0.partition_point(|mapping| mapping.start <= address);
        self.0[..after].last().filter(|mapping| address < mapping.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_files_are_found() {
        let maps = Maps::parse(
            "7f0000001000-7f0000003000 r-xp 00000000 fe:00 1 /lib/a.so\n\
             555500000000-555500001000 r--p 00000000 fe:00 2 /bin/program\n\
             555500001000-555500003000 r-xp 00001000 fe:00 2 /bin/program\n",
        );
        assert_eq!(maps.program(), Some("/bin/program"));
        assert_eq!(maps.address("/bin/program", 0x1234), Some(0x5555_0000_1234));
        assert_eq!(maps.address("/bin/program", 0x3000), None);
        assert_eq!(Maps::parse("1000-2000 r-xp 0 0:0 1 /bin/gone (deleted)\n").program(), None);
    }

    #[test]
    fn ranges_are_found() {
        let maps = Maps::parse(
            "7f0000001000-7f0000003000 r-xp 00002000 fe:00 1234                       /opt/a b/lib (x).so\n\
             no range at all\n\
             5000-4000 r-xp 0 00:00 0 /backwards\n\
             7fff0000-7fff2000 r-xp 00000000 00:00 0                                  [vdso]\n\
             1000-2000 rw-p 00000000 00:00 0 \n\
             3000-4000 r-xp 00001000 fe:00 99 /tmp/prog (deleted)\n",
        );
        let lib = maps.at(0x7f00_0000_2fff).unwrap();
        assert_eq!((lib.path.as_str(), lib.deleted), ("/opt/a b/lib (x).so", false));
        assert_eq!(lib.file_offset(0x7f00_0000_1010), 0x2010);
        assert_eq!(maps.at(0x7f00_0000_3000), None);
        assert_eq!(maps.at(0x7fff_1000).unwrap().path, "[vdso]");
        assert_eq!(maps.at(0x1fff).unwrap().path, "");
        let gone = maps.at(0x3000).unwrap();
        assert_eq!((gone.path.as_str(), gone.deleted), ("/tmp/prog", true));
        for address in [0, 0x2000, 0x4500, u64::MAX] {
            assert_eq!(maps.at(address), None);
        }
    }
}
