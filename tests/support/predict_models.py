"""Who speaks in a PREDICT debate at a wire server: five perspectives and their examples, two debaters, a judge."""

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
    """Which of the five seeded perspectives a request is for, from its rules."""
    (number,) = [
        number for number, each in enumerate(SEEDED, 1) if f"rules of its own: {each.name}." in heard.said("system")
    ]
    return number


def views(*said: str | Behaviour, wait: Callable[[], Any] = lambda: None) -> list[Behaviour]:
    """What the five perspectives answer, in their order, whoever is asked first; reasons are `R1` to `R5`."""

    def behave(exchange: Exchange) -> None:
        wait()
        number = speaker_of(exchange.heard)
        answer = said[number - 1]
        if callable(answer):
            return answer(exchange)
        seed = SEEDED[number - 1]
        label = {HATE: seed.hateful_label, OTHER: seed.other_label, UNSURE: "I don't know"}[answer]
        return say(json.dumps({"reason": f"R{number}", "label": label}))(exchange)

    return [behave] * 5


def speeches(second: str = "rebut", last: str = "rebut") -> list[Behaviour]:
    """The four turns of the debate."""
    said = [
        {"argument": "N1"},
        {"argument": "H1"},
        {"argument": "N2", "position": second},
        {"argument": "H2", "position": last},
    ]
    return [say(json.dumps(each)) for each in said]


def judgement(label: str = "Hate") -> Behaviour:
    """What the judge says."""
    return say(json.dumps({"reason": "both have a point, but “weeds”", "label": label}))


def script(wire: WireServer, *said: str | Behaviour, label: str = "Hate", **debate: str) -> None:
    """A whole debate: the five views, then `second` and `last` as the positions of round 2, then the label."""
    wire.queue(*views(*said), model="perspective")
    wire.queue(*speeches(**debate), model="debater")
    wire.queue(judgement(label), model="debate_judge")


def add_examples(project: Project, code: str, *rows: tuple[str, bool]) -> None:
    """Texts and whether they are hateful, in a perspective's store."""
    edit.ensure_perspectives(project)
    perspective = Perspective.objects.get(project=project, code=code)
    Example.objects.bulk_create(
        Example(perspective=perspective, text=text, hateful=hateful, digest=digest_of(text)) for text, hateful in rows
    )
    edit.renew_store(perspective)
