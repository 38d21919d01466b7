"""One question about a post to the role `reader`: does it try to steer a program that reads it?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moderation.domain.order_reading import OrderAnswer
from moderation.methods.post_case import post_exists, post_of
from providers.prompt_fencing import fence
from providers.roles import ModelRole
from runs.domain.states import Flag
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.methods.prompts import load_prompt
from runs.models import Run

NAME = "order_reading"
KEY = "order"
TOKENS = 300


@dataclass(frozen=True)
class ReadText:
    """The words of a post, and the code that fences them."""

    text: str
    nonce: str


class OrderReader:
    """The method: one call a post. An answer that was led astray is read as an order."""

    name = NAME
    limits = Limits(calls=4, tokens=60_000, seconds=900)

    def case(self, run: Run) -> ReadText | None:
        """Return the words of the post. Returns None if it is gone."""
        post = post_of(run)
        return ReadText(f"{post.text}\n{post.picture_text}".strip(), post.nonce) if post else None

    def still_wanted(self, run: Run) -> bool:
        """Return whether the post still exists."""
        return post_exists(run)

    def next_steps(self, case: ReadText, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Return the question, or what was read."""
        if (turn := turns.get(KEY)) is None:
            return [_question(case)]
        astray = Flag.LED_ASTRAY in turn.flags
        read: Mapping[str, Any] = turn.value if isinstance(turn.value, Mapping) else {}
        return Finish({"order": astray or bool(read.get("order")), "addressed": read.get("addressed")})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store nothing beside the outcome."""
        return True


def _question(case: ReadText) -> Step:
    words = load_prompt("moderation", NAME, KEY)
    fenced = fence(case.text, case.nonce, name="post")
    return Step(
        key=KEY,
        role=ModelRole.READER,
        messages=words.messages({"text": fenced.text}, nonce=case.nonce),
        shape=OrderAnswer,
        max_tokens=TOKENS,
        prompt_digest=words.digest,
        canary=case.nonce,
        suspect=bool(fenced.suspicions),
        reasks=1,
    )
