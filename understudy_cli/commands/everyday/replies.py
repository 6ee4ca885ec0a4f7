r"""What commands answer, as short text that a page cannot forge.

Each line begins with a word of ours. What the page wrote stands in double quotes on
one line, escaped; a text of several lines stands between two lines that carry a nonce::

    ok
    page "https://shop.example/cart" "Your cart"
    dialog confirm "Delete it?" is open: understudy dialog accept, or understudy dialog dismiss
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.snapshot_text import fence
from protocol.untrusted import escape_line
from understudy_cli.quoting import quote_page_text, show_value
from understudy_cli.render import format_facts, members_of, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from protocol.commandline import Host

    Object = Mapping[str, object]

NONCE_DIGITS = 12
FIRST_ERROR_STATUS = 400


def nonce_of(host: Host) -> str:
    """Return the nonce of one reply; it was made up for this call, where no page sees it."""
    return host.command_id[:NONCE_DIGITS]


def format_reply(reply: Object, _: str) -> str:
    """Return the text for a command that was done."""
    lines = [_status_line(reply), *fact_lines(members_of(reply, "result"))]
    return _joined(lines) + format_page(reply)


def format_read(reply: Object, nonce: str) -> str:
    """Return the text for what was read of a page: nothing but that."""
    result = members_of(reply, "result")
    if len(result) == 1:
        [value] = result.values()
        if isinstance(value, str) and "\n" in value:
            return fence(map(escape_line, value.split("\n")), nonce)
        return f"{show_value(value)}\n"
    return _joined(fact_lines(result))


def format_snapshot(reply: Object, nonce: str) -> str:
    """Return a snapshot's lines, or what changed, between two lines that carry the nonce."""
    result = members_of(reply, "result")
    lines = result.get("diff", result.get("lines"))
    if not isinstance(lines, list):
        return format_reply(reply, nonce)  # a replay whose snapshot is no longer kept
    return fence([str(line) for line in lines], nonce)


def format_waited(reply: Object, _: str) -> str:
    """Return the text for a wait that was not in vain."""
    return "ok\n" + format_page(reply)


def format_state(reply: Object) -> str:
    """Return the text for what became of a command, with its reply if that is still kept."""
    facts = [
        ("command", reply.get("commandId")),
        ("session", reply.get("sessionId")),
        ("type", reply.get("type")),
        ("state", reply.get("state")),
        ("status", reply.get("status")),
        ("code", reply.get("code")),
        ("resolution", reply.get("resolution")),
        ("safe to retry", "yes" if reply.get("safeToRetry") else "no"),
    ]
    whole = members_of(reply, "result")
    told = format_facts(facts) + _joined(map(_recorded_step, objects_of(reply, "steps")))
    return told + (format_page(whole) if whole else "")


def _recorded_step(step: Object) -> str:
    """Return one line about a step of a batch as it is on record."""
    words = (step.get(name) for name in ("index", "type", "outcome", "status", "code"))
    return " ".join(["step", *(_plain(word) for word in words if word is not None)])


def format_resolved(reply: Object) -> str:
    """Return the text for a write that the caller has judged."""
    judged = "done" if reply.get("resolution") == "done" else "not done"
    blocked = reply.get("writesBlocked")
    more = " (writes stay blocked: see understudy session status)" if blocked else ""
    return f"{_plain(reply.get('commandId'))} resolved: {judged}{more}\n"


def format_session(reply: Object) -> str:
    """Return the facts of one session."""
    session = members_of(reply, "session")
    origins, url = session.get("origins"), session.get("url")
    facts = [
        ("session", session.get("sessionId")),
        ("state", session.get("state")),
        ("reason", session.get("reason")),
        ("origins", " ".join(map(str, origins)) if isinstance(origins, list) else None),
        ("page", _shown(url, session) if isinstance(url, str) else None),
        ("until", session.get("hardDeadlineAt")),
        ("idle until", session.get("idleDeadlineAt")),
        ("writes", _blocked(session)),
        ("running", _running(session)),
        ("waiting", session.get("waiting") or None),
        ("page errors", session.get("pageErrors") or None),
        ("refused", _refusals(session)),
        ("requests", _requests(session)),
    ]
    dialog = members_of(session, "dialog")
    return format_facts(facts) + (f"{format_dialog(dialog)}\n" if dialog else "")


def _shown(url: str, session: Object) -> str:
    return quote_page_text(url) + (" still loading" if session.get("loading") else "")


def _blocked(session: Object) -> str | None:
    if session.get("epochChanged"):
        return "blocked: the browser was restarted"
    return "blocked: an outcome is unknown" if session.get("writesBlocked") else None


def format_page(reply: Object) -> str:
    """Return the lines that say where the tab is and what else the page did."""
    return _joined([*_page_lines(reply), *_event_lines(reply)])


