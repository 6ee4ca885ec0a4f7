"""The whole store, opened for one daemon: recovered first, then served."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from daemon.logs import LOGGER
from daemon.store.database import Database, open_database
from daemon.store.dialogs import StoredDialogs
from daemon.store.generations import Generations
from daemon.store.journal import Journal
from daemon.store.places import Places
from daemon.store.proofs import Proofs
from daemon.store.recovery import recover
from daemon.store.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from daemon.clock import Clock
    from daemon.store.database import Disk

DAY_MS: Final = 86_400_000


@dataclass(frozen=True)
class Store:
    """Everything that the installation remembers about sessions and their commands."""

    database: Database
    journal: Journal
    sessions: Sessions
    proofs: Proofs
    generations: Generations
    places: Places
    dialogs: StoredDialogs


@asynccontextmanager
async def open_store(
    directory: Path, clock: Clock, *, retention_days: int, disk: Disk | None = None
) -> AsyncIterator[Store]:
    """Open the store for the length of the block, once what a dead daemon left has its outcome.

    Raises Failure when it cannot be opened, recovered or trusted: then nothing may be served.
    """
    now_ms = clock.utc_ms()
    async with open_database(directory, now_ms, disk) as database:
        recovery = await recover(database, now_ms)
        for outcome, count in recovery.commands.items():
            if count:
                LOGGER.info("%d commands of an earlier daemon are %s", count, outcome.value)
        sessions = Sessions(database)
        await sessions.prune(now_ms - retention_days * DAY_MS)
        dialogs = StoredDialogs(database)
        await dialogs.interrupt(now_ms)
        yield Store(
            database,
            Journal(database, clock.utc_ms),
            sessions,
            Proofs(database),
            Generations(database),
            Places(database),
            dialogs,
        )
