"""Calls of the API of a project with a person's token."""

import json
from typing import Any

from django.test import Client
from knox.models import AuthToken

from annotation.models import Membership


def caller(member: Membership, home: str = "/api/v1/projects/garden/") -> Any:
    """Return a function that calls the API with a token of this person and returns the JSON of the answer."""
    assert member.user is not None
    client, token = Client(), AuthToken.objects.create(member.user)[1]

    def call(method: str, path: str, body: Any = None, status: int = 200) -> Any:
        content = "" if body is None else json.dumps(body)
        headers = {"Authorization": f"Token {token}"}
        answer = client.generic(method, f"{home}{path}", content, "application/json", headers=headers)
        assert answer.status_code == status, answer.content[:400]
        return json.loads(answer.content)

    return call
