"""The everyday verbs from the console script to a real page and back, in a private installation.

What happened is asked of the browser by another connection, or of the server.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.fakes.installation import script

if TYPE_CHECKING:
    from tests.fakes.installation import Finished, Installation
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

FORM = """<!doctype html><title>Everyday</title><h1>Shop</h1>
<label>Name <input id=name></label> <label>Password <input id=password type=password></label>
<label><input id=agree type=checkbox> I agree</label>
<label>Month <select id=month><option value=jan>January<option value=mar>March</select></label>
<button id=send onclick="fetch('/hit?n=sent'); out.textContent += 'sent '">Send</button>
<button id=ask onclick="setTimeout(() => out.textContent += confirm('Sure?') + ' ', 0)">Ask</button>
<a id=other target=_blank href="/other">Other</a> <a id=next href="/next">Next</a>
<div id=from style="width:40px;height:40px;background:#888;user-select:none">A</div>
<p id=out></p><p id=keys></p><div style="height:3000px"></div>
<script>
  document.onkeydown = event => keys.textContent += event.key + ' ';
  document.onmouseover = event => window.over = event.target.id;
  document.getElementById('from').onmousedown = event => window.from = event.clientX;
  document.onmouseup = event => window.to = event.clientX;
  document.ondblclick = event => window.doubled = event.target.id;
