"""The questions to the model that writes candidates, and what its answers hold.

In mode `list` it gives all candidates of an intent in one answer, as JSON, and is told all that is known about the
post. In mode `plain` it gets the instruction and the post alone, once for each candidate, and answers with one text.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.options import CounterOptions, Length, Replies, Tone
from generation.domain.counterspeech.platforms import LIMITS
from generation.domain.counterspeech.registers import Register
from generation.domain.counterspeech.writers import WriterMode
from generation.domain.near_duplicates import distinct
from generation.methods.counterspeech.hate_case import APP, POST_LANGUAGE, Hate
from generation.methods.counterspeech.plain_reply import read_plain_reply
from providers.refusals import declines_to_write
from providers.roles import ModelRole
from runs.domain.states import Reason, TurnState
from runs.methods.method import SavedTurn, Step
from runs.methods.prompts import load_prompt

NAME = "counterspeech"
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
_REGISTERS: Mapping[Register, str] = {
    Register.FACTS: "They rest on facts that readers can check.",
    Register.HYPOCRISY: "They show where the post contradicts itself or measures people by two standards.",
    Register.CONSEQUENCES: "They calmly say what such words can lead to for people, and never threaten.",
    Register.AFFILIATION: "They begin with what the author and the people meant have in common.",
    Register.EMPATHY: "They put into words how the people meant feel when they read this.",
    Register.HUMOR: "They have a light humour at which the people meant can laugh too, and mock nobody.",
    Register.POSITIVE: "They are friendly and say something good.",
    Register.QUESTION: "They ask a question back.",
    Register.DENOUNCING: "They say clearly that such words are not acceptable.",
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


_PLAIN_TOKENS = 512  # as many as the paper's model is trained on


@dataclass(frozen=True)
class PostToAnswer:
    """A post, what is known about it, and the options of the run."""

    hate: Hate
    options: CounterOptions
    explanations: Mapping[Explanation, str]
    insults: Sequence[str]
    exemplars: Mapping[Intent, Sequence[tuple[str, str]]]
    """Pairs of post and reply for each intent, nearest first."""
    judged_by_writer: Sequence[str] = ()
    """What the model judges that also writes (pc, aq, t, intent): it then judges itself."""
    reader: str = ""
    """The model that reads marks which nothing else finds; empty if there is none."""

    def statement(self, description: str) -> str:
        """Return the post as a plain instruction holds it: its text, or else what its picture shows or says.

        It is one line, as in training.
        """
        return " ".join((self.hate.text.strip() or description.strip() or self.hate.picture_text).split())


@dataclass(frozen=True)
class Written:
    """What the writer gave for one intent; `unusable` counts by reason the answers that hold no reply.

    `missing` is the reason why there is no reply at all, or empty.
    """

    replies: Sequence[str]
    near_duplicates: int
    prompt_digest: str
    missing: str = ""
    unusable: Mapping[str, int] = field(default_factory=dict)


def questions(case: PostToAnswer, intent: Intent, description: str, turns: Mapping[str, SavedTurn]) -> list[Step]:
    """Return the questions about this intent that the writer has not answered yet."""
    if case.options.mode is WriterMode.LIST:
        steps = [_list_question(case, intent, description)]
    else:
        steps = list(_plain_questions(case, intent, description, turns))
    return [step for step in steps if step.key not in turns]


def answers(case: PostToAnswer, intent: Intent, turns: Mapping[str, SavedTurn]) -> list[SavedTurn]:
    """Return the turns of the writer about this intent: the question for all at once first, then those for one."""
    keys = [_key(intent), *(_key(intent, place) for place in range(case.options.candidates))]
    return [turns[key] for key in keys if key in turns]


def written(case: PostToAnswer, intent: Intent, turns: Mapping[str, SavedTurn]) -> Written:
    """Return the replies of this intent, each once, and what became of the other answers."""
    intent_turns = answers(case, intent, turns)
    digest = intent_turns[0].prompt_digest
    if case.options.mode is WriterMode.LIST:
        (turn,) = intent_turns
        texts = turn.value["replies"] if turn.state == TurnState.OK else ()
        given = [text for text in texts if not declines_to_write(text)]
        replies, dropped = distinct(given)
        refused = {Reason.REFUSED.value: len(texts) - len(given)} if len(given) < len(texts) else {}
        missing = "" if turn.state == TurnState.OK else turn.reason
        return Written(replies[: case.options.candidates], dropped, digest, missing, refused)
    read: list[tuple[str, str]] = []
    for turn in intent_turns:
        if turn.key == _key(intent):
            read += _read_samples(turn, case.options.candidates)
        else:
            read.append(read_plain_reply(turn.value) if turn.state == TurnState.OK else ("", turn.reason))
    replies, dropped = distinct(text for text, reason in read if not reason)
    unusable = Counter(reason for _text, reason in read if reason)
    missing = "" if replies else next(iter(unusable), Reason.EMPTY_OUTPUT.value)
    return Written(replies[: case.options.candidates], dropped, digest, missing, dict(unusable))


# ── One reply an answer ───────────────────────────────────────────────────────


def _key(intent: Intent, place: int | None = None) -> str:
    return f"write.{intent}" if place is None else f"write.{intent}.{place}"


def _plain_questions(
    case: PostToAnswer, intent: Intent, description: str, turns: Mapping[str, SavedTurn]
) -> Iterator[Step]:
    """Yield the question for all candidates at once, or those for each by itself.

    What a server did not give at once, or gave cut or empty, is asked for by itself: some ignore that several answers
    were wanted.
    """
    number, first = case.options.candidates, 0
    if case.options.at_once and number > 1:
        together = turns.get(_key(intent))
        if together is None:
            yield _plain_question(case, intent, description, samples=number)
            return
        first = _settled(together, number)
    for place in range(first, number):
        yield _plain_question(case, intent, description, place)


def _settled(turn: SavedTurn, number: int) -> int:
    """Return how many of the candidates need not be asked for again: those given, and those declined."""
    if turn.state == TurnState.REFUSED:
        return number
    samples = turn.value if turn.state == TurnState.OK else ()
    return sum(sample["reason"] in ("", Reason.REFUSED) for sample in samples)


def _plain_question(
    case: PostToAnswer, intent: Intent, description: str, place: int | None = None, *, samples: int = 1
) -> Step:
    prompt = load_prompt(APP, NAME, "plain")
    fields = {
        "post": case.statement(description),
        "intent": intent.value,
        "an_intent": intent.with_article,
        "cs_type": intent.cs_type,
    }
    return Step(
        key=_key(intent, place),
        role=ModelRole.COUNTERSPEAKER,
        messages=prompt.bare_messages(fields),
        prompt_digest=prompt.digest,
        suspect=bool(case.hate.fenced.suspicions),
        optional=True,
        temperature=case.options.temperature,
        max_tokens=_PLAIN_TOKENS,
        context={"task": "write", "text": case.hate.text, "intent": intent.value, "place": place or 0},
        samples=samples,
        declines=declines_to_write,
    )


def _read_samples(turn: SavedTurn, number: int) -> Iterator[tuple[str, str]]:
    """Yield each answer of the question for all as its reply and the reason why it is of no use, one of them empty.

    What is asked for again is left out.
    """
    if turn.state == TurnState.REFUSED:
        yield from [("", turn.reason)] * number
    for sample in turn.value if turn.state == TurnState.OK else ():
        if sample["reason"] == Reason.REFUSED:
            yield "", sample["reason"]
        elif not sample["reason"]:
            yield read_plain_reply(sample["text"])


# ── All replies in one answer ─────────────────────────────────────────────────


def _list_question(case: PostToAnswer, intent: Intent, description: str) -> Step:
    options = case.options
    fields = {
        "number": str(options.candidates),
        "length": " ".join((_LENGTHS[options.length], *_limit(options))),
        "tone": " ".join((_TONES[options.tone], *(_REGISTERS[register] for register in options.registers))),
        "language": options.language or POST_LANGUAGE,
        "explanations": _explained(case),
        "exemplars": _examples(case, intent),
        "insults": case.hate.quoted(", ".join(case.insults), "note") if case.insults else "none beside slurs",
    }
    return case.hate.step(
        _key(intent),
        ModelRole.COUNTERSPEAKER,
        (NAME, f"write_{intent}"),
        fields,
        description,
        shape=Replies,
        temperature=options.temperature,
        max_tokens=200 + options.candidates * _TOKENS[options.length],
        context={"task": "write", "intent": intent.value, "candidates": options.candidates},
    )


def _limit(options: CounterOptions) -> Iterator[str]:
    """Yield the sentence about the limit of the platform that was chosen."""
    if options.platform is not None:
        limit = LIMITS[options.platform]
        yield f"Each has at most {limit.most} characters as {limit.name} counts ({limit.rule})."


def _explained(case: PostToAnswer) -> str:
    if not case.explanations:
        return "(Nobody has explained it.)"
    lines = [f"{_LABELS[name]}: {' '.join(text.split())}" for name, text in case.explanations.items()]
    return case.hate.quoted("\n".join(lines), "note")


def _examples(case: PostToAnswer, intent: Intent) -> str:
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
