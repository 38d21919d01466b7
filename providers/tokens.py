"""Estimates of the tokens of a call: for budgets before it, and for providers that do not report usage."""

import re
from collections.abc import Mapping
from typing import Any

from providers.messages import Picture, Request, Text, Usage

# Coarse on purpose and rather too many: about four Latin characters, or one CJK character, a token.
_LATIN = 4
_PICTURE = 1000
_WIDE = re.compile("[\u2e80-\U0010ffff]+")


def estimate_tokens(text: str) -> int:
    """Return a token estimate of one text."""
    wide = 0 if text.isascii() else sum(map(len, _WIDE.findall(text)))
    return wide + -(-(len(text) - wide) // _LATIN)


def prompt_tokens(request: Request) -> int:
    """Return a token estimate of everything that is sent."""
    parts = [part for message in request.messages for part in message.parts]
    words = sum(estimate_tokens(part.text) for part in parts if isinstance(part, Text))
    return words + _PICTURE * sum(isinstance(part, Picture) for part in parts)


def most_usage(request: Request) -> Usage:
    """Return the most that one call of this request may use: what a budget reserves before it."""
    return Usage(prompt_tokens(request), request.samples * request.max_tokens, estimated=True)


def estimated_usage(request: Request, answer: str) -> Usage:
    """Return the estimated usage of a finished call whose provider did not report it (threats L19)."""
    return Usage(prompt_tokens(request), estimate_tokens(answer), estimated=True)


_BELIEVED = 10_000_000


def stated_usage(prompt: object, answered: object, thought: object = 0, cached: object = 0) -> Usage | None:
    """Return the usage that a provider reports.

    `thought` are the tokens of thinking. Some servers count them among those of the answer, others beside them: more
    than the answer has cannot be among them. `cached` are the tokens of the prompt that had been read before.

    Returns None if it is impossible: no number, an empty prompt, or more than any model takes.
    """
    if not isinstance(prompt, int) or not isinstance(answered, int):
        return None
    thinking = thought if isinstance(thought, int) and 0 < thought <= _BELIEVED else 0
    given = answered + thinking if thinking > answered else answered
    if not (0 < prompt <= _BELIEVED and answered >= 0 and given <= _BELIEVED):
        return None
    read_before = min(cached, prompt) if isinstance(cached, int) and cached > 0 else 0
    return Usage(prompt, given, thinking_tokens=thinking, cached_tokens=read_before)


def stated_cached(usage: Mapping[str, Any]) -> object:
    """Return what a provider's usage says of the prompt's tokens that had been read before.

    OpenAI and DashScope have it in the details of the prompt's tokens, DeepSeek, Moonshot and Anthropic in a field of
    their own.

    Returns None if it says nothing.
    """
    for details in ("prompt_tokens_details", "input_tokens_details"):
        part = usage.get(details)
        if isinstance(part, Mapping) and part.get("cached_tokens") is not None:
            return part["cached_tokens"]
    return next((usage[name] for name in _CACHED_FIELDS if usage.get(name) is not None), None)


_CACHED_FIELDS = ("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
