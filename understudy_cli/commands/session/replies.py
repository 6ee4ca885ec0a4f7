"""The replies of evidence sessions as short text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.untrusted import escape_line
from understudy_cli.quoting import quote_page_text
from understudy_cli.render import format_facts

if TYPE_CHECKING:
    from collections.abc import Mapping


def format_reply(reply: Mapping[str, object]) -> str:
    """Return the text for a success of any operation but close and abort."""
    binding, page = _member(reply, "binding"), _member(reply, "understudy")
    receipt = _member(reply, "receipt")
    facts = [
        ("proofId", reply.get("proofId")),
        ("phase", reply.get("phase")),
        ("sequence", reply.get("sequence")),
        ("attemptId", _escaped(binding.get("attemptId"))),
        ("workspaceId", binding.get("workspaceId")),
        ("deadlineAt", page.get("deadlineAt")),
        ("url", format_load(_member(page, "load"))),
        ("frame", format_frame(_member(reply, "frame"))),
        ("receiptId", receipt.get("receiptId")),
    ]
    return format_facts(facts) + format_results(page) + format_page_events(page)


def format_end(reply: Mapping[str, object]) -> str:
    """Return the text for a success of close or abort."""
    end = "aborted" if reply.get("aborted") else "closed"
    facts = [
        ("proofId", reply.get("proofId")),
        ("phase", end),
        ("sequence", reply.get("sequence")),
        ("receiptId", reply.get("receiptId")),
    ]
    return format_facts(facts)


def format_frame(frame: Mapping[str, object]) -> str | None:
    """Return one line about a frame, None without one."""
    if not frame:
        return None
    size = f"{frame.get('width')}x{frame.get('height')}"
    return f"{size} PNG, {frame.get('byteLength')} bytes, sha256 {frame.get('sha256')}"


def format_load(load: Mapping[str, object]) -> str | None:
    """Return where the page is, and how its load ended; None before any."""
    url, error = load.get("url"), load.get("error")
    if not isinstance(url, str):
        return None
    end = escape_line(str(error)) if error else load.get("status")
    return quote_page_text(url) if end is None else f"{quote_page_text(url)} ({end})"


def format_results(page: Mapping[str, object]) -> str:
    """Return one line for each action of the newest batch: its index, type and status."""
    return "".join(f"  {_format_result(result)}\n" for result in _list(page.get("actions")))


def format_page_events(page: Mapping[str, object]) -> str:
    """Return one line for each thing that the page tried or showed on its own."""
    refused = [
        f"refused navigation: {_quote(one, 'url')}" for one in _events(page, "refusedNavigations")
    ]
    popups = [f"closed popup: {_quote(one, 'url')}" for one in _events(page, "popups")]
    dialogs = [_format_dialog(one) for one in _events(page, "dialogs")]
    return "".join(f"{line}\n" for line in (*refused, *popups, *dialogs))


def _format_dialog(dialog: Mapping[str, object]) -> str:
    kind, disposition = (escape_line(str(dialog.get(name))) for name in ("type", "disposition"))
    return f"{kind} dialog, {disposition}: {_quote(dialog, 'message')}"


def _quote(event: Mapping[str, object], name: str) -> str:
    return quote_page_text(str(event.get(name) or ""))


def _events(page: Mapping[str, object], name: str) -> list[Mapping[str, object]]:
    return [event for event in _list(page.get(name)) if isinstance(event, dict)]


def _format_result(result: object) -> str:
    if not isinstance(result, dict):
        return escape_line(str(result))
    words = [str(result.get(name)) for name in ("index", "type", "status")]
    if result.get("detail"):
        words.append(f"({result['detail']})")
    return escape_line(" ".join(words))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _member(reply: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = reply.get(name)
    return value if isinstance(value, dict) else {}


def _escaped(value: object) -> str | None:
    return escape_line(value) if isinstance(value, str) else None
