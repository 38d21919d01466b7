"""Write one sample: a model looks at the picture, a model writes a text for it or rewords a trigger text.

What the look says decides whether the plan fits the picture, fits it with another target group, or is refused. The text
is then compared with the project. What the sample has to be was drawn when its batch began, so a resumed run asks the
same. No model writes the insulting word itself: it writes `<insult>`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Max, QuerySet

from annotation.models import Project
from generation.domain.counterspeech.languages import differs_from
from generation.domain.injection.picture_fit import PictureLook, PlannedPair, Unfit, fit
from generation.domain.injection.placeholder import INSULT
from generation.domain.injection.readings import WriterReading, mismatches
from generation.domain.injection.safety_holds import holds
from generation.domain.injection.schema import BatchOptions
from generation.domain.injection.states import SampleState
from generation.methods.injection import stored_looks
from generation.methods.injection.duplicates import told_before
from generation.methods.injection.questions import (
    LOOKER,
    NAME,
    SampleMaterial,
    look_question,
    write_question,
    writer_role,
)
from generation.models import CounterRules, InjectionRules, PicturePool, Sample, Trigger
from providers.messages import Picture
from providers.prompt_fencing import nonce_for
from runs.domain.states import Flag, Reason, RunState
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step, StepKind
from runs.models import Run

ASTRAY = "The answer repeats our instructions."
COMPARER, LIBRARIAN = "comparer", "librarian"
"""Speakers of the turns in which a text is compared, and a look found or stored; they are no models."""


class Injection:
    """The method that writes a sample: two calls, then a comparison with the texts of the project."""

    name = NAME
    # For each of the two answers two further questions after a wrong shape, one after an empty and one after a cut one.
    limits = Limits(calls=12, tokens=240_000, seconds=900)

    def case(self, run: Run) -> SampleMaterial | None:
        """Return the sample with its picture or trigger text.

        Returns None if the sample is gone, or injection was switched off.
        """
        rows = _wanted(run)
        related = ("project", "batch", "intended", "pool_picture__picture", "pool_picture__category", "trigger")
        sample = rows.select_related(*related).first()
        if sample is None:
            return None
        return SampleMaterial(
            sample,
            sample.project,
            BatchOptions.model_validate(run.options),
            sample.project.offered_categories(),
            groups_of(sample),
            _picture(sample),
            nonce_for(settings.SECRET_KEY, NAME, str(run.public_id)),
            forbidden_in(sample.project),
            run_id=run.public_id,
            looker=run.model_plan.get(LOOKER, ""),
        )

    def still_wanted(self, run: Run) -> bool:
        """Return whether the sample is there and injection is on."""
        return _wanted(run).exists()

    def next_steps(self, case: SampleMaterial, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Ask what the picture shows, ask the writing model if the plan fits it, then compare the text."""
        look_turn, look_value = turns.get("look"), _seen(turns)
        if look_turn is not None and Flag.LED_ASTRAY in look_turn.flags:
            return GiveUp(Reason.INVALID_OUTPUT, ASTRAY)
        if "write" not in turns and case.looker and (step := _look(case, turns)):
            return [step]
        if not look_value:
            return _write(case, case.pair, None, turns)
        look = PictureLook(look_value["description"], case.category(look_value["category"]), look_value["target_group"])
        outcome = fit(case.pair, replace(look, category=case.alone(look)))
        if isinstance(outcome, Unfit):
            return Finish({"look": look_value, "misfit": outcome.reason.value})
        following = _write(case, outcome.pair, look, turns)
        return Finish({**following.value, "look": look_value}) if isinstance(following, Finish) else following

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the text and the state of the sample once. Return False if the sample is gone."""
        # The lock lets one sample of a project through at a time, because each is compared with those before it.
        rules = InjectionRules.objects.select_for_update().filter(project__public_id=run.project).first()
        sample = Sample.objects.select_related("project").filter(public_id=run.subject).first()
        if rules is None or sample is None:
            return False
        if sample.state not in (SampleState.ASKED, SampleState.FAILED):
            return True
        fields = _looked(sample, outcome.value) if outcome.state == RunState.SUCCEEDED else _unwritten(outcome)
        fields = {"model": run.model_plan.get(writer_role(sample.strategy), ""), **fields, "run_id": run.public_id}
        Sample.objects.filter(pk=sample.pk).update(**fields)
        return True


def groups_of(sample: Sample) -> tuple[str, ...]:
    """Return the target groups of the project, each once, spelled as the sample's plan spells it.

    They are the groups of the batch's plan, of pools, of trigger texts and of the words for `<insult>`.
    """
    project = sample.project_id
    rules = InjectionRules.objects.filter(project=project).first()
    names = [
        sample.target_group,
        *(entry["target_group"] for entry in sample.batch.plan),
        *PicturePool.objects.filter(project=project).values_list("target_group", flat=True),
        *Trigger.objects.filter(project=project).order_by().values_list("target_group", flat=True).distinct(),
        *(rules.lexicon if rules else {}),
    ]
    spelled: dict[str, str] = {}
    for name in names:
        if name:
            spelled.setdefault(name.casefold(), name)
    return tuple(sorted(spelled.values(), key=str.casefold))


def forbidden_in(project: Project) -> list[str]:
    """Return the words that no model may write in this project.

    They are the words for `<insult>` and the words that no reply may contain.
    """
    rules = InjectionRules.objects.filter(project=project).first()
    counter = CounterRules.objects.filter(project=project).first()
    words = [word for group in (rules.lexicon if rules else {}).values() for word in group]
    return list(dict.fromkeys([*words, *(counter.lexicon if counter else [])]))


def _look(case: SampleMaterial, turns: Mapping[str, SavedTurn]) -> Step | None:
    """Return what the look needs next: find a stored one, ask for one, store it. Returns None if it needs nothing."""
    if "look" not in turns:
        if "known" not in turns:
            return Step("known", LIBRARIAN, kind=StepKind.READ, work=partial(stored_looks.find, case), at_home=True)
        return None if turns["known"].value else look_question(case)
    if "keep" in turns:
        return None
    work = partial(stored_looks.keep, case, _seen(turns))
    return Step("keep", LIBRARIAN, kind=StepKind.READ, work=work, at_home=True)


def _seen(turns: Mapping[str, SavedTurn]) -> dict[str, Any]:
    """Return what a model saw in the picture, asked by this run or by an earlier one; empty if there is no look."""
    if (look_turn := turns.get("look")) is not None:
        return {**look_turn.value, "model": look_turn.model, "prompt_digest": look_turn.prompt_digest}
    earlier_look = turns.get("known")
    return dict(earlier_look.value) if earlier_look else {}


def _write(
    case: SampleMaterial, pair: PlannedPair, look: PictureLook | None, turns: Mapping[str, SavedTurn]
) -> Sequence[Step] | Finish:
    """Ask for the text, compare it, and finish with it. `pair` names the group that the text is to be about."""
    if (written := turns.get("write")) is None:
        return [write_question(case, pair, look)]
    text = str(written.value["text"])
    if (compared := turns.get("compare")) is None:
        work = partial(told_before, case.project, text)
        return [Step("compare", COMPARER, kind=StepKind.READ, work=work, at_home=True)]
    reasons = holds(text, case.forbidden, written.value["people"])
    return Finish(
        {
            "text": text,
            "target_group": pair.target_group,
            "holds": [hold.value for hold in reasons],
            "double": compared.value,
            "model": written.model,
            "prompt_digest": written.prompt_digest,
            "led_astray": Flag.LED_ASTRAY in written.flags,
            **_readings(case, pair, look, written.value),
        }
    )


def _readings(
    case: SampleMaterial, pair: PlannedPair, look: PictureLook | None, answer: Mapping[str, Any]
) -> dict[str, Any]:
    """Return how the writer reads its text, and what differs from the plan.

    Empty for an answer that was saved before writers were asked for it.
    """
    if "text_label" not in answer:
        return {}
    reading = WriterReading(
        case.category(answer["text_label"]), case.category(answer["final_label"]), answer["target_group"]
    )
    is_other = differs_from(str(answer["text"]).replace(INSULT, " "), case.options.language)
    return {
        "readings": {name: answer[name] for name in ("text_label", "final_label", "target_group")},
        "mismatches": [
            mismatch.value for mismatch in mismatches(pair, look, case.prior, reading, is_other_language=is_other)
        ],
    }


def _wanted(run: Run) -> QuerySet[Sample]:
    rows = Sample.objects.filter(public_id=run.subject, project__public_id=run.project)
    return rows.filter(project__injection_rules__on=True)


def _picture(sample: Sample) -> Picture:
    row = sample.pool_picture.picture
    with row.file.open("rb") as file:
        return Picture(file.read(), row.media_type)


def _looked(sample: Sample, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a sample whose run succeeded: what was seen, and the text if one was asked for."""
    fields: dict[str, Any] = {"look": value.get("look", {})}
    if misfit := value.get("misfit"):
        return fields | {"state": SampleState.MISFIT, "misfit": misfit, "model": "", "detail": ""}
    readings = {"readings": value.get("readings", {}), "mismatches": value.get("mismatches", [])}
    return fields | readings | _written(sample, value)


def _written(sample: Sample, value: Mapping[str, Any]) -> dict[str, Any]:
    # Compare again: other runs may have stored samples while this one was compared.
    double = str(value["double"]) or told_before(sample.project, str(value["text"]))
    fields = {"text": value["text"], "model": value["model"], "prompt_digest": value["prompt_digest"]}
    fields["target_group"] = value.get("target_group", sample.target_group)
    last = Sample.objects.filter(project=sample.project_id).aggregate(last=Max("order"))["last"] or 0
    fields |= {"order": last + 1, "holds": value["holds"], "detail": ""}
    if value["led_astray"]:
        return fields | {
            "state": SampleState.UNREADABLE,
            "order": None,
            "detail": ASTRAY,
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
