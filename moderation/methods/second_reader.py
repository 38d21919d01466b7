"""The step in which a model reads an explanation or a reason that the rules do not read for sure (role `reader`)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.hatexscore.htc import verdict
from moderation.domain.hatexscore.second_reading import ReaderAnswer, SecondReading, read_by
from moderation.domain.verdicts import REASON_DISAGREES
from moderation.methods.post_case import Post
from providers.prompt_fencing import fence
from providers.roles import ModelRole
from providers.structured_output import ReadAnswer, is_refusal, read_answer
from runs.domain.states import Flag, Reason, TurnState
from runs.methods.method import LIMIT_KEY, Finish, GiveUp, SavedTurn, Step
from runs.methods.prompts import load_prompt

KEY = "second_reading"
TOKENS = 400
REASKS = 1


def is_unsure(explanation: str) -> bool:
    """Return whether the rules read no conclusion in the explanation, or take it for a refusal."""
    return is_refusal(explanation) or verdict(explanation) is None


def second_reading_step(explanation: str, nonce: str) -> Step:
    """Return the question. The run goes on without a usable answer: what the rules read then stays."""
    words = load_prompt("moderation", SCORING, KEY)
    fenced = fence(explanation, nonce, name="explanation")
    return Step(
        key=KEY,
        role=ModelRole.READER,
        messages=words.messages({"explanation": fenced.text}, nonce=nonce),
        shape=ReaderAnswer,
        max_tokens=TOKENS,
        prompt_digest=words.digest,
        optional=True,
        canary=nonce,
        suspect=bool(fenced.suspicions),
        reasks=REASKS,
    )


def second_reading(turn: SavedTurn | None, model: str) -> SecondReading | None:
    """Return what this model read. Returns None if it was not asked, brought no usable answer or was led astray."""
    if turn is None or turn.state != TurnState.OK or Flag.LED_ASTRAY in turn.flags:
        return None
    return SecondReading.of(model, turn.value)


Turns = Mapping[str, SavedTurn]


def verdict_in(turn: SavedTurn, shape: type[BaseModel]) -> dict[str, Any] | None:
    """Return the verdict in a turn, also one whose own reason the rules take for a refusal. None if it holds none."""
    if turn.state == TurnState.OK:
        return dict(turn.value)
    read = read_answer(turn.reply, shape) if turn.reason == Reason.REFUSED else None
    return read.value.model_dump(mode="json") if isinstance(read, ReadAnswer) else None


def after_verdict(
    post: Post, turns: Turns, key: str, role: str, reason: str, outcome: Callable[[], dict[str, Any]]
) -> Sequence[Step] | Finish | GiveUp:
    """Return what follows a verdict beside its reason: the second reading of the reason, or the end.

    The verdict stands, but a reason in which the reader reads the opposite warns of it, and a refusal is none.
    """

    def warned(second: SecondReading | None) -> dict[str, Any]:
        stated = outcome()
        said = second.conclusion if second and verdict(reason) is None else None
        is_opposite = said is not None and said is not stated["hateful"]
        return stated | ({"warnings": [*stated.get("warnings", ()), REASON_DISAGREES]} if is_opposite else {})

    return after_words(post, turns, key, role, reason, warned)


def after_words(
    post: Post, turns: Turns, key: str, role: str, words: str, outcome: Callable[[SecondReading | None], dict[str, Any]]
) -> Sequence[Step] | Finish | GiveUp:
    """Return what follows the last answer: the second reading of its words, or the end of the run.

    `words` are what the model wrote for people, also where the rules take it for a refusal; empty: it is of no use.
    """
    turn = turns[key]
    if words and post.reader and turns.keys().isdisjoint({KEY, LIMIT_KEY}) and is_unsure(words):
        return [second_reading_step(words, post.nonce)]
    second = second_reading(turns.get(KEY), post.reader)
    if second is not None and second.refusal:
        return GiveUp(Reason.REFUSED, f"{ModelRole.READER}: {post.reader} reads a refusal.", key)
    if not words or (turn.state != TurnState.OK and second is None):
        return GiveUp(Reason(turn.reason), f"{role}: {turn.detail}", key)
    return Finish(outcome(second) | _reading(post, words, second) | _limit(turns.get(LIMIT_KEY)))


def _limit(turn: SavedTurn | None) -> dict[str, Any]:
    """Return the limit that left no room for the second reading; nothing if none did."""
    return {"limit": {"name": str(turn.value["limit"]), "detail": str(turn.value["detail"])}} if turn else {}


def _reading(post: Post, words: str, second: SecondReading | None) -> dict[str, Any]:
    """Return who read the words, and what the reader read; nothing where nobody reads a second time."""
    if not post.reader:
        return {}
    by: dict[str, Any] = {"by": read_by(verdict(words) is not None, False, second)}
    return {"read_by": by | (second.as_json() if second else {})}
