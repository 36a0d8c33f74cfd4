//! Progress on a terminal, for what takes more than a second. Nothing is drawn when standard error is not a terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What takes less is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that appears after a second and goes when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    /// What is said when all is done but the last step, which has no number.
    last_step: &'static str,
}

impl Progress {
    /// For `what`, in `unit`; `last_step` says what happens once everything is done.
    pub fn new(what: &str, unit: &str, last_step: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        let template =
            format!("{what}  {{bar:32}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {unit}  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("━━╌"));
        }
        Progress { bar, start: Instant::now(), last_step }
    }

    /// So much is done.
    pub fn set(&self, done: u64, total: u64) {
        let is_late = self.start.elapsed() >= PATIENCE;
        // Done early, the last step may still take long.
        if !is_late && done < total {
            return;
        }
        if self.bar.is_hidden() && is_late {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_length(total);
        self.bar.set_position(done);
        if done >= total {
            self.bar.set_message(self.last_step);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
