"""Every address that takes something, with things that nothing here can mean: never 5xx, never stored (T25).

The addresses are those of `tests/support/site_addresses.py`: a new one is tried as soon as it has its row there.
"""

from collections.abc import Iterable
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from rest_framework.response import Response

from annotation.domain.choices import Role
from annotation.models import Event, Guideline
from api_schema import operation_at
from builders import make_member
from site_addresses import API, ROUTES
from site_objects import World, module_world, world

pytestmark = pytest.mark.django_db  # also on PostgreSQL, which takes no NUL

__all__ = ["module_world", "world"]

FORM = "application/x-www-form-urlencoded"
WRITTEN = (
    "note", "reason", "rationale", "target_group", "name", "description", "guidelines", "licence", "source", "batch",
    "content_warning", "consent_text", "operator_contact", "username", "text", "image", "values", "table",
    "text_column", "state",
)  # fmt: skip
CHOSEN = (
    "category", "seconds", "key", "version", "ruling", "challenge_text", "challenge_image", "low_quality", "policy",
    "order", "prior_display", "lease_minutes", "extra_seats", "low_quality_threshold", "daily_goal", "call_budget",
    "token_budget", "role", "levels", "sources", "modality", "theme", "language", "do", "format", "mask", "update",
    "source_labels", "label_is", "open", "show", "shown", "grey", "agree", "annotates", "reviews", "administers",
)  # fmt: skip
HOSTILE = {
    "NUL": "a\x00b",
    "an empty text": "",
    "spaces": " \u200b ",
    "a long text": "x" * 21_000,
    "a huge number": "9" * 5_000,
    "a number beyond 64 bits": str(2**80),
    "a negative number": "-1",
    "digits of another script": "１２",
    "no number": "NaN",
    "infinity": "1e999",
    "markup": "<script>alert(1)</script>",
    "a path": "../../../etc/passwd",
    "lines": "a\r\nSet-Cookie: a=b",
    "combining marks": "a" + "\u0301" * 300,
    "a list": "[1, 2]",
}


def everybody(world: World) -> Client:
    """A client of somebody with every role, whose seat and label are the world's."""
    member = world.members[Role.ANNOTATOR]
    member.reviews = member.administers = True
    member.save()
    client = Client(raise_request_exception=False)
    assert member.user is not None
    client.force_login(member.user)
    return client


def tried(client: Client, method: str, address: str, body: str | bytes = b"", kind: str = FORM) -> HttpResponseBase:
    """The answer, read to its end, after whatever it changed is undone."""
    content = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    with transaction.atomic():
        path, _mark, query = address.partition("?")
        answer = client.generic(method.upper(), path, content, kind, QUERY_STRING=query)
        if hasattr(answer, "streaming_content"):
            for _piece in answer.streaming_content:
                pass
        transaction.set_rollback(True)
    return answer


def plausible(world: World) -> dict[str, str]:
    """What gets past the first checks of most forms, so that the texts beside it are looked at."""
    return {
        "key": str(uuid4()), "category": "1", "version": str(world.item.version), "ruling": "decide", "show": "1",
        "policy": "review", "order": "breadth", "prior_display": "shown", "lease_minutes": "20", "extra_seats": "0",
        "low_quality_threshold": "1", "daily_goal": "0", "role": "annotator", "modality": "text", "theme": "dark",
        "agree": "on", "open": "1", "do": "store",
    }  # fmt: skip


POSTS = sorted(name for name, route in ROUTES.items() if "post" in route.methods and not name.startswith(API))
WRITING = ("put", "post", "patch")
API_WRITES = sorted(name for name in ROUTES if name.startswith(API) and {*WRITING} & set(ROUTES[name].methods))
READS = sorted(name for name, route in ROUTES.items() if "get" in route.methods)


BODIES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", FORM),
    "JSON": (b'{"key": 1}', "application/json"),
    "another charset": (b"note=a", f"{FORM}; charset=utf-7"),
    "a charset that does not exist": (b"note=a", f"{FORM}; charset=klingon"),
    "multipart without a boundary": (b"x", "multipart/form-data"),
    "multipart cut": (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx',
        "multipart/form-data; boundary=b",
    ),
    "a file where a text belongs": (
        b'--b\r\nContent-Disposition: form-data; name="note"; filename="a"\r\n\r\nx\r\n--b--\r\n',
        "multipart/form-data; boundary=b",
    ),
    "NUL in multipart": (
        b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\na\x00b\r\n--b--\r\n',
        "multipart/form-data; boundary=b",
    ),
    "XML": (b"<a/>", "application/xml"),
}


