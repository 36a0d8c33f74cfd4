//! Names of the kernel's functions: of the kernel that runs here, when it is the one that was measured and has not moved since.

use crosscut_calls::Frame;

/// Where the kernel says what it is, and where its functions are.
const NOTES: &str = "/sys/kernel/notes";
const SYMBOLS: &str = "/proc/kallsyms";
/// The kind of note that is a build id.
const BUILD_ID: u32 = 3;
const MODULE: &str = "[kernel.kallsyms]";

/// The functions of the kernel, by address.
pub struct Kernel {
    functions: Vec<(u64, String)>,
}

impl Kernel {
    /// The kernel that runs here, if it has this build id and its code begins at this address.
    pub fn here(measured: Option<(&[u8], u64)>) -> Option<Self> {
        let (id, begin) = measured?;
        if build_id(&std::fs::read(NOTES).ok()?)? != id {
            return None;
        }
        Self::from_text(&std::fs::read_to_string(SYMBOLS).ok()?, begin)
    }

    /// From lines `address kind name`; without rights all addresses are 0.
    fn from_text(text: &str, begin: u64) -> Option<Self> {
        let line = |line: &str| {
            let mut fields = line.split_whitespace();
            let (address, kind, name) = (fields.next()?, fields.next()?, fields.next()?);
            let address = u64::from_str_radix(address, 16).ok().filter(|address| *address != 0)?;
            matches!(kind, "t" | "T" | "w" | "W").then(|| (address, name.to_owned()))
        };
        let mut functions: Vec<(u64, String)> = text.lines().filter_map(line).collect();
        let is_same = functions
            .iter()
            .any(|(at, name)| *at == begin && matches!(&**name, "_text" | "_stext" | "startup_64"));
        functions.sort();
        is_same.then_some(Kernel { functions })
    }

    /// The function at an address.
    pub fn frame(&self, address: u64, is_return: bool) -> Option<Frame> {
        let address = address - u64::from(is_return && address > 0);
        let after = self.functions.partition_point(|(at, _)| *at <= address);
        let (_, name) = self.functions.get(after.checked_sub(1)?)?;
        Some(Frame { name: name.clone(), module: MODULE.to_owned(), ..Frame::default() })
    }
}

/// The build id among notes: sizes of name and content, kind, name, content, each padded to four bytes.
fn build_id(notes: &[u8]) -> Option<&[u8]> {
    let mut rest = notes;
    loop {
        let (head, after) = rest.split_at_checked(12)?;
        let number = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
        let (name, size, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let content = after.get(name.checked_next_multiple_of(4)?..)?;
        if kind == BUILD_ID && after.get(..4) == Some(b"GNU\0") {
            return content.get(..size);
        }
        rest = content.get(size.checked_next_multiple_of(4)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_same_kernel() {
        let text = "ffff0000 T _text\nffff0100 t do_work\nffff0300 D data\nffff0200 T idle [module]\n";
        let kernel = Kernel::from_text(text, 0xffff_0000).unwrap();
        assert_eq!(kernel.frame(0xffff_01ff, false).unwrap().name, "do_work");
        // A call at the end of a function returns to the next one.
        assert_eq!(kernel.frame(0xffff_0200, true).unwrap().name, "do_work");
        assert_eq!(kernel.frame(0xffff_0200, false).unwrap().name, "idle");
        assert!(kernel.frame(1, false).is_none());
        assert!(Kernel::from_text(text, 0xffff_1000).is_none());
        assert!(Kernel::from_text("0 T _text\n", 0).is_none());
        let notes = [
            &[4, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0][..],
            b"ABC\0",
            &[1, 2, 0, 0],
            &[4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0],
            b"GNU\0",
            &[7, 8, 9, 0],
        ];
        assert_eq!(build_id(&notes.concat()), Some(&[7, 8, 9][..]));
        assert_eq!(build_id(&[1, 2, 3]), None);
    }
}
