//! Numbers for people: those of `crosscut_scene`, and times by the run's clock.

use crosscut_run::Clock;
pub use crosscut_scene::format::*;

/// The unit of times of a clock.
pub fn unit(clock: Clock) -> Unit {
    match clock {
        Clock::Ns => Unit::Ns,
        Clock::Ticks => Unit::Ticks,
    }
}

/// A duration: 1.23 ms, 45.6 µs; ticks with prefixes: 1.23 M ticks.
pub fn time(value: f64, clock: Clock) -> String {
    quantity(value, unit(clock))
}
