"""Marks that an app sets on a view beside its URL, or on a response; the middleware and the access check read them."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpResponseBase

View = Callable[..., HttpResponseBase]
Response = TypeVar("Response", bound=HttpResponseBase)


def limited(rate: str, view: View, *, takes_proof: bool = False) -> View:
    """Count POST requests to the view against a limit of `settings.RATE_LIMITS`.

    `takes_proof`: a stranger's right password, or right link, is not counted.
    """
    return _marked(view, rate_limit=rate, takes_proof=takes_proof)


def worked(response: Response) -> Response:
    """Let a refusal count against its limit, since its file was read before. Other refusals do not count."""
    response.worked = True  # type: ignore[attr-defined]  # ours, read by the middleware
    return response


def takes_files(view: View) -> View:
    """Let a form of the view be as large as an upload, and one without a file hold long texts."""
    return _marked(view, takes_files=True, takes_long_texts=True)


def takes_long_texts(view: View) -> View:
    """Let a body of the view hold guidelines, rows or many notes. Others are small (`config/web/body_limits.py`)."""
    return _marked(view, takes_long_texts=True)


def open_when_closed(view: View) -> View:
    """Let the view accept forms of an archived or deleted project: leaving it, or restoring it."""
    return _marked(view, open_when_closed=True)


def _marked(view: View, **marks: Any) -> View:
    @wraps(view)
    def marked(*args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(*args, **kwargs)

    for name, value in marks.items():
        setattr(marked, name, value)
    return marked
