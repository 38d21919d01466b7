"""What every address of the API starts and ends with: whose project it is, and how a refusal looks."""

from typing import Any

from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.core import second_factor
from annotation.core.access import membership
from annotation.domain.choices import Role
from annotation.models import Membership, User


def member(request: Request, slug: str, *roles: Role) -> Membership:
    """Return the caller's active membership with one of the roles; missing and forbidden projects are the same 404.

    Raises PermissionDenied where an archived or deleted project would change, and where it asks for two-step sign-in
    that the caller has not set up.
    """
    user = request.user
    if not isinstance(user, User):
        raise Http404
    found = membership(user, slug)
    if found is None or (roles and not any(found.has(role) for role in roles)):
        raise Http404
    try:
        second_factor.require(found)
    except second_factor.SecondFactorNeeded as needed:
        raise PermissionDenied(str(needed), needed.code) from None
    if request.method not in SAFE_METHODS and found.project.is_closed:
        raise PermissionDenied("This project is archived or about to be deleted: nothing in it changes.", "read_only")
    return found


def problem(status: int, code: str, detail: str, **more: Any) -> Response:
    """Return a refusal: a stable code and one sentence."""
    return Response({"code": code, "detail": str(detail), **more}, status=status)
