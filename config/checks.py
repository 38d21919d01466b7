"""What `manage.py check` says about settings that can be read but not used."""

from typing import Any

from django.core.checks import CheckMessage, Warning

from providers import wiring
from providers.bindings import NotConfigured


def check_embedding(**_kwargs: Any) -> list[CheckMessage]:
    """Warn of a MODEL_EMBEDDING that no page could use."""
    try:
        wiring.embedder()
    except NotConfigured as problem:
        return [Warning(str(problem), id="interplay.W001")]
    return []
