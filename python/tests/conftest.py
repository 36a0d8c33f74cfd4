"""Small runs that all tests share."""

import crosscut as cc
import pytest


@pytest.fixture(scope="session")
def tasks():
    return cc.synth("fib", size=20_000, workers=4)


@pytest.fixture(scope="session")
def messages():
    return cc.synth("messages", "halo*2,allreduce", ranks=16, steps=3)


@pytest.fixture(scope="session")
def calls():
    return cc.synth("calls", size=3000, ranks=8, slow="2-3").calls
