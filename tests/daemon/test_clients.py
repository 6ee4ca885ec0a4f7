"""Clients and their tokens: shown once, kept as digests, good until removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daemon.clients import Clients, TokenRefused
from daemon.dispatch import Caller
from daemon.handlers.clients import routes
from protocol.actors import Actor
from protocol.errors import Failure

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "clients.json"


def test_a_token_names_its_client_until_it_is_removed(path: Path) -> None:
    clients = Clients(path)
    tokens = {name: clients.add(name) for name in ("ci", "nightly")}
    for name, token in tokens.items():
        assert clients.actor(5, token) == Actor(5, name)
    assert clients.names() == ["ci", "nightly"]
    clients.remove("ci")
    with pytest.raises(TokenRefused):
        clients.actor(5, tokens["ci"])
    assert clients.actor(5, tokens["nightly"]) == Actor(5, "nightly")
    assert not clients.is_known(Actor(5, "ci"))


def test_no_token_is_the_uid_alone_and_a_wrong_one_is_nobody(path: Path) -> None:
    clients = Clients(path)
    token = clients.add("ci")
    assert clients.actor(5, "") == Actor(5)
    for wrong in ("x", token[:-1], token + "x", token.swapcase(), "\udcff"):
        with pytest.raises(TokenRefused):
            clients.actor(5, wrong)


def test_the_file_keeps_no_token_and_is_private(path: Path) -> None:
    token = Clients(path).add("ci")
    assert token not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert Clients(path).actor(5, token) == Actor(5, "ci")
    assert [each.name for each in path.parent.iterdir()] == ["clients.json"]


def test_a_name_is_taken_once(path: Path) -> None:
    clients = Clients(path)
    clients.add("ci")
    with pytest.raises(Failure) as conflict:
        clients.add("ci")
    assert conflict.value.code == "conflict"
    with pytest.raises(Failure) as absent:
        clients.remove("nightly")
    assert absent.value.code == "not_found"


@pytest.mark.parametrize("name", ["../x", "/abs", "", ".", "a\n", "a\0", "-a", "CON", "a" * 300])
def test_a_name_that_could_be_more_is_refused(path: Path, name: str) -> None:
    clients = Clients(path)
    for change in (clients.add, clients.remove):
        with pytest.raises(Failure) as refused:
            change(name)
        assert refused.value.code == "invalid_name"
    assert not path.exists()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"version":2,"clients":{}}',
        '{"version":1,"clients":[]}',
        '{"version":1,"clients":{"ci":"short"}}',
        '{"version":1,"clients":{"../ci":"' + "0" * 64 + '"}}',
        '{"version":1,"clients":{"ci":"' + "0" * 64 + '","ci":"' + "1" * 64 + '"}}',
    ],
)
def test_a_file_that_is_not_ours_fails_closed(path: Path, content: str) -> None:
    path.write_text(content)
    with pytest.raises(Failure) as refused:
        Clients(path)
    assert refused.value.code == "state_untrusted"
    assert str(path) in refused.value.message


async def test_a_client_makes_and_removes_none(path: Path) -> None:
    clients = Clients(path)
    clients.add("ci")
    methods = routes(clients)
    for method in ("client.add", "client.remove"):
        with pytest.raises(Failure) as refused:
            await methods[method]({"name": "ci"}, Caller(Actor(5, "ci")))
        assert refused.value.code == "actor"
    listed = await methods["client.list"]({}, Caller(Actor(5, "ci")))
    assert listed == {"ok": True, "clients": [{"name": "ci"}]}
    assert clients.names() == ["ci"]


async def test_the_owner_makes_and_removes_them(path: Path) -> None:
    clients = Clients(path)
    methods = routes(clients)
    owner = Caller(Actor(5))
    added = await methods["client.add"]({"name": "ci"}, owner)
    assert clients.actor(5, str(added["token"])) == Actor(5, "ci")
    await methods["client.remove"]({"name": "ci"}, owner)
    assert clients.names() == []
    for params in ({}, {"name": 5}, {"name": "ci", "more": 1}, {"name": None}):
        with pytest.raises(Failure) as refused:
            await methods["client.add"](params, owner)
        assert refused.value.code == "invalid_request"
