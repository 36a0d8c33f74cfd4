//! The page is embedded from `ui/dist`: build again when it was built again.

fn main() {
    println!("cargo::rerun-if-changed=../../ui/dist");
    println!("cargo::rerun-if-changed=build.rs");
}
