"""The settings of each phase, read strictly from a TOML file: an unknown or missing key is refused.

The files under `settings/` write every value out, with its source.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from generation.coarl.ablations import Ablation
from generation.domain.counterspeech.instructions import Wording
from generation.domain.counterspeech.reward import Weights

Positive = Annotated[int, Field(gt=0)]
Rate = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]


class BadSettings(ValueError):
    """The settings file cannot be used; the message names the key."""


class Strict(BaseModel):
    """Settings without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSettings(Strict):
    """The training files: an export's folder, or tables in IntentCONANv2's columns, or both."""

    folders: list[Path] = []
    tables: list[Path] = []
    columns: dict[str, str] = {}
    """For tables: our column = the column of the file."""
    wording: Wording = Wording.TABLE_5


class LengthSettings(Strict):
    """The longest texts, in tokens; longer ones are cut."""

    source: Positive
    target: Positive


class LoraSettings(Strict):
    """The low-rank adapter. `targets` are names of linear layers; T5's query and value are `q` and `v`."""

    r: Positive
    alpha: Positive
    dropout: Share
    targets: list[str]


class Optimiser(Strict):
    """What both supervised phases share."""

    learning_rate: Rate
    weight_decay: Share
    epochs: Positive
    batch_size: Positive
    accumulate: Positive
    warmup_share: Share
    schedule: Literal["constant", "linear", "cosine"]
    gradient_norm: Annotated[float, Field(gt=0)]


class Supervised(Strict):
    """Phase 1 (`explain`) or phase 2 (`adapt`)."""

    base: str
    """A folder or a name of a model. For phase 2: the folder of phase 1, or a plain base (the ablation without it)."""
    out: Path
    seed: int
    data: DataSettings
    length: LengthSettings
    optimiser: Optimiser
    lora: LoraSettings | None = None
    """None trains every weight: phase 1 of the paper, or the ablation without adapter in phase 2."""
    precision: Literal["fp32", "bf16"] = "fp32"
    save_steps: Positive
    evaluate_steps: Positive
    threads: Annotated[int, Field(ge=0)] = 0
    """Processor threads; 0 leaves it to torch."""


class PartSettings(Strict):
    """Where a part of the reward comes from."""

    source: Literal["http", "regressor", "classifier", "detoxify", "words", "random"]
    path: Path | None = None
    """`regressor`, `classifier`: the folder of the critic."""
    labels: dict[str, float] = {}
    """`classifier`: what each label is worth; without labels its one output is the value."""
    url: str = ""
    model: str = ""
    """`http`: an address that speaks OpenAI's protocol, and the model there. The key is OPENAI_API_KEY."""

    @model_validator(mode="after")
    def _complete(self) -> "PartSettings":
        if self.source in ("regressor", "classifier") and self.path is None:
            raise ValueError(f"source {self.source!r} needs a path")
        if self.source == "http" and not (self.url and self.model):
            raise ValueError("source 'http' needs url and model")
        return self


class RewardSettings(Strict):
    """Equation 3: the source of each part, and its weight; 0 switches a part off."""

    pc: PartSettings
    aq: PartSettings
    t: PartSettings
    weights: Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=3, max_length=3)]

    def terms(self) -> Weights:
        """Return the weights of PC, AQ and T."""
        return Weights(*self.weights)


class KlSettings(Strict):
    """The penalty for leaving the policy of phase 2, in nats a reply."""

    coefficient: Annotated[float, Field(ge=0)]
    target: Annotated[float, Field(gt=0)]
    horizon: Annotated[float, Field(gt=0)]
    ceiling: Annotated[float, Field(gt=0)]
    """Training stops when the KL on held-out posts is above it; the last policy below it is kept."""


class SamplingSettings(Strict):
    """How replies are drawn while learning."""

    replies_per_post: Annotated[int, Field(ge=2)]
    temperature: Annotated[float, Field(gt=0)]
    top_k: Annotated[int, Field(ge=0)]
    top_p: Rate
    new_tokens: Positive


class PpoSettings(Strict):
    """Of the mode `paper` alone: PPO with a value head."""

    gamma: Share
    lam: Share
    value_coefficient: Annotated[float, Field(ge=0)]


