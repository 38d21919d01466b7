"""AntiHateAgent in an evaluation: its form of the figures, its ablations, and what the glossary does to them."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.choices import Role
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Project
from antihateagent_web import act
from builders import make_member, make_project
from moderation.methods import local_documents
from moderation.models import Evidence
from providers import wiring, wiring_web
from wire.pages import PageServer
from wire.server import WireServer, say

pytestmark = pytest.mark.django_db(transaction=True)

MEANING = "a word for unwanted neighbours"
POSTS = ["pull the weeds", "weeds and their children", "roses bloom", "moss grows"]


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    with WireServer() as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-CANARY-1"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 1, 0
        settings.MODEL_BINDINGS = {f"MODEL_{role}": "openai:all" for role in ("TEXT", "VISION")}
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    admin = make_member(project, Role.ADMIN)
    entries.propose(admin, EntryValues("weed", MEANING, target_group="neighbours"), approved=True)
    return project


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    """Two hateful posts, two that are not; a column names the part of each."""
    rows = [(1, POSTS[0], "yes", "idiom"), (2, POSTS[1], "yes", "idiom"), (3, POSTS[2], "no", "plain")]
    rows.append((4, POSTS[3], "no", "plain"))
    path = tmp_path / "posts.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("nr", "post", "mark", "part"), *rows])
    return path


def evaluate(posts: Path, *arguments: Any) -> dict[str, Any]:
    columns = ("--text-column", "post", "--label-column", "mark", "--id-column", "nr", "--subset-column", "part")
    maps = ("--map", "yes=hateful", "--map", "no=not_hateful", "--project", "garden")
    out = StringIO()
    command = ("evaluate", "antihateagent", str(posts), *columns, *maps, *map(str, arguments))
    call_command(*command, "--json", "--threads", "1", stdout=out, stderr=StringIO())
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def judged(text: str, hate: bool) -> Any:
    verdict = "HATE" if hate else "NON-HATE"
    said = act("FinalJudgment", text=text, verdict=verdict, confidence=0.7, rationale="By its words.")
    return say(json.dumps(said))


def test_both_classes_their_mean_and_the_recall_of_a_part(
    wire: WireServer, project: Project, posts: Path, tmp_path: Path
) -> None:
    wire.queue(*[judged(text, hate) for text, hate in zip(POSTS, (True, False, False, False), strict=True)])
    found = evaluate(posts, "--retrieval", "none", "--out", tmp_path / "out")
    (result,) = found["report"]["results"]
    assert result["arm"] == "antihateagent, no evidence"
    # Hate: 1 of 1 said, 1 of 2 found. Non-hate: 2 of 3 said, 2 of 2 found. Overall: the unweighted means.
    with (tmp_path / "out/classes.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    figures = [float(row[f"{part} {name}"]) for part in ("Hate", "Non-hate", "Overall") for name in ("P", "R", "F1")]
    assert figures == pytest.approx([1, 1 / 2, 2 / 3, 2 / 3, 1, 4 / 5, 5 / 6, 3 / 4, 11 / 15])
    assert result["subsets"]["idiom"]["recall"] == 0.5
    assert result["subsets"]["plain"]["recall"] is None


def test_the_effect_of_the_glossary_is_measured_on_the_same_posts(
    wire: WireServer, project: Project, posts: Path
) -> None:
    verdicts = [(True, True, False, False), (False, False, False, False)]
    wire.queue(*[judged(text, hate) for said in verdicts for text, hate in zip(POSTS, said, strict=True)])
    found = evaluate(posts, "--retrieval", "none", "--glossary", "on", "--glossary", "off")
    results = {each["arm"]: each["figures"]["accuracy"]["mean"] for each in found["report"]["results"]}
    assert results == {
        "antihateagent, no evidence, with glossary": 1.0,
        "antihateagent, no evidence, without glossary": 0.5,
    }
    (test,) = found["report"]["comparisons"]
    assert (test["first_only"], test["second_only"]) == (2, 0)
    assert [MEANING in each.said() for each in wire.heard] == [True, True, False, False, *[False] * 4]


def test_instructions_and_retrieval_are_lines_of_one_report(wire: WireServer, project: Project, posts: Path) -> None:
    wire.queue(*[judged(text, False) for _ in range(2) for text in POSTS])
    found = evaluate(posts, "--retrieval", "none", "--instructions", "full", "--instructions", "short")
    assert [each["arm"] for each in found["report"]["results"]] == [
        "antihateagent, no evidence, full instructions",
        "antihateagent, no evidence, short instructions",
    ]
    prompts = [each["prompts"]["investigator"] for each in found["report"]["arms"]]
    assert len(prompts[0]) == len(prompts[1]) == 1 and prompts[0] != prompts[1]


def test_without_a_key_the_documents_of_the_project_are_searched_and_no_card_is_left(
    project: Project, posts: Path
) -> None:
    admin = project.memberships.get()
    local_documents.add_document(
        project, "words.txt", b"Some call their neighbours weeds and want to pull the weeds.", admin
    )
    found = evaluate(posts)
    (result,) = found["report"]["results"]
    assert found["state"] == "done" and result["coverage"]["succeeded"] == 4
    assert found["report"]["arms"][0]["plan"]["searcher"] == "local:documents"
    assert not Evidence.objects.exists()


def test_a_search_server_that_is_down_shows_in_report_and_answers(
    wire: WireServer, project: Project, posts: Path, settings: Any, tmp_path: Path
) -> None:
    queries = say(json.dumps(act("SearchWeb", queries=["weeds meaning", "weeds slang", "weeds garden"])))
    wire.queue(*[answer for text in POSTS for answer in (queries, judged(text, hate=False))])
    with PageServer() as gone:
        settings.SEARXNG_URL, settings.SEARCH_SECONDS = f"http://127.0.0.1:{gone.port}", 1
    wiring_web._breaker.cache_clear()
    found = evaluate(posts, "--out", tmp_path / "out")
    assert (found["state"], found["report"]["results"][0]["coverage"]["succeeded"]) == ("done", 4)
    assert (found["report"]["arms"][0]["no_search"], found["report"]["arms"][0]["ended_early"]) == (4, 0)
    assert "runs that could not search" in (tmp_path / "out/report.md").read_text()
    for line in (tmp_path / "out/answers.jsonl").read_text().splitlines():
        answer = json.loads(line)
        assert answer["no_search"] and [fault["code"] for fault in answer["faults"]] == ["unreachable"]


def test_where_nothing_can_be_searched_nothing_begins(wire: WireServer, project: Project, posts: Path) -> None:
    with pytest.raises(CommandError, match="nothing to search"):
        evaluate(posts, "--retrieval", "search")
    assert wire.heard == []
