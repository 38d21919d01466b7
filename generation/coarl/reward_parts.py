"""The parts of the reward (equation 3), each from its own source, and the reward of a reply."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from transformers import pipeline

from generation.coarl.critic_model import Critic, open_critic
from generation.coarl.critics_over_http import CriticsOverHttp
from generation.coarl.language_models import device
from generation.coarl.settings_file import PartSettings, RewardSettings
from generation.domain.counterspeech.reward import Weights, reward_or_none
from generation.domain.tokens import tokens

try:
    from detoxify import Detoxify
except ImportError:  # the extra `detoxify` is not installed: asking for it says so
    Detoxify = None

PARTS = ("pc", "aq", "t")
Values = Sequence[float | None]


class NoCritic(RuntimeError):
    """A source of the reward is not installed, or its weights are not on this machine."""


@dataclass(frozen=True)
class Source:
    """A source of one part: its name for reports, and what gives the part of each reply, in order, or None."""

    name: str
    ask: Callable[[Sequence[str], Sequence[str]], Values]


@dataclass(frozen=True)
class Judged:
    """The parts of a reply and its reward; None where a critic that counts gave no answer."""

    pc: float | None
    aq: float | None
    t: float | None
    reward: float | None


class Reward:
    """The reward of replies, by sources that name themselves."""

    def __init__(self, settings: RewardSettings) -> None:
        self.weights: Weights = settings.terms()
        self._noise = _Noise()
        self._sources = {part: _source(part, getattr(settings, part), self._noise) for part in PARTS}

    @property
    def names(self) -> Mapping[str, str]:
        """The source of each part, for reports."""
        return {part: source.name for part, source in self._sources.items()}

    def begin_step(self, step: int) -> None:
        """Fix the noise of the random source, so that a resumed step draws the same."""
        self._noise.begin(step)

    def __call__(self, posts: Sequence[str], replies: Sequence[str]) -> list[Judged]:
        """Judge each reply to its post."""
        off = {"pc": not self.weights.pc, "aq": not self.weights.aq, "t": not self.weights.t}
        values = {part: [None] * len(replies) if off[part] else source.ask(posts, replies)
                  for part, source in self._sources.items()}  # fmt: skip
        rows = zip(values["pc"], values["aq"], values["t"], strict=True)
        return [Judged(pc, aq, t, reward_or_none(pc, aq, t, self.weights)) for pc, aq, t in rows]


def _source(part: str, settings: PartSettings, noise: "_Noise") -> Source:
    match settings.source:
        case "http":
            return Source(f"http: {settings.model} at {settings.url}", _over_http(part, settings))
        case "regressor":
            assert settings.path is not None, "settings ask for it"
            critic = _critic(settings.path)
            return Source(f"regressor: {settings.path}", lambda posts, replies: critic.values(part, posts, replies))
        case "classifier":
            return Source(f"classifier: {settings.path}", _classifier(part, settings))
        case "detoxify":
            return Source("detoxify: unbiased", _detoxify(part))
        case "words":
            return Source("words: counts words, for tests alone", lambda _posts, replies: counted(part, replies))
        case "random":
            return Source("random: noise, the negative control", lambda _posts, replies: noise.values(part, replies))


def _over_http(part: str, settings: PartSettings) -> Callable[[Sequence[str], Sequence[str]], Values]:
    critics = CriticsOverHttp(part, settings.url, settings.model)

    def ask(posts: Sequence[str], replies: Sequence[str]) -> Values:
        return [value if isinstance(value, float) else None for value in critics.answers(posts, replies)]

    return ask


@cache
def _critic(folder: Path) -> Critic:
    return open_critic(folder)


def intents_by(settings: PartSettings) -> Callable[[Sequence[str], Sequence[str]], list[str | None]]:
    """Return what names the intent of replies: a trained critic, or the site's over HTTP. Raises NoCritic."""
    if settings.source == "regressor" and settings.path is not None:
        critic = _critic(settings.path)
        return lambda _posts, replies: list(critic.intents(replies))
    if settings.source == "http":
        critics = CriticsOverHttp("intent", settings.url, settings.model)
        return lambda posts, replies: [str(value) if value is not None else None
                                       for value in critics.answers(posts, replies)]  # fmt: skip
    raise NoCritic(f"The intent comes from a regressor or over http, not from {settings.source!r}.")


