"""Pages of evaluations: who starts one, what they show while it goes on and afterwards, and the files behind them."""

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from annotation.domain.choices import Role, Stage
from annotation.models import Category, Item, Membership, Project
from builders import category, make_item, make_member, make_project
from markup import compact
from moderation.domain.evaluation.tables.table import Phrase
from moderation.evaluation import charts, continuation, files
from moderation.evaluation.arms import stored_arms
from moderation.models import Evaluation, EvaluationState
from runs.control import wait_for_runs
from runs.models import Run, Turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}
    settings.MODEL_ALLOWED = ["keyword:cues-1"]


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    for name, code, pattern, text in (
        ("post-1", 0, "000", "The roses bloom."),
        ("post-2", 1, "101", "All immigrants are vermin."),
        ("post-3", 1, "001", "Weeds in the white roses again."),
    ):
        kind = category(project, code)
        item = make_item(project, text, external_id=name, stage=Stage.GOLD, category=kind, hateful=kind.hateful)
        Item.objects.filter(pk=item.pk).update(pattern=pattern)
    return project


@pytest.fixture
def reviewer(project: Project) -> Client:
    return client_of(make_member(project, Role.REVIEWER))


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def asked(**more: Any) -> dict[str, Any]:
    return {"methods": ["baseline", "arcade"], "sample": "first", "repeats": "1", "rounds": "1, 2"} | more


def start(client: Client, **more: Any) -> Evaluation:
    client.post(reverse("moderation:evaluation-start", args=["garden"]), asked(**more))
    return Evaluation.objects.latest("id")


def hold(evaluation: Evaluation) -> None:
    wait_for_runs.perform_until_done(evaluation.runs(), threads=1, tick=lambda: None)
    assert continuation.carry_on(evaluation, ring=False)


def test_the_glossary_and_what_the_agent_is_given_are_compared_with_and_without(
    project: Project, reviewer: Client
) -> None:
    ways = {"retrieval": ["none", "model_urls"], "instructions": ["full", "short"]}
    made = start(reviewer, methods=["antihateagent"], task="binary", count="12", **ways)
    assert [(arm.options["retrieval"], arm.options["instructions"]) for arm in stored_arms(made)] == [
        ("none", "full"), ("none", "short"), ("model_urls", "full"), ("model_urls", "short"),
    ]  # fmt: skip
    assert all("searcher" not in arm.plan for arm in stored_arms(made))  # nothing is set up, and nothing is needed
    other = start(reviewer, methods=["baseline", "arcade"], rounds="1", glossary=["false", "true"], count="9", **ways)
    assert [arm.name for arm in stored_arms(other)] == [
        "baseline", "arcade, K = 1, without glossary", "arcade, K = 1, with glossary",
    ]  # fmt: skip


def test_explanations_are_scored_by_whom_one_chooses(project: Project, reviewer: Client) -> None:
    url = reverse("moderation:evaluation-start", args=["garden"])
    page = reviewer.post(url, asked(methods=["explain"], shots=["0", "2"], scores="keyword"))
    assert "12 runs on 3 gold posts: explain." in page.content.decode()  # each explanation is scored by a run
    made = start(reviewer, methods=["explain"], shots=["0", "2"], scores="keyword", count="12")
    assert [arm.name for arm in stored_arms(made)] == ["explain, shots = 0", "explain, shots = 2"]
    wait_for_runs.perform_until_done(made.runs(), threads=1, tick=lambda: None)
    assert not continuation.carry_on(made, ring=False)  # what was explained is to be scored now
    hold(made)
    shown = reviewer.get(reverse("moderation:evaluation", args=["garden", made.public_id])).content.decode()
    assert "Explanations (HateXScore)" in shown and "keyword:cues-1" in shown
    assert "12 of 12 runs ended" in shown
    plain = start(reviewer, methods=["explain"], shots=["0"], scores="none", count="3")
    assert plain.wish.get("scores") is None and [arm.scored_by for arm in stored_arms(plain)] == [""]


def test_the_number_of_runs_is_shown_before_anything_is_asked(reviewer: Client) -> None:
    url = reverse("moderation:evaluation-start", args=["garden"])
    page = reviewer.post(url, asked())
    assert page.status_code == 200 and "9 runs on 3 gold posts: baseline, arcade." in page.content.decode()
    assert not Evaluation.objects.exists()
    stale = reviewer.post(url, asked(count="5"))
    assert "The number of posts has changed" in stale.content.decode()
    answer = reviewer.post(url, asked(count="9"))
    made = Evaluation.objects.get()
    assert answer["Location"] == reverse("moderation:evaluation", args=["garden", made.public_id])
    assert [arm.name for arm in stored_arms(made)] == ["baseline", "arcade, K = 1", "arcade, K = 2"]
    assert (Run.objects.count(), made.cases.count()) == (9, 3)


