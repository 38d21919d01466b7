"""The step in which a model reads an explanation that the rules do not read for sure (role `reader`)."""

from moderation.domain.hatexscore.estimators import SCORING
from moderation.domain.hatexscore.htc import verdict
from moderation.domain.hatexscore.second_reading import ReaderAnswer, SecondReading
from providers.prompt_fencing import fence
from providers.roles import ModelRole
from providers.structured_output import is_refusal
from runs.domain.states import Flag, TurnState
from runs.methods.method import SavedTurn, Step
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
