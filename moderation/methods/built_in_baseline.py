"""What the built-in keyword baseline answered of a run: pages with its results say so."""

from collections.abc import Mapping

from providers.roles import ModelRole
from providers.search.steps import SEARCHER


def is_built_in(model: str) -> bool:
    """Return whether this is the built-in keyword baseline, which is no language model."""
    return model.startswith("keyword:")


def answered_roles(plan: Mapping[str, str]) -> list[str]:
    """Return the roles that the built-in baseline answers in this plan."""
    return [role for role, model in plan.items() if is_built_in(model)]


def answered_alone(plan: Mapping[str, str]) -> bool:
    """Return whether the built-in baseline answers for every role, so that no language model is used.

    A search engine is no model, and a second reader of what others wrote is none that answers.
    """
    models = [model for role, model in plan.items() if role not in (SEARCHER, ModelRole.READER)]
    return bool(models) and all(map(is_built_in, models))