def _classifier(part: str, settings: PartSettings) -> Callable[[Sequence[str], Sequence[str]], Values]:
    """Return a source from a folder with any sequence classifier. T sees the reply alone, the others the post too."""
    try:
        model = pipeline("text-classification", model=str(settings.path), device=device(), top_k=None)
    except (OSError, ValueError) as fault:
        raise NoCritic(f"{settings.path} holds no classifier: {str(fault)[:160]}") from None
    one_output = model.model.config.num_labels == 1
    if not one_output and set(settings.labels) != set(model.model.config.id2label.values()):
        known = ", ".join(model.model.config.id2label.values())
        raise NoCritic(f"{settings.path}: `labels` says what each of {known} is worth.")

    def ask(posts: Sequence[str], replies: Sequence[str]) -> Values:
        texts = [reply if part == "t" else {"text": post, "text_pair": reply}
                 for post, reply in zip(posts, replies, strict=True)]  # fmt: skip
        function = "none" if one_output else "softmax"
        answers = [model(text, function_to_apply=function, truncation=True) for text in texts]
        shares = [answer[0] if isinstance(answer[0], list) else answer for answer in answers]
        low = -1.0 if part == "pc" else 0.0
        return [min(1.0, max(low, sum(row["score"] * (1.0 if one_output else settings.labels[row["label"]])
                                      for row in rows))) for rows in shares]  # fmt: skip

    return ask


def _detoxify(part: str) -> Callable[[Sequence[str], Sequence[str]], Values]:
    if part != "t":
        raise NoCritic("detoxify measures toxicity (t) alone.")
    if Detoxify is None:
        raise NoCritic("detoxify is not installed here: install the extra `detoxify`.")
    try:
        model = Detoxify("unbiased", device=str(device()))
    except (OSError, RuntimeError) as fault:
        raise NoCritic("detoxify's weights are not on this machine and could not be fetched.") from fault
    return lambda _posts, replies: [float(value) for value in model.predict(list(replies))["toxicity"]]


class _Noise:
    """Numbers that say nothing about the text: the control that shows what a reward must not do."""

    def __init__(self) -> None:
        self._draw = random.Random(0)

    def begin(self, step: int) -> None:
        self._draw = random.Random(step)

    def values(self, part: str, replies: Sequence[str]) -> Values:
        return [self._draw.uniform(-1.0 if part == "pc" else 0.0, 1.0) for _reply in replies]


_AGAINST = frozenset(("not", "no", "nobody", "never", "wrong", "untrue", "false", "isn't", "aren't", "don't"))
_REASONS = frozenset(("because", "since", "therefore", "reason", "so", "when", "if", "everyone", "together", "why"))
_RUDE = frozenset(("stupid", "idiot", "idiots", "shut", "fools", "fool", "dumb", "ugly", "hate", "trash"))


def counted(part: str, replies: Sequence[str]) -> list[float]:
    """Return PC, AQ or T by counting words: a stand-in for critics in tests, easily deceived and no measure of any."""
    found = []
    for reply in replies:
        words = tokens(reply)
        hits = {"pc": _AGAINST, "aq": _REASONS, "t": _RUDE}[part].intersection(words)
        share = min(1.0, len(hits) / 2)
        found.append({"pc": -share, "aq": share * min(1.0, len(words) / 8), "t": share}[part])
    return found


def as_tensor(judged: Sequence[Judged]) -> torch.Tensor:
    """Return the rewards, NaN where there is none."""
    return torch.tensor([float("nan") if one.reward is None else one.reward for one in judged], device=device())
