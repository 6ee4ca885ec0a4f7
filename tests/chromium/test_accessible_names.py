"""Accessible names on the pages of the web-platform-tests, each as its author expects it.

Chromium's own answer is asked for beside ours, so that the table of exceptions says of
each whether the browser that runs the page agrees with us.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from cdp.walker.source import NAME
from tests.fakes.driven import drive
from tests.fakes.walked import walk

if TYPE_CHECKING:
    from cdp.page import Page
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

ROOT = Path(__file__).parents[1] / "vectors" / "wpt" / "accname"
PASS_RATE = 0.98

EXCEPTIONS = {
    "heading with link referencing image using aria-labelledby, that in turn references text"
    " element via aria-labelledby": (
        "the page refers to nested_image_label3, its image is called nested_image_label_3;"
        " Chromium differs as well"
    ),
    "heading with link referencing image using aria-labelledby, that in turn references itself"
    " and another element via aria-labelledby": (
        "aria-labelledby is not followed from inside aria-labelledby (step 2B), so the image is"
        " its alt text; Chromium says the same as we do"
    ),
}
"""Test name -> why our name is not the expected one."""


class Named(NamedTuple):
    page: str
    test: str
    expected: str
    ours: str
    theirs: str


async def test_names_are_the_expected_ones(tmp_path: Path, pages: PageServer) -> None:
    found: list[Named] = []
    async with drive(tmp_path) as driven:
        for file in sorted(ROOT.rglob("*.html")):
            text = file.read_text("utf-8").replace("AriaUtils.verifyLabelsBySelector", "void ")
            await driven.open(pages.add(f"/wpt/{file.stem}", text))
            found += await names_on(driven.page, file.stem)
    assert len(found) == 378
    failed = {each.test: each for each in found if each.expected != each.ours}
    assert set(failed) == set(EXCEPTIONS), failed
    rate = 1 - len(failed) / len(found)
    browser = sum(each.expected == each.theirs for each in found) / len(found)
    print(f"names as expected: {rate:.1%}, Chromium's own: {browser:.1%}")
    assert rate >= PASS_RATE
    assert rate >= browser


async def names_on(page: Page, title: str) -> list[Named]:
    """Return our name and Chromium's for each element of a page that has an expected one."""
    await walk(page)
    rows = await page.target.world.run(
        f"""() => [...document.querySelectorAll("[data-expectedlabel]")].map(element => [
          element.dataset.testname, element.dataset.expectedlabel,
          {NAME}.name(element)])"""
    )
    theirs = await chromium_names(page, len(rows))
    return [
        Named(title, test, tidy(expected), tidy(ours), tidy(their))
        for (test, expected, ours), their in zip(rows, theirs, strict=True)
    ]


async def chromium_names(page: Page, count: int) -> list[str]:
    session = page.target.session
    names = []
    for index in range(count):
        element = await page.target.world.hold(
            f"() => document.querySelectorAll('[data-expectedlabel]')[{index}]"
        )
        answer: dict[str, Any] = await session.call(
            "Accessibility.getPartialAXTree", objectId=element, fetchRelatives=False
        )
        names.append(answer["nodes"][0].get("name", {}).get("value", ""))
    return names


def tidy(text: str) -> str:
    """The pages' own harness compares names without the white space that HTML collapses."""
    return re.sub(r"[ \t\n\f\r]+", " ", text).strip(" ")