def fact_lines(facts: Object) -> Iterator[str]:
    """Yield one line for each member that says something; texts are taken for page text."""
    for name, value in facts.items():
        if value is not None and value is not True and value not in ([], {}):
            yield f"{escape_line(name)} {show_value(value)}"


def format_dialog(dialog: Object) -> str:
    """Return one line about a dialog."""
    words = ["dialog", _plain(dialog.get("type")), quote_page_text(str(dialog.get("message", "")))]
    if dialog.get("defaultPrompt"):
        words += ["default", quote_page_text(str(dialog["defaultPrompt"]))]
    if _is_open(dialog):
        return " ".join(words) + " is open: understudy dialog accept, or understudy dialog dismiss"
    return " ".join([*words, _plain(dialog.get("disposition"))])


def _is_open(dialog: Object) -> bool:
    return bool(dialog) and (dialog.get("disposition") or "open") in ("open", "pending")


def format_popup(popup: Object) -> str:
    """Return one line about a popup that was closed."""
    number = _plain(popup.get("number"))
    url = str(popup.get("url") or "")
    told = f"popup {number} {quote_page_text(url)} was closed"
    if popup.get("method") not in (None, "GET"):
        return f"{told}: it was to be sent a form, and cannot be opened by its address"
    return told if url in ("", "about:blank") else f"{told}: understudy popup open {number}"


def format_download(download: Object) -> str:
    """Return one line about a download."""
    name = quote_page_text(str(download.get("name") or ""))
    words = ["download", _plain(download.get("number")), name, _plain(download.get("state"))]
    if download.get("sizeBytes") is not None:
        words.append(f"{_plain(download['sizeBytes'])} bytes")
    if download.get("sha256"):
        words.append(f"sha256 {_plain(download['sha256'])}")
    return " ".join(word for word in words if word)


def _running(session: Object) -> str | None:
    """Return which command has its turn, and for how long: a page that hangs is seen by it."""
    running = members_of(session, "running")
    if not running:
        return None
    kind, command_id = _plain(running.get("type")), _plain(running.get("commandId"))
    return f"{kind} {command_id} for {running.get('seconds')} s"


def _refusals(session: Object) -> str | None:
    count = session.get("refusedNavigations")
    return f"{count} navigations to other origins" if count else None


def _requests(session: Object) -> str | None:
    """Return how much was asked of which origins, allowed or not."""
    told = objects_of(session, "requests")
    counts = (f"{_plain(one.get('origin') or 'others')} ({one.get('requests')})" for one in told)
    return " ".join(counts) or None


def _status_line(reply: Object) -> str:
    told = _plain(reply.get("status") or "ok")
    if told == "injected":
        told = f"{told} ({_why_unproven(reply)})"
    if members_of(reply, "result").get("loading"):
        told = f"{told} (still loading: not all of the page has come)"
    if members_of(reply, "result").get("simulated"):
        told = f"{told} (dry run: nothing was sent)"
    return f"{told} (done before; not done again)" if reply.get("replayed") else told


def _why_unproven(reply: Object) -> str:
    """Return why nobody knows more; input that a dialog held up may not all have been sent."""
    if _is_open(members_of(reply, "dialog")):
        return "a dialog opened before its effect could be seen"
    return "it was sent; nothing can prove its effect"


def _page_lines(reply: Object) -> Iterator[str]:
    page = members_of(reply, "page")
    if page:
        url, title = (quote_page_text(str(page.get(name) or "")) for name in ("url", "title"))
        yield f"page {url} {title}{_trouble_of(page)}"


def _trouble_of(page: Object) -> str:
    """Return why the page is not what was asked for, if the server or the browser said so."""
    if page.get("failed"):
        return " did not load"
    status = page.get("status")
    bad = isinstance(status, int) and status >= FIRST_ERROR_STATUS
    return f" status {status}" if bad else ""


def _event_lines(reply: Object) -> Iterator[str]:
    dialog = members_of(reply, "dialog")
    yield from map(format_dialog, objects_of(reply, "dialogs") or ([dialog] if dialog else []))
    for refused in objects_of(reply, "refused"):
        url, origin = quote_page_text(str(refused.get("url") or "")), refused.get("origin")
        why = "no page has such an address, and no other program is started"
        if origin:
            allow = f"allow it with --origin {_plain(origin)} when the session begins"
            why = f"its origin is none of the session's; {allow}"
        yield f"refused {url} was not loaded: {why}"
    yield from map(format_popup, objects_of(reply, "popups"))
    yield from map(format_download, objects_of(reply, "downloads"))


def _plain(value: object) -> str:
    return "" if value is None else escape_line(str(value))


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
