"""Write one sample: a model writes a text for a picture, or rewords a trigger text; then the text is compared.

What the sample has to be was drawn when its batch began, so a resumed run asks the same. No model writes the insulting
word itself: it writes `<insult>`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Max, QuerySet

from annotation.domain.votes import Category
from annotation.models import Project
from generation.domain.injection.placeholder import INSULT
from generation.domain.injection.safety_holds import holds
from generation.domain.injection.schema import BatchOptions, shape_of
from generation.domain.injection.states import SampleState
from generation.domain.injection.strategies import Strategy
from generation.methods.injection.duplicates import told_before
from generation.models import CounterRules, InjectionRules, Sample
from providers.messages import Picture
from providers.prompt_fencing import fence, fencing_rule, nonce_for
from providers.roles import ModelRole
from runs.domain.states import Flag, RunState
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step, StepKind
from runs.methods.prompts import load_prompt
from runs.models import Run

NAME = "injection"
COMPARER = "comparer"
"""The speaker of the turn in which a text is compared; it is no model."""

_MEANING: Mapping[str, str] = {
    "000": "The text is harmless, the picture is harmless, and together they are harmless.",
    "001": "The text is harmless when read alone, and so is the picture; only together they are hateful.",
    "010": "The picture is hateful when seen alone; the text is harmless when read alone. Together they are not "
    "hateful: the text changes what it means to show the picture.",
    "011": "The picture is hateful when seen alone; the text is harmless when read alone. Together they stay hateful.",
    "100": "The text is hateful when read alone; the picture is harmless when seen alone. Together they are not "
    "hateful: with the picture it shows that the words are not the author's own attack.",
    "101": "The text is hateful when read alone; the picture is harmless when seen alone. Together they stay hateful.",
    "110": "The text is hateful when read alone, and so is the picture. Together they are not hateful: each shows "
    "that the other is not meant as an attack.",
    "111": "The text is hateful when read alone, so is the picture, and so are both together.",
}
_OPEN = (
    f"Where an insulting word for the group would stand, write {INSULT} in its place, at least once. Others decide "
    "later what stands there; the sentence has to work with any such word."
)
_CLOSED = f"The text is harmless when read alone: no hostile word about anybody, and never {INSULT}."


@dataclass(frozen=True)
class Case:
    """The material of one sample. `nonce` fences the texts of others."""

    sample: Sample
    project: Project
    options: BatchOptions
    categories: tuple[Category, ...]
    picture: Picture | None
    nonce: str
    forbidden: Sequence[str]
    """Words for which a sample is held back."""


class Injection:
    """The method that writes a sample: one call, then a comparison with the texts of the project."""

    name = NAME
    # One answer, two further questions after a wrong shape, one after an empty and one after a cut one.
    limits = Limits(calls=6, tokens=120_000, seconds=900)

    def case(self, run: Run) -> Case | None:
        """Return the sample with its picture or trigger text.

        Returns None if the sample is gone, or injection was switched off.
        """
        rows = _wanted(run)
        related = ("project", "batch", "intended", "pool_picture__picture", "pool_picture__category", "trigger")
        sample = rows.select_related(*related).first()
        if sample is None:
            return None
        with_picture = sample.strategy != Strategy.PARAPHRASE
        return Case(
            sample,
            sample.project,
            BatchOptions.model_validate(run.options),
            sample.project.category_values(),
            _picture(sample) if with_picture else None,
            nonce_for(settings.SECRET_KEY, NAME, str(run.public_id)),
            forbidden_in(sample.project),
        )

    def still_wanted(self, run: Run) -> bool:
        """Return whether the sample is there and injection is on."""
        return _wanted(run).exists()

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Ask the writing model, then compare its text with the project."""
        if (written := turns.get("write")) is None:
            return [question(case)]
        text = str(written.value["text"])
        if (compared := turns.get("compare")) is None:
            work = partial(told_before, case.project, text)
            return [Step("compare", COMPARER, kind=StepKind.READ, work=work, at_home=True)]
        reasons = holds(text, case.forbidden, written.value["people"])
        return Finish(
            {
                "text": text,
                "holds": [hold.value for hold in reasons],
                "double": compared.value,
                "model": written.model,
                "prompt_digest": written.prompt_digest,
                "led_astray": Flag.LED_ASTRAY in written.flags,
            }
        )

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the text and the state of the sample once. Return False if the sample is gone."""
        # The lock lets one sample of a project through at a time, because each is compared with those before it.
        rules = InjectionRules.objects.select_for_update().filter(project__public_id=run.project).first()
        sample = Sample.objects.select_related("project").filter(public_id=run.subject).first()
        if rules is None or sample is None:
            return False
        if sample.state not in (SampleState.ASKED, SampleState.FAILED):
            return True
        fields = _written(sample, outcome.value) if outcome.state == RunState.SUCCEEDED else _unwritten(outcome)
        fields |= {"run_id": run.public_id, "model": fields.get("model") or next(iter(run.model_plan.values()), "")}
        Sample.objects.filter(pk=sample.pk).update(**fields)
        return True


def forbidden_in(project: Project) -> list[str]:
    """Return the words that no model may write in this project.

    They are the words for `<insult>` and the words that no reply may contain.
    """
    rules = InjectionRules.objects.filter(project=project).first()
    counter = CounterRules.objects.filter(project=project).first()
    words = [word for group in (rules.lexicon if rules else {}).values() for word in group]
    return list(dict.fromkeys([*words, *(counter.lexicon if counter else [])]))


def question(case: Case) -> Step:
    """Return the question to the writing model. All texts of others are fenced in the user's message."""
    sample = case.sample
    words = load_prompt("generation", NAME, sample.strategy)
    trigger = fence(sample.trigger.text if sample.trigger else "", case.nonce, name="text")
    hateful = sample.pattern[0] == "1"
    fields = {
        "pattern": _MEANING[sample.pattern],
        "language": case.options.language,
        "wording": _OPEN if hateful else _CLOSED,
        "rule": fencing_rule(case.nonce),
        "trigger": trigger.text,
        "picture": _seen(case),
        "group": fence(sample.target_group or "nobody in particular", case.nonce, name="note").text,
        "categories": "\n".join(_listed(category) for category in case.categories),
        "category": sample.intended.name,
    }
    return Step(
        key="write",
        role=ModelRole.PARAPHRASER if sample.strategy == Strategy.PARAPHRASE else ModelRole.SAMPLE_WRITER,
        messages=words.messages(fields, *([case.picture] if case.picture else [])),
        shape=shape_of(text_hateful=hateful),
        temperature=case.options.temperature,
        max_tokens=600,
        prompt_digest=words.digest,
        canary=case.nonce,
        suspect=bool(trigger.suspicions),
    )


