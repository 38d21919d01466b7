"""A key appears nowhere but in its own header (threats T20)."""

import logging
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from providers import wiring
from providers.messages import Model, ProviderError, Refused, Request
from providers.vendors import dashscope, openai
from wire.server import WireServer, status

KEY = "sk-CANARY-1"
Connect = Callable[..., Model]


@pytest.mark.parametrize(
    "behaviour",
    ["401", "403", "quota", "404", "429", "500", "html", "empty", "garbage", "cut", "hang-up", "redirect", "blocked"],
)
def test_no_fault_repeats_the_key(
    connect: Connect, question: Request, behaviour: str, caplog: pytest.LogCaptureFixture
):
    with caplog.at_level(logging.DEBUG), pytest.raises((ProviderError, Refused)) as fault:
        connect(f"wire-{behaviour}", key=KEY).reply(question)
    said = "".join(traceback.format_exception(fault.value))
    assert KEY not in said
    assert KEY not in caplog.text


def test_a_provider_that_repeats_the_key_is_not_quoted(connect: Connect, question: Request, wire: WireServer):
    wire.queue(status(401, "invalid_api_key", f"Incorrect API key provided: {KEY}."))
    with pytest.raises(ProviderError, match=r"\[key\]"):
        connect(key=KEY).reply(question)


def test_no_log_line_holds_what_was_asked(connect: Connect, question: Request, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.DEBUG):
        connect().reply(question)
    assert "white roses" not in caplog.text


def test_settings_of_a_provider_print_without_the_key(settings: Any):
    assert KEY not in repr(openai.Endpoint(KEY))
    assert KEY not in repr(dashscope.Endpoint(KEY))
    settings.OPENAI_API_KEY = KEY
    assert KEY not in repr(wiring._vendor("openai"))
