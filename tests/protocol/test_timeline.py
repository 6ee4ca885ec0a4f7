"""Receipts as rows, harmless whatever the file says."""

import json

from hypothesis import given
from hypothesis import strategies as st

from protocol.timeline import Row, shown, timeline
from protocol.untrusted import escape_line

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_a_good_receipt_reads_from_its_first_frame_to_its_claims(good):
    rows = timeline(good)
    assert rows[0] == Row("", "0", "initial_frame", "", "f8952f8aff2a")
    assert rows[1] == Row("", "1", "click", "injected", "0e13daeeced7")
    assert rows[2].status == "ok"
    assert [(row.at, row.kind) for row in rows[6:]] == [
        ("+3.125s", "freeze"),
        ("+3.500s", "observation"),
        ("+4.210s", "external_claims"),
    ]
    assert len(rows) == 9


def test_hostile_texts_are_escaped_and_cut(good):
    good["transcript"][1]["detail"]["kind"] = "\x1b[2Jcli\u202eck\n\u2028"
    good["transcript"][1]["detail"]["status"] = "o" * 5000
    row = timeline(good)[1]
    assert row.kind == r"\x1b[2Jcli\u202eck\x0a\u2028"
    assert len(row.status) == 201


def test_what_is_missing_is_empty(good):
    del good["startedAt"]
    good["transcript"][0] = {}
    good["transcript"][1] = "x"
    rows = timeline(good)
    assert rows[0] == Row("", "", "", "", "")
    assert len(rows) == 8
    assert {row.at for row in rows} == {""}


def test_times_with_and_without_a_zone_have_no_distance(good):
    good["startedAt"] = "2026-11-30T09:00:00"
    assert {row.at for row in timeline(good)} == {""}


@given(anything, anything, anything, anything)
def test_no_file_breaks_it_or_a_line(transcript, kind, detail, time):
    event = {"sequence": kind, "kind": kind, "detail": detail}
    frozen = {"sequence": 1, "kind": "freeze", "detail": detail}
    for receipt in (
        {"transcript": transcript},
        {"transcript": [event, frozen], "startedAt": time, "frozenAt": time},
    ):
        for row in timeline(receipt):
            line = row.at + row.sequence + row.kind + row.status + row.frame
            assert line.replace("…", "").isprintable()


@given(st.text())
def test_escaping_is_one_printable_line_and_loses_nothing(text):
    line = escape_line(text)
    assert line.isprintable()
    assert json.loads('"' + unescaped(line) + '"') == text


def unescaped(line: str) -> str:
    """Turn the escapes back into JSON's, which the standard library reads."""
    out, rest = [], line
    while rest:
        if rest.startswith("\\\\"):
            out.append("\\\\")
            rest = rest[2:]
        elif rest.startswith("\\"):
            digits = {"x": 2, "u": 4, "U": 8}[rest[1]]
            character = chr(int(rest[2 : 2 + digits], 16))
            out.append(json.dumps(character)[1:-1])
            rest = rest[2 + digits :]
        else:
            out.append(json.dumps(rest[0])[1:-1])
            rest = rest[1:]
    return "".join(out)


def test_shown_keeps_short_plain_values():
    assert shown("Zoë 😀") == "Zoë 😀"
    assert shown(7) == "7"
    assert [shown(value) for value in (None, [], {})] == ["", "", ""]