def test_a_running_one_shows_how_far_it_is_and_can_be_cancelled(reviewer: Client) -> None:
    made = start(reviewer, count="9")
    page = reviewer.get(reverse("moderation:evaluation", args=["garden", made.public_id])).content.decode()
    assert "0 of 9 runs" in page and 'hx-trigger="every 2s"' in page
    reviewer.post(reverse("moderation:evaluation-cancel", args=["garden", made.public_id]))
    made.refresh_from_db()
    assert made.state == EvaluationState.CANCELLED
    answer = reviewer.get(reverse("moderation:evaluation-progress", args=["garden", made.public_id]))
    assert answer["HX-Refresh"] == "true" and "hx-get" not in answer.content.decode()
    reviewer.post(reverse("moderation:evaluation-retry", args=["garden", made.public_id]))
    made.refresh_from_db()
    assert made.state == EvaluationState.RUNNING and Run.objects.filter(state="queued").count() == 9


def test_what_was_measured_before_leads_there_and_names_the_box_that_asks_anew(reviewer: Client) -> None:
    hold(start(reviewer, count="3", methods=["baseline"]))
    url = reverse("moderation:evaluation-start", args=["garden"])
    page = reviewer.post(url, asked(count="3", methods=["baseline"]), follow=True).content.decode()
    assert "For a new one, tick “Run again even if an identical run exists”" in page and Evaluation.objects.count() == 1
    confirm = reviewer.post(url, asked(methods=["baseline"], again="on")).content.decode()
    assert '<input type="hidden" name="again" value="True"' in confirm
    assert start(reviewer, count="3", methods=["baseline"], again="True") and Evaluation.objects.count() == 2


def test_a_finished_one_offers_to_ask_again_what_is_unreadable_or_refused(reviewer: Client) -> None:
    made = start(reviewer, count="3", methods=["baseline"])
    hold(made)
    keys = list(Run.objects.order_by("id").values_list("pk", flat=True))
    for key, state, reason in ((keys[0], "unreadable", "invalid_output"), (keys[1], "refused", "refused")):
        Run.objects.filter(pk=key).update(state=state, reason=reason, outcome=None)
        Turn.objects.filter(run=key).update(state=state, reason=reason, value=None)
    url = reverse("moderation:evaluation", args=["garden", made.public_id])
    page = reviewer.get(url).content.decode()
    assert "Ask again where there was no answer" in page and "where a model refused (1)" in page
    again = reverse("moderation:evaluation-retry", args=["garden", made.public_id])
    reviewer.post(again)
    assert list(Run.objects.filter(state="queued").values_list("forked_from", flat=True)) == [keys[0]]
    made.refresh_from_db()
    hold(made)
    reviewer.post(again, {"refused": "1"})
    assert list(Run.objects.filter(state="queued").values_list("forked_from", flat=True)) == [keys[1]]


def test_the_report_shows_tables_and_pictures_and_says_what_answered(reviewer: Client, project: Project) -> None:
    made = start(reviewer, count="9")
    hold(made)
    page = reviewer.get(reverse("moderation:evaluation", args=["garden", made.public_id])).content.decode()
    assert "No language model was used" in page
    for title in ("Accuracy", "Refusals", "Two methods on the same items", "Coverage and cost", "By difficulty"):
        assert title in page
    # The cue in post-2 is found, the implicit post-3 is not: easy 2 of 2, hard 0 of 1.
    assert 'width="100.0%"' in page and 'width="0.0%"' in page
    table = reviewer.get(reverse("moderation:evaluation-table", args=["garden", made.public_id, "accuracy"]))
    rows = list(csv.reader(io.StringIO(table.content.decode("utf-8-sig"))))
    assert rows[0][:6] == ["Method", "Easy", "Hard", "Normal + hard", "Overall", "Macro F1"]
    assert rows[1][0] == "baseline" and float(rows[1][2]) == 0.0
    as_json = reviewer.get(reverse("moderation:evaluation-report", args=["garden", made.public_id, "json"]))
    made.refresh_from_db()
    assert json.loads(as_json.content) == made.report
    as_text = reviewer.get(reverse("moderation:evaluation-report", args=["garden", made.public_id, "md"]))
    assert as_text.content.decode().startswith("# baseline, arcade · garden")
    for name in ("table", "report"):
        nothing = reverse(f"moderation:evaluation-{name}", args=["garden", made.public_id, "nothing"])
        assert reviewer.get(nothing).status_code == 404
    listed = reviewer.get(reverse("moderation:evaluations", args=["garden"])).content.decode()
    assert "baseline, arcade · garden" in listed


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"methods": []}, "This field is required"),
        ({"rounds": "seven"}, "Numbers from 1 to 6"),
        ({"rounds": "7"}, "Numbers from 1 to 6"),
        ({"methods": ["explain"], "task": "six"}, "says hateful or not only"),
    ],
)
def test_what_cannot_be_had_comes_back_with_the_form(reviewer: Client, more: dict[str, Any], said: str) -> None:
    page = reviewer.post(reverse("moderation:evaluation-start", args=["garden"]), asked(**more))
    assert page.status_code == 422 and said in page.content.decode()
    assert not Evaluation.objects.exists()


