"""`export_training`: what a model is trained on, from a project's own counterspeech."""

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.choices import Role, Stage
from annotation.models import Event, Item, Membership, Project
from builders import category, make_item, make_member, make_project
from generation.counterspeech import approve, request
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intentconan import Row, read_rows
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.training_splits import split_of
from generation.files import export
from generation.models import Candidate, Exchange, Exemplar, Explanations, Reply
from providers.keyword.model import OWN_WORDS
from reply_builders import submit_reply

POST = "The new weeds are choking the white roses on our street."
pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    project.content_warning = "Posts about weeds.\nSome are bitter."
    project.save()
    return project


def answered(project: Project, text: str, name: str) -> Exchange:
    exchange = request.open_on_item(make_item(project, text, external_id=name, stage=Stage.GOLD))
    Explanations.objects.create(exchange=exchange, number=1, implication="An older wording.", model="openai:m")
    Explanations.objects.create(
        exchange=exchange, number=2, **{name: f"About {name}." for name in Explanation}, author=people(project)[0]
    )
    for place, (reply, aq) in enumerate((("Nobody was planted here first.", 0.9), ("=1+1 is a reply too.", None))):
        scores = {"pc": -0.5, "aq": aq, "t": 0.1} if aq else {}
        Candidate.objects.create(
            exchange=exchange, run_id=exchange.public_id, intent="informative", place=place, rank=place + 1, text=reply,
            model="openai:m", prompt_digest="x" * 64, critics={"pc": {"model": "openai:critic"}}, **scores,
        )  # fmt: skip
    return exchange


def people(project: Project) -> list[Membership]:
    there = list(Membership.objects.filter(project=project, reviews=True).order_by("pk"))
    return there or [make_member(project, Role.REVIEWER), make_member(project, Role.REVIEWER)]


def replied(exchange: Exchange, text: str, *, approved: bool) -> Reply:
    author, second = people(exchange.project)
    best = Candidate.objects.get(exchange=exchange, rank=1)
    reply = submit_reply(exchange, author, text, Intent.INFORMATIVE, candidate=best)
    return approve.approve(reply, second, "Read by both of us.") if approved else reply


def exported(folder: Path) -> dict[str, Any]:
    out = StringIO()
    call_command("export_training", "garden", "--out", str(folder), "--json", stdout=out)
    value: dict[str, Any] = json.loads(out.getvalue())
    return value


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_seven_explanations_a_post_one_row_a_reply_and_every_row_with_its_warning(
    project: Project, tmp_path: Path
) -> None:
    exchange = answered(project, POST, "post-1")
    approved = replied(exchange, "Nobody was planted here first. Come and see.", approved=True)
    replied(answered(project, "Weeds belong in a ditch.", "post-2"), "This waits.", approved=False)
    manifest = exported(tmp_path / "out")
    explanations = rows(tmp_path / "out", "explanations")
    mine = [row for row in explanations if row["statement"] == POST]
    assert [row["task"] for row in mine] == [explanation.value for explanation in Explanation]
    assert len(explanations) == 14 and "An older wording." not in {row["target"] for row in explanations}
    assert all(row["written_by"] == "person" and row["instruction"].endswith(POST) for row in mine)
    (reply,) = rows(tmp_path / "out", "replies")
    assert (reply["id"], reply["target"], reply["intent"]) == (str(approved.public_id), approved.text, "informative")
    assert "write an informative counterspeech" in reply["instruction"]
    assert reply["short_instruction"].startswith("Write an informative reply") and reply["split"] == split_of(POST)
    every = [
        row for name in ("explanations", "replies", "preferences", "scores") for row in rows(tmp_path / "out", name)
    ]
    assert {row["warning"] for row in every} == {"Posts about weeds. Some are bitter."}
    assert all(row["split"] == split_of(row["statement"]) for row in every)
    assert "Posts about weeds." in (tmp_path / "out" / "README.md").read_text()
    assert manifest["posts"] == 2 and manifest["leaks"] == 0 and manifest["rows"]["replies.jsonl"]["all"] == 1
    content = (tmp_path / "out" / "replies.jsonl").read_bytes()
    assert manifest["sha256"]["replies.jsonl"] == hashlib.sha256(content).hexdigest()
    assert Event.objects.filter(verb="counterspeech_exported").count() == 1


