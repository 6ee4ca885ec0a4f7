"""The console script ``understudyd``: composes the daemon and runs it in this process.

The one module of the command line that knows the daemon. ``--ready-fd N`` names
a descriptor that is told once the daemon answers, or why it does not.
"""

from __future__ import annotations

import os
import pwd
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from daemon import main as daemon_main
from daemon.facility import open_facility
from protocol.errors import Failure
from protocol.paths import state_directory
from understudy_cli import app
from understudy_cli.readiness import READY, encode_refusal
from understudy_cli.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

READY_FLAG = "--ready-fd"


def main() -> int:
    """Run the daemon; return 0 after an orderly end, 8 when it could not start."""
    if sys.argv[1:2] not in ([], [READY_FLAG]):
        sys.stderr.write('understudyd takes no arguments; see "understudy daemon --help"\n')
        return 2
    tell = _readiness(sys.argv[1:])
    try:
        daemon_main.run(
            app,
            open_facility,
            version=VERSION,
            state=_state_directory(),
            ready=lambda: tell(READY),
        )
    except Failure as failure:
        tell(encode_refusal(failure))
        sys.stderr.write(f"understudyd: {failure.message}\nhint: {failure.hint}\n")
        return 8
    return 0


def _state_directory() -> str:
    return state_directory(os.environ, sys.platform, lambda: pwd.getpwuid(os.getuid()).pw_dir)


def _readiness(argv: list[str]) -> Callable[[bytes], None]:
    """Return how to tell our starter; it listens until the descriptor is closed."""
    if READY_FLAG not in argv:
        return lambda _: None
    descriptor = int(argv[argv.index(READY_FLAG) + 1])
    os.set_inheritable(descriptor, False)  # noqa: FBT003  # no browser may hold it open

    waiting = [descriptor]

    def tell(word: bytes) -> None:
        """Tell it once: who was told that we are ready listens no more."""
        while waiting:
            with suppress(BrokenPipeError):  # the starter was interrupted; others may still come
                os.write(waiting[0], word)
            os.close(waiting.pop())

    return tell
