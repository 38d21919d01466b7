"""The reading of a picture by a model, as a method of runs: one question about the picture of one item.

Its decisions are pure; `case` reads the picture, `settle` stores the outcome for all items that show it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db.models import F, Min
from pydantic import BaseModel, ConfigDict, Field

from annotation.domain.choices import PriorState, Stage
from annotation.domain.pictures.words import Line, words_of
from annotation.models import Item, Membership, Project
from annotation.picture_text import store
from providers.bindings import Binding, NotConfigured, bind_role
from providers.messages import Picture
from providers.prompt_fencing import nonce_for
from providers.roles import ModelRole
from runs.control import start
from runs.domain.states import RunState
from runs.execution import budget
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.methods.prompts import Prompt, load_prompt
from runs.models import Run

NAME = "picture_text"
_AGAIN = "again"
"""The variant of runs whose result replaces what a machine has read before."""
_OVER = {"": store.Over.FAILURES, _AGAIN: store.Over.MACHINES}
_KEY = "read"
_STATE = {RunState.REFUSED: PriorState.REFUSED, RunState.UNREADABLE: PriorState.UNREADABLE}


class CopiedLines(BaseModel):
    """The lines of words in a picture."""

    # The strict modes of the vendors require a schema without additional properties.
    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    lines: list[str] = Field(max_length=500)


@dataclass(frozen=True)
class PictureCase:
    """The picture to read, and the question. The same run always has the same `nonce`."""

    picture: Picture
    prompt: Prompt
    nonce: str


class PictureTextMethod:
    """Asks the model of the role `picture_reader` once, for the lines of words in the picture."""

    name = NAME
    # One answer, two further questions after a wrong shape, one after an empty and one after a cut one.
    limits = Limits(calls=8, tokens=100_000, seconds=1800)

    def case(self, run: Run) -> PictureCase | None:
        """Return the item's picture.

        Returns None if the item or its picture is gone.
        """
        item = _item(run)
        if item is None or item.picture is None:
            return None
        with item.picture.file.open("rb") as file:
            picture = Picture(file.read(), item.picture.media_type)
        nonce = nonce_for(settings.SECRET_KEY, NAME, str(run.public_id))
        return PictureCase(picture, load_prompt("annotation", NAME, "read"), nonce)

    def still_wanted(self, run: Run) -> bool:
        """Whether the item is still there and not taken out."""
        return _item(run) is not None

    def next_steps(self, case: PictureCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Return the one question, or its answer."""
        if (turn := turns.get(_KEY)) is not None:
            return Finish(turn.value)
        return [
            Step(
                key=_KEY,
                role=ModelRole.PICTURE_READER,
                messages=case.prompt.messages({}, case.picture, nonce=case.nonce),
                shape=CopiedLines,
                temperature=0.0,
                max_tokens=1500,
                prompt_digest=case.prompt.digest,
                canary=case.nonce,
            )
        ]

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the words, or why there are none. Return False if the item is gone."""
        item = _item(run)
        if item is None or item.picture_id is None:
            return False
        reader, over = next(iter(run.model_plan.values()), ""), _OVER[run.variant]
        if outcome.state == RunState.SUCCEEDED:
            words = words_of(Line(line) for line in outcome.value["lines"])
            store.store_words(item.project, item.picture_id, words, reader, run=run.public_id, over=over)
        else:
            state = _STATE.get(RunState(outcome.state), PriorState.FAILED)
            reason = outcome.reason or ""
            store.store_failure(item.project, item.picture_id, state, reason, reader, run=run.public_id, over=over)
        return True


def reader_model(project: Project) -> Binding:
    """Return the model that reads the project's pictures, with what is wrong with it, if anything."""
    try:
        return bind_role(ModelRole.PICTURE_READER, project.model_plan)
    except NotConfigured as fault:
        binding = bind_role(ModelRole.PICTURE_READER)
        return Binding(binding.role, binding.name, binding.setting, binding.why, str(fault))


def ask_model(project: Project, actor: Membership | None = None, *, again: bool = False, enqueue: bool = True) -> int:
    """Queue a run for each picture that nobody could read, or with `again` for all. Return how many are new."""
    variant = _AGAIN if again else ""
    waiting = store.unread_items(project, _OVER[variant])
    one_of_each = waiting.order_by().values("picture").annotate(first=Min("pk")).values("first")
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    return start.queue_run_per_subject(
        Item.objects.filter(pk__in=one_of_each).values(subject=F("public_id")),
        start.RunRequest(
            method=NAME,
            project=project.public_id,
            subject=project.public_id,
            model_plan={str(ModelRole.PICTURE_READER): reader_model(project).name},
            variant=variant,
            started_by=actor.public_id if actor else None,
        ),
        enqueue=enqueue,
    )


def _item(run: Run) -> Item | None:
    items = Item.objects.filter(public_id=run.subject, project__public_id=run.project).exclude(stage=Stage.EXCLUDED)
    return items.select_related("project", "picture").first()
