"""The unimodal prior as a method of runs: one question about one modality of one item.

Its decisions are pure; `case` reads the item and its picture, `settle` stores the outcome by `annotation.priors`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from annotation.domain.choices import Modality
from annotation.domain.priors.schema import answer_shape
from annotation.domain.votes import Category
from annotation.models import Category as CategoryRow
from annotation.models import Item
from annotation.priors import results
from providers.messages import Picture
from providers.prompt_fencing import fence, nonce_for
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.methods.prompts import Prompt, load_prompt
from runs.models import Run
from runs.sql.compiled_queries import CompiledQuery, slot

NAME = "prior"
_ITEM = CompiledQuery(results.items_of_run().select_related("picture"))
_CATEGORIES = CompiledQuery(CategoryRow.objects.offered().filter(project=slot("project")))


@dataclass(frozen=True)
class PriorCase:
    """The input of a prior. `nonce` fences the text; the same run always has the same one."""

    modality: Modality
    categories: tuple[Category, ...]
    prompt: Prompt
    nonce: str
    text: str = ""
    picture: Picture | None = None


class PriorMethod:
    """Asks the model of the modality once, for category, explanation and severity."""

    name = NAME
    # One answer, two further questions after a wrong shape, one after an empty and one after a cut one; texts in
    # scripts of a token a character are sent again each time.
    limits = Limits(calls=8, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> PriorCase | None:
        """Return the item's text or picture.

        Returns None if item or picture is gone.
        """
        modality = Modality(run.variant)
        item = _ITEM.first(subject=run.subject, project=run.project)
        if item is None or not _has(item, modality):
            return None
        return PriorCase(
            modality,
            tuple(category.value() for category in _CATEGORIES.rows(project=item.project_id)),
            load_prompt("annotation", NAME, modality),
            nonce_for(settings.SECRET_KEY, NAME, str(run.public_id)),
            item.text if modality == Modality.TEXT else "",
            _picture(item) if modality == Modality.IMAGE else None,
        )

    def still_wanted(self, run: Run) -> bool:
        """Whether the item is still there and not taken out."""
        return _ITEM.first(subject=run.subject, project=run.project) is not None

    def next_steps(self, case: PriorCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Return the one question, or its answer."""
        if (turn := turns.get(case.modality)) is None:
            return [prior_question(case)]
        return Finish({**turn.value, "prompt_digest": turn.prompt_digest, "flags": list(turn.flags)})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the prior and release the item. Return False if the item is gone."""
        return results.store_prior(run, outcome)


def prior_question(case: PriorCase) -> Step:
    """Return the question about one modality; the item's own words are fenced, in the user's message only."""
    fenced = fence(case.text, case.nonce, name="text")
    fields = {"categories": _listed(case.categories), "text": fenced.text}
    return Step(
        key=case.modality,
        role=results.ROLES[case.modality],
        messages=case.prompt.messages(fields, *([case.picture] if case.picture else []), nonce=case.nonce),
        shape=answer_shape(case.categories),
        max_tokens=800,
        prompt_digest=case.prompt.digest,
        canary=case.nonce,
        suspect=bool(fenced.suspicions),
        context={"text": case.text, "categories": [_plain(category) for category in case.categories]},
    )


def _listed(categories: Sequence[Category]) -> str:
    """Return the categories for the prompt, a line each."""
    return "\n".join(
        f"- {category.code}: {category.name} ({'hateful' if category.hateful else 'not hateful'})"
        + (f". {' '.join(category.definition.split())}" if category.definition else "")
        for category in categories
    )


def _plain(category: Category) -> dict[str, object]:
    return {
        "code": category.code,
        "name": category.name,
        "hateful": category.hateful,
        "aliases": list(category.aliases),
    }


def _has(item: Item, modality: Modality) -> bool:
    return bool(item.text) if modality == Modality.TEXT else item.picture is not None


def _picture(item: Item) -> Picture | None:
    if item.picture is None:
        return None
    with item.picture.file.open("rb") as file:
        return Picture(file.read(), item.picture.media_type)
