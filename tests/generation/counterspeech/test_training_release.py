"""The format `coarl` of a release: training files about its items alone, under its own rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.domain.choices import Reason, Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.domain.releases.splits import Shares
from annotation.models import Item, Membership, Project, ReleaseTerms
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection, Splitting
from annotation.releases.split import keep_parts
from builders import category, make_member, make_project
from generation.coarl.settings_file import DataSettings
from generation.coarl.training_data import load
from generation.counterspeech import approve, request
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.training_splits import split_of
from generation.models import Candidate, Exchange, Explanations
from release_builders import make_gold, make_picture, problems
from reply_builders import submit_reply

pytestmark = pytest.mark.django_db
KINDS = ("explanations", "replies", "preferences", "scores")
POSTS = {
    "rose": "The new weeds are choking the white roses on our street.",
    "mill": "Nobody asked the ferrymen to move into the old mill.",
    "bread": "Bakers from the valley make noise at night, every single night.",
    "choir": "The choir took the hall away from those who built it.",
}


@pytest.fixture
def project() -> Project:
    """Gold items that were answered, one with a reply that waits; and a post that is no item."""
    project = make_project("garden", licence="CC0-1.0")
    annotators = [make_member(project) for _ in range(3)]
    reviewers = [make_member(project, Role.REVIEWER) for _ in range(2)]
    for name, text in POSTS.items():
        licence = "closed" if name == "bread" else ""
        item = make_gold(project, annotators, text=text, external_id=name, licence=licence)
        answered(request.open_on_item(item), reviewers, approved=name != "choir")
    answered(request.open_on_text(project, "A pasted post about tulips."), reviewers)
    return project


def answered(exchange: Exchange, reviewers: list[Membership], *, approved: bool = True) -> None:
    Explanations.objects.create(exchange=exchange, number=1, **dict.fromkeys(Explanation, "It says so."))
    for place, text in enumerate((f"There is room for all, {exchange.name}.", "Perhaps.")):
        Candidate.objects.create(
            exchange=exchange, run_id=exchange.public_id, intent="informative", place=place, rank=place + 1, text=text,
            model="openai:m", prompt_digest="x" * 64, pc=-0.5, aq=0.5, t=0.1,
        )  # fmt: skip
    author, second = reviewers
    text, best = f"Come and see the room, {exchange.name}.", exchange.candidates.get(rank=1)
    reply = submit_reply(exchange, author, text, Intent.INFORMATIVE, candidate=best)
    if approved:
        approve.approve(reply, second, "Read by both of us.")


def released(project: Project, folder: Path, **more: Any) -> Path:
    copy_to(release(project, None, Selection(formats=(ReleaseFormat.COARL,), **more)), folder)
    return folder / "coarl"


def rows(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{kind}.jsonl").read_text().splitlines()]


def names(folder: Path, kind: str) -> set[str]:
    return {row["item"] for row in rows(folder, kind)}


def test_it_holds_the_items_of_the_release_and_approved_replies_alone(project: Project, tmp_path: Path) -> None:
    folder = released(project, tmp_path / "out")
    assert names(folder, "explanations") == set(POSTS) and len(rows(folder, "explanations")) == 7 * len(POSTS)
    assert names(folder, "replies") == {"rose", "mill", "bread"}  # the pasted post is no item, one reply waits
    assert len(rows(folder, "preferences")) == 2 * 3 and len(rows(folder, "scores")) == 2 * len(POSTS)
    every = [row for kind in KINDS for row in rows(folder, kind)]
    assert all(row["warning"] and row["split"] == split_of(row["statement"]) for row in every)
    assert {row["licence"] for row in every if row["item"] == "rose"} == {"CC0-1.0"}
    assert "tulips" not in "".join(path.read_text() for path in folder.iterdir())


def test_a_post_of_several_categories_names_them_all(project: Project, tmp_path: Path) -> None:
    Item.objects.filter(project=project, external_id="rose").update(categories=[1, 4], category=category(project, 1))
    told = {row["item"]: row["category"] for row in rows(released(project, tmp_path / "out"), "explanations")}
    assert told["rose"] == "Racist;Religion" and ";" not in told["mill"]


def test_the_release_hashes_the_files_and_its_card_names_them(project: Project, tmp_path: Path) -> None:
    folder = released(project, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert {f"coarl/{path.name}" for path in folder.iterdir()} <= {file["path"] for file in manifest["files"]}
    assert problems(tmp_path / "out") == []
    assert "`coarl/`" in (tmp_path / "out" / "README.md").read_text()
    (folder / "replies.jsonl").write_text("")
    assert any("coarl/replies.jsonl" in sentence for sentence in problems(tmp_path / "out"))


def test_the_trainer_reads_it_back(project: Project, tmp_path: Path) -> None:
    folder = released(project, tmp_path / "out")
    data = load(DataSettings(folders=[folder]))
    assert {(row.post, row.target) for row in data.replies} == {
        (row["statement"], row["target"]) for row in rows(folder, "replies")
    }
    asked = [row["instruction"] for row in rows(folder, "explanations")]
    assert [row.instruction for row in data.explanations] == asked
    assert len(data.scores) == len(rows(folder, "scores")) and len(data.preferences) == 6 and len(data.warnings) == 1


def test_the_parts_of_a_split_release_are_kept_and_no_near_post_is_learnt_from(
    project: Project, tmp_path: Path
) -> None:
    members = list(Membership.objects.filter(project=project).order_by("pk"))
    stem = "The gardeners of the old town want every foreign weed pulled out of the white roses, row by row"
    for name in ("near-1", "near-2"):
        item = make_gold(project, members[:3], text=f"{stem} {name}", external_id=name)
        answered(request.open_on_item(item), members[3:])
    fixed = keep_parts(project, None, "parts", {"near-1": "train", "near-2": "test"})  # an admin's list parts them
    split = Splitting(shares=Shares.read("50/0/50"), seed=1, frozen=str(fixed.public_id))
    folder = released(project, tmp_path / "out", split=split)
    items = [json.loads(line) for line in (tmp_path / "out" / "items.jsonl").read_text().splitlines()]
    part_of = {row["id"]: row["split"] for row in items}
    every = [row for kind in KINDS for row in rows(folder, kind)]
    alone = [row for row in every if not row["item"].startswith("near")]
    assert alone and all(row["split"] == part_of[row["item"]] for row in alone)
    assert (part_of["near-1"], part_of["near-2"]) == ("train", "test")
    assert {row["split"] for row in every if row["item"].startswith("near")} == {"test"}
    data = load(DataSettings(folders=[folder]))
    stated = {row["statement"]: row["split"] for row in every}
    assert {row.post: row.split for row in (*data.replies, *data.explanations)} == stated
    assert stated != {post: split_of(post) for post in stated}  # the hash alone would have split them otherwise


def test_what_the_release_withholds_is_in_no_row(project: Project, tmp_path: Path) -> None:
    ReleaseTerms.objects.create(project=project, withheld_licences=["closed"])
    folder = released(project, tmp_path / "out")
    assert names(folder, "explanations") == set(POSTS) - {"bread"}
    assert POSTS["bread"] not in "".join(path.read_text() for path in folder.iterdir())
    assert json.loads((folder / "manifest.json").read_text())["left_out"] == 1
    only = released(project, tmp_path / "licence", licences=("closed",))
    assert not rows(only, "explanations")
    bare = released(project, tmp_path / "bare", texts=False)
    assert not any(rows(bare, kind) for kind in KINDS) and "left out" in (bare / "README.md").read_text()


def test_a_description_of_a_picture_leaves_with_the_picture_and_its_words_alone(
    project: Project, tmp_path: Path
) -> None:
    members = list(Membership.objects.filter(project=project).order_by("pk"))
    item = make_gold(project, members[:3], text="", external_id="picture", picture=make_picture(project))
    exchange = request.open_on_item(item)
    Exchange.objects.filter(pk=exchange.pk).update(description="A wall with words on it.")
    exchange.refresh_from_db()
    answered(exchange, members[3:])
    assert "picture" in names(released(project, tmp_path / "all"), "replies")
    for place, withheld in enumerate(({"media": False}, {"picture_texts": False}, {"texts": False})):
        folder = released(project, tmp_path / str(place), **withheld)
        assert "A wall" not in "".join(path.read_text() for path in folder.iterdir())


def test_an_item_that_was_taken_out_is_in_no_file(project: Project, tmp_path: Path) -> None:
    Item.objects.filter(external_id="rose").update(stage="excluded", excluded_for=Reason.WITHDRAWN)
    folder = released(project, tmp_path / "out")
    assert "rose" not in names(folder, "explanations") | names(folder, "replies") | names(folder, "scores")
