//! The options of the recorder, from the environment: `key=value` separated by commas. What is not known is ignored: an
//! option must not stop somebody's program.

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Fold what ran on one thread.
    pub collapse: bool,
    /// Only what took at most so many nanoseconds.
    pub collapse_nanos: Option<u64>,
    /// Only what has at most so many intervals.
    pub collapse_count: Option<u64>,
    /// Names of counters.
    pub counters: Vec<String>,
    /// Record the locks of the C library.
    pub locks: bool,
    /// Nanoseconds of processor time between two samples of a thread's stack.
    pub calls: Option<u64>,
    /// Whether only a timer is to tell when.
    pub calls_by_timer: bool,
    /// Record no tasks.
    pub no_tasks: bool,
}

impl Options {
    /// From the text of the variable.
    pub fn read(text: &str) -> Self {
        let mut options = Options::default();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            match key.trim() {
                "collapse" => {
                    options.collapse = true;
                    options.collapse_nanos = value.trim().parse().ok();
                }
                "collapse-count" => {
                    options.collapse = true;
                    options.collapse_count = value.trim().parse().ok();
                }
                "counters" => {
                    options.counters = value.split('+').map(|name| name.trim().to_owned()).collect()
                }
                "locks" => options.locks = true,
                "calls" => options.calls = value.trim().parse().ok().filter(|&nanos| nanos > 0),
                "calls-by-timer" => options.calls_by_timer = true,
                "no-tasks" => options.no_tasks = true,
                _ => {}
            }
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn options() {
        assert_eq!(Options::read(""), Options::default());
        let options = Options::read("collapse=5000,counters=cycles+instructions,what=1");
        assert!(options.collapse);
        assert_eq!(options.collapse_nanos, Some(5000));
        assert_eq!(options.collapse_count, None);
        assert_eq!(options.counters, ["cycles", "instructions"]);
        assert!(Options::read("collapse").collapse);
        assert!(Options::read("collapse,locks").locks && !Options::read("collapse").locks);
        assert_eq!(Options::read("collapse-count=100").collapse_count, Some(100));
        let options = Options::read("calls=1000000,no-tasks");
        assert_eq!((options.calls, options.no_tasks), (Some(1_000_000), true));
        assert!(!options.calls_by_timer && Options::read("calls=5,calls-by-timer").calls_by_timer);
        assert_eq!(Options::read("calls=0").calls, None);
    }
}
