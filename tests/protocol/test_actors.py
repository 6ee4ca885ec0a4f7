from __future__ import annotations

from protocol.actors import Actor


def test_an_actor_is_its_uid_and_its_client() -> None:
    assert Actor(1000).principal_id == "uid:1000"
    assert Actor(1000, "ci").principal_id == "uid:1000/client:ci"
    assert Actor(0).wire() == {
        "kind": "local-process",
        "principalId": "uid:0",
        "sessionId": None,
    }
