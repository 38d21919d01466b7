"""Plans as JSON files, read strictly; an error names the line at fault."""

import json
from typing import Any

from django.utils.translation import gettext as _

from generation.domain.injection.plan import BadPlan

MOST_PLAN_BYTES = 1_000_000


def read_json(content: bytes) -> Any:
    """Return the JSON of a plan, which `read_plan` has still to check. Raises BadPlan if it cannot be read."""
    if len(content) > MOST_PLAN_BYTES:
        raise BadPlan(_("The file is too large for a plan: at most 1 MB."))
    try:
        return json.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise BadPlan(_("The plan is not UTF-8: save it as UTF-8 and try again.")) from None
    except json.JSONDecodeError as fault:
        sentence = _("The plan is no JSON: line %(line)s, column %(column)s. Write a list of entries.")
        raise BadPlan(sentence % {"line": fault.lineno, "column": fault.colno}) from None
    except (RecursionError, ValueError):
        raise BadPlan(_("The plan is no JSON that can be read. Write a list of entries.")) from None
