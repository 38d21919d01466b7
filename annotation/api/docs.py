"""The page that shows the API, with its scripts from our own origin."""

from typing import Any

from csp.constants import SELF
from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response


# The viewer's stylesheet carries its icons as data: addresses; nothing else is loosened.
@method_decorator(csp_update({"img-src": [SELF, "data:"]}), name="dispatch")
class ApiPage(SpectacularSwaggerSplitView):
    """The OpenAPI page."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Show every address of the API with its shapes; requests are made as whoever is signed in."""
        answer: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]  # untyped library
        return answer

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Return the page; a refusal as JSON, as at every other address of the API."""
        if response.exception:
            request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        finished: Response = super().finalize_response(request, response, *args, **kwargs)
        return finished
