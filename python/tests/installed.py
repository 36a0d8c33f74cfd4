"""The package as pip installs it, in an environment of its own: `cargo xtask test python` runs this there."""

import subprocess
import sys
from pathlib import Path


def check() -> None:
    import crosscut as cc
    from crosscut import bundle, program

    here = Path(sys.prefix)
    assert Path(cc.__file__).is_relative_to(here), f"{cc.__file__} is another one"
    run = cc.synth("fib", size=500, workers=2)
    assert run.domains == ["tasks"] and len(run.tasks.frame()) > 100
    assert b"mount" in bundle.text(), "the page"
    recorded = cc.record([sys.executable, "-c", "sum(range(5_000_000))"], "--calls", "--quiet")
    assert recorded.domains == ["calls"], "with the libraries that it records with"
    assert run.tasks.timeline().picture()[:4] == b"\x89PNG"
    assert Path(program.program()).is_relative_to(here)
    version = [here / "bin" / "crosscut", "--version"]
    said = subprocess.run(version, capture_output=True, text=True, check=True, timeout=60).stdout
    assert said.split()[:2] == ["crosscut", cc.__version__], said


if __name__ == "__main__":
    check()
    print("1 passed, 0 failed")