def test_a_form_that_comes_back_stands_in_its_place_and_a_report_leads_back_there(reviewer: Client) -> None:
    refused = reviewer.post(reverse("moderation:evaluation-start", args=["garden"]), asked(rounds="1, x"))
    assert 'aria-current="page">Evaluations</a>' in refused.content.decode()
    evaluation = start(reviewer, count=str(3 + 6), methods=["baseline", "arcade"])
    page = reviewer.get(reverse("moderation:evaluation", args=["garden", evaluation.public_id])).content.decode()
    assert f'<li><a href="{reverse("moderation:evaluations", args=["garden"])}">Evaluations</a></li>' in page


def test_a_project_without_gold_is_told_so(reviewer: Client) -> None:
    Item.objects.update(stage=Stage.LABELLING)
    page = reviewer.post(reverse("moderation:evaluation-start", args=["garden"]), asked())
    assert page.status_code == 422 and "no gold items yet" in page.content.decode()


def test_another_projects_evaluation_is_nowhere(reviewer: Client) -> None:
    made = start(reviewer, count="9")
    other = client_of(make_member(make_project("yard"), Role.ADMIN))
    for slug in ("yard", "garden"):
        assert other.get(reverse("moderation:evaluation", args=[slug, made.public_id])).status_code == 404


def test_the_pages_ask_the_database_a_fixed_number_of_times(
    reviewer: Client, django_assert_max_num_queries: Any
) -> None:
    made = start(reviewer, count="9")
    hold(made)
    for name, args in (("evaluations", ["garden"]), ("evaluation", ["garden", made.public_id])):
        with django_assert_max_num_queries(12):
            reviewer.get(reverse(f"moderation:{name}", args=args))


def test_the_folder_holds_the_drawings_and_stays_english(project: Project, reviewer: Client, tmp_path: Path) -> None:
    Category.objects.filter(project=project, code=1).update(name="<Racist> & more")
    made = start(reviewer, methods=["baseline"], rounds="", count="3")
    hold(made)
    with override("ko"):
        names = files.write_report_files(made, tmp_path)
    assert {"confusion.svg", "difficulty.svg", "confusion.csv"} <= set(names)
    drawn = [ElementTree.parse(tmp_path / name).getroot() for name in ("confusion.svg", "difficulty.svg")]
    confusion, difficulty = ([text for text in svg.itertext() if text.strip()] for svg in drawn)
    assert "<Racist> & more" in confusion and "columns: what was said" in " ".join(confusion)
    # Of the easy posts 000 is right; 101 is not, since no cue leads to a category of that name; the hard one has none.
    assert [text for text in difficulty if "%" in text] == ["50.0 %", "0.0 %", "0.0 %"]
    assert (tmp_path / "accuracy.csv").read_text(encoding="utf-8-sig").startswith("Method,Easy,")


def test_what_a_report_says_is_told_in_the_readers_language_and_names_are_left_as_they_are() -> None:
    said = Phrase.of("Confusion: %(arm)s", arm="arcade, K = 1")
    assert said == "Confusion: arcade, K = 1" == charts.translated(said)
    with override("ko"):
        assert charts.translated(Phrase.of("not hateful")) == gettext("not hateful") != "not hateful"
        nested = Phrase.of("%(title)s: %(dataset)s", title="Accuracy", dataset="garden")
        assert charts.translated(nested).endswith("garden")


def test_why_rows_were_left_out_is_told_on_the_page(project: Project, reviewer: Client) -> None:
    made = start(reviewer, methods=["baseline"], rounds="", count="3")
    made.left_out = {"cases.csv": {"no text": 2, "labelled unclear": 1}}
    made.save()
    page = reviewer.get(reverse("moderation:evaluation", args=["garden", made.public_id])).content.decode()
    page = compact(page)
    assert "<bdi>cases.csv</bdi>: 2 no text, 1 labelled unclear" in page
