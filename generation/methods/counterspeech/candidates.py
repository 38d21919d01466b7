"""Write candidates for each intent, let critics score them, and rank them.

CoARL with instructions and best of N in place of phases 2 and 3; or, in mode `plain`, with a model that was trained in
them. How the writer is asked (`writer.py`) and with which approved replies is fixed when the run is queued, so a
resumed run asks the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from generation.domain.counterspeech.claims import claims
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterOptions
from generation.domain.counterspeech.safety_flags import Flag, flags, insults_of
from generation.domain.counterspeech.writers import WriterMode
from generation.methods.counterspeech import critics, writer
from generation.methods.counterspeech.explain import keep_description
from generation.methods.counterspeech.hate_case import (
    described,
    exchange_of,
    give_up,
    hate_of,
    still_there,
)
from generation.methods.counterspeech.weighed_marks import by_weight
from generation.methods.counterspeech.writer import PostToAnswer, Written
from generation.models import Candidate, CounterRules, Exchange, Exemplar, Explanations
from providers.roles import ModelRole
from runs.domain.states import Reason, RunState, reason_of
from runs.methods.method import Finish, GiveUp, Limits, Outcome, SavedTurn, Step
from runs.models import Run

NAME = writer.NAME
ROLES = (ModelRole.COUNTERSPEAKER, *critics.ROLES, ModelRole.DESCRIBER)


class Counterspeech:
    """The method that writes candidates: a call for each intent or each candidate, then four for each candidate.

    Where the project names a reader, a fifth asks it about a candidate that nothing else marks.
    """

    name = NAME
    limits = Limits(calls=400, tokens=2_000_000, seconds=3600)

    def case(self, run: Run) -> PostToAnswer | None:
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
        return PostToAnswer(
            hate_of(exchange, run),
            options,
            version.by_name() if version and options.explanations else {},
            forbidden(exchange, version),
            {
                intent: [(rows[key].hate, rows[key].text) for key in keys_of_intent if key in rows]
                for intent, keys_of_intent in options.exemplars.items()
            },
            critics.judged_by_writer(run.model_plan),
            run.model_plan.get(ModelRole.READER, ""),
        )

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post is still to be answered."""
        return still_there(run)

    def next_steps(self, case: PostToAnswer, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish | GiveUp:
        """Ask for the picture's description, then for the replies, then for the critics' scores.

        The outcome names every intent and every critic that gave no answer, and what the writing model judged itself.
        """
        if case.hate.picture is not None and "describe" not in turns:
            return [case.hate.describe()]
        description = described(case.hate, turns.get("describe"))
        if case.options.mode is WriterMode.PLAIN and not case.statement(description):
            return GiveUp(Reason.BAD_REQUEST, "The post has no text, and nobody has described its picture.")
        intents = case.options.intents
        if unwritten := [step for intent in intents for step in writer.questions(case, intent, description, turns)]:
            return unwritten
        written = {intent: writer.written(case, intent, turns) for intent in intents}
        if not any(replies_of_intent.replies for replies_of_intent in written.values()):
            return _nothing_written(case, written, turns)
        questions = [
            question
            for intent, replies_of_intent in written.items()
            for place, text in enumerate(replies_of_intent.replies)
            for question in critics.questions(case.hate, text, f"{intent}.{place}", description, case.reader)
        ]
        if unread := [question for question in questions if question.key not in turns]:
            return unread
        ranked = {
            intent.value: _ranked(case, intent, replies_of_intent, turns)
            for intent, replies_of_intent in written.items()
        }
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


def _nothing_written(case: PostToAnswer, written: Mapping[Intent, Written], turns: Mapping[str, SavedTurn]) -> GiveUp:
    """Return the end of a run without any reply: the reason of the first answer that failed, or held no reply."""
    missing = next((outcome.missing for outcome in written.values() if outcome.missing), "")
    answers = [turn for intent in written for turn in writer.answers(case, intent, turns)]
    return give_up(answers, "No reply was written.", reason_of(missing) if missing else Reason.EMPTY_OUTPUT)


def _ranked(case: PostToAnswer, intent: Intent, written: Written, turns: Mapping[str, SavedTurn]) -> dict[str, Any]:
    rows = []
    for place, text in enumerate(written.replies):
        scored = critics.scores(turns, f"{intent}.{place}", case.options.terms.weights())
        by_rules = flags(text, case.insults, post=case.hate.text, pc=scored["pc"], t=scored["t"])
        beside = [asdict(finding) for finding in by_weight(text, by_rules)]
        beside += critics.read_marks(turns, text, f"{intent}.{place}", case.reader)
        raised = [flag for flag in Flag if flag in {*by_rules, *(mark["flag"] for mark in beside)}]
        row = {"place": place, "text": text, **scored, "flags": raised, "read_marks": beside, "claims": claims(text)}
        rows.append(row)
    rows.sort(key=lambda row: (row["reward"] is None, -(row["reward"] or 0), row["place"]))
    return {
        "candidates": [row | {"rank": number} for number, row in enumerate(rows, start=1)],
        "near_duplicates": written.near_duplicates,
        "unusable": written.unusable,
        "missing": written.missing,
        "prompt_digest": written.prompt_digest,
    }


_ALWAYS = ("mode", "candidates", "trained", "explanations", "shots", "temperature", "terms", "platform")
_LISTED = ("tone", "length", "language", "registers")
"""Settings that only a writer in mode `list` is told."""


def _settings(options: CounterOptions) -> dict[str, Any]:
    named = _ALWAYS if options.mode is WriterMode.PLAIN else (*_ALWAYS, *_LISTED)
    return {name: value for name, value in options.model_dump(mode="json").items() if name in named}
