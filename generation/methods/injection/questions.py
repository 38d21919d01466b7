"""The questions about one sample: what the picture shows, then the text. All texts of others are fenced."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from annotation.domain.votes import Category
from annotation.models import Project
from generation.domain.injection.picture_fit import PictureLook, PlannedPair
from generation.domain.injection.placeholder import INSULT
from generation.domain.injection.schema import BatchOptions, look_shape, written_shape
from generation.domain.injection.strategies import Strategy
from generation.models import Sample
from providers.messages import Picture
from providers.prompt_fencing import fence
from providers.roles import ModelRole
from runs.methods.method import Step
from runs.methods.prompts import load_prompt

NAME = "injection"
LOOKER = ModelRole.DESCRIBER

_MEANING: Mapping[str, str] = {
    "000": "The text is harmless, the picture is harmless, and together they are harmless.",
    "001": "The text is harmless when read alone, and so is the picture; only together they are hateful.",
    "010": "The picture is hateful when seen alone; the text is harmless when read alone. Together they are not "
    "hateful: the text changes what it means to show the picture.",
    "011": "The picture is hateful when seen alone; the text is harmless when read alone. Together they stay hateful.",
    "100": "The text is hateful when read alone; the picture is harmless when seen alone. Together they are not "
    "hateful: with the picture it shows that the words are not the author's own attack.",
    "101": "The text is hateful when read alone; the picture is harmless when seen alone. Together they stay hateful.",
    "110": "The text is hateful when read alone, and so is the picture. Together they are not hateful: each shows "
    "that the other is not meant as an attack.",
    "111": "The text is hateful when read alone, so is the picture, and so are both together.",
}
_OPEN = (
    f"Where an insulting word for the group would stand, write {INSULT} in its place, at least once. Others decide "
    "later what stands there; the sentence has to work with any such word."
)
_CLOSED = f"The text is harmless when read alone: no hostile word about anybody, and never {INSULT}."


@dataclass(frozen=True)
class SampleMaterial:
    """The material of one sample. `nonce` fences the texts of others."""

    sample: Sample
    project: Project
    options: BatchOptions
    categories: tuple[Category, ...]
    groups: tuple[str, ...]
    """The target groups that the models choose from."""
    picture: Picture
    nonce: str
    forbidden: Sequence[str]
    """Words for which a sample is held back."""
    run_id: UUID
    """The public id of the run."""
    looker: str
    """The model that looks at the picture first; empty for a run that was queued before there was a look."""

    @property
    def pair(self) -> PlannedPair:
        """What text and picture are planned to be."""
        sample = self.sample
        return PlannedPair(sample.pattern, sample.intended.code, Strategy(sample.strategy), sample.target_group)

    @property
    def prior(self) -> Category | None:
        """What the picture was said to mean alone before the look; None if nobody said so."""
        row = self.sample.pool_picture.category
        return None if row is None else self.category(row.code)

    def alone(self, look: PictureLook) -> Category:
        """Return what the picture counts as alone: what an admin said, or else what the look says."""
        by_hand = self.prior if self.sample.pool_picture.by_hand else None
        return by_hand or look.category

    def category(self, code: int) -> Category:
        """Return the project's category with this code."""
        return next(category for category in self.categories if category.code == code)


def writer_role(strategy: str) -> ModelRole:
    """Return the role that writes samples of this strategy."""
    return ModelRole.PARAPHRASER if strategy == Strategy.PARAPHRASE else ModelRole.SAMPLE_WRITER


def look_question(case: SampleMaterial) -> Step:
    """Return the question what the picture shows, and whom a post with it would be about.

    The plan is not told, so that the answer does not follow it.
    """
    words = load_prompt("generation", NAME, "look")
    fields = {
        "groups": _listed_groups(case),
        "categories": _listed_categories(case),
    }
    return Step(
        key="look",
        role=LOOKER,
        messages=words.messages(fields, case.picture, nonce=case.nonce),
        shape=look_shape(case.categories, case.groups),
        max_tokens=600,
        prompt_digest=words.digest,
        canary=case.nonce,
    )


def look_digest(case: SampleMaterial) -> str:
    """Return a digest of all that a look depends on besides the picture. It holds no nonce, so that runs share it."""
    prompt = load_prompt("generation", NAME, "look").digest
    inputs = [case.looker, prompt, _listed_categories(case), list(case.groups)]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def write_question(case: SampleMaterial, pair: PlannedPair, look: PictureLook | None) -> Step:
    """Return the question to the writing model. `pair` names the group that the text is to be about."""
    sample = case.sample
    words = load_prompt("generation", NAME, sample.strategy)
    trigger = fence(sample.trigger.text if sample.trigger else "", case.nonce, name="text")
    hateful = pair.pattern[0] == "1"
    sees_picture = pair.strategy is not Strategy.PARAPHRASE
    fields = {
        "pattern": _MEANING[pair.pattern],
        "language": case.options.language,
        "wording": _OPEN if hateful else _CLOSED,
        "trigger": trigger.text,
        "picture": _described(case, look, sees_picture),
        "group": fence(pair.target_group or "nobody in particular", case.nonce, name="note").text,
        "groups": _listed_groups(case),
        "categories": _listed_categories(case),
        "category": sample.intended.name,
    }
    return Step(
        key="write",
        role=writer_role(sample.strategy),
        messages=words.messages(fields, *([case.picture] if sees_picture else []), nonce=case.nonce),
        shape=written_shape(text_hateful=hateful, categories=case.categories, groups=case.groups),
        temperature=case.options.temperature,
        max_tokens=600,
        prompt_digest=words.digest,
        canary=case.nonce,
        suspect=bool(trigger.suspicions),
    )


def _described(case: SampleMaterial, look: PictureLook | None, sees_picture: bool) -> str:
    """Return what is known about the picture: of the look, or else of its prior."""
    sentence = (
        "The picture follows." if sees_picture else "The text will stand beside a picture, which is not shown here."
    )
    side = "hateful" if case.sample.pattern[1] == "1" else "harmless"
    kind = f" ({case.alone(look).name})" if look and case.sample.pattern[1] == "1" else ""
    description = look.description if look else case.sample.pool_picture.explanation
    sentence = f"{sentence} Seen alone it was judged {side}{kind}"
    if not description:
        return f"{sentence}."
    return f"{sentence}, with these words:\n{fence(description, case.nonce, name='note').text}"


def _listed_categories(case: SampleMaterial) -> str:
    return "\n".join(
        f"- {category.code}: {category.name} ({'hateful' if category.hateful else 'not hateful'})"
        + (f". {' '.join(category.definition.split())}" if category.definition else "")
        for category in case.categories
    )


def _listed_groups(case: SampleMaterial) -> str:
    return fence("\n".join(case.groups), case.nonce, name="list").text
