"""Every explanation of an item that can be scored: of runs, of perspectives, of priors, of annotators' notes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from annotation.domain.choices import PriorState
from annotation.models import Item, Label, Prior
from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.hatexscore.htc import verdict
from moderation.domain.hatexscore.second_reading import SecondReading
from moderation.domain.predict.protocol import Stance
from moderation.methods.registry import METHODS
from moderation.models import ScoreSource
from runs.domain.states import RunState
from runs.models import Run

_STANCES = {Stance.HATE: True, Stance.NON_HATE: False}
MOST_RUNS = 50


@dataclass(frozen=True)
class Explanation:
    """An explanation and whose it is. `key` names it in forms and the API.

    `structured`: the label is given beside the words. `unscorable` says in a word why there is nothing to score.
    """

    key: str
    source: ScoreSource
    text: str
    prediction: bool | None
    structured: bool
    said_by: str = ""
    method: str = ""
    about: str = ""
    about_run: UUID | None = None
    at: datetime | None = None
    """When its run was started; two of one method and model differ in nothing else."""
    unscorable: str = ""


def explanations(item: Item) -> list[Explanation]:
    """Return all explanations of the item, models' newest first."""
    return [*_of_runs(item), *_of_priors(item), *_of_notes(item)]


def named(item: Item, key: str) -> Explanation | None:
    """Return the explanation of this key.

    Returns None if the item has none.
    """
    return next((explanation for explanation in explanations(item) if explanation.key == key), None)


def of_run(run: Run) -> Explanation | None:
    """Return the explanation that a run came to, or why it came to none.

    Returns None if it is under way.
    """
    if run.state not in (RunState.SUCCEEDED, RunState.REFUSED, RunState.UNREADABLE):
        return None
    outcome = run.outcome or {}
    text = str(outcome.get("reason") or "")
    why = "" if run.state == RunState.SUCCEEDED and text.strip() else (run.state if run.reason else "unreadable")
    return Explanation(
        key=f"run:{run.public_id}",
        source=ScoreSource.RUN,
        text=text,
        prediction=_prediction(run, text),
        structured=not _writes_prose(run),
        said_by=spoken_by(run.method, run.model_plan),
        method=run.method,
        about_run=run.public_id,
        at=run.created_at,
        unscorable=why,
    )


def second_of_run(run: Run) -> SecondReading | None:
    """Return what a reader read of the run's explanation. Returns None if none did."""
    read = (run.outcome or {}).get("read_by") or {}
    return SecondReading.of(read["model"], read) if "model" in read else None


def spoken_by(method: str, plan: Mapping[str, str]) -> str:
    """Return the model whose words a run's reason is, by the models of its roles. Returns "" for other methods."""
    return plan.get(METHODS[method].speaker, "") if method in METHODS else ""


def _writes_prose(run: Run) -> bool:
    return run.method in METHODS and METHODS[run.method].writes_prose


def _prediction(run: Run, text: str) -> bool | None:
    """Return the verdict; of prose that was stored without one, what its last conclusion says."""
    hateful: bool | None = (run.outcome or {}).get("hateful")
    return verdict(text) if hateful is None and _writes_prose(run) else hateful


def _of_runs(item: Item) -> Iterator[Explanation]:
    runs = Run.objects.filter(project=item.project.public_id, subject=item.public_id).exclude(method=SCORING)
    ended = [run for run in runs.order_by("-id")[:MOST_RUNS] if isinstance(run.outcome, dict) or run.reason]
    for run in ended:
        explanation = of_run(run)
        # Priors are runs too; they are listed as priors.
        if explanation is not None and ("hateful" in (run.outcome or {}) or explanation.unscorable):
            yield explanation
        yield from _of_perspectives(run)


def _of_perspectives(run: Run) -> Iterator[Explanation]:
    """Yield the reason of each perspective that took a stance (PREDICT)."""
    for stance in (run.outcome or {}).get("stances", ()):
        if stance.get("stance") in _STANCES and stance.get("reason"):
            yield Explanation(
                key=f"turn:{run.public_id}:{stance['perspective']}",
                source=ScoreSource.TURN,
                text=str(stance["reason"]),
                prediction=_STANCES[stance["stance"]],
                structured=True,
                said_by=run.model_plan.get("perspective", ""),
                method=run.method,
                about=str(stance["name"]),
                about_run=run.public_id,
                at=run.created_at,
            )


def _of_priors(item: Item) -> Iterator[Explanation]:
    priors = Prior.objects.filter(item=item, current=True).select_related("category").order_by("-modality")
    for prior in priors:
        if prior.state != PriorState.OK:
            continue
        hateful = prior.category.hateful if prior.category else prior.hateful
        yield Explanation(
            key=f"prior:{prior.pk}",
            source=ScoreSource.PRIOR,
            text=prior.explanation,
            prediction=hateful,
            structured=True,
            said_by=prior.model,
            about=str(prior.modality),
            unscorable="" if prior.explanation.strip() else "unreadable",
        )


def _of_notes(item: Item) -> Iterator[Explanation]:
    """Yield the notes of labels in force, by category, so that their order says nothing about who was first."""
    labels = Label.objects.filter(item=item, in_force_at__isnull=False, category__isnull=False).exclude(note="")
    for label in labels.select_related("category").order_by("category__code", "public_id"):
        assert label.category is not None
        yield Explanation(
            key=f"note:{label.public_id}",
            source=ScoreSource.NOTE,
            text=label.note,
            prediction=label.category.hateful,
            structured=True,
            about=", ".join(item.project.categories_by_code[code].name for code in label.codes),
        )
