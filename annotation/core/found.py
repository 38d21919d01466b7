"""What an address names, or 404."""

from typing import TypeVar

from django.http import Http404

T = TypeVar("T")


def found(thing: T | None) -> T:
    """Return the thing. Raises Http404 if it is None: the address names nothing that the viewer may see."""
    if thing is None:
        raise Http404
    return thing
