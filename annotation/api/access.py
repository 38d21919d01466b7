"""What every address of the API starts and ends with: whose project it is, and how a refusal looks."""

from typing import Any, TypeVar
from uuid import UUID

from django.forms import BaseForm
from django.http import Http404
from rest_framework.exceptions import ErrorDetail, PermissionDenied, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from annotation.core import second_factor
from annotation.core.found import one
from annotation.domain.choices import Role
from annotation.models import Membership, User
from annotation.pages.access import membership

Shape = TypeVar("Shape", bound=BaseSerializer[Any])


def member(request: Request, slug: str, *roles: Role, open_when_closed: bool = False) -> Membership:
    """Return the caller's active membership with one of the roles; missing and forbidden projects are the same 404.

    Raises PermissionDenied where an archived or deleted project would change (unless `open_when_closed`), and where it
    asks for two-step sign-in that the caller has not set up.
    """
    user = request.user
    if not isinstance(user, User):
        raise Http404
    mine = membership(user, slug)
    if mine is None or (roles and not any(mine.has(role) for role in roles)):
        raise Http404
    try:
        second_factor.require(mine)
    except second_factor.SecondFactorNeeded as needed:
        raise PermissionDenied(str(needed), needed.code) from None
    if request.method not in SAFE_METHODS and mine.project.is_closed and not open_when_closed:
        raise PermissionDenied("This project is archived or about to be deleted: nothing in it changes.", "read_only")
    return mine


def account_of(admin: Membership, public_id: UUID) -> Membership:
    """Return the member of the admin's project with this id. Raises Http404 if there is none, or it has no account."""
    people = Membership.objects.filter(user__isnull=False).select_related("user")
    account = one(people, admin.project, public_id)
    account.project = admin.project
    return account


def cleaned(form: BaseForm) -> dict[str, Any]:
    """Return the values of a page's form. Raises ValidationError with the page's own sentences, by field."""
    if not form.is_valid():
        raise ValidationError(
            {
                "non_field_errors" if field == "__all__" else field: [
                    ErrorDetail(sentence, error.code or "invalid") for error in errors for sentence in error.messages
                ]
                for field, errors in form.errors.as_data().items()
            }
        )
    return dict(form.cleaned_data)


def valid(shape: Shape) -> Shape:
    """Return the shape once its body was read. Raises ValidationError."""
    shape.is_valid(raise_exception=True)
    return shape


def problem(status: int, code: str, detail: str, **more: Any) -> Response:
    """Return a refusal: a stable code and one sentence."""
    return Response({"code": code, "detail": str(detail), **more}, status=status)
