"""The API's JSON bodies, read as strictly as imported files."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import IO, Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from annotation.domain.formats import strict_json
from annotation.domain.formats.base import BadValue

MOST_VALUES = 200_000
"""The maximum number of values in a body: each takes a hundred bytes and more, however short it is."""
_COMMA = re.compile(rb'"(?:[^"\\]|\\.)*+"?|(,)', re.DOTALL)  # a string hides its own


class StrictJSON(JSONParser):
    """JSON without NaN, duplicate keys, endless numbers or depth, NUL or lone surrogates; refused by a code."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        body = stream.read()
        if next(islice(filter(None, (found[1] for found in _COMMA.finditer(body))), MOST_VALUES - 1, None), None):
            sentence = _("The body has more than %(most)s values; send them in several requests.")
            raise ParseError(sentence % {"most": f"{MOST_VALUES:,}"}, code="too_many_values")
        try:
            return strict_json.parse(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise ParseError(_("The body is not UTF-8."), code="encoding") from None
        except BadValue as fault:
            raise ParseError(fault.reason, code=fault.code) from None
