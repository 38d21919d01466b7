"""Views of pictures, checked at each request and kept by no shared cache (threat T6)."""

from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.views.decorators.http import require_GET

from annotation.media import pictures
from annotation.media.responses import picture_file
from annotation.pages.access import PersonRequest


@require_GET
def full(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """Send the picture itself to reviewers, admins, and annotators who have revealed it at their own seat."""
    picture = pictures.full_for(request.user, public_id)
    if picture is None:
        raise Http404
    return picture_file(picture.file, "private, no-store")


@require_GET
def blurred(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """Send the blurred derivative to any member of the project."""
    picture = pictures.blurred_for(request.user, public_id)
    if picture is None:
        raise Http404
    return picture_file(picture.blurred, "private, max-age=600")
