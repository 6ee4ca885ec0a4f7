"""What is written in a frame whose scripts are off is read back as quickly as elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from cdp.elements.done import Status
from tests.fakes.acting import acts_on, done, named
from tests.fakes.driven import drive

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

FIELDS = """<input id=i aria-label=I1><input id=k type=checkbox aria-label=K>
<select id=s aria-label=S><option>a<option>b</select>
<div id=r contenteditable role=textbox aria-label=R>old</div>"""

HELD = "[d.all.i.value, d.all.k.checked, d.all.s.value, d.all.r.innerText]"
NO_ANSWER_S = 10.0


async def held(driven: Driven) -> list[object]:
    """Return what the fields hold, wherever the frame's process is."""
    others = await trio.to_thread.run_sync(driven.watching.targets, "iframe")
    if not others:
        look = HELD.replace("d.", "frames[0].document.")
        return list(await driven.evaluate(look))
    target, look = str(others[0]["targetId"]), HELD.replace("d.", "document.")
    return list(await trio.to_thread.run_sync(driven.watching.evaluate, look, "", target))


@pytest.mark.parametrize(
    "frame",
    [
        f"<iframe sandbox srcdoc='{FIELDS}'></iframe>",
        "<iframe sandbox src='{B}/off/inner'></iframe>",
        "<iframe sandbox=allow-same-origin src='{B}/off/inner'></iframe>",
        f"<iframe sandbox=allow-same-origin srcdoc='{FIELDS}'></iframe>",
    ],
    ids=["bare", "other site", "other site with its origin", "same origin"],
)
async def test_what_is_written_where_scripts_are_off_is_read_back(
    frame: str, tmp_path: Path, pages: PageServer
) -> None:
    pages.add("/off/inner", FIELDS)
    async with drive(tmp_path) as driven:
        await driven.open(pages.add("/off", "<!doctype html>" + frame))
        acts = acts_on(driven)
        field, box = named("textbox", "I1"), named("checkbox", "K")
        for act in (
            acts.fill(field, "hello"),
            acts.clear(field),
            acts.type_text("one", field),
            acts.check(box, on=True),
            acts.click(box),
            acts.check(box, on=True),
            acts.select(named("combobox", "S"), labels=["b"]),
            acts.fill(named("textbox", "R"), "new"),
        ):
            with trio.fail_after(NO_ANSWER_S):
                assert (await done(act)).status is Status.ok
        assert await held(driven) == ["one", True, "b", "new"]
