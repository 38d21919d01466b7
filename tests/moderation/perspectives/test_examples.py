"""Labelled examples: imported all or none, found by cosine, laid out in files that several processes share."""

import csv
import json
import threading
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.models import Event, Project
from builders import make_project
from moderation.domain.predict.perspectives import digest_of
from moderation.models import Example, Perspective
from moderation.perspectives import edit, example_store
from providers.messages import Refused
from providers.vendors.embeddings import LocalEmbedding, Vectors

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.EXAMPLES_FOLDER = tmp_path / "examples"


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def perspective(project: Project) -> Perspective:
    edit.ensure_perspectives(project)
    return Perspective.objects.get(project=project, code="k-mhas")


def imported(*arguments: str) -> dict[str, Any]:
    """What the command answers, whatever its exit code."""
    out = StringIO()
    try:
        call_command("import_examples", *arguments, "--json", stdout=out, stderr=StringIO())
    except SystemExit as end:
        assert end.code == 1
        return {**json.loads(out.getvalue()), "exit": 1}
    return {**json.loads(out.getvalue()), "exit": 0}


def table(path: Path, *rows: tuple[str, str], header: tuple[str, str] = ("text", "label")) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


def test_a_table_is_imported_by_the_columns_that_are_named(project: Project, tmp_path: Path):
    rows = [("잡초는 뽑아야 한다", "1,3"), ("a fine day", "8"), ("A  FINE day", "8"), ("a fine DAY", "2")]
    path = table(tmp_path / "x.csv", *rows, header=("document", "kind"))
    told = ("--text-column", "document", "--label-column", "kind", "--map", "8=non-hateful", "--map", "*=hateful")
    dry = imported("garden", "k-mhas", path, *told, "--dry-run")
    assert Example.objects.count() == 0
    report = imported("garden", "k-mhas", path, *told)
    counted = {"rows": 4, "new": 2, "hateful": 1, "non_hateful": 1, "duplicates": 1, "conflicting": 1, "exit": 0}
    assert {name: report[name] for name in counted} == counted
    assert {name: dry[name] for name in counted} == counted
    assert (dry["stored"], report["stored"]) == (False, True)
    assert list(Example.objects.values_list("text", "hateful", "source")) == [
        ("잡초는 뽑아야 한다", True, "x.csv"),
        ("a fine day", False, "x.csv"),
    ]
    event = Event.objects.get(verb="examples_imported")
    assert event.facts == {"code": "k-mhas", "source": "x.csv", "examples": 2}
    again = imported("k-mhas", path, *told)  # the only project need not be named
    assert (again["new"], again["duplicates"], again["conflicting"], again["stored"]) == (0, 3, 1, False)


def test_all_rows_are_stored_or_none_and_every_bad_one_is_named(project: Project, tmp_path: Path):
    path = table(tmp_path / "x.csv", ("fine", "hateful"), ("what is this", "maybe"), ("", "hateful"), ("no label", ""))
    report = imported("garden", "kold", path)
    assert (report["exit"], report["stored"], Example.objects.count()) == (1, False, 0)
    assert [(error["line"], error["code"]) for error in report["errors"]] == [
        (3, "unknown_label"),
        (4, "no_content"),
        (5, "no_label"),
    ]
    assert "--map maybe=hateful" in report["errors"][0]["reason"]
    report = imported("garden", "kold", path, "--leave-out-bad-rows")
    assert (report["exit"], report["stored"], Example.objects.count()) == (0, True, 1)


def test_a_perspective_s_own_label_names_need_no_mapping(project: Project, tmp_path: Path):
    path = table(tmp_path / "x.csv", ("one", "Offensive"), ("two", "not offensive"), ("three", "non-hateful"))
    assert imported("garden", "kold", path)["hateful"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("garden", "k-hate", "x.csv"), "there are k-haters, k-mhas"),
        (("rosebed", "kold", "x.csv"), "rosebed"),
        (("garden", "kold", "nowhere.csv"), "cannot be read"),
        (("garden", "kold", "x.csv", "--map", "8=maybe"), "write VALUE=hateful"),
    ],
)
def test_what_cannot_be_imported_is_said_in_a_sentence(
    project: Project, tmp_path: Path, arguments: tuple[str, ...], said: str
):
    path = table(tmp_path / "x.csv", ("one", "hateful"))
    with pytest.raises(CommandError, match=said):
        call_command("import_examples", *(path if each == "x.csv" else each for each in arguments), stdout=StringIO())


def test_a_column_that_is_not_there_is_named(project: Project, tmp_path: Path):
    report = imported("garden", "kold", table(tmp_path / "x.csv", ("one", "hateful")), "--label-column", "mood")
    assert (report["exit"], report["errors"][0]["code"]) == (1, "missing_column")
    assert "mood" in report["errors"][0]["reason"]


@pytest.mark.shared_data
def test_the_real_data_sets_are_imported_as_they_are(project: Project, shared_data: Path):
    told = ("--map", "8=non-hateful", "--map", "*=hateful", "--text-column", "document", "--dry-run")
    report = imported("garden", "k-mhas", str(shared_data / "kmhas_valid.txt"), *told)
    counted = {"rows": 8776, "new": 8772, "hateful": 3887, "duplicates": 4, "conflicting": 0, "errors": []}
    assert {name: report[name] for name in counted} == counted