</script>"""
NEXT = "<!doctype html><title>Next</title><p id=out>the next page</p>"


@pytest.fixture
def us(watched_installation: Installation) -> Installation:
    return watched_installation


def done(us: Installation, *argv: str, exit_code: int = 0, stdin: str = "") -> Finished:
    finished = us.run(*argv, stdin=stdin)
    assert finished.exit == exit_code, (argv, finished)
    return finished


def form(us: Installation, pages: PageServer) -> str:
    url = pages.add("/form", FORM)
    pages.add("/next", NEXT)
    pages.add("/other", NEXT)
    opened = done(us, "open", url)
    assert f"origins     {pages.a}\n" in opened.out
    return url


def test_every_verb_does_on_the_page_what_it_says(us: Installation, pages: PageServer) -> None:
    url = form(us, pages)
    snapshot = done(us, "snapshot", "--interactive", "--json").json["result"]
    ref = {node["name"]: node["ref"] for node in snapshot["nodes"] if node.get("name")}
    with us.oracle() as oracle:
        assert done(us, "click", ref["Send"]).out.startswith("ok\n")
        assert done(us, "fill", ref["Name"], "Ann").out.startswith("ok\n")
        assert oracle.evaluate("document.getElementById('name').value") == "Ann"
        done(us, "type", ref["Name"], " B")
        done(us, "type", "--", "-1")
        assert oracle.evaluate("document.getElementById('name').value") == "Ann B-1"
        assert done(us, "read", "value", ref["Name"]).out == '"Ann B-1"\n'
        done(us, "clear", ref["Name"])
        assert oracle.evaluate("document.getElementById('name').value") == ""
        done(us, "check", "--label", "I agree")
        assert oracle.evaluate("agree.checked") is True
        done(us, "uncheck", "--label", "I agree")
        assert oracle.evaluate("agree.checked") is False
        done(us, "select", "--label", "Month", "March")
        assert oracle.evaluate("month.value") == "mar"
        done(us, "select", ref["Month"], "--value", "jan")
        assert oracle.evaluate("month.value") == "jan"
        done(us, "focus", "--css", "#name")
        done(us, "press", "shift+End")
        done(us, "hold", "F2", "50")
        assert oracle.text("keys").split()[-3:] == ["Shift", "End", "F2"]
        done(us, "hover", "--css", "#ask")
        assert oracle.evaluate("window.over") == "ask"
        done(us, "click", "--css", "#from", "--double")
        assert oracle.evaluate("window.doubled") == "from"
        x, y = oracle.center("#from")
        done(us, "drag", f"{x},{y}", f"{x + 200},{y}")
        assert oracle.evaluate("[window.from, window.to]") == [x, x + 200]
        done(us, "scroll", "--to", "bottom")
        assert oracle.evaluate("scrollY > 1000") is True
        done(us, "scroll", ref["Send"])
        done(us, "scroll", "--by", "300")
        oracle.wait_for("scrollY >= 300", wanted=True)
        done(us, "wait", "text", "sent")
        assert done(us, "wait", "text", "never", "--timeout", "0.3", exit_code=9).out == ""
        assert done(us, "read", "count", "--role", "button").out == "2\n"
        done(us, "screenshot", "view.png")
        done(us, "screenshot", "full.png", "--full")
        done(us, "screenshot", "one.png", ref["Send"])
        sizes = {name: (us.cwd / name).read_bytes()[16:24] for name in ("view.png", "full.png")}
        assert sizes["view.png"] == (1280).to_bytes(4, "big") + (720).to_bytes(4, "big")
        assert int.from_bytes(sizes["full.png"][4:], "big") > 3000
        done(us, "click", "--css", "#next", "--expect", f"url={pages.a}/next")
        done(us, "back")
        assert oracle.evaluate("location.href") == url
        done(us, "forward")
        assert oracle.evaluate("document.title") == "Next"
        done(us, "reload")
        gone = done(us, "click", ref["Send"], exit_code=13)
        assert "understudy: " in gone.err
    assert pages.hits("sent") == 1
    done(us, "session", "close")


def test_a_page_that_never_loads_all_of_itself_is_opened_and_used(
    us: Installation, pages: PageServer
) -> None:
    url = pages.add(
        "/part", "<img src='/slow?ms=90000'><button onclick='p.id=1'>B1</button><p id=p>"
    )
    opened = done(us, "open", "--new", url).out
    assert f'page        "{url}" still loading\n' in opened
    assert done(us, "session", "status", "--json").json["session"]["loading"] is True
    done(us, "click", "--text", "B1")
    again = done(us, "open", url, "--json").json
    assert (again["status"], again["result"]["loading"]) == ("ok", True)


def test_after_a_first_page_that_does_not_load_no_older_session_is_meant(
    us: Installation, pages: PageServer
) -> None:
    older = form(us, pages)
    done(us, "open", "--new", f"{pages.a}/hangup", exit_code=13)
    assert "its first page did not load: " in done(us, "click", "--text", "Send", exit_code=7).err
    assert pages.hits("sent") == 0
    assert f'page        "{older}"\n' in done(us, "open", older).out
    done(us, "click", "--text", "Send")


def test_a_dialog_a_popup_and_the_log(us: Installation, pages: PageServer) -> None:
    form(us, pages)
    met = done(us, "click", "--text", "Ask").out  # it opens a tick after the click
    assert 'dialog confirm "Sure?" is open' in met
    assert "dialog accept" in done(us, "snapshot", exit_code=3).err
    assert 'dialog confirm "Sure?" is open' in done(us, "dialog", "list").out
    done(us, "dialog", "accept")
    assert done(us, "read", "text", "--css", "#out").out == '"true"\n'
    assert f'popup 1 "{pages.a}/other" was closed' in done(us, "click", "--css", "#other").out
    assert [one.path for one in pages.requests].count("/other") == 0
    done(us, "popup", "open", "1")
    assert [one.path for one in pages.requests].count("/other") == 1
    assert done(us, "read", "title").out == '"Next"\n'
    types = [row["type"] for row in done(us, "session", "log", "--json").json["commands"]]
    assert types[-1] == "click"
    assert types.count("click") == 2
    assert done(us, "session", "log", "--page").exit == 0


def test_each_command_that_starts_a_browser_brings_its_own(
    us: Installation, pages: PageServer, tmp_path: Path
) -> None:
    url = pages.add("/form", FORM)
    good, used = us.environment["UNDERSTUDY_BROWSER"], tmp_path / "used"
    done(us, "open", url)  # from here on the daemon runs, with a browser that works
    begin = ("session", "begin", "--attempt", "a", "--job", "d" * 64)
    us.environment["UNDERSTUDY_BROWSER"] = "/nowhere/chromium"
    for argv in (
        ("open", url, "--new"),
        ("workspace", "create", "--url", url),
        (*begin, "--url", url),
    ):
        refused = done(us, *argv, exit_code=8)
        assert "UNDERSTUDY_BROWSER: there is no '/nowhere/chromium'" in refused.err, argv
    us.environment["UNDERSTUDY_BROWSER"] = str(tmp_path / "own")
    Path(tmp_path / "own").write_text(f'#!/bin/sh\ntouch "{used}"\nexec "{good}" "$@"\n')
    Path(tmp_path / "own").chmod(0o700)
    done(us, "open", url, "--new")
    assert used.exists()
    for argv in (("workspace", "create", "--url", url), (*begin, "--url", url)):
        used.unlink()
        done(us, *argv)
        assert used.exists(), argv


def test_a_browser_that_does_not_start_is_named_and_so_is_what_the_daemon_was_started_with(
    us: Installation, pages: PageServer, tmp_path: Path
) -> None:
    url = pages.add("/form", FORM)
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o700)
    good = us.environment["UNDERSTUDY_BROWSER"]
    us.environment["UNDERSTUDY_BROWSER"] = str(broken)
    refused = done(us, "open", url, "--json", exit_code=8).json["error"]
    assert refused["safeToRetry"] is True
    assert f"the browser is {broken}" in refused["hint"]
    assert "daemon logs" in refused["hint"]
    assert "was started with" not in refused["hint"]
    del us.environment["UNDERSTUDY_BROWSER"]
    refused = done(us, "open", url, "--json", exit_code=8).json["error"]
    assert f"the daemon was started with UNDERSTUDY_BROWSER={broken}" in refused["hint"]
    assert "daemon restart" in refused["hint"]
    us.environment["UNDERSTUDY_BROWSER"] = good
    done(us, "daemon", "restart")
    del us.environment["UNDERSTUDY_BROWSER"]
    done(us, "open", url)


def test_an_address_with_a_password_is_refused_and_not_repeated(
    us: Installation, pages: PageServer
) -> None:
    secret = pages.a.replace("//", "//user:geheim@") + "/form"
    begin = ("session", "begin", "--attempt", "a", "--job", "d" * 64, "--url", secret)
    for argv in (("open", secret), begin, ("workspace", "create", "--url", secret)):
        refused = us.run(*argv)
        assert (refused.exit in (2, 11), refused.out) == (True, ""), argv
        assert "password before its host" in refused.err, argv
        assert "geheim" not in refused.err
    form(us, pages)
    refused = us.run("open", secret)  # in the session that is there
    assert (refused.exit in (2, 11), refused.out) == (True, "")
    assert "password before its host" in refused.err
    assert "geheim" not in refused.err
    assert pages.hits("form") == 0
    done(us, "session", "close")


def test_the_same_id_is_done_once_and_answers_again(us: Installation, pages: PageServer) -> None:
    form(us, pages)
    first = done(us, "click", "--css", "#send", "--id", "order-7", "--json").json
    again = done(us, "click", "--css", "#send", "--id", "order-7", "--json").json
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert (again["outcome"], again["status"]) == (first["outcome"], first["status"])
    assert done(us, "click", "--css", "#ask", "--id", "order-7", exit_code=3).out == ""
    assert done(us, "poll", "order-7", "--get", "state").out == "completed\n"
    done(us, "poll", "order-8", exit_code=10)
    done(us, "click", "--css", "#send", "--dry-run")
    done(us, "wait", "idle")
    assert pages.hits("sent") == 1


def test_which_session_is_meant(us: Installation, pages: PageServer) -> None:
    url = form(us, pages)
    elsewhere = us.cwd / "elsewhere"
    elsewhere.mkdir()
    nothing = us.run("read", "title", cwd=elsewhere)
    assert (nothing.exit, nothing.out) == (2, "")
    assert "no session is named" in nothing.err
    mine = done(us, "session", "status", "--get", "session.sessionId").out.strip()
    named = us.run("read", "title", "--session", mine, cwd=elsewhere)
    assert named.out == '"Everyday"\n'
    refused = done(us, "open", f"{pages.c}/form", exit_code=11)
    assert f"--origin {pages.c}" in refused.err
    assert done(us, "open", f"{url}?again").exit == 0
    done(us, "session", "close")
    for argv in (["read", "title"], ["open", url], ["session", "status"]):
        gone = done(us, *argv, exit_code=7)
        assert "understudy open --new URL" in gone.err
    done(us, "session", "close")
    assert done(us, "session", "log").out.count("\n") >= 2
    other = done(us, "open", url, "--new", "--json").json["session"]["sessionId"]
    assert other != mine
    assert done(us, "read", "title").out == '"Everyday"\n'


def test_a_secret_is_in_nothing_that_is_left(us: Installation, pages: PageServer) -> None:
    form(us, pages)
    us.environment["SHOP_PASSWORD"] = "geheim-0815"
    filled = done(us, "fill", "--label", "Password", "--env", "SHOP_PASSWORD")
    assert filled.err == ""
    done(us, "fill", "--label", "Name", "--stdin", stdin="geheim-0816\n")
    with us.oracle() as oracle:
        assert oracle.evaluate("document.getElementById('password').value") == "geheim-0815"
        assert oracle.evaluate("document.getElementById('name').value") == "geheim-0816"
    spoken = done(us, "fill", "--label", "Password", "geheim-0817")
    assert "warning" in spoken.err
    typed = done(us, "type", "--label", "Password", "geheim-0818")
    assert "warning" in typed.err
    assert "geheim" not in typed.out + typed.err
    done(us, "focus", "--label", "Password")
    assert "warning" in done(us, "type", "geheim-0819").err
    assert done(us, "type", "--label", "Password", "--env", "SHOP_PASSWORD").err == ""
    assert done(us, "type", "--label", "Name", "no secret").err == ""
    snapshot = done(us, "snapshot", "--interactive").out
    assert "geheim-0816" in snapshot, "it stands in a field that is no secret"
    said = filled.out + spoken.out + spoken.err + snapshot.replace("geheim-0816", "")
    assert "geheim" not in said
    kept = [path for path in us.home.rglob("*") if path.is_file() and "profiles" not in path.parts]
    assert any(path.suffix == ".db" for path in kept)
    assert [path for path in kept if b"geheim" in path.read_bytes()] == []


TEXTS = ["--help", "-1", "--", "", "@e1", "$(id)"]


def test_values_that_look_like_flags_arrive_to_the_letter(
    us: Installation, pages: PageServer
) -> None:
    done(us, "open", pages.url("O01"))
    with us.oracle() as oracle:
        for text in TEXTS:
            done(us, "fill", "--css", "#i", "before")
            done(us, "fill", "--css", "#i", "--", text)
            assert oracle.evaluate("document.getElementById('i').value") == text
            assert oracle.text() == text
            plain = us.run("fill", "--css", "#i", text)
            assert plain.exit in (0, 2), "it arrives, or how to pass it is said"
            assert plain.exit == 0 or "--" in plain.err
            assert oracle.text() == text
        lines = done(us, "fill", "--css", "#i", "a\nb", exit_code=13)
        assert lines.err
        assert oracle.text() == TEXTS[-1]
        done(us, "scroll", "--by", "-200")


BATCH = [
    {"id": "one", "type": "click", "target": {"text": "X"}},
    {"id": "two", "type": "click", "target": {"text": "Missing"}},
    {"id": "three", "type": "click", "target": {"text": "X"}},
    {"id": "four", "type": "wait", "for": "text", "value": "never", "timeout_ms": 500},
]


def test_a_batch_stops_tells_every_step_and_is_done_once(
    us: Installation, pages: PageServer
) -> None:
    done(us, "open", pages.url("O02"))
    whole = json.dumps(BATCH)
    with us.oracle() as oracle:
        for broken in ("", "\r\n", whole[:-1], whole.replace("click", "clik")):
            assert done(us, "batch", stdin=broken, exit_code=2).out == ""
        assert oracle.text() == ""
        for stdin in (whole, "\ufeff" + whole, whole):
            told = done(us, "batch", "--id", "b-1", "--json", stdin=stdin, exit_code=13).json
            assert told["ok"] is False
            assert [(step["id"], step["outcome"]) for step in told["steps"]] == [
                ("one", "done"),
                ("two", "failed"),
                ("three", "not_run"),
                ("four", "not_run"),
            ]
            assert oracle.text() == "x"
        lines = "\r\n".join(json.dumps(one) for one in BATCH[2:])
        waited = done(us, "batch", stdin=lines, exit_code=13)
        assert waited.out.splitlines()[:2] == ["0 three click ok", "1 four wait failed"]
        assert oracle.text() == "xx"
        went_on = done(us, "batch", "--no-bail", stdin=whole, exit_code=13)
        assert "2 three click ok" in went_on.out
        assert oracle.text() == "xxxx"


def test_only_files_of_the_caller_within_the_roots_are_uploaded(
    us: Installation, pages: PageServer
) -> None:
    root = us.cwd / "root"
    (root / "folder").mkdir(parents=True)
    (root / "real.txt").write_text("hello")
    (us.cwd / "outside.txt").write_text("secret")
    (root / "link.txt").symlink_to(us.cwd / "outside.txt")
    us.home.mkdir(mode=0o700, exist_ok=True)
    (us.home / "config.toml").write_text(f'[policy]\nupload_roots = ["{root}"]\n')
    done(us, "open", pages.url("L02"))
    with us.oracle() as oracle:
        for path, code in (("ghost.txt", 2), ("folder", 2), ("link.txt", 11)):
            refused = us.run("upload", "--css", "#f", path, cwd=root, env=here(us))
            assert (refused.exit, refused.out) == (code, ""), refused
            assert oracle.text() == ""
        uploaded = us.run("upload", "--css", "#f", "./real.txt", cwd=root, env=here(us))
        assert uploaded.exit == 0, uploaded
        oracle.wait_for("out.textContent", "real.txt:5:hello")


def here(us: Installation) -> dict[str, str]:
    """Return the environment of a caller in another directory who names the session."""
    session = us.run("session", "status", "--get", "session.sessionId").out.strip()
    return {**us.environment, "UNDERSTUDY_SESSION": session}


def test_odd_texts_and_readers_that_go_away_harm_nothing(
    us: Installation, pages: PageServer
) -> None:
    done(us, "open", pages.url("O04"))
    title = done(us, "read", "title", "--json").json["result"]["value"]
    assert "\ufffd" in title
    big = done(us, "read", "text", "--css", "#big", "--json")
    assert len(big.json["result"]["value"]) > 1000
    read = "read text --css '#big'"
    for line in (f"{read} | head -c 10 | wc -c", f"{read} >&-", f"{read} >/dev/full"):
        ended = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {script()} {line}"],
            env=us.environment, cwd=us.cwd, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
        assert "Traceback" not in ended.stderr.decode()
        assert ended.returncode != 0 or line.endswith("wc -c")
    assert done(us, "read", "count", "--css", "#out").out == "1\n"


def test_a_download_is_saved_with_its_digest(us: Installation, pages: PageServer) -> None:
    done(us, "open", pages.url("L01"), "--downloads")
    done(us, "click", "--css", "#b")
    wanted = {"state": "complete", "sizeBytes": 10}
    for _ in range(50):
        listed = done(us, "download", "list", "--json").json["downloads"]
        if listed and listed[0]["state"] != "started":
            break
    assert {name: listed[0][name] for name in wanted} == wanted
    done(us, "download", "save", "1", "saved.csv")
    assert Path(us.cwd, "saved.csv").read_bytes() == b"0123456789"
