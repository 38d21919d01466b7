"""Samples by command and over the API: counts, one clear sentence for a bad plan, decisions, the switch."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership
from builders import make_item, make_member, make_picture, make_project
from generation.injection import settings as injection_settings
from generation.models import InjectionBatch, PicturePool, Sample
from injection_models import GROUP, Writers, entry, make_injecting_project, make_pool, writers_on_the_wire
from runs.execution import runner, worker
from runs.models import Run
from wire.server import WireServer

pytestmark = pytest.mark.django_db(transaction=True)

SAID = "The sign was painted over before the neighbours even woke up."


@pytest.fixture
def wire(settings: Any) -> Iterator[tuple[WireServer, Writers]]:
    with writers_on_the_wire(settings) as both:
        yield both


@pytest.fixture
def admin() -> Membership:
    return make_injecting_project()[1]


def plan_of(folder: Path, *entries: Any) -> str:
    file = folder / "plan.json"
    file.write_text(json.dumps(list(entries)), encoding="utf-8")
    return str(file)


def inject(capsys: Any, *arguments: str) -> tuple[int, Any]:
    try:
        call_command("inject", "garden", *arguments, "--json")
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, json.loads(capsys.readouterr().out)


def test_the_command_counts_what_was_made_duplicate_refused_and_waits(
    wire: tuple[WireServer, Writers], admin: Membership, tmp_path: Path, capsys: Any
) -> None:
    make_pool(admin)
    make_item(admin.project, SAID)
    wire[1].texts = [SAID]
    wire[0].queue("refusal", model="writer")
    plan = plan_of(tmp_path, entry(n=3), entry("100", "opposition", 2))
    code, told = inject(capsys, "--plan", plan, "--threads", "1")
    assert code == 0
    assert {name: told[name] for name in ("made", "duplicate", "refused", "waiting", "held", "failed", "asked")} == {
        "made": 4, "duplicate": 1, "refused": 1, "waiting": 3, "held": 0, "failed": 0, "asked": 0,
    }  # fmt: skip
    heard = len(wire[0].heard)
    again, same = inject(capsys, "--plan", plan)
    assert again == 0 and same == told and len(wire[0].heard) == heard
    call_command("inject", "garden", "--plan", plan)
    assert "Batch 1: 4 made, 1 duplicate, 1 refused, 3 waiting." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps([entry(), entry(pool="square")]), "Entry 2: there is no picture pool 'square'; make it first"),
        (json.dumps([entry(strategy="irony")]), "Entry 1: 'irony' is no strategy; choose one of opposition"),
        ("[{]", "The plan is no JSON: line 1, column 3."),
        ("[]", "The plan is empty"),
    ],
)
def test_a_bad_plan_is_one_sentence_and_changes_no_row(
    wire: tuple[WireServer, Writers], admin: Membership, tmp_path: Path, content: str, said: str
) -> None:
    make_pool(admin)
    file = tmp_path / "plan.json"
    file.write_text(content)
    before = Event.objects.count()
    with pytest.raises(CommandError) as refused:
        call_command("inject", "garden", "--plan", str(file))
    assert said in str(refused.value) and "\n" not in str(refused.value)
    assert not InjectionBatch.objects.exists() and not Run.objects.exists() and Event.objects.count() == before


def test_without_a_plan_a_key_or_the_switch_the_command_says_what_to_do(
    admin: Membership, tmp_path: Path, settings: Any
) -> None:
    settings.MODEL_BINDINGS = {}
    make_pool(admin)
    plan = plan_of(tmp_path, entry())
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("inject", "garden", "--plan", str(tmp_path / "none.json"))
    with pytest.raises(CommandError, match="writes no samples: set MODEL_SAMPLE_WRITER or MODEL_VISION"):
        call_command("inject", "garden", "--plan", plan)
    injection_settings.switch_off(admin)
    with pytest.raises(CommandError, match="Sample injection is off in this project"):
        call_command("inject", "garden", "--plan", plan)
    assert not InjectionBatch.objects.exists()


def test_a_pool_is_made_from_items_or_from_a_folder(admin: Membership, tmp_path: Path, capsys: Any) -> None:
    make_item(admin.project, picture=make_picture(admin.project), external_id="w-1", licence="CC0-1.0")
    call_command("picture_pool", "garden", "street", "--items", "w-1", "--target-group", GROUP, "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["without_prior"], told["hateful_alone"]) == (1, 1, 0)
    with pytest.raises(CommandError, match="no item 'w-2' with a picture"):
        call_command("picture_pool", "garden", "street", "--items", "w-1,w-2")
    (tmp_path / "a.png").write_bytes(make_picture(admin.project).file.read())
    (tmp_path / "b.txt").write_text("no picture")
    with pytest.raises(SystemExit):
        call_command("picture_pool", "garden", "square", "--folder", str(tmp_path), "--alone", "Racist", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["added"], told["hateful_alone"]) == (1, 1) and told["refused"][0].startswith("b.txt: ")
    with pytest.raises(CommandError, match="--alone: "):
        call_command("picture_pool", "garden", "square", "--folder", str(tmp_path), "--alone", "Rude")
    assert PicturePool.objects.count() == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("street", "--batch", "none"), "no batch 'none' with a picture"),
        (("street", "--items", "w-1", "--alone", "Racist"), "--alone is for the pictures of a --folder"),
        (("  ", "--items", "w-1"), "name has 1 to 100 characters"),
        (("s" * 101, "--items", "w-1"), "name has 1 to 100 characters"),
        (("street", "--folder", "EMPTY"), "There is no file in"),
        (("street", "--folder", "EMPTY/none"), "There is no folder"),
    ],
)
def test_a_pool_that_would_hold_nothing_is_not_made(
    admin: Membership, tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    make_item(admin.project, picture=make_picture(admin.project), external_id="w-1", licence="CC0-1.0")
    with pytest.raises(CommandError, match=sentence):
        call_command("picture_pool", "garden", *(option.replace("EMPTY", str(tmp_path)) for option in options))
    assert not PicturePool.objects.exists()


# ── The API ───────────────────────────────────────────────────────────────────


def client_of(member: Membership) -> APIClient:
    client = APIClient()
    client.force_authenticate(member.user)
    return client


HOME = "/api/v1/projects/garden/injection/"


def test_the_api_switches_carries_out_decides_and_reports(wire: tuple[WireServer, Writers]) -> None:
    project = make_project("garden")
    admin, reviewer = make_member(project, Role.ADMIN), make_member(project, Role.REVIEWER)
    client = client_of(admin)
    off = client.post(HOME, {"plan": [entry()]}, format="json")
    assert (off.status_code, off.json()["code"]) == (409, "injection_off")
    old = client.post(f"{HOME}switch/", {"on": True, "terms_version": 0}, format="json")
    assert (old.status_code, old.json()["code"]) == (409, "terms_changed")
    assert client.post(f"{HOME}switch/", {"on": True, "terms_version": 1}, format="json").json()["on"]
    make_pool(admin)
    bad = client.post(HOME, {"plan": [entry(), entry(count=0)]}, format="json")
    assert (bad.status_code, bad.json()["code"], bad.json()["entry"]) == (400, "bad_plan", 2)
    assert bad.json()["detail"].startswith("Entry 2: count is a whole number")
    assert client.post(HOME, {"plan": "010"}, format="json").json()["code"] == "bad_plan"
    asked = client.post(HOME, {"plan": [entry(n=2)], "seed": 4}, format="json")
    assert (asked.status_code, asked.json()["asked"], asked.json()["under_way"]) == (202, 2, 2)
    for run in Run.objects.filter(state="queued"):
        runner.claim_and_perform(run.pk, worker.planned_model)
    batch = client.get(f"{HOME}batches/{asked.json()['batch']}/").json()
    assert (batch["made"], batch["waiting"], batch["seed"]) == (2, 2, 4)

    desk = client_of(reviewer)
    unknown = desk.get(f"{HOME}samples/?state=nope")
    assert (unknown.status_code, unknown.json()["code"]) == (400, "unknown_filter")
    for limit in ("abc", "0", "501"):
        refused = desk.get(f"{HOME}samples/?limit={limit}")
        assert (refused.status_code, refused.json()["field"]) == (400, "limit")
        assert refused.json()["detail"] == "A whole number from 1 to 500."
    first, second = desk.get(f"{HOME}samples/?state=waiting").json()
    assert (first["pattern"], first["category"], first["pool"], first["licence"]) == ("010", 0, "street", "CC0-1.0")
    accepted = desk.post(f"{HOME}samples/{first['id']}/", {"decision": "accept"}, format="json").json()
    assert accepted["state"] == "accepted" and Item.objects.get().external_id == accepted["item"]
    silent = desk.post(f"{HOME}samples/{second['id']}/", {"decision": "reject"}, format="json")
    assert (silent.status_code, silent.json()["code"]) == (422, "missing_reason")
    no = {"decision": "reject", "reason": "Stiff."}
    assert desk.post(f"{HOME}samples/{second['id']}/", no, format="json").json()["reason"] == "Stiff."
    twice = desk.post(f"{HOME}samples/{second['id']}/", no, format="json")
    assert (twice.status_code, twice.json()["code"]) == (409, "not_decidable")
    report = desk.get(f"{HOME}report/").json()
    assert report["all"]["accepted"] == report["all"]["rejected"] == 1 and report["all"]["aligned"] is None
    told = client.get(HOME).json()
    square = next(each for each in told["coverage"] if (each["pattern"], each["category"]) == ("010", 0))
    assert told["on"] and square == {
        "pattern": "010", "category": 0, "wanted": 0, "gold": 0, "in_work": 1, "missing": 0,
    }  # fmt: skip
    assert desk.get(HOME).status_code == 404 and Sample.objects.count() == 2
