"""Fake models of counterspeech behind the wire server; a test fills their tables of answers."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from providers import wiring
from wire.server import Exchange as WireExchange
from wire.server import Heard, WireServer

POST = "The new weeds are choking the white roses on our street."
_ARGUMENT = re.compile(r"\[argument [0-9a-f]+\]\n(.*?)\n\[/argument", re.DOTALL)
_SIDE = re.compile(r"your side alone is: (.+?)\.")
_INTENT = re.compile(r"The replies you write are (\w+):")
_PLAIN = re.compile(r"Then write an? (\w+) counterspeech to this offensive statement: (.*)", re.DOTALL)


@dataclass
class Desk:
    """The answers: `replies` by intent, `scores` by the text of a reply as (PC, AQ, T, intent)."""

    replies: dict[str, list[str]] = field(default_factory=dict)
    scores: dict[str, tuple[float, float, float, str]] = field(default_factory=dict)
    insults: list[str] = field(default_factory=lambda: ["weeds"])
    broken: set[str] = field(default_factory=set)
    """Critics that give an unreadable answer, and sides of the post that the writer refuses to explain."""
    marks: dict[str, dict[str, str]] = field(default_factory=dict)
    """What the reader reads in a reply, by its text: the words of each mark."""
    plain: dict[str, list[str]] = field(default_factory=dict)
    """The answers to a plain instruction by intent, one after the other; then numbered ones."""
    lock: Lock = field(default_factory=Lock)

    def __call__(self, exchange: WireExchange) -> None:
        exchange.send(200, exchange.reply(self.answer(exchange.heard)))

    def answer(self, heard: Heard) -> str:
        instructions, question = heard.said("system"), heard.said("user")
        if plain := _PLAIN.search(question):
            return self.next_plain(plain[1])
        if "You describe pictures" in instructions:
            return json.dumps({"description": "A garden with roses."})
        if side := _SIDE.search(instructions):
            return self._explanation(side[1])
        if intent := _INTENT.search(instructions):
            return json.dumps({"replies": self.replies.get(intent[1], [f"A reply that is {intent[1]}."])})
        return self._verdict(instructions, question)

    def next_plain(self, intent: str) -> str:
        """Return the next answer to a plain instruction for this intent."""
        with self.lock:
            answers = self.plain.setdefault(intent, [])
            return answers.pop(0) if answers else f"Here the {intent} argument is quite another one: {random.random()}."

    def _explanation(self, side: str) -> str:
        if side in self.broken:
            return "I'm sorry, but I can't help with that."
        insults = {"insults": self.insults} if side == "why the post offends" else {}
        return json.dumps({"explanation": f"About {side}: “weeds” are people.", **insults})

    def _verdict(self, instructions: str, question: str) -> str:
        reply = _ARGUMENT.findall(question)[-1]
        if "draft of a reply" in instructions:
            kinds = ("hunts", "threatens", "calls_names", "points_at_a_person")
            if "reader" in self.broken:
                return "Hard to say."
            return json.dumps(dict.fromkeys(kinds) | self.marks.get(reply, {}))
        pc, aq, t, intent = self.scores.get(reply, (0.0, 0.5, 0.0, "none"))
        for words, name, value in (
            ("measure the stance", "stance", pc),
            ("how good an argument", "quality", aq),
            ("how toxic", "toxicity", t),
            ("sort replies", "intent", intent),
        ):
            if words in instructions:
                return (
                    "Hard to say." if name in self.broken else json.dumps({"reason": f"by table: {name}", name: value})
                )
        raise AssertionError(instructions[:200])


def kind_of(heard: Heard) -> str:
    """Return what a request asks for: a side of the post, an intent to write, or a critic's number."""
    instructions = heard.said("system")
    if plain := _PLAIN.search(heard.said("user")):
        return f"plain {plain[1]}"
    for pattern in (_SIDE, _INTENT):
        if match := pattern.search(instructions):
            return match[1]
    named = {"measure the stance": "pc", "how good an argument": "aq", "how toxic": "t", "sort replies": "intent"}
    named["draft of a reply"] = "marks"
    return next((name for words, name in named.items() if words in instructions), "describe")


@contextmanager
def desk_on_the_wire(settings: Any, **options: Any) -> Iterator[tuple[WireServer, Desk]]:
    """Start a server with these models and point the site's settings at it."""
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
