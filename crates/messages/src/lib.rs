//! The messages of a run: who sent what to whom and when, and what that says about the program.
