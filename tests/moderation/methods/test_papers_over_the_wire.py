"""Every request of the three paper methods in the prompt set `paper`, in order, beside the place that asks for it.

A row says who is asked, what of the others stands in front of them, the temperature and the place in the paper. The
papers: ARCADE (H-VLI), PREDICT and HateXScore. Each request is one system message and one user message. What others
said is material in the user's, because a vendor takes no turns of a third party. PREDICT's paper names no temperature:
0 is that of its released code.
"""

import json
from io import StringIO
from typing import Any, NamedTuple

import pytest
from django.core.management import call_command

from builders import make_item, make_picture, make_project
from fences import outside_of_fences
from moderation.domain.predict.perspectives import SEEDED
from predict_models import judgement, speeches
from wire.server import Behaviour, Exchange, Heard, WireServer, say
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db(transaction=True)

POST = "Weeds in the white roses again."
UTTERANCES = ("claim A", "counter B", "answer 1", "answer 2", *(f"Reason{number}" for number in range(1, 6)))
SPEECHES = ("N1", "H1", "N2", "H2")


class Row(NamedTuple):
    """One request, and the place in the paper that it follows."""

    model: str
    hears: set[str]
    temperature: float
    place: str


def row(heard: Heard, expected: Row) -> Row:
    """Return what was asked in the form of the expected row."""
    user = heard.said("user")
    words = set(user.replace("\\n", " ").replace('"', " ").replace("-", " ").split())
    hears = {said for said in UTTERANCES if said in user} | (set(SPEECHES) & words)
    return Row(heard.model, hears, heard.body["temperature"], expected.place)


def compare(wire: WireServer, expected: list[Row], pictures: int) -> None:
    """Compare all requests with the rows, and what holds for each of them."""
    assert [row(heard, meant) for heard, meant in zip(wire.heard, expected, strict=True)] == expected
    for heard in wire.heard:
        assert [message["role"] for message in heard.messages] == ["system", "user"]
        assert POST in heard.said("user") and POST not in heard.said("system")
        outside = outside_of_fences(f"{heard.said('system')}\n{heard.said('user')}")
        assert not any(said in outside for said in (POST, *UTTERANCES)) and not set(SPEECHES) & set(outside.split())
        assert len(heard.pictures) == pictures
        # One answer a request, and nothing that cuts it but its length.
        assert heard.body.get("n", 1) == 1 and "stop" not in heard.body and heard.body["max_tokens"] > 0


def run(method: str, *options: str) -> None:
    out = StringIO()
    call_command(
        *("run", method, "garden", "--prompts", "paper", *options),
        *("--json", "--wait", "--threads", "1"),
        stdout=out,
    )
    assert [found["state"] for found in json.loads(out.getvalue())] == ["succeeded"]


# ── ARCADE ────────────────────────────────────────────────────────────────────


def cues(**fields: Any) -> Behaviour:
    cue = {"id": "c1", "cue_type": "Metaphor", "target_group": "gardeners", "hate_type": 5}
    return say(json.dumps({"cues": [cue | fields] if fields else []}))


def rebuttal(mark: str) -> Behaviour:
    return say(json.dumps({"rebuttals": [{"id": "c1", "evidence": f"answer {mark}", "rebuttal": "a garden"}]}))


FAST = [
    Row("gatekeeper", set(), 0, "equation 4, algorithm 1; section D.2 for the temperatures"),
    Row("prosecutor", set(), 0.8, "fast-track trial: the indictment sees the post alone"),
    Row("defender", {"claim A"}, 0.8, "fast-track trial: the reply sees the indictment"),
    Row("judge", {"claim A", "answer 1"}, 0.1, "fast-track trial: the judge sees both"),
]
DEEP = [
    Row("gatekeeper", set(), 0, "equation 4, algorithm 1; section D.2 for the temperatures"),
    Row("prosecutor", set(), 0.8, "equation 5, first round: no utterance before it"),
    Row("defender", {"claim A"}, 0.8, "equation 6, first round: the prosecutor's, none of its own"),
    Row("prosecutor", {"claim A", "answer 1"}, 0.8, "equation 5: both utterances of the round before"),
    Row("defender", {"claim A", "counter B", "answer 1"}, 0.8, "equation 6: the prosecutor's and its own last"),
    Row("judge", {"claim A", "counter B", "answer 1", "answer 2"}, 0.1, "algorithm 1: the judge sees all rounds"),
]
DISMISSED = DEEP[:2]  # algorithm 1: summary dismissal, no defence and no judge


