"""Tokens as providers state them."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.messages import Model, Request, Usage
from providers.tokens import stated_cached, stated_usage
from wire.server import WireServer, cached, sensible


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 1024}}, 1024),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "cached_tokens": 9}, 0),
        ({"prompt_tokens_details": None, "input_tokens_details": {"cached_tokens": 7}}, 7),
        ({"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 10}, 64),
        ({"cached_tokens": 12}, 12),
        ({"cache_read_input_tokens": 300, "cache_creation_input_tokens": 5}, 300),
        ({"prompt_tokens": 100}, None),
    ],
)
def test_what_had_been_read_before_is_found_in_every_vendor_s_form(usage: dict[str, Any], tokens: int | None) -> None:
    assert stated_cached(usage) == tokens


@pytest.mark.parametrize(("stated", "counted"), [(80, 80), (500, 100), (-3, 0), (None, 0), ("80", 0), (True, 1)])
def test_no_more_is_cached_than_was_asked(stated: object, counted: int) -> None:
    assert stated_usage(100, 20, 0, stated) == Usage(100, 20, cached_tokens=counted)


def test_both_protocols_tell_what_had_been_read_before(
    connect: Callable[..., Model], wire: WireServer, question: Request
) -> None:
    wire.queue(cached(sensible, 100))
    model = connect()
    assert [model.reply(question).usage.cached_tokens for _ in range(2)] == [100, 0]
