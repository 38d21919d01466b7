"""Fake models of a PREDICT debate at a wire server: five perspectives with examples, two debaters, a judge."""

import json
from collections.abc import Callable
from typing import Any

from annotation.models import Project
from moderation.domain.predict.perspectives import SEEDED, digest_of
from moderation.models import Example, Perspective
from moderation.perspectives import edit
from wire.server import Behaviour, Exchange, Heard, WireServer, say

HATE, OTHER, UNSURE = "hate", "other", "unsure"


def speaker_of(heard: Heard) -> int:
    """Return the number of the seeded perspective that a request is for, by the rules in it."""
    (number,) = [
        number for number, seed in enumerate(SEEDED, 1) if f"rules of its own: {seed.name}." in heard.said("system")
    ]
    return number


def views(*answers: str | Behaviour, wait: Callable[[], Any] = lambda: None) -> list[Behaviour]:
    """Return the answers of the five perspectives, by perspective and not by order of the requests.

    The reasons are `R1` to `R5`.
    """

    def behave(exchange: Exchange) -> None:
        wait()
        number = speaker_of(exchange.heard)
        answer = answers[number - 1]
        if callable(answer):
            return answer(exchange)
        seed = SEEDED[number - 1]
        label = {HATE: seed.hateful_label, OTHER: seed.other_label, UNSURE: "I don't know"}[answer]
        return say(json.dumps({"reason": f"R{number}", "label": label}))(exchange)

    return [behave] * 5


def speeches(second: str = "rebut", last: str = "rebut") -> list[Behaviour]:
    """Return the four turns of the debate."""
    turns = [
        {"argument": "N1"},
        {"argument": "H1"},
        {"argument": "N2", "position": second},
        {"argument": "H2", "position": last},
    ]
    return [say(json.dumps(turn)) for turn in turns]


def judgement(label: str = "Hate") -> Behaviour:
    """Return the judge's answer."""
    return say(json.dumps({"reason": "both have a point, but “weeds”", "label": label}))


def script(wire: WireServer, *answers: str | Behaviour, label: str = "Hate", **debate: str) -> None:
    """Queue a whole debate: the five views, then `second` and `last` as the positions of round 2, then the label."""
    wire.queue(*views(*answers), model="perspective")
    wire.queue(*speeches(**debate), model="debater")
    wire.queue(judgement(label), model="debate_judge")


def add_examples(project: Project, code: str, *rows: tuple[str, bool]) -> None:
    """Add texts, and whether they are hateful, to a perspective's store."""
    edit.ensure_perspectives(project)
    perspective = Perspective.objects.get(project=project, code=code)
    Example.objects.bulk_create(
        Example(perspective=perspective, text=text, hateful=hateful, digest=digest_of(text)) for text, hateful in rows
    )
    edit.renew_store(perspective)
