"""A counterspeech desk's models behind the wire server: writers and critics that answer from tables a test fills."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from providers import wiring
from wire.server import Exchange as WireExchange
from wire.server import Heard, WireServer

POST = "The new weeds are choking the white roses on our street."
_ARGUMENT = re.compile(r"\[argument [0-9a-f]+\]\n(.*?)\n\[/argument", re.DOTALL)
_SIDE = re.compile(r"your side alone is: (.+?)\.")
_INTENT = re.compile(r"The replies you write are (\w+):")


@dataclass
class Desk:
    """What is answered: `replies` by intent, `scores` by the text of a reply as (PC, AQ, T, intent)."""

    replies: dict[str, list[str]] = field(default_factory=dict)
    scores: dict[str, tuple[float, float, float, str]] = field(default_factory=dict)
    insults: list[str] = field(default_factory=lambda: ["weeds"])
    broken: set[str] = field(default_factory=set)
    """Critics that answer nonsense, and sides of the post that a writer will not explain."""

    def __call__(self, exchange: WireExchange) -> None:
        exchange.send(200, exchange.reply(self.answer(exchange.heard)))

    def answer(self, heard: Heard) -> str:
        told, asked = heard.said("system"), heard.said("user")
        if "You describe pictures" in told:
            return json.dumps({"description": "A garden with roses."})
        if side := _SIDE.search(told):
            return self._explanation(side[1])
        if intent := _INTENT.search(told):
            return json.dumps({"replies": self.replies.get(intent[1], [f"A reply that is {intent[1]}."])})
        return self._verdict(told, asked)

    def _explanation(self, side: str) -> str:
        if side in self.broken:
            return "I'm sorry, but I can't help with that."
        insults = {"insults": self.insults} if side == "why the post offends" else {}
        return json.dumps({"explanation": f"About {side}: “weeds” are people.", **insults})

    def _verdict(self, told: str, asked: str) -> str:
        reply = _ARGUMENT.findall(asked)[-1]
        pc, aq, t, intent = self.scores.get(reply, (0.0, 0.5, 0.0, "none"))
        for words, name, value in (
            ("measure the stance", "stance", pc),
            ("how good an argument", "quality", aq),
            ("how toxic", "toxicity", t),
            ("sort replies", "intent", intent),
        ):
            if words in told:
                return (
                    "Hard to say." if name in self.broken else json.dumps({"reason": f"by table: {name}", name: value})
                )
        raise AssertionError(told[:200])


def kind_of(heard: Heard) -> str:
    """What was asked: a side of the post, an intent to write, or a critic's number."""
    told = heard.said("system")
    for pattern in (_SIDE, _INTENT):
        if found := pattern.search(told):
            return found[1]
    named = {"measure the stance": "pc", "how good an argument": "aq", "how toxic": "t", "sort replies": "intent"}
    return next((name for words, name in named.items() if words in told), "describe")


@contextmanager
def desk_on_the_wire(settings: Any, **options: Any) -> Iterator[tuple[WireServer, Desk]]:
    """A server whose models are a desk's, and the site's settings turned towards it."""
    desk = Desk()
    with WireServer(otherwise=desk, **options) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-test"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 2, 0
        settings.MODEL_BINDINGS = {
            "MODEL_COUNTERSPEAKER": "openai:writer",
            "MODEL_CRITIC": "openai:critic",
            "MODEL_DESCRIBER": "openai:seer",
        }
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server, desk
