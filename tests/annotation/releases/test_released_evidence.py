"""Evidence in releases: the pages that a verdict or a decision rests on, in every format, only where asked."""

import json
from datetime import timedelta
from io import BytesIO

import pyarrow.parquet as pq
import pytest
from django.core.management import call_command
from django.utils import timezone

import builders
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Adjudication, Item, ReleaseTerms, Ruling
from annotation.releases.build import release
from annotation.releases.files import problems
from annotation.releases.folders import LocalFolder
from annotation.releases.request import Selection
from checked_claims import make_card, make_check
from moderation.evidence.edit import strike_card
from release_builders import make_gold, rows_of
from runs.models import Run

pytestmark = pytest.mark.django_db

WITH = Selection(evidence=True)
PAGE = {
    "url": "https://news.example.org/@ann/a?mail=ann@example.org",
    "title": "Call ann@example.org",
}
SOURCE = {
    "publisher": "City Office",
    "author": "Ann Reed, @annreed",
    "published": "2024-05-06",
    "changed": "2024-06",
    "language": "en",
    "paywall": False,
    "claim_review": {"claim": "Half of them left.", "rating": "False"},
}


@pytest.fixture
def project():
    return builders.make_project("memes")


@pytest.fixture
def reviewer(project):
    return builders.make_member(project, Role.REVIEWER)


@pytest.fixture
def item(project):
    return make_gold(project, [builders.make_member(project) for _ in range(3)], external_id="a")


def judge(item, cited, state="succeeded", forked_from=None, **options):
    run = make_check(item, options.pop("claim", ""), None, told=False)
    outcome = {"hateful": True, "reason": "So.", "cited": cited, "faults": []}
    Run.objects.filter(pk=run.pk).update(outcome=outcome, state=state, forked_from=forked_from)
    return Run.objects.get(pk=run.pk)


def decide(item, reviewer, **fields):
    Adjudication.objects.create(
        item=item,
        round=1,
        reviewer=reviewer,
        ruling=Ruling.DECIDE,
        category=item.category,
        rationale="Because.",
        item_version=1,
        **fields,
    )
    Item.objects.filter(pk=item.pk).update(category_source="adjudicated")


def numbers(made):
    return {row["id"]: [card["number"] for card in row["evidence"]] for row in rows_of(made)}


def test_a_card_that_a_verdict_cites_leaves_with_its_face(project, item):
    run = judge(item, [2])
    make_card(item, run.public_id, 1)
    make_card(item, run.public_id, 2, "refutes", sha256="b" * 64, source=SOURCE, **PAGE)
    (row,) = rows_of(release(project, None, WITH))
    (found,) = row["evidence"]
    assert found == {
        "run": str(run.public_id),
        "number": 2,
        "url": PAGE["url"],
        "title": "Call <email>",
        "publisher": "City Office",
        "author": "Ann Reed, <user>",
        "published": "2024-05-06",
        "changed": "2024-06",
        "language": "en",
        "paywall": False,
        "rated_claim": "Half of them left.",
        "rating": "False",
        "fetched_at": found["fetched_at"],
        "sha256": "b" * 64,
        "cited": True,
        "before_decision": False,
        "passages": [{"quote": "Half", "stance": "refutes"}],
    }
    assert found["fetched_at"].endswith("+00:00")


def test_what_a_page_does_not_say_is_null_and_a_document_has_no_address(project, item):
    run = judge(item, [1])
    make_card(item, run.public_id, 1, url="document:0b0e/3", title="Our glossary", source={})
    ((found,),) = (row["evidence"] for row in rows_of(release(project, None, WITH)))
    assert found["title"] == "Our glossary"
    names = ("url", "publisher", "author", "published", "changed", "language", "paywall", "rated_claim", "rating")
    assert {found[name] for name in names} == {None}