TURNS = 4
"""So many mixtures of the values are sent to one address."""


def mixed(fields: tuple[str, ...], turn: int) -> dict[str, str]:
    """Give each field another value; in as many turns as there are values each field has each of them once."""
    values = list(HOSTILE.values())
    return {name: values[(turn + place) % len(values)] for place, name in enumerate(fields)}


def in_turn(names: Iterable[str], place: int, count: int) -> list[str]:
    """Return `count` of the names, at each place the next ones."""
    listed = list(names)
    return [listed[(place * count + number) % len(listed)] for number in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("name", POSTS)
def test_no_form_brings_a_page_down(name: str, world: World):
    """Each address gets every value, each field gets every value at some address, and every body is some address's.

    In a mixture each field has another value, and the next address goes on with the next mixtures. Two values at each
    address stand in all fields at once, as does NUL. One parser reads the bodies of all forms.
    """
    client, address = everybody(world), reverse(name, kwargs=ROUTES[name].parts(world))
    place = POSTS.index(name)
    sent = [dict.fromkeys((*WRITTEN, *CHOSEN), HOSTILE[what]) for what in ("NUL", *in_turn(HOSTILE, place, 2))]
    for turn in range(TURNS * place, TURNS * (place + 1)):
        sent += [mixed((*WRITTEN, *CHOSEN), turn), {**plausible(world), **mixed(WRITTEN, turn)}]
    for fields in sent:
        assert tried(client, "post", address, urlencode(fields)).status_code < 500, fields
    for what in in_turn(BODIES, place, 3):
        assert tried(client, "post", address, *BODIES[what]).status_code < 500, what


@pytest.mark.parametrize("body", [b"note=%ED%A0%80", b"note=%FF", "note=caf\u00e9".encode("latin-1")])
def test_b12_a_form_that_is_not_utf_8_is_refused_and_nothing_of_it_stored(body: bytes, world: World):
    client, address = everybody(world), reverse("annotation:submit", args=["here", world.seat.public_id])
    sent = b"category=1&key=" + str(uuid4()).encode() + b"&" + body
    answer = client.generic("POST", address, sent, FORM, headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_unicode")
    world.seat.refresh_from_db()
    assert world.seat.label is None


@pytest.mark.parametrize("step", ["skip", "report", "submit"])
def test_b11_nul_in_a_form_is_refused_and_nothing_of_it_stored(step: str, world: World):
    client, address = everybody(world), reverse(f"annotation:{step}", args=["here", world.seat.public_id])
    before = Event.objects.count()
    sent = {"category": "1", "key": uuid4(), "note": "a\x00b", "reason": "a\x00b"}
    answer = client.post(address, sent)
    assert answer.status_code == 422
    assert "NUL" in answer.content.decode() or "Null" in answer.content.decode()
    assert Event.objects.count() == before


def test_b11_nul_in_an_option_of_an_import_has_the_same_code(world: World):
    sent = {"file": SimpleUploadedFile("a.csv", b"id,text\n1,a\n"), "batch": "a\x00b"}
    answer = everybody(world).post(
        reverse("annotation:import", args=["here"]), sent, headers={"Accept": "application/json"}
    )
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (400, "nul_character", "batch")


JSON_BODIES = {
    "B103 cut": ('{"key": "a', "invalid_json"),
    "B11 NUL": ('{"note": "a\\u0000b", "reason": "\\u0000"}', "nul_character"),
    "B12 half a pair": ('{"note": "\\ud800", "reason": "\\ud800"}', "invalid_unicode"),
    "B12 half a pair in a key": ('{"\\ud800": 1}', "invalid_unicode"),
    "B13 NaN": ('{"seconds": NaN}', "not_finite"),
    "B13 infinity": ('{"seconds": 1e999}', "not_finite"),
    "B14 60,000 brackets": ('{"rows": ' + "[" * 60_000, "too_deep"),
    "B14 5,000 objects": ('{"a":' * 5_000 + "1" + "}" * 5_000, "too_deep"),
    "B15 5,000 digits": ('{"category": ' + "1" * 5_000 + "}", "number_too_long"),
    "B16 a key twice": ('{"category": 1, "category": 2}', "duplicate_key"),
    "B103 no object": ("[1, 2]", ""),
    "B103 a text": ('"abc"', ""),
    "B103 null": ("null", ""),
    "B103 nothing": ("", ""),
    "other kinds": ('{"key": [], "category": {}, "note": 1, "challenges": "x", "rows": "x", "levels": 7}', ""),
    "deeper kinds": ('{"challenges": [1, {"modality": "x"}], "rows": [1], "levels": [[]], "sources": [{}]}', ""),
    "a huge number": ('{"category": ' + str(2**80) + ', "seconds": 1e300}', ""),
}
READS_NO_BODY = {
    *("api:next", "api:priors", "runs-api:run-cancel", "runs-api:run-retry", "runs-api:dispute-next"),
    *("runs-api:evidence-restore", "runs-api:run-judge-evidence", "generation-api:reply-sources"),
    *("api:guideline-read", "api:invitation-end", "api:member-again", "api:member-end", "api:webhook-test"),
    *("api:later", "api:seat-later", "api:competence"),
    *("api:webhook-secret", "generation-api:cancel", "generation-api:reply-submit", "generation-api:reply-take-back"),
}


@pytest.mark.parametrize("name", API_WRITES)
def test_no_json_brings_the_api_down_and_nothing_bad_is_stored(name: str, world: World):
    """Each address gets every body that its own code reads, and some that the one parser refuses before it."""
    client, address = everybody(world), reverse(name, kwargs=ROUTES[name].parts(world))
    method = next(method for method in WRITING if method in ROUTES[name].methods)
    place = API_WRITES.index(name)
    refused = in_turn((what for what, (_body, code) in JSON_BODIES.items() if code), place, 3)
    for what, (body, code) in JSON_BODIES.items():
        if code and what not in refused:
            continue
        answer = tried(client, method, address, body, "application/json")
        assert answer.status_code < 500, what
        if code and name not in READS_NO_BODY:
            assert isinstance(answer, Response), what
            assert (answer.status_code, answer.data["code"]) == (400, code), what
    for kind in in_turn(("text/plain", "application/xml", "application/octet-stream", FORM), place, 1):
        status = tried(client, method, address, b"<a/>", kind).status_code
        assert status == 415 or name in READS_NO_BODY, kind


QUERIES = {
    "B114 a negative page": {"page": "-1", "limit": "-1"},
    "B114 a huge page": {"page": "9" * 400, "limit": "1e9"},
    "B114 digits of another script": {"page": "１２", "limit": "１２"},
    "T4 an order over a foreign column": {"order": "user__password", "ordering": "user__password"},
    "T4 a filter over a foreign column": {"annotations__user__email__startswith": "a"},
    "T4 a filter with an operator": {"stage__in": "gold", "batch__contains": "a"},
    "quotes": {"q": "' OR 1=1 --", "batch": '"; DROP TABLE x', "order": "id;"},
    "wildcards": {"q": "%_" * 500},
    "a long value": {"q": "x" * 6_000, "stage": "x" * 1_000},
    "lines": {"q": "a\r\nX: y", "name": "\r\n"},
    "a value of another kind": {"state": "[]", "reason": "{}", "format": "xml", "version": "0"},
}


RAW_QUERIES = ("?page=%FF", "?q=%ED%A0%80", "?q=%00", "?%00=1", "?" + "&".join(f"a{n}=1" for n in range(2_000)))
FILTERED = {
    "annotation:items", "annotation:items-file", "annotation:glossary", "annotation:priors", "annotation:hours",
    "annotation:guideline-versions", "moderation:desk", "moderation:appeals", "moderation:runs", "moderation:evidence",
    "moderation:scores", "generation:samples", "generation:sample-review", "generation:item-counterspeech",
}  # fmt: skip
"""Pages that read more of their query than a page's number and one word."""


@pytest.mark.slow
@pytest.mark.parametrize("name", READS)
def test_no_query_brings_an_address_down(name: str, world: World):
    """Pages and lists that can be filtered get every query; each of the others gets some, and all together get each.

    Of a query the others read the page's number or a word, if anything: each gets two queries with such a number,
    and the next two of all. The characters that no query may hold are refused before any page (`FrontDoor`).
    """
    client, address = everybody(world), reverse(name, kwargs=ROUTES[name].parts(world))
    place = READS.index(name)
    few = name not in FILTERED and not (name.startswith(API) and is_filtered(address))
    numbers = [what for what in QUERIES if "page" in QUERIES[what]]
    for what in dict.fromkeys((*numbers[:2], *in_turn(QUERIES, place, 2))) if few else QUERIES:
        assert tried(client, "get", f"{address}?{urlencode(QUERIES[what])}").status_code < 500, what
    for raw in in_turn(RAW_QUERIES, place, 1 if few else len(RAW_QUERIES)):
        assert tried(client, "get", f"{address}{raw}").status_code < 500, raw[:20]


def is_filtered(address: str) -> bool:
    """Whether the API's description has parameters in the query of this address."""
    described = operation_at("get", address)
    return described is not None and any(each["in"] == "query" for each in described.spec.get("parameters", ()))


@pytest.mark.parametrize("name", ["annotation:items", "api:items"])
@pytest.mark.parametrize("what", [what for what in QUERIES if what.startswith("T4")])
def test_t4_what_is_no_filter_is_400(name: str, what: str, world: World):
    client, address = everybody(world), reverse(name, kwargs={"slug": "here"})
    if name == "api:items" and "order" in QUERIES[what]:
        answer = client.get(address, {"order": "user__password"}).json()
        assert answer["code"] == "unknown_filter"
    assert client.get(address, QUERIES[what]).status_code == 400


def test_t3_nobody_writes_what_a_form_does_not_offer(world: World):
    member = make_member(world.project)
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    sent = {
        "theme": "dark", "is_staff": "true", "is_superuser": "true", "role": "admin", "administers": "on",
        "project": "x", "username": "root", "pk": "1", "id": "1",
    }  # fmt: skip
    assert client.post(reverse("annotation:preferences"), sent).status_code == 302
    before = (member.user.username, False, False)
    member.refresh_from_db()
    assert member.user is not None
    assert (member.user.username, member.user.is_staff, member.user.is_superuser) == before
    assert (member.user.theme, member.administers, member.project) == ("dark", False, world.project)
    answer = client.post(reverse("annotation:member-roles", args=["here", member.public_id]), {"administers": "on"})
    assert answer.status_code == 404


def test_t3_a_label_takes_nothing_that_is_not_the_annotators_to_say(world: World):
    mine = world.members[Role.ANNOTATOR]
    assert mine.user is not None
    client = Client()
    client.force_login(mine.user)
    body = {
        "key": str(uuid4()), "category": 1, "annotator": str(world.other.public_id), "revision": 9,
        "created_at": "2001-01-01", "guideline": 99, "reveals": 77, "priors_shown": [1, 2],
    }  # fmt: skip
    answer = client.post(
        reverse("api:seat-label", args=["here", world.seat.public_id]), body, content_type="application/json"
    )
    assert answer.status_code == 200
    world.seat.refresh_from_db()
    label = world.seat.label
    assert label is not None
    assert (label.annotator, label.revision, label.reveals) == (mine, 1, 0)
    assert label.created_at.year > 2020


def test_b38_guidelines_of_two_megabytes_are_refused_with_the_limit(world: World):
    client, address = everybody(world), reverse("annotation:guidelines-edit", args=["here"])
    kept = {"begun_at": 1, "summary": "Longer.", "example-TOTAL_FORMS": 0, "example-INITIAL_FORMS": 0}
    before = Guideline.objects.count()
    answer = client.post(address, {**kept, "text": "x" * 2 * 2**20})
    assert answer.status_code == 422
    assert "200,000" in answer.content.decode()
    assert Guideline.objects.count() == before
    assert client.post(address, {**kept, "text": "x" * 200_000}).status_code == 302


@pytest.mark.parametrize("path", ['a"; filename="b.exe', "a%0d%0aX-Evil:%201", "../../../etc/passwd"])
def test_b117_a_name_with_quotes_or_line_ends_reaches_no_header(path: str, world: World):
    client = everybody(world)
    for name in ("annotation:release-file", "api:release-file"):
        answer = client.get(reverse(name, args=["here", world.release.number, path]))
        assert answer.status_code == 404
        assert "X-Evil" not in answer.headers
        assert "evil" not in str(answer.headers).lower()


def test_b117_files_are_handed_out_under_names_of_ours(world: World):
    client = everybody(world)
    path = world.release.manifest["files"][0]["path"]
    table = client.get(reverse("annotation:dashboard-table", args=["here", "funnel"]))
    file = client.get(reverse("api:release-file", args=["here", world.release.number, path]))
    assert table["Content-Disposition"] == 'attachment; filename="here-funnel.csv"'
    assert file["Content-Disposition"] == f'attachment; filename="here-1-{path.rpartition("/")[2]}"'
    assert b"".join(file.streaming_content)


def test_b109_ids_of_others_and_ids_of_nobody_look_the_same_and_are_never_numbers(world: World):
    client = everybody(world)
    theirs = world.open_item.seat_rows.exclude(pk=world.seat.pk).first()
    for seat in (theirs.public_id, uuid4()):
        answer = client.post(reverse("annotation:submit", args=["here", seat]), {"key": uuid4(), "category": "1"})
        assert answer.status_code == 404
    for number in (world.seat.pk, world.item.pk, 1, 1000):
        for place in ("label", "items", "desk", "import"):
            assert client.get(f"/p/here/{place}/{number}/").status_code == 404