def _wanted(run: Run) -> QuerySet[Sample]:
    rows = Sample.objects.filter(public_id=run.subject, project__public_id=run.project)
    return rows.filter(project__injection_rules__on=True)


def _seen(case: Case) -> str:
    """Return what is known about the picture that follows in the prompt."""
    pool_picture = case.sample.pool_picture
    side = "hateful" if case.sample.pattern[1] == "1" else "harmless"
    sentence = f"The picture follows. Seen alone it was judged {side}"
    if not pool_picture.explanation:
        return f"{sentence}."
    return f"{sentence}, with these words:\n{fence(pool_picture.explanation, case.nonce, name='note').text}"


def _listed(category: Category) -> str:
    meaning = f". {' '.join(category.definition.split())}" if category.definition else ""
    return f"- {category.name} ({'hateful' if category.hateful else 'not hateful'}){meaning}"


def _picture(sample: Sample) -> Picture:
    row = sample.pool_picture.picture
    with row.file.open("rb") as file:
        return Picture(file.read(), row.media_type)


def _written(sample: Sample, value: Mapping[str, Any]) -> dict[str, Any]:
    # Compare again: other runs may have stored samples while this one was compared.
    double = str(value["double"]) or told_before(sample.project, str(value["text"]))
    fields = {"text": value["text"], "model": value["model"], "prompt_digest": value["prompt_digest"]}
    last = Sample.objects.filter(project=sample.project_id).aggregate(last=Max("order"))["last"] or 0
    fields |= {"order": last + 1, "holds": value["holds"], "detail": ""}
    if value["led_astray"]:
        return fields | {
            "state": SampleState.UNREADABLE,
            "order": None,
            "detail": "The answer repeats our instructions.",
        }
    if double:
        return fields | {"state": SampleState.DUPLICATE, "detail": double[:500]}
    return fields | {"state": SampleState.HELD if value["holds"] else SampleState.WAITING}


def _unwritten(outcome: Outcome) -> dict[str, Any]:
    ended = {
        RunState.REFUSED: SampleState.REFUSED,
        RunState.UNREADABLE: SampleState.UNREADABLE,
        RunState.FAILED: SampleState.FAILED,
    }
    return {"state": ended[outcome.state], "detail": (outcome.detail or outcome.reason or "")[:500]}
