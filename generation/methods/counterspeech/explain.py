"""Ask for the seven explanations of a hateful post at the same time (CoARL, section 4, phase 1, by prompting)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.options import ExplainOptions, shape_of
from generation.methods.counterspeech.hate_case import (
    POST_LANGUAGE,
    Hate,
    described,
    exchange_of,
    give_up,
    hate_of,
    still_there,
)
from generation.models import Exchange, Explanations
from providers.roles import ModelRole
from runs.domain.states import RunState, TurnState
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "counter_explain"
ROLES = (ModelRole.COUNTER_EXPLAINER, ModelRole.DESCRIBER)


@dataclass(frozen=True)
class ExplainedPost:
    """A post and the options of its explanations."""

    hate: Hate
    options: ExplainOptions
    role: ModelRole


class CounterExplain:
    """The method that explains a post: seven calls at once, after one more if a picture has to be described."""

    name = NAME
    limits = Limits(calls=40, tokens=300_000, seconds=1800)

    def case(self, run: Run) -> ExplainedPost | None:
        """Return the post and the options of this run.

        Returns None if the exchange is gone or its item was excluded.
        """
        exchange = exchange_of(run)
        if exchange is None:
            return None
        return ExplainedPost(hate_of(exchange, run), ExplainOptions.model_validate(run.options), _role(run))

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: ExplainedPost, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Ask for the picture's description, then for the seven explanations.

        A single explanation may be missing; the outcome says why.
        """
        if case.hate.picture is not None and "describe" not in turns:
            return [case.hate.describe()]
        description = described(case.hate, turns.get("describe"))
        if unasked := [explanation for explanation in Explanation if key_of(explanation) not in turns]:
            return [_question(case, explanation, description) for explanation in unasked]
        answers = {explanation: turns[key_of(explanation)] for explanation in Explanation}
        usable = {explanation: turn for explanation, turn in answers.items() if turn.state == TurnState.OK}
        if not usable:
            return give_up(list(answers.values()), "No explanation was given.")
        return Finish(
            {
                "explanations": {explanation.value: turn.value["explanation"] for explanation, turn in usable.items()},
                "missing": {
                    explanation.value: turn.reason for explanation, turn in answers.items() if explanation not in usable
                },
                "insults": _insults(usable),
                "description": description,
            }
        )

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Add a version of the explanations once. Return False if the exchange is gone."""
        exchange = Exchange.objects.select_for_update().filter(public_id=run.subject).first()
        if exchange is None:
            return False
        if outcome.state == RunState.SUCCEEDED and not Explanations.objects.filter(run_id=run.public_id).exists():
            keep_description(exchange, outcome.value["description"])
            last = exchange.explanations.first()
            Explanations.objects.create(
                exchange=exchange,
                number=last.number + 1 if last else 1,
                insults=outcome.value["insults"],
                missing=outcome.value["missing"],
                model=run.model_plan[_role(run)],
                run_id=run.public_id,
                **outcome.value["explanations"],
            )
        return True


def keep_description(exchange: Exchange, description: str) -> None:
    """Store the description of the picture, so that no model is asked for it again."""
    if description and not exchange.description:
        exchange.description = description
        exchange.save(update_fields=["description"])


def key_of(explanation: Explanation) -> str:
    """Return the key of the step that asks for this explanation."""
    return f"explain.{explanation}"


def _role(run: Run) -> ModelRole:
    """Return the role that explains: runs that were queued before it had one of its own ask the writer."""
    is_named = ModelRole.COUNTER_EXPLAINER in run.model_plan
    return ModelRole.COUNTER_EXPLAINER if is_named else ModelRole.COUNTERSPEAKER


def _question(case: ExplainedPost, explanation: Explanation, description: str) -> Step:
    return case.hate.step(
        key_of(explanation),
        case.role,
        (NAME, explanation.value),
        {"language": case.options.language or POST_LANGUAGE},
        description,
        shape=shape_of(explanation),
        temperature=0.2,
        max_tokens=500,
        context={"task": "explain", "explanation": explanation.value},
    )


def _insults(usable: Mapping[Explanation, SavedTurn]) -> list[str]:
    turn = usable.get(Explanation.OFFENSIVENESS)
    return list(turn.value.get("insults", ())) if turn else []
