"""The names of models in labels: only what the settings name in full, since other names come from people."""

from functools import cache

from django.conf import settings

_NOT_NAMED = "other"
"""Stands for models that the settings allow by a wildcard."""


def model_label(model: str) -> str:
    """Return the label of `provider:model`, or of a provider alone."""
    provider, colon, _name = model.partition(":")
    return model if model in named_models() or not colon else f"{provider}:{_NOT_NAMED}"


@cache
def named_models() -> frozenset[str]:
    """Return the models that the settings name in full."""
    named = {*settings.MODEL_BINDINGS.values(), *settings.MODEL_ALLOWED, *settings.MODEL_PRICES}
    return frozenset(name for name in named if name and "*" not in name)
