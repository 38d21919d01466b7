"""What the API answers in, whatever a caller would like best."""

from collections.abc import Iterable

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OwnMediaTypes(DefaultContentNegotiation):
    """Answers in the address's own media type where `Accept` names no other that it has.

    A picture's address is asked with `Accept: image/png`, and its refusals are JSON all the same.
    """

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        """Return the renderer and its media type. RFC 9110 (12.5.1) allows an answer that `Accept` does not name."""
        own = list(renderers)
        try:
            chosen: tuple[BaseRenderer, str] = super().select_renderer(request, own, format_suffix)
        except NotAcceptable:
            return own[0], str(own[0].media_type)
        return chosen
