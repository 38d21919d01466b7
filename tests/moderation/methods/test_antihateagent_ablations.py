"""The arms of the ablations (paper, Table 4 and Figure 3) differ in one thing each: seen in the requests they make."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site

from annotation.models import Item
from antihateagent_web import TELLING, Investigator, act, article, perform, results, starting_aside
from moderation.domain.antihateagent.actions import InvestigationOptions
from providers.messages import Request

pytestmark = pytest.mark.django_db(transaction=True)

PROMPTS = Path(site.BASE_DIR) / "moderation" / "prompts"
ADDRESS = "http://a.example/weeds"
SETS = ("careful", "paper")
_NONCE = re.compile(r"(?<=[ /])[0-9a-f]{12}\b|[0-9a-f]{12}(?=\])")
_PARTS = ("kind", "system", "user", "temperature", "rest")
TEMPERATURES = (0.0, 0.5, 1.0, 1.5, 2.0)
CORE = ("queries", "select", "read", "weigh", "verdict")


@dataclass(frozen=True)
class Asked:
    """A request without the word that fences texts, which is another one in every run."""

    kind: str
    system: str
    user: str
    temperature: float | None
    rest: tuple[Any, ...]

    @classmethod
    def of(cls, request: Request) -> "Asked":
        system, user = (
            re.sub(r"(?<=[ /])[0-9a-f]{12}\b|[0-9a-f]{12}(?=\])", "·", each.text) for each in request.messages
        )
        rest = (request.role, request.max_tokens, repr(request.schema), len(request.messages))
        return cls(request.context["ask"], system, user, request.temperature, rest)


@pytest.fixture(autouse=True)
def pages(net: Any) -> Iterator[None]:
    net.engine.pages["/search"] = results(ADDRESS)
    net.outer.pages["/weeds"] = article(TELLING)
    yield


def arm(item: Item, **options: Any) -> list[Asked]:
    """Return what the arm asks, in order."""
    agent = Investigator(urls=lambda request: act("VisitPages", urls=[ADDRESS]))
    assert perform(starting_aside(item, **options), agent).state == "succeeded"
    return [Asked.of(request) for request in agent.asked]


def differing(first: Asked, second: Asked) -> set[str]:
    return {
        name for name in ("kind", "system", "user", "temperature", "rest") if vars(first)[name] != vars(second)[name]
    }


def asked_for(kind: str, asked: list[Asked]) -> Asked:
    (only,) = [each for each in asked if each.kind == kind]
    return only


def without(user: str, *headings: str) -> str:
    """Return the user's part without what stands under these headings."""
    parts = re.split(r"(?m)^(?=[A-Z][^\n]*:$)", user)
    return "".join(part for part in parts if not part.startswith(headings))


@pytest.mark.parametrize("name", SETS)
def test_full_and_short_instructions_differ_in_the_details_alone(item: Item, name: str) -> None:
    full, short = (arm(item, prompts=name, instructions=form) for form in ("full", "short"))
    assert [each.kind for each in full] == [each.kind for each in short] == list(CORE)
    for one, other in zip(full, short, strict=True):
        assert differing(one, other) == {"system"}, one.kind
        assert set(other.system.splitlines()) < set(one.system.splitlines())
        assert len(one.system) - len(other.system) > 200


@pytest.mark.parametrize("name", SETS)
def test_short_files_are_the_full_ones_without_the_details(name: str) -> None:
    """The details stand between the first paragraph and the rule about fenced text."""
    folder = PROMPTS / name / "antihateagent"
    shorts = sorted(folder.glob("*_short.md"))
    assert len(shorts) == (6 if name == "careful" else 4)
    for path in shorts:
        full = (folder / path.name.replace("_short", "")).read_text("utf-8")
        first, rule = full.partition("\n\n")[0], full.index("$rule")
        assert path.read_text("utf-8") == f"{first}\n\n{full[rule:]}", path.name


@pytest.mark.parametrize("name", SETS)
def test_temperatures_differ_in_the_temperature_of_each_request_alone(item: Item, name: str) -> None:
    own = arm(item, prompts=name)
    assert {each.temperature for each in own} == {None}  # the provider's
    for temperature in TEMPERATURES:
        other = arm(item, prompts=name, temperature=temperature)
        assert [differing(*pair) for pair in zip(own, other, strict=True)] == [{"temperature"}] * len(CORE)
        assert {each.temperature for each in other} == {temperature}


@pytest.mark.parametrize("name", SETS)
def test_without_knowledge_the_verdict_differs_in_log_and_evidence_alone(item: Item, name: str) -> None:
    whole, bare = arm(item, prompts=name), arm(item, prompts=name, retrieval="none")
    (judged,) = bare
    verdict = asked_for("verdict", whole)
    assert differing(verdict, judged) == {"user"}
    assert "call newcomers weeds" in verdict.user and "call newcomers weeds" not in judged.user
    assert without(verdict.user, "What was done", "The evidence") == without(
        judged.user, "What was done", "The evidence"
    )


@pytest.mark.parametrize("name", SETS)
def test_pages_from_memory_replace_queries_and_choice_and_nothing_else(item: Item, name: str) -> None:
    whole, memory = arm(item, prompts=name), arm(item, prompts=name, retrieval="model_urls")
    assert [each.kind for each in memory] == ["urls", "read", "weigh", "verdict"]
    assert differing(asked_for("read", whole), asked_for("read", memory)) == set()
    for kind in ("weigh", "verdict"):
        one, other = asked_for(kind, whole), asked_for(kind, memory)
        assert differing(one, other) == {"user"}  # the log says how the page came
        assert without(one.user, "What was done") == without(other.user, "What was done")
    first = asked_for("urls", memory)
    assert (first.temperature, first.rest[0], first.rest[1]) == (None, *asked_for("queries", whole).rest[:2])


def test_the_language_of_the_rationale_is_one_word_of_the_instructions(item: Item) -> None:
    english, korean = arm(item), arm(item, language="ko")
    for one, other in zip(english, korean, strict=True):
        assert one.user == other.user and one.system == other.system.replace("Korean", "English")
    assert "Write the rationale in Korean" in korean[-1].system
    assert all(differing(*pair) == set() for pair in zip(english, arm(item, language="post"), strict=True))
    Item.objects.filter(pk=item.pk).update(text="흰 장미밭에 또 잡초가 자란다.")
    assert "Write the rationale in Korean" in arm(item, language="post")[-1].system


def test_every_option_that_is_no_arm_is_the_same_in_all_arms() -> None:
    """The arms name one option each; what they do not name has one default."""
    arms: list[dict[str, Any]] = [
        *({}, {"retrieval": "none"}, {"retrieval": "model_urls"}, {"instructions": "short"}),
        *({"temperature": temperature} for temperature in TEMPERATURES),
    ]
    whole = InvestigationOptions().model_dump()
    for options in arms:
        other = InvestigationOptions(**options).model_dump()
        assert {name for name in whole if whole[name] != other[name]} == set(options)
