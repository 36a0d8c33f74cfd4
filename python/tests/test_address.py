"""An address that the page wrote is read, changed and written without losing anything."""

import json
from pathlib import Path

import pytest

from crosscut.address import Address, Selection, TreeState


def test_what_is_not_understood_stays():
    text = "v=1&p=tasks.dag:0&c0=1~2~3&s=0:tasks:12-15,20&0/grains=12%3B;lens=low-parallel-benefit~0.5;k=3&link=0"
    assert str(Address(text)) == text


def test_selection():
    address = Address("v=1&s=0:super/a%3Ab:3,5-7>2@1.5~2")
    assert address.selection == Selection(0, "super/a:b", "3,5-7", "2", (1.5, 2.0))
    assert address.selection.numbers == [3, 5, 6, 7]
    address.selection = None
    assert str(address) == ""
    assert Address("s=broken").selection is None


def test_trees():
    address = Address().set_tree("grains", TreeState("1.2", ("rose", 0.25), {"k": "a b"}))
    assert str(address) == "v=1&0/grains=1.2;lens=rose~0.25;k=a%20b"
    assert address.tree("grains") == TreeState("1.2", ("rose", 0.25), {"k": "a b"})
    assert str(address.set_tree("grains", TreeState())) == ""


def test_fields_stand_where_the_page_puts_them():
    text = "v=1&p=a:0,b:0&g=1x1&a=1&c0=1~2~3&s=0:t:1&w0=1~2&r0=0-3&i0=0:t:2&0/a=1&0/b=2&w1=3~4&o.a.k=1&o.b.k=2&link=0&inspector=0"
    shuffled = "&".join(reversed(text.split("&")))
    assert str(Address(shuffled)) == text
    first, second = Address("v=1&p=a:0&s=0:t:1&w0=1~2&inspector=0"), Address("v=1&p=b:0&0/t=1&inspector=0")
    assert str(second.share(first.shared())) == "v=1&p=b:0&s=0:t:1&w0=1~2&inspector=0"


# The same cases are read by the tests of the page.
CASES = json.loads((Path(__file__).parents[2] / "ui/src/testdata/changes.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["to"] for case in CASES])
def test_parts_are_changed_one_by_one(case):
    assert str(Address(case["from"]).change(case["change"])) == case["to"]
