"""Scores of an item's explanations: what can be scored, how the run asks, what the row keeps."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from annotation.domain.choices import Modality
from annotation.models import Event, Item, Prior, Project, Seat
from builders import category, make_item, make_label, make_member, make_open_item, make_picture, make_project
from moderation.debates import start
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimate import Estimate
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.request import Scoring
from moderation.hatexscore import start as hatexscore_start
from moderation.hatexscore.explanations import explanations, named
from moderation.hatexscore.start import CannotScore, pasted
from moderation.models import Score
from providers import structured_output
from runs.execution import runner, worker
from runs.models import Run, Turn
from wire.server import WireServer, say, status
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "All immigrants are vermin."
SAID = "“vermin” demeans the immigrants. Conclusion: hateful"


@pytest.fixture
def wire(settings: Any) -> Iterator[WireServer]:
    settings.RUN_BUSY_ROUNDS = 1
    with models_at_a_server(settings, ("estimator", "explainer"), attempts=1) as server:
        yield server


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project, TEXT, external_id="post-1")


def done(score: Score) -> Score:
    """The row after its run."""
    if score.run is not None:
        runner.claim_and_perform(Run.objects.get(public_id=score.run).pk, worker.planned_model)
    score.refresh_from_db()
    return score


def explained(item: Item, **options: Any) -> Run:
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), start.DebateRequest("explain", options), ring=False)
    run = Run.objects.filter(method="explain").latest("id")
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


def test_the_model_that_explained_is_asked_for_both_numbers_at_the_same_time(wire: WireServer, item: Item) -> None:
    together = threading.Barrier(2, timeout=90)

    def when_both_are_there(number: float) -> Any:
        def answer(exchange: Any) -> None:
            together.wait()
            exchange.send(200, exchange.reply(f'{{"probability": {number}}}'))

        return answer

    wire.queue(say(SAID), when_both_are_there(0.75), when_both_are_there(0.75), model="explainer")
    run = explained(item)
    said = named(item, f"run:{run.public_id}")
    assert said is not None
    score = done(hatexscore_start.start(item, said, Scoring(), ring=False))
    assert (score.state, score.estimated_by, score.source) == ("scored", "openai:explainer", "run")
    assert (score.p, score.p_masked, score.htc, score.qf, score.tgi, score.cc) == (0.75, 0.75, 1, 0, 1, 0)
    assert score.score == 0.5
    asked = sorted(each.said("user") for each in wire.heard[1:])
    assert "All immigrants are [MASK]." in asked[0] + asked[1] and TEXT in asked[0] + asked[1]
    assert [turn.key for turn in Turn.objects.filter(run__public_id=score.run).order_by("key")] == [
        "p",
        "p_masked",
        "read",
    ]


def test_the_row_keeps_what_the_numbers_came_from(item: Item) -> None:
    choice = Scoring(estimator=Estimator.GIVEN, p=0.75, p_masked=0.25, rule=Rule.RELEASED)
    actor = make_member(item.project)
    score = done(hatexscore_start.start(item, pasted(SAID, True), choice, actor, ring=False))
    assert (score.qf, score.score, score.rule, score.threshold) == (0.5, 0.875, "released", 0.45)
    assert (score.language, score.group_list, score.estimator, score.estimated_by) == ("en", "un_extended", "given", "")
    record = score.reading
    assert record["masked"] == "All immigrants are [MASK]." and record["spans"] == [[19, 25]]
    assert record["rationales"] == [{"quote": "vermin", "spans": [[19, 25]]}]
    assert [(each["term"], each["tie"]) for each in record["groups"]] == [("immigrant", "quote")]
    assert record["conclusions"] == [[33, 52, True]]
    assert Event.objects.get(verb="score_started").row == score.public_id


def test_nobody_is_asked_where_nothing_is_quoted(wire: WireServer, item: Item) -> None:
    said = pasted("“roses” has nothing to do with migrants. Conclusion: hateful", True)
    score = done(hatexscore_start.start(item, said, Scoring(), ring=False))
    assert (score.state, score.qf, score.score, score.p) == ("scored", 0, 0.5, None)
    assert wire.heard == []


def test_an_estimate_that_cannot_be_read_leaves_no_number(wire: WireServer, item: Item) -> None:
    wire.queue(*(say('{"probability": 85}') for _ in range(6)), model="estimator")
    score = done(hatexscore_start.start(item, pasted(SAID, True), Scoring(), ring=False))
    assert (score.state, score.score, score.qf) == ("unreadable", None, None) and score.reason


def test_a_refused_estimate_is_reported(wire: WireServer, item: Item) -> None:
    wire.queue(say("I'm sorry, but I can't help with that."), say('{"probability": 0.1}'), model="estimator")
    score = done(hatexscore_start.start(item, pasted(SAID, True), Scoring(), ring=False))
    assert (score.state, score.score) == ("refused", None)


def test_a_saved_number_is_not_paid_for_twice(wire: WireServer, item: Item) -> None:
    wire.queue(say('{"probability": 0.75}'), status(503), model="estimator")
    score = hatexscore_start.start(item, pasted(SAID, True), Scoring(), ring=False)
    run = Run.objects.get(public_id=score.run)
    wire_heard = len(wire.heard)
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    asked = len(wire.heard) - wire_heard
    assert asked == 2 and run.turns.filter(key__startswith="p", state="ok").count() == 1
    assert Score.objects.get().state == "failed" and Score.objects.get().score is None


@pytest.mark.parametrize("text", ["I'm sorry, but I can't help with that.", "  "])
def test_what_was_refused_or_is_empty_has_a_row_and_no_run(item: Item, text: str) -> None:
    score = hatexscore_start.start(item, pasted(text, True), Scoring(), ring=False)
    assert score.state in ("refused", "unreadable") and score.score is None and score.run is None
    assert not Run.objects.exists()


def test_all_explanations_of_an_item_are_found(project: Project) -> None:
    item = make_open_item(project, TEXT, external_id="post-2")
    annotator = make_member(project)
    make_label(Seat.objects.filter(item=item).first(), annotator, 1, note="“vermin” is about immigrants")
    Prior.objects.create(
        item=item,
        modality=Modality.TEXT,
        category=category(project, 1),
        explanation="It says “vermin”.",
        model="keyword:cues-1",
    )
    for method in ("explain", "baseline", "arcade"):
        start.start_runs(project, Item.objects.filter(pk=item.pk), start.DebateRequest(method), ring=False)
        runner.claim_and_perform(Run.objects.latest("id").pk, worker.planned_model)
    perspective = Run.objects.filter(method="baseline").get()
    stances = [
        {"perspective": "kold", "name": "KOLD", "stance": "non_hate", "label": "Not Offensive", "reason": "“vermin”"},
        {"perspective": "kmhas", "name": "K-MHaS", "stance": "abstained", "label": "", "reason": ""},
    ]
    Run.objects.filter(pk=perspective.pk).update(outcome={**(perspective.outcome or {}), "stances": stances})
    found = {(str(each.source), each.method): each for each in explanations(item)}
    assert {key: each.prediction for key, each in found.items()} == {
        ("run", "arcade"): True,
        ("run", "baseline"): True,
        ("turn", "baseline"): False,
        ("run", "explain"): True,
        ("prior", ""): True,
        ("note", ""): True,
    }
    assert [each.structured for each in found.values()].count(False) == 1  # the explanation alone concludes by itself
    for each in found.values():
        score = done(hatexscore_start.start(item, each, Scoring(estimator=Estimator.KEYWORD), ring=False))
        assert (score.state, score.htc) == ("scored", 1), each.key
        assert score.appended is each.structured


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (Scoring(estimator=Estimator.GIVEN), "before and after"),
        (Scoring(language="tlh"), "no language"),
        (Scoring(group_list="meto"), "no group list"),
        (Scoring(model="openai:unheard-of"), "not on the list"),
        (Scoring(estimator=Estimator.DETOXIFY), "install the extra detoxify"),
    ],
)
def test_a_choice_that_is_not_to_be_had_is_one_sentence(item: Item, choice: Scoring, said: str) -> None:
    with pytest.raises(CannotScore, match=said):
        hatexscore_start.start(item, pasted(SAID, True), choice, ring=False)
    assert not Score.objects.exists()


def test_a_post_without_words_has_nothing_to_mask(project: Project) -> None:
    with pytest.raises(CannotScore, match="no text"):
        hatexscore_start.start(
            make_item(project, "", picture=make_picture(project)), pasted(SAID, True), Scoring(), ring=False
        )


@pytest.mark.parametrize(
    ("said", "number"),
    [('{"probability": 0.5}', 0.5), ("0.5", 0.5), ('{"probability": 1}', 1.0), ("0", 0.0), ('"0.5"', 0.5)]
    + [('"about 0.5"', 0.5), ('{"probability": "0.5"}', 0.5), ('{"probability": "50%"}', 0.5)],
)
def test_a_number_is_read(said: str, number: float) -> None:
    read = structured_output.read_answer(said, Estimate)
    assert isinstance(read, structured_output.ReadAnswer) and read.value.probability == number


@pytest.mark.parametrize(
    "said", ["85%", "about 0.5", '"0.4 or 0.5"', '{"probability": "150%"}', "true", "1.5", "-0.1", "NaN", ""]
)
def test_anything_but_a_number_from_0_to_1_is_unreadable(said: str) -> None:
    assert isinstance(structured_output.read_answer(said, Estimate), structured_output.InvalidAnswer)