@pytest.mark.parametrize(("rows", "is_open"), [(FAST, True), (DEEP, False), (DISMISSED, False)])
def test_arcade_asks_as_the_paper_does(settings: Any, rows: list[Row], is_open: bool) -> None:
    claim = {"claim": "claim A", "justification": "because"}
    with models_at_a_server(settings, ("gatekeeper", "prosecutor", "defender", "judge")) as wire:
        project = make_project("garden")
        make_item(project, POST, external_id="post-1", picture=make_picture(project))
        wire.queue(cues(cue_type="Direct", **claim) if is_open else cues(), model="gatekeeper")
        wire.queue(cues(**claim) if rows is not DISMISSED else cues(), model="prosecutor")
        wire.queue(cues(counter_argument="counter B"), model="prosecutor")
        wire.queue(rebuttal("1"), rebuttal("2"), model="defender")
        wire.queue(say(json.dumps({"reason": "it is about a garden: not hateful", "category": 0})), model="judge")
        run("arcade", "--rounds", "2")
        compare(wire, rows, pictures=1)


# ── PREDICT ───────────────────────────────────────────────────────────────────

HATEFUL = (1, 3, 5)
"""The perspectives that say hateful; the others do not."""
REASONS = {
    "hate": {f"Reason{number}" for number in HATEFUL},
    "other": {"Reason2", "Reason4"},
}
DEBATE = [
    *[Row("perspective", set(), 0, "section 3.1, algorithm 1, line 4: each by its own criteria")] * 5,
    Row("debater", REASONS["other"], 0, "section 3.2, algorithm 2, lines 7 to 9: the non-hate side begins"),
    Row("debater", REASONS["hate"] | {"N1"}, 0, "algorithm 2, lines 7 to 9: the hate side has heard it"),
    Row("debater", REASONS["other"] | {"N1", "H1"}, 0, "algorithm 2, lines 13 to 15: refute or agree"),
    Row("debater", REASONS["hate"] | {"H1", "N2"}, 0, "algorithm 2, lines 13 to 15: refute or agree"),
    Row("debate_judge", set(SPEECHES), 0, "algorithm 2, lines 18 and 19: the judge reads the arguments"),
]


def view(exchange: Exchange) -> None:
    """Answer as the perspective whose criteria stand in the request."""
    system = exchange.heard.said("system")
    (number,) = [number for number, seed in enumerate(SEEDED, 1) if seed.criteria in system]
    seed = SEEDED[number - 1]
    label = seed.hateful_label if number in HATEFUL else seed.other_label
    say(json.dumps({"reason": f"Reason{number}", "label": label}))(exchange)


def test_predict_asks_as_the_paper_does(settings: Any, tmp_path: Any) -> None:
    settings.MODEL_EMBEDDING, settings.EXAMPLES_FOLDER = "", tmp_path / "examples"
    with models_at_a_server(settings, ("perspective", "debater", "debate_judge", "describer")) as wire:
        make_item(make_project("garden"), POST, external_id="post-1")
        wire.queue(*[view] * 5, model="perspective")
        wire.queue(*speeches(), model="debater")
        wire.queue(judgement(), model="debate_judge")
        run("predict")
        compare(wire, DEBATE, pictures=0)


# ── HateXScore ────────────────────────────────────────────────────────────────

EXPLANATION = [Row("explainer", set(), 0, "section 4.5, greedy decoding; table 8: definition, then task")]


def test_an_explanation_is_asked_for_as_the_paper_does(settings: Any) -> None:
    with models_at_a_server(settings, ("explainer",)) as wire:
        make_item(make_project("garden"), POST, external_id="post-1")
        wire.queue(say("It says “roses”.\nConclusion: non-hateful"), model="explainer")
        run("explain")
        compare(wire, EXPLANATION, pictures=0)
        assert wire.heard[0].body["max_tokens"] == 512
