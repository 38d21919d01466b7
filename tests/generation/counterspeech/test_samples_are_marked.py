"""A sample that a model wrote is marked wherever it leaves the site, and is trained on only where that is asked for."""

import csv
import io
import json
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.models import Item, Membership, Project
from annotation.releases.build import release
from annotation.releases.request import Selection
from builders import make_labelled_item, make_member, make_open_item, make_project
from generation.counterspeech import request
from generation.counterspeech.candidate_json import reported
from generation.domain.counterspeech.first_step import FirstChoice, StepReason
from generation.domain.counterspeech.intents import Intent
from generation.files.training_export import MANIFEST
from generation.models import Candidate, Exchange, Reply
from generation.practice import dataset_files, first_steps, postings
from moderation.evaluation.collect_answers import gold_items
from reply_builders import approve_reply
from runs.models import Run

pytestmark = pytest.mark.django_db

MADE = {"injected": {"strategy": "irony", "pattern": "001", "model": "openai:writer"}}


@pytest.fixture
def project() -> Project:
    """A project with a found post and a sample, both gold and each with an approved reply and a candidate beside it."""
    made = make_project("garden")
    people = [make_member(made) for _ in range(3)]
    author, second = (make_member(made, Role.REVIEWER) for _ in range(2))
    for name, provenance in (("found", {}), ("made", MADE)):
        item = make_labelled_item(
            made, people, [1, 1, 1], text=f"All newcomers are weeds, {name}.", external_id=name, provenance=provenance
        )
        close_item(item)
        item.refresh_from_db()
        exchange = request.open_on_item(item)
        Candidate.objects.create(
            exchange=exchange, run_id=exchange.public_id, intent="positive", place=1, rank=1, text="Weeds are roses.",
            pc=0.1, model="openai:writer",
        )  # fmt: skip
        approve_reply(exchange, author, second, f"Let them grow, {name}.")
    return made


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


def downloaded(member: Membership, address: str) -> str:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    answer: Any = client.get(address)
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def exported(folder: Path, *options: str) -> dict[str, Any]:
    call_command("export_training", "garden", "--out", str(folder), *options, stdout=io.StringIO())
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
    return manifest


def test_each_row_of_a_file_of_replies_says_whether_its_post_is_a_sample(admin: Membership) -> None:
    there = reverse("generation:dataset-file", args=["garden", "replies.jsonl"])
    rows = lines(downloaded(admin, there))
    assert {row["item"]: row["injected"] for row in rows} == {"found": False, "made": True}
    table = csv.DictReader(io.StringIO(downloaded(admin, there.replace(".jsonl", ".csv"))))
    assert {row["counterspeech"]: row["injected"] for row in table} == {
        "Let them grow, found.": "false",
        "Let them grow, made.": "true",
    }


@pytest.mark.parametrize("name", ["pairs.jsonl", "preferences.jsonl"])
def test_files_for_training_have_samples_only_where_they_are_asked_for(admin: Membership, name: str) -> None:
    there = reverse("generation:dataset-file", args=["garden", name])
    assert [row["injected"] for row in lines(downloaded(admin, there))] == [False]
    assert [row["injected"] for row in lines(downloaded(admin, f"{there}?injected=1"))] == [False, True]


def test_the_command_leaves_samples_out_says_so_and_takes_them_when_asked(project: Project, tmp_path: Path) -> None:
    manifest = exported(tmp_path / "without")
    assert (manifest["injected"], manifest["injected_left_out"], manifest["posts"]) == (0, 1, 1)
    assert "made." not in "".join(path.read_text() for path in (tmp_path / "without").iterdir())
    assert "0 in the files" in (tmp_path / "without" / "README.md").read_text()

    manifest = exported(tmp_path / "with", "--injected")
    assert (manifest["injected"], manifest["injected_left_out"], manifest["posts"]) == (1, 0, 2)
    for name in ("replies", "scores", "preferences"):
        rows = lines((tmp_path / "with" / f"{name}.jsonl").read_text())
        assert {row["item"]: row["injected"] for row in rows} == {"found": False, "made": True}, name
    with (tmp_path / "with" / "conan.csv").open(newline="") as table:
        assert [row["injected"] for row in csv.DictReader(table)] == ["false", "true"]


