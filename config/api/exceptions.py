"""The one form of an error response of the API."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler


def api_failure(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return every error of the API as {"code", "detail", "field"?}.

    Returns None for an error that REST framework does not know.
    """
    answer = exception_handler(error, context)
    if answer is None:
        return None
    if isinstance(error, exceptions.ValidationError):
        answer.data = _first_invalid(error)
    elif isinstance(error, exceptions.APIException) and isinstance(error.detail, str):
        answer.data = {"code": getattr(error.detail, "code", error.default_code), "detail": str(error.detail)}
    if answer.status_code == 404:
        answer.data = {"code": "not_found", "detail": _("There is nothing here, or it is not open to you.")}
    wait = getattr(error, "wait", None)  # of Throttled
    if wait is not None:
        answer.data = {"code": "too_many", "detail": _("Too many requests."), "retry_after": int(wait)}
        answer["Retry-After"] = str(int(wait))
    return answer


def _first_invalid(error: exceptions.ValidationError) -> dict[str, Any]:
    """Return the first invalid field with its sentence, and all of them under `fields`."""
    details = error.detail
    if isinstance(details, list):
        first = details[0] if details else ""
        return {"code": getattr(first, "code", "invalid"), "detail": str(first)}
    fields = {field: _sentences(errors) for field, errors in details.items()}
    field, sentences = next(iter(fields.items()))
    codes = error.get_codes()
    code = codes[field] if isinstance(codes, dict) else codes
    named = {} if field == "non_field_errors" else {"field": field}
    return {
        "code": _first_word(code),
        "detail": sentences[0] if sentences else "",
        **named,
        "fields": fields,
    }


def _first_word(code: Any) -> str:
    """Return the first code in a nested error of a serializer."""
    if isinstance(code, dict):
        code = list(code.values())
    if isinstance(code, list):
        return _first_word(code[0]) if code else "invalid"
    return str(code)


def _sentences(errors: Any) -> list[str]:
    """Return all sentences in a nested error of a serializer, in order."""
    if isinstance(errors, dict):
        return [sentence for inner in errors.values() for sentence in _sentences(inner)]
    if isinstance(errors, list):
        return [sentence for inner in errors for sentence in _sentences(inner)]
    return [str(errors)]
