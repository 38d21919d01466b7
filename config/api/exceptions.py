"""The one form of an error response of the API."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotation.domain.one_line import NotOneLine
from annotation.pages.error_messages import sentence_for

_WHOLE = "non_field_errors"
"""Where a serializer keeps what is wrong with a whole list or object."""


def api_failure(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return every error of the API as {"code", "detail", "field"?}.

    Returns None for an error that REST framework does not know.
    """
    if isinstance(error, NotOneLine):
        error = exceptions.ValidationError(sentence_for(error.code, error.sentence), error.code)
    answer = exception_handler(error, context)
    if answer is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        answer.data = _first_invalid(error)
    elif isinstance(error, exceptions.APIException) and isinstance(error.detail, str):
        answer.data = {"code": getattr(error.detail, "code", error.default_code), "detail": str(error.detail)}
    if answer.status_code == 401:
        how = _("Make a token on the page API tokens. Send it in the header “Authorization: Token …”.")
        answer.data["detail"] = f"{answer.data['detail']} {how}"
    if answer.status_code == 404:
        answer.data = {"code": "not_found", "detail": _("There is nothing here, or it is not open to you.")}
    wait = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        answer.data = {"code": "too_many", "detail": _("Too many requests."), "retry_after": int(wait)}
        answer["Retry-After"] = str(int(wait))
    return answer


def _first_invalid(error: exceptions.ValidationError) -> dict[str, Any]:
    """Return the first invalid field with its sentence, and all of them under `fields`, each by its path."""
    details = error.detail
    if isinstance(details, list):
        first = details[0] if details else ""
        return {"code": getattr(first, "code", "invalid"), "detail": str(first)}
    fields = _by_path(details)
    field, errors = next(iter(fields.items()))
    named = {"field": field} if field else {}
    return {
        "code": errors[0].code,
        "detail": str(errors[0]),
        **named,
        "fields": {path or _WHOLE: [str(each) for each in sentences] for path, sentences in fields.items()},
    }


def _by_path(errors: Any, path: str = "") -> dict[str, list[exceptions.ErrorDetail]]:
    """Return the errors of a serializer by the path of their field, such as `posts.1.id`, in order.

    What is wrong with a whole list or object stands at its own path; that of the body is empty.
    """
    if isinstance(errors, exceptions.ErrorDetail):
        return {path: [errors]}
    found: dict[str, list[exceptions.ErrorDetail]] = {}
    of_entries = isinstance(errors, dict) or any(isinstance(each, dict | list) for each in errors)
    for name, inner in errors.items() if isinstance(errors, dict) else enumerate(errors):
        below = path if name == _WHOLE or not of_entries else f"{path}.{str(name)[:80]}".lstrip(".")
        for place, sentences in _by_path(inner, below).items():
            found.setdefault(place, []).extend(sentences)
    return found
