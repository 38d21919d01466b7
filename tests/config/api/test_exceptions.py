import pytest
from rest_framework import exceptions, serializers

import builders
from annotation.models import Label
from config.api.exceptions import api_failure


class Inner(serializers.Serializer):
    code = serializers.IntegerField(max_value=9)


class Outer(serializers.Serializer):
    name = serializers.CharField(max_length=3)
    inner = Inner()


def refusal_of(data):
    outer = Outer(data=data)
    assert not outer.is_valid()
    return api_failure(exceptions.ValidationError(outer.errors), {}).data


def test_the_first_refused_field_is_named_with_its_sentence_and_all_of_them_beside():
    refused = refusal_of({"name": "long", "inner": {"code": 10}})
    assert refused == {
        "code": "max_length",
        "detail": "Ensure this field has no more than 3 characters.",
        "field": "name",
        "fields": {
            "name": ["Ensure this field has no more than 3 characters."],
            "inner.code": ["Ensure this value is less than or equal to 9."],
        },
    }


def test_a_nested_field_gives_its_code_too():
    assert refusal_of({"name": "abc", "inner": {"code": 10}})["code"] == "max_value"


def test_a_plain_refusal_has_code_and_sentence():
    refused = api_failure(exceptions.ValidationError("Too many rows.", code="too_many_rows"), {})
    assert refused.data == {"code": "too_many_rows", "detail": "Too many rows."}
    assert api_failure(exceptions.PermissionDenied("Only reviewers.", code="role"), {}).data == {
        "code": "role",
        "detail": "Only reviewers.",
    }


def test_every_404_of_the_api_is_the_same():
    one, other = (api_failure(exceptions.NotFound(text), {}).data for text in ("No project winter.", "No item 7."))
    assert one == other


def test_an_unknown_error_is_left_to_the_site():
    assert api_failure(ValueError("x"), {}) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        ('{"category": 1', "application/json", 400, "invalid_json"),
        ("[" * 100_000, "application/json", 400, "too_deep"),
        ('{"category": NaN}', "application/json", 400, "not_finite"),
        ('{"category": 1e999}', "application/json", 400, "not_finite"),
        (f'{{"category": {"9" * 5000}}}', "application/json", 400, "number_too_long"),
        ('{"category": 1, "category": 2}', "application/json", 400, "duplicate_key"),
        ('{"note": "\\u0000"}', "application/json", 400, "nul_character"),
        ('{"note": "\\ud800"}', "application/json", 400, "invalid_unicode"),
        (b'{"note": "\xe9"}', "application/json", 400, "encoding"),
        ("category=1", "text/plain", 415, "unsupported_media_type"),
        ("<category>1</category>", "application/xml", 415, "unsupported_media_type"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_in_the_one_form(client, body, content_type, status, code):
    project = builders.make_project("p")
    builders.make_open_item(project)
    client.force_login(builders.make_member(project).user)
    seat = client.post("/api/v1/projects/p/next/", {}, "application/json").json()["seat"]
    answer = client.post(f"/api/v1/projects/p/seats/{seat}/label/", body, content_type=content_type)
    assert answer.status_code == status
    assert answer.json()["code"] == code
    assert answer.json()["detail"]
    assert not Label.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("token", ["\xff" * 300, "a\x00b", "x" * 5_000, "", "a b", "ä", "' OR 1=1 --"])
def test_what_cannot_be_a_token_is_401(client, token):
    answer = client.get("/api/v1/projects/", headers={"authorization": f"Token {token}"})
    assert answer.status_code == 401
    assert answer.json()["code"]


@pytest.mark.django_db
@pytest.mark.parametrize("accept", ["application/json", "text/html", "*/*"])
@pytest.mark.parametrize("address", ["/api/v1/", "/api/v1/schema/", "/api/v1/projects/"])
def test_whoever_brings_no_token_learns_in_json_how_one_is_made_and_sent(client, address, accept):
    answer = client.get(address, headers={"Accept": accept})
    assert answer.status_code == 401
    assert answer["Content-Type"].startswith("application/") and "json" in answer["Content-Type"]
    assert answer.json()["code"] == "not_authenticated"
    assert "on the page API tokens" in answer.json()["detail"]
    assert "Authorization: Token" in answer.json()["detail"]


@pytest.mark.django_db
def test_a_wrong_token_is_said_to_be_one(client):
    answer = client.get("/api/v1/projects/", headers={"authorization": "Token abc"})
    assert answer.json()["detail"].startswith("Invalid token. ")
    assert "on the page API tokens" in answer.json()["detail"]
