"""The description of the API as it is served: made once, for any number of threads, and only for people who sign in."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

import builders
from config.api.schema import KeptDescription


def test_the_description_is_made_once_for_all_threads(monkeypatch: pytest.MonkeyPatch):
    made: list[object] = []

    def make(*_arguments: Any) -> dict[str, int]:
        made.append(object())
        time.sleep(0.05)
        return {"number": len(made)}

    monkeypatch.setattr(KeptDescription, "_kept", None)
    monkeypatch.setattr(SchemaGenerator, "get_schema", make)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _number: KeptDescription().get_schema(), range(8)))
    assert answers == [{"number": 1}] * 8


@pytest.mark.django_db
def test_the_description_is_served_in_english_to_whoever_signs_in(client):
    assert client.get("/api/v1/schema/").status_code == 401
    client.force_login(builders.make_user(language="ko"))
    answer = client.get("/api/v1/schema/", headers={"Accept-Language": "ko"})
    assert answer["Content-Type"] == "application/vnd.oai.openapi+json"
    assert answer.json()["openapi"].startswith("3.1")
    assert answer.json()["components"]["responses"]["NotFound"]["description"].startswith("There is nothing here")
