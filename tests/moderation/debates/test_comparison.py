"""Two runs side by side: what each line says, and where the two differ."""

from types import SimpleNamespace
from typing import Any

from moderation.debates.comparison import compared_lines
from moderation.methods.registry import METHODS


def shown(method: str = "arcade", **given: Any) -> Any:
    """A run that ended with a verdict; only what the lines read."""
    plan = given.pop("plan", {"judge": "openai:one"})
    options = given.pop("options", {"rounds": 2, "track": "auto", "language": "post"})
    run = SimpleNamespace(state="succeeded", model_plan=plan, options=options)
    outcome = {"hateful": given.pop("hateful", True)}
    values = {"category": None, "led_astray": False, "prompts": "Careful, version 1"} | given
    return SimpleNamespace(run=run, method=METHODS[method], outcome=outcome, **values)


def differing(*both: Any) -> dict[str, list[str]]:
    return {line.name: list(line.values) for line in compared_lines(both) if line.differs}


def test_equal_runs_differ_nowhere() -> None:
    assert differing(shown(), shown()) == {}


def test_models_verdicts_and_options_that_differ_are_marked_in_the_words_of_the_form() -> None:
    other = shown(hateful=False, plan={"judge": "openai:two"}, options={"rounds": 3, "track": "deep"})
    assert differing(shown(), other) == {
        "Verdict": ["hateful", "not hateful"],
        "Judge": ["openai:one", "openai:two"],
        "Rounds": ["2", "3"],
        "Fast or deep": ["the gatekeeper chooses", "deep dive, no gatekeeper"],
        "Language of the arguments": ["the post's, if it is Korean or Chinese", ""],
    }


def test_options_of_different_methods_are_not_compared() -> None:
    assert set(differing(shown(), shown("explain", plan={"speaker": "openai:one"}))) == {"Method", "Judge", "Speaker"}


def test_a_verdict_that_the_post_steered_is_not_shown() -> None:
    assert differing(shown(), shown(led_astray=True)) == {"Verdict": ["hateful", "steered"]}
