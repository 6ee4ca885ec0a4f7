"""Tasks that serve a block of code, and outlast its cancellation until it is left."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable


@asynccontextmanager
async def running(*tasks: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Run ``tasks`` beside the block and cancel them after it.

    They outlast a cancellation of the block until the block is left, so that its
    clean-up can still talk to what they serve. An error of the block leaves as it
    is, outside of the nursery: callers need not look for it in an exception group.
    """
    scopes = [trio.CancelScope(shield=True) for _ in tasks]
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        for task, scope in zip(tasks, scopes, strict=True):
            nursery.start_soon(_run_within, scope, task)
        try:
            yield
        except Exception as error:  # raised again below
            failure = error
        finally:
            for scope in scopes:
                scope.cancel()
    if failure is not None:
        raise failure


async def _run_within(scope: trio.CancelScope, task: Callable[[], Awaitable[None]]) -> None:
    with scope:
        await task()
