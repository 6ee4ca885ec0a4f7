"""Addresses and questions that are the desktop's: no program starts, and input goes on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
import trio

from cdp.pointer import Point
from protocol.errors import Failure
from tests.fakes.driven import drive
from tests.fakes.real_everyday import RealSession, open_real_everyday

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.driven import Driven
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = """<!doctype html><body style="margin:0"><script>var clicks = 0, told = ""</script>
<button style="width:200px;height:200px" onclick="clicks++">Count</button>
<a id=link href="tel:1">Call</a><a id=mail href="mailto:x@y">Write</a>
<form action="whatsapp:send"><button id=send>Send</button></form>"""

ADDRESSES = {
    "link": "link.click()",
    "mail": "mail.click()",
    "script": "location = 'zoommtg:join'",
    "intent": "location = 'intent:1#Intent;scheme=foo;end'",
    "form": "send.click()",
    "frame": "document.body.append(Object.assign(document.createElement('iframe'),{src:'tel:2'}))",
    "mail frame": "document.body.append("
    "Object.assign(document.createElement('iframe'), {src: 'mailto:x@y'}))",
    "redirect": "location = '/redir?to=tel:3'",
    "mail redirect": "location = '/redir?to=mailto:x@y'",
}


@pytest.fixture
def traces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put programs first in PATH that leave a trace; return where."""
    programs, traces = tmp_path / "programs", tmp_path / "traces"
    programs.mkdir()
    traces.mkdir()
    for name in ("xdg-open", "xdg-email", "xdg-settings", "xdg-mime", "gio"):
        (programs / name).write_text(f"#!/bin/sh\necho > {traces}/{name}\nexit 3\n")
        (programs / name).chmod(0o700)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return traces


async def asked(driven: Driven, expression: str) -> object:
    """Evaluate as a person's doing, by the oracle's own connection."""

    def ask() -> object:
        watching = driven.watching
        session = watching.attach(watching.page())
        reply = watching.call(
            "Runtime.evaluate",
            session=session,
            expression=expression,
            userGesture=True,
            returnByValue=True,
        )
        return reply["result"].get("value")

    return await trio.to_thread.run_sync(ask)


async def verify_input_goes_on(driven: Driven, after: str) -> None:
    for clicks in (1, 2):
        await driven.page.pointer.click(Point(50, 50), button="left", count=1)
        assert await asked(driven, "clicks") == clicks, after


async def test_an_address_of_another_program_starts_none_and_takes_no_input(
    tmp_path: Path, pages: PageServer, traces: Path
) -> None:
    direct = 0
    async with drive(tmp_path) as driven:
        for name, go in ADDRESSES.items():
            await driven.page.navigate(pages.add("/desktop", PAGE))
            await asked(driven, f"{go}; 0")
            await trio.sleep(0.7)  # nothing to wait for: nothing is to come
            await verify_input_goes_on(driven, name)
            if "redirect" not in name:
                direct += 1
            assert driven.fence.refused_count == direct, name
    assert os.listdir(traces) == []


PASSKEY = """{publicKey: {rp: {name: 'x'}, challenge: new Uint8Array(16), timeout: 1000,
    user: {id: new Uint8Array(8), name: 'x', displayName: 'x'},
    pubKeyCredParams: [{type: 'public-key', alg: -7}]}}"""
QUESTIONS = {
    "navigator.mediaDevices.getDisplayMedia()": "NotAllowedError",
    f"navigator.credentials.get({PASSKEY})": "NotAllowedError",
    f"navigator.credentials.create({PASSKEY})": "NotAllowedError",
    "fetch('/locked').then(reply => reply.text())": "locked",
}


@pytest.mark.parametrize("question", QUESTIONS)
async def test_what_would_ask_a_person_is_denied_unasked(
    question: str, tmp_path: Path, pages: PageServer
) -> None:
    pages.add("/desktop", PAGE)
    ask = f"{question}.then(text => told = text, error => told = error.name); 0"
    async with drive(tmp_path) as driven:
        # from another process, as a page to which a session has gone is
        for origin in (pages.a, pages.b):
            await driven.page.navigate(f"{origin}/desktop")
        await asked(driven, ask)
        await trio.sleep(0.7)  # a question would be there by then
        await verify_input_goes_on(driven, question)
        await driven.wait_for("told", QUESTIONS[question])


async def test_a_page_behind_a_password_is_shown_as_its_server_answers(
    tmp_path: Path, pages: PageServer
) -> None:
    async with drive(tmp_path) as driven:
        there = await driven.page.navigate(f"{pages.a}/locked")
        assert (there.succeeded, there.status) == (True, 401)
        assert await driven.evaluate("document.body.innerText") == "locked"


CHILD = """<!doctype html><a id=call href="tel:4">Call</a>"""
FRAMES = """<!doctype html><a id=mail href="mailto:x@y">Write</a>
<a id=hop href="/redir?to=tel:3">Hop</a> <button>Nothing</button>
<iframe src="{B}/child" width=300 height=150></iframe>"""


async def test_such_an_address_is_told_once_as_refused(tmp_path: Path, pages: PageServer) -> None:
    pages.add("/child", CHILD)
    async with open_real_everyday(tmp_path) as house, house.open(pages.add("/f", FRAMES)) as tab:
        await tab.run("wait", **{"for": "idle"})
        told: list[dict[str, object]] = []
        for count, css in enumerate(("#mail", "#hop", "#call"), start=1):
            told += (await tab.click(css)).get("refused", [])
            with trio.fail_after(5):
                while await refused_count(tab) < count:  # noqa: ASYNC110
                    await trio.sleep(0.02)
        for _ in range(2):
            told += (await tab.click("button")).get("refused", [])
        assert [(one["url"], one["method"], one["origin"]) for one in told] == [
            (url, "GET", None) for url in ("mailto:x@y", "tel:3", "tel:4")
        ]
        assert await tab.evaluate("location.pathname") == "/f"
        with pytest.raises(Failure):
            await tab.run("navigate", url=f"{pages.a}/redir?to=tel:5")


async def refused_count(session: RealSession) -> int:
    status = await session.call("session.status")
    return int(status["session"]["refusedNavigations"])