def test_only_cards_that_something_rests_on_leave(project, item, reviewer):
    now = timezone.now()
    decide(item, reviewer, created_at=now)
    read_before, cited, claim, failed = (
        judge(item, []),
        judge(item, [1]),
        judge(item, [1], claim="Half of them work."),
        judge(item, [1], state="failed"),
    )
    make_card(item, read_before.public_id, 1, fetched_at=now - timedelta(hours=1))
    make_card(item, read_before.public_id, 2, fetched_at=now + timedelta(hours=1))
    make_card(item, cited.public_id, 1, fetched_at=now + timedelta(hours=1))
    strike_card(make_card(item, cited.public_id, 2, fetched_at=now - timedelta(hours=1)), "An advertisement.", reviewer)
    make_card(item, claim.public_id, 1, fetched_at=now - timedelta(hours=1))
    make_card(item, failed.public_id, 1, fetched_at=now - timedelta(hours=1))
    ((first, second),) = (row["evidence"] for row in rows_of(release(project, None, WITH)))
    assert (first["run"], first["number"], first["cited"], first["before_decision"]) == (
        *(str(read_before.public_id), 1, False, True),
    )
    assert (second["run"], second["number"], second["cited"], second["before_decision"]) == (
        *(str(cited.public_id), 1, True, False),
    )


def test_a_decision_of_annotators_rests_on_no_card(project, item):
    run = judge(item, [])
    make_card(item, run.public_id, 1)
    assert numbers(release(project, None, WITH)) == {"a": []}


def test_evidence_leaves_in_every_format_and_no_release_has_it_unasked(project, item, tmp_path):
    run = judge(item, [1])
    make_card(item, run.public_id, 1)
    made = release(project, None, Selection(evidence=True, formats=tuple(ReleaseFormat)))
    folder = folder_of(made)
    assert problems(LocalFolder(folder)) == []
    (row,) = rows_of(made)
    (table,) = (pq.read_table(path).to_pylist() for path in (folder / "parquet").iterdir())
    assert table[0]["evidence"] == row["evidence"]
    assert "city.example.org" in (folder / "items.csv").read_text(encoding="utf-8")
    assert json.loads((folder / "label_studio.json").read_text())[0]["data"]["evidence"] == row["evidence"]
    assert json.loads((folder / "hvli.json").read_text())["a"]["evidence"] == row["evidence"]
    assert made.manifest["counts"]["evidence"] == {"items": 1, "cards": 1}
    assert made.manifest["selection"]["evidence"] is True
    assert "`evidence`: 1 page at 1 item," in (folder / "README.md").read_text()
    records = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))["recordSet"][0]
    assert "evidence too: the pages on which" in records["description"]
    assert "before_decision: whether it was there" in records["description"]
    assert "evidence" not in release(project, None, Selection()).manifest["columns"]
    call_command("release", "memes", "--out", str(tmp_path / "out"), "--formats", "none", "--evidence")
    assert json.loads((tmp_path / "out" / "items.jsonl").read_text())["evidence"]


@pytest.mark.parametrize("texts", [True, False])
def test_evidence_is_withheld_where_the_item_is(project, item, texts):
    run = judge(item, [1])
    make_card(item, run.public_id, 1)
    if texts:
        Item.objects.filter(pk=item.pk).update(licence="secret")
        ReleaseTerms.objects.update_or_create(project=project, defaults={"withheld_licences": ["secret"]})
    made = release(project, None, Selection(evidence=True, texts=texts))
    (row,) = rows_of(made)
    assert row["evidence"] is None
    assert "evidence" not in made.manifest["counts"]


@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "parquet/train.parquet"])
def test_an_import_of_such_a_release_passes_the_evidence_over(project, item, name):
    run = judge(item, [1])
    make_card(item, run.public_id, 1)
    formats = (ReleaseFormat.CSV, ReleaseFormat.PARQUET)
    made = release(project, None, Selection(evidence=True, formats=formats))
    again = builders.make_project("again")
    report = import_file(again, BytesIO((folder_of(made) / name).read_bytes()), ImportOptions())
    assert report.errors == []
    assert Item.objects.get(project=again).extra == {}


def test_a_judgment_of_the_rest_counts_in_place_of_the_first(project, item):
    first = judge(item, [1, 2])
    for number in (1, 2):
        make_card(item, first.public_id, number)
    again = judge(item, [2], forked_from=first)
    Run.objects.filter(pk=again.pk).update(options={"claim": "", "struck": [1]}, variant="judge-evidence-x")
    assert numbers(release(project, None, WITH)) == {"a": [2]}
