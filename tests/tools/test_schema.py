"""The generated schema is what its source says, and the names in ``cdp`` are the protocol's."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import pytest

import cdp.schema

if TYPE_CHECKING:
    from types import ModuleType

HERE = Path(__file__).resolve().parent


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_schema", HERE / "generate_schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()
EXTRACT: dict[str, Any] = json.loads(GENERATOR.EXTRACT.read_text())


def test_the_schema_is_generated_from_the_extract() -> None:
    assert GENERATOR.generate(EXTRACT) == GENERATOR.SCHEMA.read_text()


def test_the_extract_is_written_as_the_generator_writes_it() -> None:
    assert GENERATOR.write_extract(EXTRACT) == GENERATOR.EXTRACT.read_text()
    assert EXTRACT["sha256"] == GENERATOR.DIGESTS
    assert GENERATOR.VERSION in EXTRACT["source"]
    assert "BSD-3-Clause" in EXTRACT["licence"]


def test_files_of_another_digest_are_refused(tmp_path: Path) -> None:
    for name in GENERATOR.DIGESTS:
        (tmp_path / name).write_text('{"domains": []}')
    with pytest.raises(SystemExit, match="has the digest"):
        GENERATOR.read_protocol(tmp_path)


def test_every_type_of_the_schema_resolves() -> None:
    records = [value for value in vars(cdp.schema).values() if hasattr(value, "__required_keys__")]
    assert len(records) > 200
    for record in records:
        get_type_hints(record)


def test_every_protocol_name_in_cdp_is_in_the_published_protocol() -> None:
    known = {
        f"{domain}.{name}"
        for domain, kinds in EXTRACT["domains"].items()
        for kind in ("commands", "events")
        for name in kinds.get(kind, {})
    }
    domains = "|".join(GENERATOR.DOMAINS)
    pattern = re.compile(rf'"((?:{domains})\.[a-z]\w+)"')
    named = {
        name
        for file in (GENERATOR.ROOT / "cdp").rglob("*.py")
        for name in pattern.findall(file.read_text())
    }
    assert len(named) > 10
    assert named - known == set()