def test_only_a_post_that_is_gold_has_a_category(project: Project, tmp_path: Path) -> None:
    for name in ("gold", "torn"):
        answered(project, f"A post that is {name} and nothing else.", name)
    Item.objects.filter(project=project).update(category=category(project, 1))
    Item.objects.filter(external_id="torn").update(stage=Stage.DISPUTED)
    exported(tmp_path / "out")
    named = {row["statement"]: row["category"] for row in rows(tmp_path / "out", "explanations")}
    assert list(named.values()) == [category(project, 1).name, None]


def test_what_the_built_in_baseline_put_in_place_of_an_explanation_is_in_no_file_until_somebody_writes(
    project: Project, tmp_path: Path
) -> None:
    exchange = answered(project, POST, "p-1")
    placeholder = f"{OWN_WORDS} It cannot tell from words alone: write this one yourself."
    by_baseline = dict.fromkeys(map(str, Explanation), placeholder)
    Explanations.objects.create(exchange=exchange, number=3, model="keyword:cues-3", **by_baseline)
    written = by_baseline | {"target_group": "Roses.", "implication": "   "}
    Explanations.objects.create(exchange=exchange, number=4, author=people(project)[0], **written)
    reply = replied(exchange, "Nobody was planted here first. Let us share.", approved=True)
    assert [exemplar.explanations for exemplar in Exemplar.objects.all()] == [{"target_group": "Roses."}]
    row = export.reply_row(reply)
    assert [row[column] for column in COLUMN.values()] == ["", "Roses.", "", "", "", "", ""]
    folder = tmp_path / "training"
    exported(folder)
    assert [(row["task"], row["target"]) for row in rows(folder, "explanations")] == [("target_group", "Roses.")]


def test_scores_and_preferences_hold_what_models_wrote_and_say_so(project: Project, tmp_path: Path) -> None:
    exchange = answered(project, POST, "post-1")
    replied(exchange, "There is room for every plant.", approved=True)
    exported(tmp_path / "out")
    scores = rows(tmp_path / "out", "scores")
    assert [(row["kind"], row["text"], row["pc"], row["aq"], row["t"]) for row in scores] == [
        ("candidate", "Nobody was planted here first.", -0.5, 0.9, 0.1)
    ]  # a text that no critic has read as it stands is no score
    assert scores[0]["critics"] == {"pc": "openai:critic"}
    preferred = rows(tmp_path / "out", "preferences")
    assert {(row["chosen"], row["rejected"]) for row in preferred} == {
        ("There is room for every plant.", "Nobody was planted here first."),
        ("There is room for every plant.", "=1+1 is a reply too."),
    }


def test_near_posts_stand_in_one_split_and_what_was_taken_out_in_no_file(project: Project, tmp_path: Path) -> None:
    stem = "The gardeners of the old town want every foreign weed pulled out of the white roses, row by row"
    for number in range(6):
        answered(project, f"{stem}{'!' * number} {number}", f"post-{number}")
    answered(project, "Taken out.", "gone")
    Item.objects.filter(external_id="gone").update(stage=Stage.EXCLUDED, excluded_for="withdrawn")
    manifest = exported(tmp_path / "out")
    assert manifest["posts"] == 6 and len(manifest["splits"]) == 1
    assert "Taken out." not in "".join(path.read_text() for path in (tmp_path / "out").iterdir())


def test_the_table_in_intentconans_columns_is_read_again_and_no_cell_is_a_formula(
    project: Project, tmp_path: Path
) -> None:
    replied(answered(project, POST, "post-1"), "=1+1 is two, and two are company.", approved=True)
    exported(tmp_path / "out")
    content = (tmp_path / "out" / "conan.csv").read_bytes()
    assert b"'=1+1" in content
    (row,) = read_rows(content, "conan.csv")
    assert isinstance(row, Row) and row.text == "=1+1 is two, and two are company." and len(row.explanations) == 7


def test_a_folder_that_holds_something_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(CommandError, match="not an empty folder"):
        exported(tmp_path)
    assert exported(tmp_path / "new")["posts"] == 0  # a project without counterspeech gives empty files
