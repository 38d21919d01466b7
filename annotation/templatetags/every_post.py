"""The part of the annotator's page that is the same for every post, rendered once."""

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from annotation.labelling.forms import AnswerForm
from annotation.labelling.workspace import Workspace
from annotation.templatetags.page import question_of

register = template.Library()

_PAGE, _SEAT = "annotation/_workspace_decision.html", "\0"  # no text that is stored has this character
_MOST = 256
_kept: dict[tuple[object, ...], str] = {}


@register.simple_tag(takes_context=True)
def decision(context: template.Context) -> SafeString:
    """Return the question, the categories and the buttons.

    While nothing is chosen they are the same for every post, but for the number of its seat. They are rendered once and
    found again by all that they show, so a change of the project needs no word to anybody.
    """
    bench: Workspace = context["bench"]
    form: AnswerForm = context["form"]
    seat = str(bench.seat.public_id)
    page = context.template.engine.get_template(_PAGE)  # type: ignore[union-attr]  # a page is being rendered
    if not form.is_untouched or bench.correcting:
        return page.render(context)
    # Categories of one code are equal: what is shown of them may differ.
    categories = tuple(tuple(vars(category.value()).values()) for category in bench.categories)
    question = question_of(bench.project, bench.item)
    shows = get_language(), bench.project.slug, question, bench.step, form.several, bench.offers_glossary, categories
    if shows not in _kept:
        if len(_kept) >= _MOST:
            _kept.clear()
        _kept[shows] = page.render(context).replace(seat, _SEAT)
    return SafeString(_kept[shows].replace(_SEAT, seat))
