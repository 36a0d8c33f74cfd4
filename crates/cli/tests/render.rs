//! Pictures from the built command.

use crate::support;

use std::fs;

use support::{fails, folder, names, ok};

#[test]
fn every_view_as_svg_and_png() {
    let folder = folder();
    let path = folder.path();
    ok(path, &["synth", "random", "--size", "2000", "--workers", "3", "-o", "run.crosscut"]);
    for view in ["dag", "timeline", "profile", "grains"] {
        for (file, begins) in [("picture.svg", &b"<svg"[..]), ("picture.png", b"\x89PNG")] {
            assert_eq!(ok(path, &["render", "run.crosscut", "--view", view, "-o", file]), "");
            assert!(fs::read(path.join(file)).unwrap().starts_with(begins), "{view} {file}");
        }
    }
    assert_eq!(names(path), ["picture.png", "picture.svg", "run.crosscut"]);
}

#[test]
fn options_change_the_picture() {
    let folder = folder();
    let path = folder.path();
    ok(path, &["synth", "fib", "--size", "2000", "--workers", "3", "-o", "run.crosscut"]);
    ok(path, &["synth", "fib", "--size", "2000", "--workers", "1", "-o", "one.crosscut"]);
    let picture = |args: &[&str]| {
        ok(path, &[&["render", "run.crosscut", "-o", "picture.svg"], args].concat());
        fs::read_to_string(path.join("picture.svg")).unwrap()
    };
    let dag = picture(&["--view", "dag"]);
    assert_eq!(dag, picture(&["--view", "dag", "--cut", ""]));
    for args in [
        &["--depth", "2"][..],
        &["--colour", "kind"],
        &["--scale", "log"],
        &["--theme", "dark"],
        &["--critical"],
    ] {
        assert_ne!(dag, picture(&[&["--view", "dag"], args].concat()), "{args:?}");
    }
    let grain = picture(&["--view", "grains"]);
    for args in [
        &["--depth", "3"][..],
        &["--lens", "low-parallelism"],
        &["--lens", "low-parallelism=100"],
        &["--lens", "low-parallelism", "--threshold", "low-parallelism=100"],
        &["--lens", "work-deviation=0", "--baseline", "one.crosscut"],
        &["--alike"],
        &["--colour", "worker"],
        &["--scale", "linear"],
        &["--critical"],
        &["--cut", "0.0"],
    ] {
        assert_ne!(grain, picture(&[&["--view", "grains"], args].concat()), "{args:?}");
    }
    let timeline = picture(&["--view", "timeline"]);
    for args in
        [&["--from", "10us", "--to", "20us"][..], &["--to", "9000"], &["--width", "500"], &["--height", "70"]]
    {
        assert_ne!(timeline, picture(&[&["--view", "timeline"], args].concat()), "{args:?}");
    }
}

#[test]
fn wrong_wishes_leave_no_picture() {
    let folder = folder();
    let path = folder.path();
    ok(path, &["synth", "fib", "--size", "200", "-o", "run.crosscut"]);
    let dag = &["render", "run.crosscut", "--view", "dag"][..];
    let timeline = &["render", "run.crosscut", "--view", "timeline", "-o", "a.svg"][..];
    let grain = &["render", "run.crosscut", "--view", "grains", "-o", "a.svg"][..];
    for (args, says) in [
        (&[dag, &["-o", "a.txt"]].concat()[..], ".svg or .png"),
        (&[dag, &["-o", "svg"]].concat(), ".svg or .png"),
        (&[dag, &["-o", "no/such/a.svg"]].concat(), "no/such/a.svg"),
        (&[dag, &["-o", "a.svg", "--cut", "?!"]].concat(), "not a cut"),
        (&[dag, &["-o", "a.svg", "--cut", "0", "--depth", "1"]].concat(), "cannot be used with"),
        (&[dag, &["-o", "a.svg", "--colour", "taste"]].concat(), "possible values: worker"),
        (&[grain, &["--lens", "sadness"]].concat(), "there is no problem `sadness`"),
        (&[grain, &["--lens", "low-parallelism=NaN"]].concat(), "not a number"),
        (&[grain, &["--lens", "work-deviation"]].concat(), "work-deviation is not available"),
        (&[grain, &["--lens", "memory-stall"]].concat(), "--counters cycles,stalled-cycles-backend"),
        (&[grain, &["--lens", "low-parallelism=-1"]].concat(), "not a number from 0 on"),
        (&[grain, &["--threshold", "low-parallelism=1"]].concat(), "name one by --lens"),
        (
            &[grain, &["--width", "500"]].concat(),
            "--width has no effect with --view grains; it is for --view timeline",
        ),
        (
            &[dag, &["-o", "a.svg", "--lens", "low-parallelism"]].concat(),
            "--lens has no effect with --view dag",
        ),
        (&[dag, &["-o", "a.svg", "--alike"]].concat(), "it is for --view grains"),
        (&[dag, &["-o", "a.svg", "--depth", "-1"]].concat(), "a whole number from 0 on"),
        (&[grain, &["--with", "grains.taste=1"]].concat(), "grains has no option taste"),
        (&[timeline, &["--critical"]].concat(), "--critical has no effect with --view timeline"),
        (&[timeline, &["--from", "-5"]].concat(), "not a time"),
        (&[grain, &["--cut", "0!"]].concat(), "not a cut"),
        (&[timeline, &["--from", "5ms", "--to", "1ms"]].concat(), "is empty"),
        (&[timeline, &["--from", "soon"]].concat(), "not a time"),
        (&[timeline, &["--width", "0"]].concat(), "100..=20000"),
        (&["render", "run.crosscut", "-o", "a.svg"], "--view"),
        (&["render", "missing", "--view", "dag", "-o", "a.svg"], "no such directory"),
    ] {
        let error = fails(path, args);
        assert!(error.contains(says), "{args:?}: {error}");
        assert_eq!(names(path), ["run.crosscut"], "{args:?}");
    }
    fs::create_dir(path.join("folder.svg")).unwrap();
    assert!(fails(path, &[dag, &["-o", "folder.svg"]].concat()).contains("folder.svg: a directory"));
}
