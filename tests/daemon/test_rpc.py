"""The second door's protocol: JSON-RPC 2.0 as the specification has it, and nothing looser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from daemon import rpc
from daemon.clients import Clients
from daemon.dispatch import Dispatcher
from daemon.rpc import Conversation, looks_like_http
from protocol.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from daemon.dispatch import Caller

UID = 1000


class Methods:
    """A few methods that note their calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []

    async def echo(self, params: Mapping[str, object], caller: Caller) -> dict[str, object]:
        self.calls.append((caller.actor.principal_id, dict(params)))
        return {"ok": True, "params": dict(params), "actor": caller.actor.wire()}

    async def fail(self, params: Mapping[str, object], caller: Caller) -> dict[str, object]:
        raise Failure(str(params["code"]), "it is so", "do this", safe_to_retry=True)

    async def crash(self, params: Mapping[str, object], caller: Caller) -> dict[str, object]:
        raise RuntimeError("secret detail")

    async def request(self, raw: bytes, caller: Caller) -> dict[str, object]:
        raise Failure("external-proof-json", "no", "")


class Door:
    """A conversation, and the methods behind it."""

    def __init__(self, clients: Clients) -> None:
        self.methods = Methods()
        self.clients = clients
        routes = {"echo": self.methods.echo, "fail": self.methods.fail, "crash": self.methods.crash}
        self.conversation = Conversation(Dispatcher(routes, self.methods.request), clients, UID)

    async def raw(self, line: bytes | str) -> Any:
        data = line.encode() if isinstance(line, str) else line
        answer = await self.conversation.answer(data)
        if answer is None:
            return None
        assert answer.endswith(b"\n")
        assert answer.count(b"\n") == 1
        return json.loads(answer)

    async def call(self, method: str, params: object = None, **more: object) -> Any:
        request = {"jsonrpc": "2.0", "id": 7, "method": method} | more
        return await self.raw(json.dumps(request | ({} if params is None else {"params": params})))


@pytest.fixture
def door(tmp_path: Path) -> Door:
    return Door(Clients(tmp_path / "clients.json"))


async def test_a_call_is_answered_with_its_id(door: Door) -> None:
    for identifier in (1, "a", None, -5, "é"):
        answer = await door.call("echo", {"a": [1.5, "é", None]}, id=identifier)
        assert answer["jsonrpc"] == "2.0"
        assert answer["id"] == identifier
        assert answer["result"]["params"] == {"a": [1.5, "é", None]}
    assert (await door.call("echo"))["result"]["params"] == {}


async def test_the_actor_is_the_sockets_whatever_params_say(door: Door) -> None:
    answer = await door.call("echo", {"actor": {"principalId": "uid:0"}})
    assert answer["result"]["actor"]["principalId"] == f"uid:{UID}"


@pytest.mark.parametrize(
    "line",
    [
        "", "{", "nonsense", '{"jsonrpc":"2.0","id":1,"id":2,"method":"echo"}', "{} {}", "\ufeff{}",
        '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1,"a":2}}', "[1", "NaN",
        '{"jsonrpc":"2.0","id":1,"method":"echo","params":' + "[" * 5000 + "]" * 5000 + "}",
        '{"a":"\\ud800"}',
    ],
)  # fmt: skip
async def test_what_is_not_strict_json_is_a_parse_error(door: Door, line: str) -> None:
    answer = await door.raw(line)
    assert answer["error"]["code"] == -32700
    assert answer["id"] is None
    assert door.methods.calls == []


async def test_bytes_that_are_not_utf8_are_a_parse_error(door: Door) -> None:
    assert (await door.raw(b'{"a":"\xff"}'))["error"]["code"] == -32700


