"""CONAN's types go in and out without loss, and guide the candidates that ask for them."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Project
from builders import make_item, make_labelled_item, make_member
from counterspeech_models import POST, Desk, desk_on_the_wire, kind_of
from desk_pages import client_of
from generation.counterspeech import candidate_json, replies, request
from generation.domain.counterspeech.intentconan import CONAN, BadRow, read_rows
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import Register
from generation.files import export
from generation.models import Exemplar, Reply
from markup import compact
from reply_builders import approve_reply
from runs.execution import runner, worker
from runs.models import Run
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)


def command(*arguments: str) -> Any:
    """The command's JSON value and whether it ended well."""
    out = io.StringIO()
    try:
        call_command(*arguments, "--json", stdout=out)
    except SystemExit as end:
        return json.loads(out.getvalue()), end.code
    return json.loads(out.getvalue()), 0


DEMOGRAPHICS = {"age": "61", "gender": "male", "educationLevel": "Bachelor"}


def row(number: int, types: str, **other: str) -> dict[str, str]:
    return {
        "cn_id": f"ENT1ST0001HS00{number:02}CN0000{number:02}",
        "hateSpeech": f"They took garden {number}. ",  # CONAN has blanks at the ends of texts
        "counterSpeech": f" Nobody took garden {number}.",
        "hsType": "Xenophobia",
        "hsSubType": "culture , women",
        "cnType": types,
        **other,
    }


ROWS = [
    row(1, "facts"),
    row(2, "facts , hypocrisy"),
    row(3, "humor"),
    row(4, "affiliation , humor , question"),
    row(5, "humor , negative"),
    row(6, "other"),
    row(7, "hyocrisy , positive"),
    row(8, "consequences", hsSubType=""),
    row(9, "irony"),
]


def as_csv(rows: list[dict[str, str]]) -> bytes:
    table = io.StringIO()
    writer = csv.DictWriter(table, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return table.getvalue().encode()


@pytest.fixture
def admin(project: Project) -> Client:
    return client_of(make_member(project, Role.ADMIN))


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(
        project, people, [1, 1, 1], text="All newcomers are weeds.", external_id="post-1", target_group="newcomers"
    )
    close_item(made)
    made.refresh_from_db()
    return made


def approved(project: Project, item: Item, *registers: Register, text: str = "They came over twenty years.") -> Reply:
    author, second = make_member(project, Role.REVIEWER), make_member(project, Role.REVIEWER)
    return approve_reply(item, author, second, text, Intent.INFORMATIVE, *registers)


def downloaded(client: Client, name: str, query: str = "") -> bytes:
    answer = client.get(reverse("generation:dataset-file", args=["garden", name]) + query)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_what_conan_has_comes_back_letter_by_letter_but_for_who_wrote_it(
    project: Project, admin: Client, tmp_path: Path, ending: str
) -> None:
    file = tmp_path / f"CONAN.{ending}"
    rows = [row | DEMOGRAPHICS for row in ROWS]
    file.write_bytes(as_csv(rows) if ending == "csv" else "\n".join(map(json.dumps, rows)).encode())
    value, code = command("import_counterspeech", "garden", str(file), "--source", "CONAN")
    assert (code, value["stored"], value["unread_types"]) == (0, 9, {"irony": 1})
    assert value["intents"] == {"informative": 2, "none": 5, "questioning": 1, "positive": 1}
    assert value["registers"]["humor"] == 3 and value["registers"]["hypocrisy"] == 2
    assert downloaded(admin, "conan.csv").decode("utf-8-sig").splitlines() == [",".join((*CONAN, "injected"))]
    again = list(csv.DictReader(io.StringIO(downloaded(admin, "conan.csv", "?imported=1").decode("utf-8-sig"))))
    assert [{name: line[name] for name in CONAN} for line in again] == ROWS
    lines = [json.loads(line) for line in downloaded(admin, "conan.jsonl", "?imported=1").splitlines()]
    assert [{name: line[name] for name in CONAN} for line in lines] == ROWS
    assert not {"age", "gender", "educationLevel"}.intersection(lines[0])


def test_a_reply_of_the_desk_goes_out_in_conans_columns_with_the_items_own_group(
    project: Project, item: Item, admin: Client
) -> None:
    reply = approved(project, item, Register.HUMOR, Register.FACTS)
    exchange = reply.exchange
    exchange.theme = "culture"
    exchange.save()
    (line,) = map(json.loads, downloaded(admin, "conan.jsonl").splitlines())
    assert line == {
        "cn_id": str(reply.public_id),
        "hateSpeech": "All newcomers are weeds.",
        "counterSpeech": "They came over twenty years.",
        "hsType": "newcomers",
        "hsSubType": "culture",
        "cnType": "facts , humor",
        "injected": False,
    }
    (ours,) = export.replies(project)
    assert (ours["registers"], ours["target_group"], ours["theme"]) == (["facts", "humor"], "newcomers", "culture")
    assert export.figures(project)["groups"][0]["group"] == "newcomers"
    stored = Exemplar.objects.get()
    assert (stored.registers, stored.intent) == (["facts", "humor"], "informative")
    (again,) = read_rows(downloaded(admin, "conan.csv"), "again.csv")
    assert not isinstance(again, BadRow) and again.registers == (Register.FACTS, Register.HUMOR)


def test_a_file_with_types_alone_trains_and_measures_only_what_has_an_intent() -> None:
    rows = list(read_rows(as_csv(ROWS[:3]), "CONAN.csv"))
    assert [isinstance(row, BadRow) for row in rows] == [False, False, True]
    assert isinstance(rows[2], BadRow) and rows[2].reason.startswith("'humor' is none of the intents informative")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"cnType": ""}, "csType and cnType are missing or empty."),
        ({"hsType": "x" * 201}, "hsType has more than 200 characters."),
        ({"hsSubType": "a\nb"}, "line break"),
    ],
)
def test_a_bad_row_of_conan_is_named_with_its_reason(other: dict[str, str], said: str) -> None:
    (bad,) = read_rows(json.dumps(ROWS[0] | other).encode(), "a.jsonl", any_type=True)
    assert isinstance(bad, BadRow) and said in bad.reason


