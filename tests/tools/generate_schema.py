"""Write ``cdp/schema.py``: the types of Chromium's published protocol, as far as we use it.

::

    python tests/tools/generate_schema.py                # from the checked-in extract
    python tests/tools/generate_schema.py --json DIR     # first a new extract from these files
    python tests/tools/generate_schema.py --fetch        # first npm pack of the pinned version

The extract (``tests/vectors/devtools-protocol.json``) holds the domains that we use and
the types that they refer to, without descriptions. It is data of the npm package
``devtools-protocol`` (BSD-3-Clause, The Chromium Authors). ``--json`` and ``--fetch``
refuse input whose digest is not the pinned one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import keyword
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[2]
EXTRACT = ROOT / "tests" / "vectors" / "devtools-protocol.json"
SCHEMA = ROOT / "cdp" / "schema.py"

PACKAGE = "devtools-protocol"
VERSION = "0.0.1734725"
DIGESTS = {
    "browser_protocol.json": "cb4b0a40e03fddfdc4191f832259b9fed6684c303842c55d8c6fe1702f9a5efb",
    "js_protocol.json": "3716f86e2228f9414ffff43551249bc6a5783388c3fbdba5226f14e6941774f1",
}
LICENCE = "BSD-3-Clause, Copyright The Chromium Authors"
DOMAINS = (
    "Accessibility",
    "Browser",
    "DOM",
    "Emulation",
    "Fetch",
    "Input",
    "Inspector",
    "Page",
    "Runtime",
    "Target",
)
KEPT = ("$ref", "type", "items", "enum")
PLAIN = {
    "string": "str",
    "binary": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "any": "Any",
    "object": "dict[str, Any]",
    "array": "list[Any]",
}

Json = dict[str, Any]


# ---- the extract -------------------------------------------------------------


def read_protocol(directory: Path) -> dict[str, Json]:
    """Return every domain by name, from the package's two files, whose digests must be right."""
    domains = {}
    for name, digest in DIGESTS.items():
        data = (directory / name).read_bytes()
        found = hashlib.sha256(data).hexdigest()
        if found != digest:
            raise SystemExit(f"{name} has the digest {found}, not {digest}")
        domains.update({domain["domain"]: domain for domain in json.loads(data)["domains"]})
    return domains


def make_extract(domains: dict[str, Json]) -> Json:
    """Return the part of the protocol that we use, in a fixed order."""
    kept: dict[str, Json] = {
        name: {
            "types": {},
            "commands": {
                item["name"]: _members(item.get("returns", ()))
                for item in _all(domains, name, "commands")
            },
            "events": {
                item["name"]: _members(item.get("parameters", ()))
                for item in _all(domains, name, "events")
            },
        }
        for name in DOMAINS
    }
    wanted = [f"{name}.{item['id']}" for name in DOMAINS for item in _all(domains, name, "types")]
    wanted += [ref for name in DOMAINS for ref in _refs(kept[name], name)]
    while wanted:
        domain, _, name = wanted.pop().partition(".")
        types = kept.setdefault(domain, {"types": {}, "commands": {}, "events": {}})["types"]
        if name not in types:
            (item,) = (i for i in _all(domains, domain, "types") if i["id"] == name)
            types[name] = _shape(item)
            wanted += _refs(types[name], domain)
    return {
        "source": f"{PACKAGE} {VERSION}",
        "licence": LICENCE,
        "sha256": DIGESTS,
        "domains": {name: _sorted(kept[name]) for name in sorted(kept)},
    }


def _all(domains: dict[str, Json], domain: str, kind: str) -> list[Json]:
    items: list[Json] = domains[domain].get(kind, [])
    return items


def _shape(item: Json) -> Json:
    """Return a type without descriptions; its properties by name."""
    shape = {key: item[key] for key in KEPT if key in item}
    if "items" in shape:
        shape["items"] = _shape(shape["items"])
    if "properties" in item:
        shape["properties"] = _members(item["properties"])
    return shape


def _members(items: Iterable[Json]) -> Json:
    return {
        item["name"]: {**_shape(item), **({"optional": True} if item.get("optional") else {})}
        for item in items
    }


