"""How the desk refuses over the API: the sentences of its pages, with a status and a code."""

from collections.abc import Callable

from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.api.access import problem
from annotation.domain.text_rules import BadText
from generation.counterspeech import replies
from generation.counterspeech.access import UnknownItem
from generation.counterspeech.doubts import NotConfirmed
from generation.counterspeech.request import BadChoice
from generation.models import Reply
from runs.execution.budget import BudgetExceeded

CONFIRM = "Go on, although people decided that the post is not hateful, or it is sent bare and looks like an order."


def answered(act: Callable[[], Response], reply: Reply | None = None) -> Response:
    """Return what the act answers, or why it is refused. A conflict names the present version of the reply."""
    try:
        return act()
    except NotConfirmed as doubt:
        sentence = _("%(why)s Send “confirm” as true to go on all the same.") % {"why": doubt}
        return problem(409, doubt.code, sentence, field="confirm")
    except replies.SomebodyWasFirst as conflict:
        now = {"version": _version_now(reply)} if reply is not None else {}
        return problem(409, "changed_meanwhile", str(conflict), **now)
    except replies.CannotDo as refused:
        return problem(409, "not_possible", str(refused))
    except UnknownItem as unknown:
        return problem(400, "unknown_item", str(unknown))
    except (BadChoice, BudgetExceeded) as bad:
        return problem(400, "bad_choice", str(bad))
    except BadText as bad:
        return problem(400, bad.code, bad.sentence)


def _version_now(reply: Reply) -> int:
    return Reply.objects.values_list("version", flat=True).get(pk=reply.pk)
