"""Choosing files in a file field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp.elements.clicking import REPLACED, ask_after
from cdp.elements.done import Done, Prepared, Status
from cdp.elements.errors import NotFit
from cdp.elements.filling import element_of
from cdp.elements.readiness import Order, Preflight, Ready
from cdp.errors import CallRefused
from cdp.walker.source import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdp.elements.targets import Target

_ELEMENT = f"(generation, number) => {NAME}.element(generation, number)"


class Upload:
    """Choose files, which the browser reads when the page does."""

    def __init__(self, preflight: Preflight, target: Target, paths: Sequence[str]) -> None:
        self._page = preflight.page
        self._preflight = preflight
        self._target = element_of(target)
        self._paths = list(paths)
        self._ready: Ready | None = None

    async def prepare(self) -> Prepared:
        """See `cdp.elements.acts.Act`; a field that is not drawn will do."""
        self._ready = await self._preflight.ready(self._target, Order(("enabled",), ("file",)))
        if len(self._paths) > 1 and not self._ready.facts["multiple"]:
            raise NotFit("the field takes one file only")
        return self._ready.prepared

    async def perform(self) -> Done:
        """See `cdp.elements.acts.Act`."""
        if self._ready is None:
            raise AssertionError("it was not prepared")
        element = self._ready.element
        object_id = await element.world.hold(_ELEMENT, element.generation, element.number)
        self._page.target.begin_sending()
        try:
            await element.world.session.call(
                "DOM.setFileInputFiles", files=self._paths, objectId=object_id
            )
        except CallRefused:
            return Done(Status.failed, "ref_stale", "the field went away")
        seen = await ask_after(self._ready, "read", what="value")
        if seen is None:
            return Done(Status.injected, detail=REPLACED)
        names = [path.rpartition("/")[2] for path in self._paths]
        if seen["value"] == names:
            return Done(Status.ok, seen={"files": names})
        # a page may take them away as soon as it has them
        return Done(Status.injected, detail="the field does not show the files any more")
