"""Pictures for whoever may see them; asked for each request, cached by no one else (threat T6)."""

from uuid import UUID

from django.http import Http404, HttpResponseBase
from django.views.decorators.http import require_GET

from annotation import pictures
from annotation.serving import picture_file
from annotation.views.scope import PersonRequest


@require_GET
def full(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """The picture itself: for reviewers, admins, and annotators who have looked at it at their own seat."""
    picture = pictures.full_for(request.user, public_id)
    if picture is None:
        raise Http404
    return picture_file(picture.file, "private, no-store")


@require_GET
def blurred(request: PersonRequest, public_id: UUID) -> HttpResponseBase:
    """Its blurred derivative, for any member of the project."""
    picture = pictures.blurred_for(request.user, public_id)
    if picture is None:
        raise Http404
    return picture_file(picture.blurred, "private, max-age=600")
