"""What the keyword baseline searches for when it stands in for an investigator."""

from typing import Any

from providers.keyword.antihateagent import investigate
from providers.keyword.model import own_cues
from providers.messages import Request


def queries(text: str, asked: int = 0) -> list[str]:
    context: dict[str, Any] = {"ask": "queries", "text": text, "queries": ["x"] * asked}
    return list(investigate(Request("investigator", (), context=context), own_cues())["action_input"]["queries"])


def test_it_searches_for_the_words_that_tell_something():
    found = queries("Weeds in the white roses again. Somebody should really do something about them.")
    assert sorted(found) == ['"roses" meaning', '"weeds" meaning', '"white" meaning']


def test_it_asks_something_else_each_time():
    text = "Weeds in the white roses"
    rounds = [tuple(queries(text, 3 * number)) for number in range(6)]
    assert len(set(rounds)) == 6
    assert rounds[1] == ('"weeds" slang', '"white" slang', '"roses" slang')


def test_a_post_without_such_words_has_three_queries_all_the_same():
    assert queries("우리") == ['"post 1" meaning', '"post 2" meaning', '"post 3" meaning']