def _refs(value: object, domain: str) -> Iterator[str]:
    """Yield the full name of each type that is referred to."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield inner if "." in inner else f"{domain}.{inner}"
            else:
                yield from _refs(inner, domain)


def _sorted(domain: Json) -> Json:
    return {kind: dict(sorted(items.items())) for kind, items in domain.items() if items}


def write_extract(extract: Json) -> str:
    """Return the extract as text, one item of a domain a line."""
    head = {key: value for key, value in extract.items() if key != "domains"}
    lines = [json.dumps(head)[:-1] + ', "domains": {']
    for name, domain in extract["domains"].items():
        lines.append(f'"{name}": {{')
        for kind, items in domain.items():
            lines.append(f'"{kind}": {{')
            lines += [f"{json.dumps(key)}: {json.dumps(item)}," for key, item in items.items()]
            lines[-1] = lines[-1].removesuffix(",")
            lines.append("},")
        lines[-1] = "}"
        lines.append("},")
    lines[-1] = "}"
    return "\n".join([*lines, "}}", ""])


# ---- the module --------------------------------------------------------------

HEADER = '''"""Types of the Chromium DevTools protocol. Generated: do not edit.

Made by tests/tools/generate_schema.py from {source} ({licence}):
{digests}

Import it under TYPE_CHECKING alone. ``<Domain><Type>`` is a type, ``<Domain><Command>Result``
a command's result, ``<Domain><Event>Event`` an event's parameters. What is an enumeration in
the protocol is a plain string here: browsers add values.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict
'''


def generate(extract: Json) -> str:
    """Return the text of ``cdp/schema.py``."""
    digests = "\n".join(f"{name} sha256:{digest}" for name, digest in extract["sha256"].items())
    parts = [HEADER.format(digests=digests, **_head(extract))]
    for domain, kinds in extract["domains"].items():
        parts.append(f"# {domain}\n")
        for name, shape in kinds.get("types", {}).items():
            parts.append(_type(domain, name, shape))
        for name, members in kinds.get("commands", {}).items():
            if members:
                parts.append(_record(f"{domain}{_capital(name)}Result", members, domain))
        for name, members in kinds.get("events", {}).items():
            parts.append(_record(f"{domain}{_capital(name)}Event", members, domain))
    return "\n\n".join(parts)


def _head(extract: Json) -> Json:
    return {"source": extract["source"], "licence": extract["licence"]}


def _type(domain: str, name: str, shape: Json) -> str:
    full = f"{domain}{_capital(name)}"
    if "properties" in shape:
        return _record(full, shape["properties"], domain)
    return f'{full}: TypeAlias = "{_annotation(shape, domain)}"\n'


def _record(name: str, members: Json, domain: str) -> str:
    fields = [f"{key}: {_member(shape, domain)}" for key, shape in members.items()]
    if any(keyword.iskeyword(key) for key in members):
        pairs = ", ".join(f'"{key}": "{_member(shape, domain)}"' for key, shape in members.items())
        return f'{name} = TypedDict("{name}", {{{pairs}}})\n'
    body = "".join(f"    {field}\n" for field in fields) or "    pass\n"
    return f"class {name}(TypedDict):\n{body}"


def _member(shape: Json, domain: str) -> str:
    annotation = _annotation(shape, domain)
    return f"NotRequired[{annotation}]" if shape.get("optional") else annotation


def _annotation(shape: Json, domain: str) -> str:
    if "$ref" in shape:
        home, _, name = shape["$ref"].rpartition(".")
        return f"{home or domain}{_capital(name)}"
    if "items" in shape:
        return f"list[{_annotation(shape['items'], domain)}]"
    return PLAIN[shape["type"]]


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


# ---- the command -------------------------------------------------------------


def fetch(directory: Path) -> Path:
    """Unpack the pinned package with npm; return where its JSON files lie."""
    pack = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--pack-destination", str(directory)]
    subprocess.run(pack, check=True, capture_output=True, timeout=120)
    with tarfile.open(directory / f"{PACKAGE}-{VERSION}.tgz") as package:
        for name in DIGESTS:
            member = package.extractfile(f"package/json/{name}")
            assert member is not None
            (directory / name).write_bytes(member.read())
    return directory


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Write cdp/schema.py.")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--json", type=Path, help="directory of the protocol's JSON files")
    source.add_argument("--fetch", action="store_true", help="get them with npm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = fetch(Path(scratch)) if options.fetch else options.json
        if directory is not None:
            EXTRACT.write_text(write_extract(make_extract(read_protocol(directory))))
    SCHEMA.write_text(generate(json.loads(EXTRACT.read_text())))


if __name__ == "__main__":
    main()
