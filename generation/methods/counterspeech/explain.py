"""The seven explanations of a hateful post, asked at the same time (CoARL, section 4, phase 1, by prompting)."""

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
ROLES = (ModelRole.COUNTERSPEAKER, ModelRole.DESCRIBER)


@dataclass(frozen=True)
class Case:
    """A post and how it is to be explained."""

    hate: Hate
    options: ExplainOptions


class CounterExplain:
    """Seven calls at once, one more before them where a picture has to be described."""

    name = NAME
    limits = Limits(calls=40, tokens=300_000, seconds=1800)

    def case(self, run: Run) -> Case | None:
        """The post and what was chosen for this run."""
        exchange = exchange_of(run)
        return Case(hate_of(exchange, run), ExplainOptions.model_validate(run.options)) if exchange else None

    def still_wanted(self, run: Run) -> bool:
        """Whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """The picture first, then the seven; a single one may stay out, and the outcome says why."""
        if case.hate.picture is not None and "describe" not in turns:
            return [case.hate.describe()]
        description = described(case.hate, turns.get("describe"))
        if left := [each for each in Explanation if key_of(each) not in turns]:
            return [_question(case, each, description) for each in left]
        answers = {each: turns[key_of(each)] for each in Explanation}
        given = {each: turn for each, turn in answers.items() if turn.state == TurnState.OK}
        if not given:
            return give_up(list(answers.values()), "No explanation was given.")
        return Finish(
            {
                "explanations": {each.value: turn.value["explanation"] for each, turn in given.items()},
                "missing": {each.value: turn.reason for each, turn in answers.items() if each not in given},
                "insults": _insults(given),
                "description": description,
            }
        )

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Add a version of the explanations, once; False if the exchange is gone."""
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
                model=run.model_plan[ModelRole.COUNTERSPEAKER],
                run_id=run.public_id,
                **outcome.value["explanations"],
            )
        return True


def keep_description(exchange: Exchange, description: str) -> None:
    """Keep what the picture shows, so that it is asked once."""
    if description and not exchange.description:
        exchange.description = description
        exchange.save(update_fields=["description"])


def key_of(explanation: Explanation) -> str:
    """The key of the step that asks for it."""
    return f"explain.{explanation}"


def _question(case: Case, explanation: Explanation, description: str) -> Step:
    return case.hate.step(
        key_of(explanation),
        ModelRole.COUNTERSPEAKER,
        (NAME, explanation.value),
        {"language": case.options.language or POST_LANGUAGE},
        description,
        shape=shape_of(explanation),
        temperature=0.2,
        max_tokens=500,
        context={"task": "explain", "explanation": explanation.value},
    )


def _insults(given: Mapping[Explanation, SavedTurn]) -> list[str]:
    turn = given.get(Explanation.OFFENSIVENESS)
    return list(turn.value.get("insults", ())) if turn else []