def test_items_that_an_admin_takes_out_carry_the_mark(project: Project, admin: Membership) -> None:
    reviewer = make_member(project, Role.REVIEWER)
    there = reverse("annotation:items-file", args=["garden", "jsonl"])
    rows = lines(downloaded(admin, there))
    assert {row["id"]: row["injected"] for row in rows} == {"found": False, "made": True}
    assert rows[1]["injection_model"] == "openai:writer"
    assert all("injected" not in row for row in lines(downloaded(reviewer, there)))
    client = APIClient()
    for member, marks in ((admin, {"found": False, "made": True}), (reviewer, {"found": None, "made": None})):
        client.force_authenticate(member.user)
        items = client.get("/api/v1/projects/garden/items/").json()["results"]
        assert {item["external_id"]: item["injected"] for item in items} == marks


def test_an_admin_who_may_still_be_asked_about_a_sample_is_not_told_that_it_is_one(project: Project) -> None:
    both = make_member(project, Role.ADMIN, Role.ANNOTATOR)
    item = make_open_item(project, "Roses are weeds.")
    Item.objects.filter(pk=item.pk).update(provenance=MADE)
    rows = lines(downloaded(both, reverse("annotation:items-file", args=["garden", "jsonl"])))
    marks = {row["id"]: (row["injected"], row["injection_model"]) for row in rows}
    assert marks[item.external_id] == (None, None) and marks["made"] == (True, "openai:writer")
    client = APIClient()
    client.force_authenticate(both.user)
    assert client.get(f"/api/v1/projects/garden/items/{item.public_id}/").json()["injected"] is None


def test_candidates_for_samples_are_held_to_references_in_rows_of_their_own(project: Project, tmp_path: Path) -> None:
    references = tmp_path / "references.csv"
    rows = [f"{name},Weeds.,Positive,Weeds are roses.\n" for name in ("found", "made")]
    references.write_text("id,hatespeech,csType,counterspeech\n" + "".join(rows))
    out = io.StringIO()
    call_command("evaluate_counterspeech", "garden", str(references), "--json", stdout=out)
    assert [(row["injected"], row["replies"], row["PC"]) for row in json.loads(out.getvalue())["rows"]] == [
        (False, 1, 0.1),
        (True, 1, 0.1),
    ]


def test_an_evaluation_counts_samples_as_a_subset_of_their_own(project: Project) -> None:
    assert {row.gold.id: row.gold.subset == "injected" for row in gold_items(project).rows} == {
        "found": False,
        "made": True,
    }


def released(project: Project) -> Path:
    return folder_of(release(project, None, Selection(formats=tuple(ReleaseFormat), texts=True)))


def of_lines(text: str, key: str = "id") -> dict[str, Any]:
    return {str(row[key]): row["injected"] for row in lines(text)}


def of_table(text: str, key: str = "id") -> dict[str, Any]:
    return {
        row[key]: {"true": True, "false": False}[row["injected"].lower()] for row in csv.DictReader(io.StringIO(text))
    }


def of_parquet(path: Path) -> dict[str, Any]:
    return {row["id"]: row["injected"] for row in pq.read_table(path, columns=["id", "injected"]).to_pylist()}


def of_shards(folder: Path) -> dict[str, Any]:
    with tarfile.open(next(folder.iterdir())) as shard:
        files = (shard.extractfile(each) for each in shard if each.name.endswith(".json"))
        rows = [json.load(file) for file in files if file is not None]
    return {row["id"]: row["injected"] for row in rows}


FILES_OF_A_RELEASE: dict[str, Callable[[Path], dict[str, Any]]] = {
    "items.jsonl": lambda path: of_lines(path.read_text()),
    "items.csv": lambda path: of_table(path.read_text("utf-8-sig")),
    "items_plain.csv": lambda path: of_table(path.read_text("utf-8-sig")),
    "annotators.csv": lambda path: of_table(path.read_text("utf-8-sig")),
    "annotators.parquet": of_parquet,
    "parquet": lambda path: of_parquet(path / "train.parquet"),
    "imagefolder": lambda path: of_parquet(path / "train" / "metadata.parquet"),
    "webdataset": of_shards,
    "hvli.json": lambda path: {name: row.get("injected", False) for name, row in json.loads(path.read_text()).items()},
    "label_studio.json": lambda path: {
        task["data"]["id"]: task["data"]["injected"] for task in json.loads(path.read_text())
    },
}
WITHOUT_POSTS = {
    *("README.md", "LICENSE", "CITATION.cff", "croissant.json", "manifest.json", "SHA256SUMS", "label_studio.xml"),
    *("labels.csv", "labels_plain.csv"),  # rows of `items.csv`, by the post's id
}


