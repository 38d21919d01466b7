"""Write candidates for each intent, let critics score them, and rank them.

CoARL with instructions and best of N in place of phases 2 and 3. For every intent the writer sees the post, the seven
explanations and up to three approved replies of the same intent. Which replies is fixed when the run is queued, so a
resumed run asks the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generation.domain.counterspeech.claims import claims
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterOptions, Length, Replies, Tone
from generation.domain.counterspeech.safety_flags import flags, insults_of
from generation.domain.near_duplicates import distinct
from generation.methods.counterspeech import critics
from generation.methods.counterspeech.explain import keep_description
from generation.methods.counterspeech.hate_case import (
    POST_LANGUAGE,
    Hate,
    described,
    exchange_of,
    give_up,
    hate_of,
    still_there,
)
from generation.models import Candidate, CounterRules, Exchange, Exemplar, Explanations
from providers.roles import ModelRole
from runs.domain.states import RunState, TurnState
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = "counterspeech"
ROLES = (ModelRole.COUNTERSPEAKER, *critics.ROLES, ModelRole.DESCRIBER)

_LENGTHS: Mapping[Length, str] = {
    Length.SHORT: "Each has one or two sentences, at most 40 words.",
    Length.MEDIUM: "Each has two to four sentences, 40 to 90 words.",
    Length.LONG: "Each has five to eight sentences, 90 to 180 words.",
}
_TONES: Mapping[Tone, str] = {
    Tone.CALM: "Their tone is calm and matter-of-fact.",
    Tone.WARM: "Their tone is warm and friendly.",
    Tone.FIRM: "Their tone is firm and clear, without heat.",
    Tone.PLAIN: "They use plain words that a twelve-year-old follows.",
}
_TOKENS = {Length.SHORT: 120, Length.MEDIUM: 240, Length.LONG: 480}  # for one reply, with room to spare
_LABELS: Mapping[Explanation, str] = {
    Explanation.OFFENSIVENESS: "Why it offends",
    Explanation.TARGET_GROUP: "Whom it is about",
    Explanation.SPEAKER_INTENT: "What the author wants",
    Explanation.POWER_DYNAMICS: "Who has power over whom",
    Explanation.IMPLICATION: "What it implies",
    Explanation.EMOTIONAL_REACTION: "What the people meant may feel",
    Explanation.COGNITIVE_REACTION: "What they, and readers, may think",
}


@dataclass(frozen=True)
class Case:
    """A post, what is known about it, and the options of the run."""

    hate: Hate
    options: CounterOptions
    explanations: Mapping[Explanation, str]
    insults: Sequence[str]
    exemplars: Mapping[Intent, Sequence[tuple[str, str]]]
    """Pairs of post and reply for each intent, nearest first."""
    judged_by_writer: Sequence[str] = ()
    """What the model judges that also writes (pc, aq, t, intent): it then judges itself."""


class Counterspeech:
    """The method that writes candidates: one call for each intent, then four for each candidate."""

    name = NAME
    limits = Limits(calls=400, tokens=2_000_000, seconds=3600)

    def case(self, run: Run) -> Case | None:
        """Return the post with the explanations and exemplars that were fixed when the run was queued.

        Returns None if the exchange is gone or its item was excluded.
        """
        exchange = exchange_of(run)
        if exchange is None:
            return None
        options = CounterOptions.model_validate(run.options)
        version = _version(exchange, options)
        keys = [key for keys_of_intent in options.exemplars.values() for key in keys_of_intent]
        rows = Exemplar.objects.filter(project=exchange.project).in_bulk(keys)
        return Case(
            hate_of(exchange, run),
            options,
            version.by_name() if version and options.explanations else {},
            forbidden(exchange, version),
            {
                intent: [(rows[key].hate, rows[key].text) for key in keys_of_intent if key in rows]
                for intent, keys_of_intent in options.exemplars.items()
            },
            critics.judged_by_writer(run.model_plan),
        )

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: Case, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Ask for the picture's description, then for the replies, then for the critics' scores.

        The outcome names every intent and every critic that gave no answer, and what the writing model judged itself.
        """
        if case.hate.picture is not None and "describe" not in turns:
            return [case.hate.describe()]
        description = described(case.hate, turns.get("describe"))
        if unwritten := [intent for intent in case.options.intents if f"write.{intent}" not in turns]:
            return [_writer(case, intent, description) for intent in unwritten]
        texts = {intent: _texts(case, turns[f"write.{intent}"]) for intent in case.options.intents}
        if not any(replies for replies, _dropped in texts.values()):
            return give_up([turns[f"write.{intent}"] for intent in case.options.intents], "No reply was written.")
        questions = [
            question
            for intent, (replies, _dropped) in texts.items()
            for place, text in enumerate(replies)
            for question in critics.questions(case.hate, text, f"{intent}.{place}", description)
        ]
        if unread := [question for question in questions if question.key not in turns]:
            return unread
        ranked = {intent.value: _ranked(case, intent, texts[intent], turns) for intent in case.options.intents}
        judged = list(case.judged_by_writer)
        return Finish({"intents": ranked, "description": description, "judged_by_writer": judged})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the candidates once. Return False if the exchange is gone."""
        exchange = Exchange.objects.select_for_update().filter(public_id=run.subject).first()
        if exchange is None:
            return False
        if outcome.state == RunState.SUCCEEDED and not Candidate.objects.filter(run_id=run.public_id).exists():
            keep_description(exchange, outcome.value["description"])
            options = CounterOptions.model_validate(run.options)
            version = _version(exchange, options) if options.explanations else None
            Candidate.objects.bulk_create(
                Candidate(
                    exchange=exchange,
                    run_id=run.public_id,
                    intent=intent,
                    model=run.model_plan[ModelRole.COUNTERSPEAKER],
                    prompt_digest=ranked["prompt_digest"],
                    explanations=version,
                    exemplars=options.exemplars.get(Intent(intent), []),
                    settings=_settings(options) | {"judged_by_writer": outcome.value["judged_by_writer"]},
                    **row,
                )
                for intent, ranked in outcome.value["intents"].items()
                for row in ranked["candidates"]
            )
        return True


def forbidden(exchange: Exchange, version: Explanations | None) -> list[str]:
    """Return the words that no reply to this post may contain: its own insults as explained, and the lexicon."""
    rules = CounterRules.objects.filter(project=exchange.project_id).first()
    return insults_of(exchange.hate, version.insults if version else (), rules.lexicon if rules else ())


def _version(exchange: Exchange, options: CounterOptions) -> Explanations | None:
    if options.version is None:
        return exchange.explanations.first()
    return exchange.explanations.filter(number=options.version).first()


def _writer(case: Case, intent: Intent, description: str) -> Step:
    options = case.options
    fields = {
        "number": str(options.candidates),
        "length": _LENGTHS[options.length],
        "tone": _TONES[options.tone],
        "language": options.language or POST_LANGUAGE,
        "explanations": _explained(case),
        "exemplars": _examples(case, intent),
        "insults": case.hate.quoted(", ".join(case.insults), "note") if case.insults else "none beside slurs",
    }
    return case.hate.step(
        f"write.{intent}",
        ModelRole.COUNTERSPEAKER,
        (NAME, f"write_{intent}"),
        fields,
        description,
        shape=Replies,
        temperature=options.temperature,
        max_tokens=200 + options.candidates * _TOKENS[options.length],
        context={"task": "write", "intent": intent.value, "candidates": options.candidates},
    )


def _explained(case: Case) -> str:
    if not case.explanations:
        return "(Nobody has explained it.)"
    lines = [f"{_LABELS[name]}: {' '.join(text.split())}" for name, text in case.explanations.items()]
    return case.hate.quoted("\n".join(lines), "note")


def _examples(case: Case, intent: Intent) -> str:
    rows = case.exemplars.get(intent, ())
    if not rows:
        return "(There are no examples of approved replies.)"
    examples = [
        f"{case.hate.quoted(post, 'quote')}\nThe reply that was approved:\n{case.hate.quoted(reply, 'argument')}"
        for post, reply in rows
    ]
    return "Approved replies of this kind to other posts; learn their manner, not their words:\n\n" + "\n\n".join(
        examples
    )


def _texts(case: Case, turn: SavedTurn) -> tuple[list[str], int]:
    if turn.state != TurnState.OK:
        return [], 0
    replies, dropped = distinct(turn.value["replies"])
    return replies[: case.options.candidates], dropped


def _ranked(case: Case, intent: Intent, texts: tuple[list[str], int], turns: Mapping[str, SavedTurn]) -> dict[str, Any]:
    replies, dropped = texts
    writer = turns[f"write.{intent}"]
    rows = []
    for place, text in enumerate(replies):
        scored = critics.scores(turns, f"{intent}.{place}", case.options.terms.weights())
        raised = flags(text, case.insults, pc=scored["pc"], t=scored["t"])
        rows.append({"place": place, "text": text, **scored, "flags": raised, "claims": claims(text)})
    rows.sort(key=lambda row: (row["reward"] is None, -(row["reward"] or 0), row["place"]))
    return {
        "candidates": [row | {"rank": number} for number, row in enumerate(rows, start=1)],
        "near_duplicates": dropped,
        "missing": "" if writer.state == TurnState.OK else writer.reason,
        "prompt_digest": writer.prompt_digest,
    }


def _settings(options: CounterOptions) -> dict[str, Any]:
    named = ("tone", "length", "language", "explanations", "shots", "temperature", "terms")
    return {name: value for name, value in options.model_dump(mode="json").items() if name in named}
