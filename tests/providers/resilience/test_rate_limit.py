import threading
import time

import pytest

from providers.messages import Message, ProviderBusy, Request
from providers.resilience.rate_limit import ProviderRateLimit, RateLimitedModel
from providers.vendors.scripted import ScriptedModel

ASKED = Request("prior_text", (Message.of("user", "hello"),))


def test_no_more_calls_than_places_are_under_way():
    lock, at_once, most = threading.Lock(), 0, 0

    def answer(request: Request) -> str:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.02)
        with lock:
            at_once -= 1
        return "yes"

    model = RateLimitedModel(ScriptedModel(*[answer] * 20), ProviderRateLimit(4))
    threads = [threading.Thread(target=model.reply, args=(ASKED,)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == 4


def test_a_place_is_given_back_after_a_fault():
    model = RateLimitedModel(ScriptedModel(ProviderBusy("503"), "yes"), ProviderRateLimit(1))
    with pytest.raises(ProviderBusy):
        model.reply(ASKED)
    assert model.reply(ASKED).text == "yes"


def test_calls_begin_no_more_often_than_the_rate_allows():
    now, slept = [100.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    gate = ProviderRateLimit(4, per_minute=30, sleep=sleep, clock=lambda: now[0])
    model = RateLimitedModel(ScriptedModel("a", "b", "c", "d"), gate)
    model.reply(ASKED)
    model.reply(ASKED)
    now[0] += 1.5
    model.reply(ASKED)
    now[0] += 10
    model.reply(ASKED)
    assert slept == [2.0, 0.5]
