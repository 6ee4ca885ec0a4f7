"""All the actions of a whole session, checked before anything starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from protocol.actions import MAX_BATCH, parse_actions
from protocol.canonical import JsonRefused, parse_json
from protocol.errors import Failure, proof_failure
from protocol.origins import session_origins
from protocol.viewports import DEFAULT_VIEWPORT, parse_viewport

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_ACTIONS = 64
PLAN_LIMIT_BYTES = 1 << 20


def parse_plan(
    text: str, *, url: str | None, origins: Sequence[str], viewport: str | None
) -> tuple[str, ...]:
    """Return the batches, of at most 16 actions each, as the JSON that is sent.

    Raises the failure that the daemon would raise for the first action that is not
    valid on this page size and these origins, and says which batch it is in.
    """
    size = DEFAULT_VIEWPORT if viewport is None else parse_viewport(viewport)
    allowed = session_origins(url, origins)
    batches = tuple(_split(_parse_array(text)))
    for number, batch in enumerate(batches):
        try:
            parse_actions(batch, viewport=size, origins=allowed)
        except Failure as failure:
            raise place_failure(failure, number) from None
    return batches


def place_failure(failure: Failure, batch: int) -> Failure:
    """Return a batch's failure with where the batch begins, for the numbers of its actions."""
    if not batch:
        return failure
    place = f"counting from action {batch * MAX_BATCH}"
    return Failure(failure.code, f"{failure.message} ({place})", failure.hint)


def _parse_array(text: str) -> list[object]:
    try:
        values = parse_json(text, limit_bytes=PLAN_LIMIT_BYTES)
    except JsonRefused as refused:
        raise proof_failure("json", f"the actions: {refused.message}", refused.hint) from None
    if not isinstance(values, list) or not values:
        raise proof_failure(
            "actions", "the actions are not an array of at least one", 'write "[{…}, {…}]"'
        )
    if len(values) > MOST_ACTIONS:
        raise proof_failure(
            "action-limit",
            f"{len(values)} actions are more than a session's {MOST_ACTIONS}",
            "split the job into several sessions",
        )
    return values


def _split(values: list[object]) -> list[str]:
    return [
        json.dumps(values[start : start + MAX_BATCH], ensure_ascii=False)
        for start in range(0, len(values), MAX_BATCH)
    ]
