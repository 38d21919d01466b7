"""What a browser without a script sends back with the form of a page."""

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client

from markup import compact


def send_label(client: Client, page: HttpResponse, address: str, **answer: Any) -> HttpResponse:
    """Send the form of an annotator's page at this address with its hidden fields."""
    text = compact(page.content.decode())
    hidden = dict(re.findall(r'name="(key|asked_[a-z]+)" value="([^"]+)"', text))
    seat = re.search(r'data-seat="([0-9a-f-]{36})"', text)
    assert seat is not None
    return client.post(f"{address}{seat[1]}/", {**hidden, **answer})


def design_fields(page: Any) -> dict[str, Any]:
    """Return the fields of the page of a design as they are sent unchanged."""
    fields = {"begun_at": page.context["question"]["begun_at"].value(), "question_": "", "question_ko": ""}
    for prefix, rows in (("category", page.context["rows"]), ("question", page.context["further"])):
        fields |= {f"{prefix}-{name}": value for name, value in rows.management_form.initial.items()}
        for number, row in enumerate(rows):
            for name in row.fields:
                if not row.fields[name].disabled and (value := row[name].value()) is not None:
                    fields |= {f"{prefix}-{number}-{name}": value} if value is not False else {}
    return fields
