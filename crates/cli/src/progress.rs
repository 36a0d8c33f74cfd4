//! Progress on a terminal, for what takes more than a second. Nothing is drawn when standard error is not a terminal.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use crosscut_scene::printable::printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What takes less is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);
/// The elapsed time goes on even where nothing else can be counted.
const TICK: Duration = Duration::from_millis(250);

/// A bar that appears after a second and goes when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// What is said when all is done but the last step, which has no number.
    last_step: &'static str,
    /// Shows the bar, unless the other end of the channel goes before.
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// For `what`, in `unit`; `last_step` says what happens once everything is done.
    pub fn new(what: &str, unit: &str, last_step: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        // Braces mean something there.
        let what = printable(what).replace('{', "{{").replace('}', "}}");
        let template = format!(
            "{what}  {{bar:32}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {unit}  {{elapsed}}  {{msg}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("━━╌"));
        }
        let (send, gone) = mpsc::channel();
        let shown = bar.clone();
        let waiter = std::thread::spawn(move || {
            if gone.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Progress { bar, last_step, waiting: Some((send, waiter)) }
    }

    /// So much is done.
    pub fn set(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
        if done >= total {
            self.bar.set_message(self.last_step);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((send, waiter)) = self.waiting.take() {
            drop(send);
            // It cannot fail in a way that matters now.
            let _ = waiter.join();
        }
        self.bar.finish_and_clear();
    }
}
