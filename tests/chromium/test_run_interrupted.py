"""``session run`` whose caller leaves: it goes on in the daemon, to its receipt."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.installation import Installation
    from tests.fakes.pages import PageServer

pytestmark = pytest.mark.chromium

PAGE = "<button onclick=\"fetch('/hit?n=clicked')\" style='position:fixed;left:0;top:0'>x</button>"
ACTIONS = (
    """[{"type":"click","x":9,"y":9},{"type":"wait","ms":1500},{"type":"click","x":9,"y":9}]"""
)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_whose_caller_leaves_ends_with_its_receipt(
    installation: Installation, pages: PageServer, how: signal.Signals
) -> None:
    url = pages.add("/run", PAGE)
    job = ("--job", "0" * 64, "--url", url, "--actions", ACTIONS, "--out", "records")
    with installation.start("session", "run", *job) as process:
        wait_for(lambda: pages.hits("clicked") == 1)
        process.send_signal(how)
        process.wait(20)
    evidence = installation.home / "evidence"
    wait_for(lambda: list(evidence.glob("*/receipt.json")))
    assert pages.hits("clicked") == 2
    (receipt,) = evidence.glob("*/receipt.json")
    verified = installation.run("receipt", "verify", str(receipt), "--allow-unsigned")
    assert verified.exit == 0, verified
    status = installation.run("session", "status", receipt.parent.name, "--json")
    assert (status.exit, "receipt was made" in status.out) == (7, True), status


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