@pytest.mark.parametrize(
    ("document", "identifier"),
    [
        (1, None),
        ("text", None),
        (None, None),
        ({}, None),
        ({"id": 3}, 3),
        ({"jsonrpc": "1.0", "id": 3, "method": "echo"}, 3),
        ({"jsonrpc": 2.0, "id": 3, "method": "echo"}, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": 1}, 3),
        ({"jsonrpc": "2.0", "id": 3}, 3),
        ({"jsonrpc": "2.0", "id": True, "method": "echo"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "echo"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "echo"}, None),
        ({"jsonrpc": "2.0", "id": 3, "method": "echo", "extra": 1}, 3),
    ],
)
async def test_what_is_no_request_is_refused(
    door: Door, document: object, identifier: object
) -> None:
    answer = await door.raw(json.dumps(document))
    assert answer["error"]["code"] == -32600
    assert answer["id"] == identifier
    assert door.methods.calls == []


@pytest.mark.parametrize("params", [[1], "a", 1, False])
async def test_params_have_names(door: Door, params: object) -> None:
    assert (await door.call("echo", params))["error"]["code"] == -32602
    assert (await door.call("echo", params=None))["result"]["ok"] is True
    assert len(door.methods.calls) == 1


async def test_an_unknown_method(door: Door) -> None:
    assert (await door.call("none"))["error"]["code"] == -32601


async def test_a_failure_carries_the_body_of_the_other_door(door: Door) -> None:
    answer = await door.call("fail", {"code": "conflict"})
    assert answer["error"] == {
        "code": -32000,
        "message": "it is so",
        "data": {
            "code": "conflict",
            "message": "it is so",
            "retryable": False,
            "hint": "do this",
            "safeToRetry": True,
        },
    }
    assert (await door.call("fail", {"code": "invalid_request"}))["error"]["code"] == -32602


async def test_a_mistake_of_ours_tells_nothing(door: Door) -> None:
    answer = await door.call("crash")
    assert answer["error"]["code"] == -32603
    assert "secret" not in json.dumps(answer)


async def test_a_notification_is_done_and_never_answered(door: Door) -> None:
    for method in ("echo", "fail", "crash", "none"):
        line = json.dumps({"jsonrpc": "2.0", "method": method, "params": {"code": "x"}})
        assert await door.raw(line) is None
    assert len(door.methods.calls) == 1


async def test_a_batch_is_answered_in_one_line(door: Door) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"n": 1}},
        {"jsonrpc": "2.0", "method": "echo", "params": {"n": 2}},
        5,
        {"jsonrpc": "2.0", "id": 3, "method": "none"},
        {"jsonrpc": "2.0", "id": 4, "method": "echo", "params": {"n": 4}},
    ]
    answers = await door.raw(json.dumps(batch))
    assert [answer["id"] for answer in answers] == [1, None, 3, 4]
    assert [answer.get("error", {}).get("code") for answer in answers] == [
        None, -32600, -32601, None,
    ]  # fmt: skip
    assert [params for _, params in door.methods.calls] == [{"n": 1}, {"n": 2}, {"n": 4}]


async def test_the_edges_of_batches(door: Door) -> None:
    assert (await door.raw("[]"))["error"]["code"] == -32600
    notification = {"jsonrpc": "2.0", "method": "echo"}
    assert await door.raw(json.dumps([notification])) is None
    assert (await door.raw(json.dumps([1] * 65)))["error"]["code"] == -32600
    assert len(await door.raw(json.dumps([1] * 64))) == 64


async def test_a_token_is_shown_first(door: Door) -> None:
    token = door.clients.add("ci")
    hello = await door.call("client.hello", {"token": token})
    assert hello["result"]["actor"]["principalId"] == f"uid:{UID}/client:ci"
    assert door.methods.calls == []
    await door.call("echo")
    assert door.methods.calls[0][0] == f"uid:{UID}/client:ci"
    assert (await door.call("client.hello", {"token": token}))["error"]["code"] == -32602


async def test_a_removed_client_is_nobody_from_then_on(door: Door) -> None:
    await door.call("client.hello", {"token": door.clients.add("ci")})
    door.clients.remove("ci")
    assert (await door.call("echo"))["error"]["data"]["code"] == "actor"
    assert door.methods.calls == []


@pytest.mark.parametrize("params", [{}, {"token": ""}, {"token": 1}, {"token": "x", "more": 1}])
async def test_a_hello_that_is_none(door: Door, params: object) -> None:
    assert (await door.call("client.hello", params))["error"]["code"] == -32602


async def test_a_wrong_token_is_refused_and_makes_nobody(door: Door) -> None:
    answer = await door.call("client.hello", {"token": "wrong"})
    assert answer["error"]["data"]["code"] == "actor"
    assert "wrong" not in json.dumps(answer)
    again = await door.call("echo")
    assert again["error"]["data"]["code"] == "actor", "not taken for the owner either"


async def test_a_token_after_a_call_is_too_late(door: Door) -> None:
    token = door.clients.add("ci")
    await door.call("echo")
    assert (await door.call("client.hello", {"token": token}))["error"]["code"] == -32602


def test_what_a_browser_could_send_is_known() -> None:
    for line in (
        b"GET / HTTP/1.1\r",
        b"POST /x HTTP/1.0",
        b"OPTIONS * HTTP/1.1\r",
        b"PRI * HTTP/2.0",
    ):
        assert looks_like_http(line)
    for line in (b'{"jsonrpc": "2.0"}', b'[{"a": 1}]', b"", b"get it", b"GET"):
        assert not looks_like_http(line)


def test_the_line_limit_holds_an_escaped_request() -> None:
    assert rpc.LINE_LIMIT >= 6 * 96 * 1024
