"""The pages of quality: what admins see, what nobody else does."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.analytics import stored_figures
from annotation.analytics.quality import competence
from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import CompetenceEstimate, JobState, Membership, Project
from builders import make_label, make_labelled_item, make_member, make_open_item, make_project
from markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("here")


@pytest.fixture
def people(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in ("zoe", "=cmd", "bea")]


@pytest.fixture
def client(project: Project) -> Client:
    client = Client()
    client.force_login(make_member(project, Role.ADMIN).user)
    return client


def label(project: Project, people: list[Membership], codes: list[int | None], times: int = 1) -> None:
    for _time in range(times):
        close_item(make_labelled_item(project, people, codes))


def page(client: Client, name: str, *parts: object, **asked: object) -> str:
    answer = client.get(reverse(f"annotation:{name}", args=["here", *parts]), asked)
    assert answer.status_code == 200
    return answer.content.decode()


def table(client: Client, name: str) -> list[list[str]]:
    answer = client.get(reverse("annotation:quality-table", args=["here", name]))
    assert answer.status_code == 200
    return list(csv.reader(StringIO(answer.content.decode("utf-8-sig"))))


def test_an_empty_project_says_what_to_do_next(client):
    assert "Figures appear as soon as somebody has labelled" in page(client, "quality")


def test_people_stand_in_the_order_of_names_with_what_a_share_is_of(client, project, people):
    label(project, people, [1, 1, 1], times=9)
    label(project, people, [1, 1, 0], times=3)
    shown = page(client, "quality")
    assert shown.index(">bea<") < shown.index(">zoe<")
    # "bea" saw the others agree twelve times and was with them nine times: 75 %.
    assert "75 <small>12</small>" in shown
    assert 'class="heat-4"' in shown


def test_where_some_posts_are_harder_people_stand_beside_others_on_equal_posts(client, project, people):
    label(project, people, [1, 1, 1], times=9)
    assert "Others on equal posts" not in page(client, "quality")
    for _time in range(3):  # on these "bea" differs from the others, who have no majority beside her
        close_item(make_labelled_item(project, people, [1, 1, 0], informativeness=2))
    shown = page(client, "quality")
    # On hard posts nobody else's labels can be compared: of the nine easy ones the others agree on all.
    assert "75 <small>12</small>" in shown and '<td class="heat-none">100 <small>9</small></td>' in shown
    assert "Others on equal posts: how often" in shown and "small lines show all posts" in shown
    bea = next(member for member in people if member.pseudonym == "bea")
    assert "of their 9 labels, the other annotators agree" in " ".join(
        page(client, "quality-person", bea.public_id).split()
    )
    rows = [row for row in table(client, "people") if row[0] == "bea" and "equally informative" in row[2]]
    assert [row[3:6] for row in rows] == [["", "9", "1.0"]]


def test_a_share_of_few_labels_has_no_colour(client, project, people):
    label(project, people, [1, 1, 1], times=9)
    shown = page(client, "quality")
    assert '<td class="heat-none">100 <small>9</small></td>' in shown


def test_a_missing_figure_says_why(client, project, people):
    label(project, people, [1, 1, 1])
    assert "No item with a known answer was mixed in yet." in page(client, "quality")


def test_one_persons_page_tells_their_figures(client, project, people):
    label(project, people, [1, 1, 0], times=3)
    shown = page(client, "quality-person", people[2].public_id)
    assert "bea" in shown
    assert "0 to 56, of 3" in shown
    assert "Fewer than 30 labels can be compared" in shown
    assert "no skips, pauses, opt-outs or check-ins of theirs" in shown


def test_work_is_told_as_shares_and_a_typical_time_alone(client, project, people):
    """The consent names these: no counts of not sure and low quality by person, no spread of times."""
    for code, fields in ((None, {"seconds": 7}), (1, {"seconds": 8, "low_quality": True}), (1, {"seconds": 99})):
        seat = make_open_item(project).seat_rows.order_by("number")[0]
        make_label(seat, people[2], code, **fields)
    shown = compact(page(client, "quality-person", people[2].public_id))
    assert "<dt>Typical time for an item</dt><dd>8 s</dd>" in shown
    assert "<dt>Not sure</dt><dd>33 %</dd>" in shown and "<dt>Flagged as low quality</dt><dd>33 %</dd>" in shown
    head, *rows = table(client, "work")
    assert head[-3:] == ["share of not sure", "share of low quality", "seconds, median"]
    assert next(row for row in rows if row[0] == "bea")[-1] == "8.0"
    assert not {"lower quartile", "upper quartile", "not sure", "low quality"} & set(head)


def test_a_member_without_labels_has_a_page_that_says_so(client, project, people):
    assert "There are no figures about" in page(client, "quality-person", people[0].public_id)


def test_tables_are_safe_csv(client, project, people):
    label(project, people, [1, 1, 0], times=2)
    rows = table(client, "people")
    assert rows[0] == [
        "annotator", "labels", "agreement", "agreeing", "of", "share", "low, 95 %", "high, 95 %", "why undefined",
    ]  # fmt: skip
    assert rows[1][0] == "'=cmd"
    of_bea = next(row for row in rows if row[0] == "bea")
    assert of_bea[:6] == ["bea", "2", "with the majority of the others", "0", "2", "0.0"]
    for name in ("work", "trends", "drift", "pairs", "versions"):
        assert len(table(client, name)) >= 1
    for wrong in ("nothing", "competence", "differing", "competence-mace"):
        assert client.get(reverse("annotation:quality-table", args=["here", wrong])).status_code == 404


def test_the_pages_take_a_fixed_number_of_queries(client, project, people):
    def queries(name: str, *parts: object) -> int:
        with CaptureQueriesContext(
            connection,
        ) as taken:
            page(client, name, *parts)
        return len(taken)

    label(project, people, [1, 1, 0])
    first = [queries("quality"), queries("quality-person", people[0].public_id)]
    label(project, [*people[1:], make_member(project)], [1, 2, 2], times=5)
    assert [queries("quality"), queries("quality-person", people[0].public_id)] == first
    assert first[0] <= 14


# ── Models ────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("fit_in_this_process")
def test_a_model_is_asked_for_by_a_button_and_shown_beside_the_majority(client, project, people):
    for codes in ([0, 0, 1], [1, 1, 0], [0, 0, 1], [1, 1, 0]):
        label(project, people, codes)
    asked = client.post(reverse("annotation:quality-ask", args=["here"]), follow=True)
    assert "A model is being fitted" in asked.content.decode()
    row = CompetenceEstimate.objects.get()
    assert (row.state, row.method) == (JobState.QUEUED, "dawid-skene")
    assert 'hx-trigger="every 2s"' in page(client, "quality-models")
    competence.COMPETENCE.perform(row.pk)
    fragment = page(client, "quality-models")
    assert "every 2s" not in fragment
    assert "0 items where model and majority differ" in fragment
    judged = {row[0]: row[1:3] for row in table(client, "competence")[1:]}
    assert judged["bea"][0] == "4"
    assert float(judged["bea"][1]) == pytest.approx(0, abs=1e-6)
    assert table(client, "differing") == [["item", "majority", "model", "probability"]]
    assert "of 4 labels expected right" in page(client, "quality-person", people[2].public_id)


def test_an_estimate_of_mace_still_opens_and_its_items_lead_to_their_page(client, project, people):
    label(project, people, [0, 0, 0])
    item = make_labelled_item(project, people, [0, 1, 1], external_id="post-7")
    close_item(item)
    result = {
        "labels": 6, "items": 2, "annotators": 3, "iterations": 9, "categories": [0, 1, 2, 3, 4, 5], "priors": None,
        "people": [
            {"member": str(people[0].public_id), "labels": 2, "accuracy": 0.9, "competence": 0.74,
             "diagonal": [None] * 6},
        ],
        "differing": [{"item": str(item.public_id), "majority": 1, "model": 0, "probability": 0.87}],
    }  # fmt: skip
    CompetenceEstimate.objects.create(
        project=project, method="mace", state=JobState.DONE, result=result, finished_at=item.created_at
    )
    shown = page(client, "quality")
    assert "1 item where model and majority differ" in shown
    assert reverse("annotation:item", args=["here", item.public_id]) in shown
    assert "87 %" in shown
    assert table(client, "differing-mace")[1] == ["post-7", "1", "0", "0.87"]
    assert "Annotators by MACE" in shown and "<td>74</td>" in shown
    assert table(client, "competence-mace")[1][1:4] == ["2", "0.9", "0.74"]


def test_without_the_extra_the_page_says_how_to_get_it(client, project, people, monkeypatch):
    label(project, people, [1, 1, 1])
    monkeypatch.setattr(competence, "find_spec", lambda name: None)
    assert "pip install" in page(client, "quality")
    answer = client.post(reverse("annotation:quality-ask", args=["here"]), follow=True)
    assert "pip install" in answer.content.decode()
    assert not CompetenceEstimate.objects.exists()


def test_a_model_that_failed_is_told_in_a_sentence(client, project, people):
    label(project, people, [1, 1, 1])
    client.post(reverse("annotation:quality-ask", args=["here"]))
    competence.COMPETENCE.perform(CompetenceEstimate.objects.get().pk)
    assert "at least two categories" in page(client, "quality")


def test_nobody_but_admins_sees_any_of_it(project, people):
    reviewer, stranger = make_member(project, Role.REVIEWER), make_member(make_project("there"), Role.ADMIN)
    for member in (people[0], reviewer, stranger):
        client = Client()
        client.force_login(member.user)
        for name, *parts in (("quality",), ("quality-person", people[1].public_id), ("quality-table", "people")):
            assert client.get(reverse(f"annotation:{name}", args=["here", *parts])).status_code == 404


def test_a_person_of_another_project_is_not_found(client):
    other = make_member(make_project("there"))
    assert client.get(reverse("annotation:quality-person", args=["here", other.public_id])).status_code == 404


@pytest.mark.shared_data
def test_the_page_shows_the_annotators_of_hatexplain(shared_data: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stored_figures, "MOST_LABELS", 10_000)
    project = make_project("hate", categories=((0, "normal", False), (1, "offensive", True), (2, "hatespeech", True)))
    call_command("import_items", "hate", shared_data / "hatexplain_val.jsonl", "--json", stdout=StringIO())
    client = Client()
    client.force_login(make_member(project, Role.ADMIN).user)
    shown = client.get(reverse("annotation:quality", args=["hate"])).content.decode()
    assert "212 annotators, 5,766 labels in force" in shown
    assert "Page 1 of 5" in shown
    assert "points a block" in shown or "has changed by more than chance explains" in shown