class Reinforce(Strict):
    """Phase 3."""

    policy: Path
    """The folder of phase 2."""
    out: Path
    seed: int
    data: DataSettings
    length: LengthSettings
    algorithm: Literal["rloo", "paper"]
    learning_rate: Rate
    gradient_norm: Annotated[float, Field(gt=0)]
    clip: Rate
    steps: Positive
    updates: Positive
    """Updates on the same replies; the clip takes effect from the second on."""
    prompts_per_step: Positive
    reward: RewardSettings
    held_out: RewardSettings | None = None
    """A critic that is not trained against; its reward is reported at every evaluation."""
    kl: KlSettings
    sampling: SamplingSettings
    lora: LoraSettings | None = None
    """The adapter to learn if phase 2 trained every weight."""
    ppo: PpoSettings | None = None
    save_steps: Positive
    evaluate_steps: Positive
    evaluate_posts: Positive
    show_samples: Annotated[int, Field(ge=0)] = 4
    threads: Annotated[int, Field(ge=0)] = 0


class CriticTraining(Strict):
    """A small regressor of PC, AQ, T and the intent, trained on the project's own scores and preferences."""

    encoder: str
    """A folder or a name of a model; of an encoder-decoder its encoder is taken."""
    out: Path
    seed: int
    data: DataSettings
    half: Literal["all", "first", "second"]
    """Which half of the posts it learns from: a critic that is held out learns from the other half."""
    length: Positive
    learning_rate: Rate
    epochs: Positive
    batch_size: Positive
    preference_weight: Annotated[float, Field(ge=0)]
    threads: Annotated[int, Field(ge=0)] = 0


class System(Strict):
    """A row of the table: a trained folder, and what it leaves out.

    Both are checked: `ablation` against the settings that the folder was trained by.
    """

    name: str
    path: Path
    ablation: Ablation | None = None
    made_by: list[str] = []
    """The commands that train the folder, one after the other; they are printed where it is not there."""


class Evaluation(Strict):
    """The table of the paper."""

    out: Path
    seed: int
    data: DataSettings
    split: Literal["train", "validation", "test"]
    length: LengthSettings
    new_tokens: Positive
    against: str
    """The name of the row to which all others are compared."""
    systems: Annotated[list[System], Field(min_length=1)]
    reward: RewardSettings
    intent: PartSettings | None = None
    similarity: Literal["tfidf", "wordllama"] = "tfidf"
    bertscore: bool = False
    resamples: Positive
    threads: Annotated[int, Field(ge=0)] = 0


class Served(Strict):
    """The endpoint."""

    model: Path
    name: str
    host: str
    port: Annotated[int, Field(ge=0, le=65535)]
    new_tokens: Positive
    source: Positive
    threads: Annotated[int, Field(ge=0)] = 0


Kind = TypeVar("Kind", bound=Strict)


def read_settings(file: Path, kind: type[Kind], changes: Sequence[str] = (), without: Sequence[str] = ()) -> Kind:
    """Return the settings in a TOML file. Paths are relative to the working directory. Raises BadSettings.

    `changes`: such as `reward.weights=[1, 1, 0]` or `out=training/other`. `without`: tables that are left out.
    """
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
        for table in without:
            if values.pop(table, None) is None:
                raise BadSettings(f"--without {table}: {file} has no such table.")
        for change in changes:
            _replace(values, _read_change(change))
        return kind.model_validate(values)
    except OSError as fault:
        raise BadSettings(f"{file} cannot be read: {fault.strerror}.") from None
    except tomllib.TOMLDecodeError as fault:
        raise BadSettings(f"{file} is not valid TOML: {fault}.") from None
    except ValidationError as fault:
        first = fault.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BadSettings(f"{file}, {key or 'as a whole'}: {first['msg']}.") from None


def _read_change(change: str) -> dict[str, Any]:
    """Return a change as nested values. A value that is no TOML is a text: `out=training/other`."""
    key, equals, text = change.partition("=")
    for line in (change, f"{key} = {json.dumps(text)}") if equals else ():
        try:
            return tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            continue
    raise BadSettings(f"--set {change}: write a key and its value, such as out=training/other.")


def _replace(values: dict[str, Any], change: Mapping[str, Any]) -> None:
    """Put the values of `change` in place of those at the same keys; what it does not name stays."""
    for key, value in change.items():
        known = values.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _replace(known, value)
        else:
            values[key] = value