def test_every_file_of_a_release_marks_samples_or_has_none(project: Project) -> None:
    folder = released(project)
    names = {path.name for path in folder.iterdir()} - WITHOUT_POSTS - {"coarl"}
    assert names == set(FILES_OF_A_RELEASE)
    for name, read in FILES_OF_A_RELEASE.items():
        assert read(folder / name) == {"found": False, "made": True}, name
    training = [path.read_text() for path in (folder / "coarl").iterdir()]
    assert "found." in "".join(training) and "made." not in "".join(training)
    assert json.loads((folder / "coarl" / MANIFEST).read_text())["injected_left_out"] == 1


def test_every_file_of_replies_marks_samples(project: Project, admin: Membership) -> None:
    for reply in Reply.objects.order_by("pk"):
        postings.add(reply, reply.author, None, "https://posted.example.org/1", timezone.now())
        first_steps.decide(reply.exchange, reply.author, FirstChoice.ANSWER, [StepReason.THREAT], "")
    for name in dataset_files.WORDS:
        text = downloaded(admin, f"{reverse('generation:dataset-file', args=['garden', name])}?injected=1")
        rows = (
            lines(text) if name.endswith(".jsonl") else list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
        )
        assert len(rows) == 2, name
        marks = [str(row["injected"]).lower() for row in sorted(rows, key=lambda row: "made" in str(row))]
        assert marks == ["false", "true"], name


def api(project: Project, member: Membership) -> dict[str, Any]:
    """Return what each list of the API that holds posts or replies says of samples, by a word of the post."""
    client = APIClient()
    client.force_authenticate(member.user)
    home = "/api/v1/projects/garden/"

    def rows(path: str) -> list[dict[str, Any]]:
        answer = client.get(home + path)
        assert answer.status_code == 200, (path, answer.content[:300])
        told = answer.json()
        return told if isinstance(told, list) else told["results"]

    exchanges = Exchange.objects.filter(project=project).order_by("pk")
    candidates = [f"counterspeech/exchanges/{exchange.public_id}/" for exchange in exchanges]
    return {
        "items": rows("items/"),
        "exchanges": rows("counterspeech/exchanges/"),
        "exchange": [client.get(home + path).json() for path in candidates],
        "replies": rows("counterspeech/replies/all/"),
        "approved replies": rows("counterspeech/replies/"),
        "library": rows("counterspeech/library/"),
    }


def test_every_list_of_the_api_marks_samples(project: Project, admin: Membership) -> None:
    for name, rows in api(project, admin).items():
        marks = {"made" in json.dumps(row): row["injected"] for row in rows}
        assert marks == {False: False, True: True}, name


def test_candidates_of_a_sample_say_so(project: Project) -> None:
    exchanges = Exchange.objects.filter(project=project).order_by("pk")
    run = Run.objects.create(
        method="candidates", project=project.public_id, subject=exchanges[0].public_id, state="succeeded",
        variant="x", call_limit=1, token_limit=1, seconds_limit=1,
    )  # fmt: skip
    told = [reported(exchange, run, [Intent.POSITIVE])[0]["injected"] for exchange in exchanges]
    assert told == [False, True]


@pytest.mark.django_db(transaction=True)
def test_every_answer_of_an_evaluation_says_whether_its_post_is_a_sample(project: Project, tmp_path: Path) -> None:
    with suppress(SystemExit):  # its code says that something has no answer
        call_command(
            *("evaluate", "baseline", "garden", "--threads", "1", "--out", str(tmp_path)),
            **{"stdout": io.StringIO(), "stderr": io.StringIO()},
        )
    assert of_lines((tmp_path / "answers.jsonl").read_text()) == {"found": False, "made": True}