# ── At the desk ───────────────────────────────────────────────────────────────


@pytest.fixture
def desk(settings: Any) -> Iterator[tuple[WireServer, Desk]]:
    with desk_on_the_wire(settings) as both:
        yield both


def test_the_writer_is_told_registers_and_the_limit_and_candidates_say_whether_they_keep_to_it(
    project: Project, desk: tuple[WireServer, Desk]
) -> None:
    wire, table = desk
    short, long = "Weeds? I only see neighbours with wheelbarrows.", "가" * 141
    table.replies["positive"] = [long, short]
    Exemplar.objects.create(project=project, external_id="a", hate="Weeds!", intent="", registers=["humor"], text="Ha.")
    Exemplar.objects.create(project=project, external_id="b", hate="Weeds!", intent="positive", text="Be kind.")
    client = client_of(make_member(project, Role.REVIEWER))
    exchange = request.open_on_text(project, POST)
    chosen = {"intents": ["positive"], "candidates": "2", "tone": "calm", "length": "short", "shots": "3"}
    chosen |= {"registers": ["humor", "affiliation"], "platform": "x", "mode": "list"}
    answer = client.post(reverse("generation:candidates", args=["garden", exchange.public_id]), chosen)
    assert answer.status_code == 302
    run = Run.objects.get()
    runner.claim_and_perform(run.pk, worker.planned_model)
    (asked,) = [heard for heard in wire.heard if kind_of(heard) == "positive"]
    told = asked.said("system")
    assert "what the author and the people meant have in common" in told and "a light humour" in told
    assert "at most 280 characters as X counts" in told
    assert "Ha." in asked.said("user") and "Be kind." not in asked.said("user")  # the register has an example
    page = compact(client.get(answer["Location"]).content.decode())
    assert "too long for X: 282 of 280" in page and "X: 47 of 280" in page and "shared identity" in page
    run.refresh_from_db()
    (told_json,) = candidate_json.reported(exchange, run, [Intent.POSITIVE])
    found = {each["text"]: (each["platform"], each["length"], each["over"]) for each in told_json["candidates"]}
    assert found == {long: ("x", 282, 2), short: ("x", 47, 0)}
    candidate = exchange.candidates.get(text=short)
    client.post(
        reverse("generation:reply-begin", args=["garden", exchange.public_id]), {"candidate": candidate.public_id}
    )
    assert Reply.objects.get().registers == ["affiliation", "humor"]


def test_without_registers_and_platform_the_question_is_the_one_of_before(
    project: Project, desk: tuple[WireServer, Desk]
) -> None:
    exchange = request.open_on_text(project, POST)
    run = request.write(exchange, options={"intents": ["positive"]}).run
    assert not {"registers", "platform"}.intersection(run.options)
    assert request.write(exchange, options={"intents": ["positive"], "registers": [], "platform": None}).run == run


def test_registers_of_a_reply_are_chosen_beside_its_text_and_kept(project: Project, item: Item) -> None:
    author = make_member(project, Role.REVIEWER)
    client, exchange = client_of(author), request.open_on_item(item)
    reply = replies.begin(exchange, author, Intent.POSITIVE)
    write = reverse("generation:reply-write", args=["garden", reply.public_id])
    sent = {"text": "Be kind.", "intent": "positive", "version": "1", "registers_shown": "1"}
    client.post(write, sent | {"registers": ["humor", "empathy", "nonsense"]})
    reply.refresh_from_db()
    assert reply.registers == ["empathy", "humor"]
    page = compact(
        client.get(reverse("generation:item-counterspeech", args=["garden", item.public_id])).content.decode()
    )
    ticked = re.findall(r'name="registers" value="(\w+)" checked', page)
    assert ticked == ["empathy", "humor"] and "Points out hypocrisy" in page
    client.post(write, {"text": "Be kinder.", "intent": "positive", "version": "2"})  # a form without registers
    reply.refresh_from_db()
    assert (reply.registers, reply.text) == (["empathy", "humor"], "Be kinder.")
    client.post(write, sent | {"version": "3"})
    reply.refresh_from_db()
    assert reply.registers == []


def test_the_desk_counts_a_text_on_every_platform(project: Project, item: Item) -> None:
    author = make_member(project, Role.REVIEWER)
    reply = replies.begin(request.open_on_item(item), author, Intent.POSITIVE)
    text = "가" * 141
    answer = client_of(author).post(
        reverse("generation:reply-write", args=["garden", reply.public_id]),
        {"text": text, "intent": "positive", "version": "1"},
        HTTP_HX_REQUEST="true",
    )
    page = compact(answer.content.decode())
    assert "282 of 280" in page and "141 of 300" in page and "141 of 150" in page and "141 of 10,000" in page
    assert page.count("is-warn") == 1  # too long for X alone


def test_a_command_names_an_unknown_register(project: Project) -> None:
    make_item(project, POST, external_id="p")
    with pytest.raises(CommandError, match="'irony' is no register"):
        command("counterspeech", "garden", "--items", "p", "--registers", "irony")
