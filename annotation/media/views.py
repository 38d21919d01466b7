"""Views of pictures, checked at each request and kept by no shared cache (threat T6)."""

from uuid import UUID

from django.http import HttpResponseBase
from django.views.decorators.http import require_GET

from annotation.core.found import found
from annotation.media import pictures
from annotation.media.responses import picture_file
from annotation.pages.access import PersonRequest


@require_GET
def full(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """Send the picture itself to reviewers, admins, and annotators who have revealed it at their own seat."""
    picture = found(pictures.full_for(request.user, public_id))
    return picture_file(picture.file, "private, no-store")


@require_GET
def blurred(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """Send the blurred derivative to any member of the project."""
    picture = found(pictures.blurred_for(request.user, public_id))
    return picture_file(picture.blurred, "private, max-age=600")
