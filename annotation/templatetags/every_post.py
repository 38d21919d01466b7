"""Parts of the annotator's page that are the same for every post, rendered once."""

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.labelling.forms import AnswerForm
from annotation.labelling.workspace import Workspace
from annotation.templatetags.page import question_of

register = template.Library()

_SEAT, _TOKEN = "\0", "\1"  # no text that is stored has these characters
_MOST = 256


@register.tag
def same_for_every_post(parser: template.base.Parser, _token: template.base.Token) -> "SameForEveryPost":
    """Enclose a part of the page that shows nothing of the post itself but the number of its seat."""
    part = parser.parse(("end_same_for_every_post",))
    parser.delete_first_token()
    return SameForEveryPost(part)


class SameForEveryPost(template.Node):
    """The question, the categories, the buttons and the addresses of a post.

    While nothing is chosen or told they are the same for every post, but for its seat and the token of the form. They
    are rendered once and found again by all that they show, so a change of the project needs no word to anybody.
    """

    def __init__(self, part: template.NodeList) -> None:
        self._part = part
        self._kept: dict[tuple[object, ...], str] = {}

    def render(self, context: template.Context) -> SafeString:
        bench: Workspace = context["bench"]
        form: AnswerForm = context["form"]
        if not form.is_untouched or bench.correcting or bench.is_preview or context.get("messages"):
            return self._part.render(context)
        # Categories of one code are equal: what is shown of them may differ.
        categories = tuple(tuple(vars(category.value()).values()) for category in bench.categories)
        question, user = question_of(bench.project, bench.item), context["request"].user
        shows = (
            get_language(),
            bench.project.slug,
            question,
            bench.step,
            form.several,
            bench.offers_glossary,
            categories,
            context["is_first"] and (user.keys, user.one_key),  # the line on keys
        )
        seat, token = str(bench.seat.public_id), str(context["csrf_token"])
        if shows not in self._kept:
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[shows] = self._part.render(context).replace(seat, _SEAT).replace(token, _TOKEN)
        return SafeString(self._kept[shows].replace(_SEAT, seat).replace(_TOKEN, token))