def add(perspective: Perspective, *rows: tuple[str, bool]) -> None:
    Example.objects.bulk_create(
        Example(perspective=perspective, text=text, hateful=hateful, digest=digest_of(text)) for text, hateful in rows
    )
    edit.renew_store(perspective)
    perspective.refresh_from_db()


def found(perspective: Perspective, text: str, embedder: Any = None) -> tuple[list[str], int]:
    store = edit.example_store_of(str(perspective.public_id), perspective.store)
    assert store is not None
    near = store.search(embedder or LocalEmbedding(), text, 3)
    return [each.text for each in near.nearest], near.same_text


def test_the_nearest_are_found_and_never_the_post_itself(perspective: Perspective):
    add(perspective, ("pull the weeds", True), ("Pull the weeds!", True), ("a lovely cake", False))
    assert found(perspective, "PULL  the weeds")[0][0] == "Pull the weeds!"
    assert found(perspective, "PULL  the weeds")[1] == 1
    add(perspective, ("pull those weeds", True), ("pull weeds", True))
    assert set(found(perspective, "pull the weeds")[0]) == {"Pull the weeds!", "pull those weeds", "pull weeds"}


def test_without_examples_there_is_nothing_to_search(perspective: Perspective):
    assert edit.example_store_of(str(perspective.public_id), perspective.store) is None


class Counting(LocalEmbedding):
    """Counts the texts it embeds; a filter stops what says "stop"."""

    name = "openai:counting"

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Any) -> Vectors:
        if any("stop" in text for text in texts):
            raise Refused("filtered", code="provider_blocked")
        self.texts += texts
        return super().embed(texts)


def test_a_new_version_embeds_only_what_is_new_and_what_a_filter_stops_is_never_found(perspective: Perspective):
    embedder = Counting()
    add(perspective, ("one weed", True), ("stop this weed", True), ("two weeds", False))
    assert found(perspective, "three weeds", embedder)[0] == ["two weeds", "one weed"]
    assert embedder.texts == ["one weed", "two weeds", "three weeds"]
    add(perspective, ("four weeds", True))
    assert sorted(found(perspective, "three weeds", embedder)[0]) == ["four weeds", "one weed", "two weeds"]
    assert embedder.texts[3:] == ["four weeds", "three weeds"]
    folder = edit.settings.EXAMPLES_FOLDER / str(perspective.public_id)
    assert len([each for each in folder.iterdir() if each.name.startswith("v")]) == 2


def test_several_at_once_embed_a_store_once(perspective: Perspective, tmp_path: Path):
    rows = [(number, f"text {number}", number % 2 == 0, digest_of(f"text {number}")) for number in range(400)]
    embedder = Counting()
    answers: list[list[str]] = []

    def search() -> None:
        store = example_store.write_store(tmp_path, "p", 1, rows)
        answers.append([each.text for each in store.search(embedder, "text 17 again", 3).nearest])

    threads = [threading.Thread(target=search) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 6
    assert {tuple(answer) for answer in answers} == {tuple(answers[0])}
    assert answers[0][0] == "text 17"
    assert sorted(embedder.texts).count("text 17") == 1
    assert [each.name for each in (tmp_path / "p").iterdir() if each.name.startswith(".new")] == []


def test_files_that_are_gone_are_made_again_and_those_of_gone_perspectives_go(perspective: Perspective, settings: Any):
    add(perspective, ("one weed", True))
    foreign = settings.EXAMPLES_FOLDER / "somebody-else"
    foreign.mkdir(parents=True)
    assert found(perspective, "weed")[0] == ["one weed"]
    assert not foreign.exists()
    # A run that began with an older version of the store goes on with the one that is.
    assert edit.example_store_of(str(perspective.public_id), perspective.store - 1) is not None


@pytest.mark.shared_data
def test_the_vote_of_three_neighbours_beats_the_majority_class(shared_data: Path, tmp_path: Path):
    # K-MHaS, validation part: every 10th of the first 3,000 texts is held out, the others are the store.
    with (shared_data / "kmhas_valid.txt").open(encoding="utf-8", newline="") as file:
        rows = [(row["document"], row["label"] != "8") for row in csv.DictReader(file, delimiter="\t")][:3000]
    held_out, kept = rows[::10], [row for place, row in enumerate(rows) if place % 10]
    stored = [(place, text, hateful, digest_of(text)) for place, (text, hateful) in enumerate(kept)]
    store = example_store.write_store(tmp_path, "k-mhas", 1, stored)
    right = 0
    for text, hateful in held_out:
        votes = [each.hateful for each in store.search(LocalEmbedding(), text, 3).nearest]
        right += (sum(votes) * 2 > len(votes)) is hateful
    share = np.mean([hateful for _, hateful in held_out])
    assert right / len(held_out) > max(share, 1 - share) + 0.05
