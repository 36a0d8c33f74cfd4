//! Names of functions as people write them. A compiler's name for a function comes in: mangled, perhaps of a part that
//! was made of the body of a parallel region or of a task, perhaps of a clone. The name of the user's function comes out.

use std::fmt::{self, Write};

use cpp_demangle::DemangleOptions;

/// How compilers name the functions that they make of OpenMP regions and tasks: what comes before is the function that
/// the user wrote. GCC: `fib._omp_fn.0`; Clang: `fib.omp_outlined.1`, `fib.omp_outlined_debug__`, `.omp_outlined.`,
/// `.omp_task_entry..3`.
const OUTLINED: [&str; 3] = ["._omp_fn", ".omp_outlined", ".omp_task_entry."];

/// What compilers add to the name of a clone.
const CLONES: [&str; 7] =
    [".part.", ".constprop.", ".isra.", ".cold", ".lto_priv.", ".llvm.", ".specialized."];

/// Names that are longer stay as they are: a few bytes of such a name may stand for all that came before them, again and again.
const LONGEST: usize = 4 << 10;
/// And so do names that become longer than this.
const MOST: usize = 16 << 10;

/// All that some compilers say about the body of a lambda.
pub const LAMBDA: &str = "operator()";

/// The name of the function that the user wrote; `None` when it is nowhere in the compiler's name.
pub fn users(name: &str) -> Option<String> {
    if name == LAMBDA {
        return None;
    }
    let own = OUTLINED.iter().filter_map(|mark| name.find(mark)).min().map_or(name, |at| &name[..at]);
    (!own.is_empty()).then(|| readable(own))
}

/// The compiler's name, demangled.
pub fn readable(name: &str) -> String {
    let plain = CLONES.iter().filter_map(|mark| name.find(mark)).filter(|&at| at > 0).min();
    let name = plain.map_or(name, |at| &name[..at]);
    rust(name).or_else(|| cpp(name)).unwrap_or_else(|| name.to_owned())
}

/// A name in a profile, demangled. What marks a clone, an entry of the linker's table or a level of recursion stays: it is
/// measured apart from the function itself (`_ZN2ns1fEi.cold`, `_ZN2ns1fEi@plt`, `_ZN2ns1fEi'2`).
pub fn demangled(name: &str) -> String {
    if !["_Z", "_R", "__Z", "__R", "ZN"].iter().any(|begin| name.starts_with(begin)) {
        return name.to_owned();
    }
    if let Some(name) = rust(name) {
        return name;
    }
    // One underscore more: how names stand in files of macOS.
    let plain = name.strip_prefix('_').filter(|name| name.starts_with("_Z")).unwrap_or(name);
    let (own, mark) = plain.split_at(plain.find(['.', '@', '\'']).unwrap_or(plain.len()));
    cpp(own).map_or_else(|| name.to_owned(), |own| own + mark)
}

/// Without the hash at the end.
fn rust(name: &str) -> Option<String> {
    let found = rustc_demangle::try_demangle(name).ok().filter(|_| name.len() <= LONGEST)?;
    let mut readable = Bounded::default();
    write!(readable, "{found:#}").ok()?;
    Some(readable.text)
}

/// A text that does not grow without end.
#[derive(Default)]
struct Bounded {
    text: String,
}

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > MOST {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

/// Without parameters: they are often longer than everything else, and the line tells overloads apart.
fn cpp(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > LONGEST {
        return None;
    }
    let symbol = cpp_demangle::Symbol::new(name).ok()?;
    let mut readable = Bounded::default();
    let options = DemangleOptions::new().no_params().no_return_type();
    symbol.structured_demangle(&mut readable, &options).ok()?;
    let name = readable.text.strip_suffix(" const").unwrap_or(&readable.text);
    let lambda = name.strip_suffix(LAMBDA).and_then(|name| name.strip_suffix("::"));
    Some(lambda.filter(|name| name.ends_with('}')).unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_that_the_user_wrote() {
        for (name, function) in [
            ("main", Some("main")),
            ("fib._omp_fn.0", Some("fib")),
            ("main.omp_outlined", Some("main")),
            ("fib.omp_outlined.1", Some("fib")),
            ("main.omp_outlined_debug__.1", Some("main")),
            ("fib.part.3", Some("fib")),
            ("sort.constprop.0._omp_fn.2", Some("sort")),
            ("work._omp_fn.1.cold", Some("work")),
            ("_ZN2ns1S3fibEi._omp_fn.0", Some("ns::S::fib")),
            ("_ZN2ns1S3fibEi.part.3", Some("ns::S::fib")),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", Some("std::vector<int, std::allocator<int> >::push_back")),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", Some("core::fmt::Write::write_fmt")),
            (
                "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123",
                Some("core::fmt::Write::write_fmt"),
            ),
            ("_RNvCs1234_7mycrate3foo", Some("mycrate::foo")),
            ("_ZZ4mainENKUlvE_clEv", Some("main::{lambda()#1}")),
            ("_ZNK2ns3AddclEi", Some("ns::Add::operator()")),
            ("operator()", None),
            (".omp_outlined.", None),
            (".omp_outlined..4", None),
            (".omp_task_entry..3", None),
            ("", None),
        ] {
            assert_eq!(users(name).as_deref(), function, "{name}");
        }
        for (name, function) in [
            ("main", "main"),
            ("iteration.cold.1", "iteration.cold.1"),
            ("_ZN2ns1S3fibEi.cold", "ns::S::fib.cold"),
            ("_ZN2ns1S3fibEi@plt", "ns::S::fib@plt"),
            ("_ZN2ns1S3fibEi'2", "ns::S::fib'2"),
            ("__ZN2ns1S3fibEi", "ns::S::fib"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE.llvm.123", "core::fmt::Write::write_fmt"),
            (
                "_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE",
                "<alloc::string::String as core::fmt::Debug>::fmt",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_Zebra.x", "_Zebra.x"),
            ("_Reduce", "_Reduce"),
            ("", ""),
        ] {
            assert_eq!(demangled(name), function, "{name}");
        }
        // f<A<int, int>, A<S1, S1>, A<S2, S2>, …>: each argument stands for twice the one before it.
        let nested = |levels: usize| {
            let part = |level: usize| {
                let digit = char::from_digit(level as u32, 36).unwrap().to_ascii_uppercase();
                format!("S0_IS{digit}_S{digit}_E")
            };
            let parts: String = (1..=levels).map(part).collect();
            format!("_Z1fI1AIiiE{parts}Evv")
        };
        assert_eq!(demangled(&nested(1)), "f<A<int, int>, A<A<int, int>, A<int, int> > >");
        // 2^30 of them in some 300 bytes.
        let nested = nested(30);
        for name in [nested, format!("_Z5000{}v", "a".repeat(5000))] {
            assert_eq!(demangled(&name), name);
            assert_eq!(readable(&name), name);
        }
        assert_eq!(readable(".omp_task_entry..3"), ".omp_task_entry..3");
        for broken in ["_Z", "_ZN", "_ZNSt", "_R", "_RNv", "._omp_fn", "\u{1F980}.cold", ".cold"] {
            readable(broken);
            users(broken);
            demangled(broken);
        }
    }
}
