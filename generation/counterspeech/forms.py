"""Forms of the counterspeech pages."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.domain.text_rules import NOTE_LIMIT
from annotation.pages.form_fields import WrittenField, offer
from annotation.pages.request_form import RequestForm
from generation.counterspeech.pasted_text import PastedText
from generation.domain.counterspeech import claim_states, states
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.options import INTENT_WORDS, REGISTER_WORDS, CounterRequest
from generation.domain.counterspeech.platforms import NAMES
from generation.domain.counterspeech.rating import CRITERION_WORDS, Rating
from generation.domain.counterspeech.reward import BadParts, Weights
from generation.models.exchanges import MOST_NAME

INTENT_NAMES = {intent: _(word) for intent, word in INTENT_WORDS.items()}
REGISTER_NAMES = {register: _(word) for register, word in REGISTER_WORDS.items()}
SIDE_NAMES = {
    Explanation.OFFENSIVENESS: _("Offensiveness"),
    Explanation.TARGET_GROUP: _("Target group"),
    Explanation.SPEAKER_INTENT: _("Speaker intent"),
    Explanation.POWER_DYNAMICS: _("Power dynamics"),
    Explanation.IMPLICATION: _("Implication"),
    Explanation.EMOTIONAL_REACTION: _("Emotional reaction"),
    Explanation.COGNITIVE_REACTION: _("Cognitive reaction"),
}
CRITERION_NAMES = {criterion: _(words) for criterion, words in CRITERION_WORDS.items()}
MOST_LEXICON = 2000
MOST = {
    "comment": NOTE_LIMIT,
    "reason": states.MOST_REASON,
    "claim_reason": claim_states.MOST_REASON,
    "name": MOST_NAME,
}
"""The longest texts that the desk's pages let people type, by the name under which its templates know them.

A pasted post, explanations and the text of a reply are not here: a browser cuts what is pasted beyond a limit and does
not say so. The site refuses those, and shows them whole.
"""


class PasteForm(RequestForm[PastedText]):
    """A post that is not an item of the project."""

    asks = PastedText


class WriteForm(RequestForm[CounterRequest]):
    """Options of a run that writes candidates."""

    asks = CounterRequest

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer(self, "platform", [("", _("no platform in particular")), *NAMES.items()])


class RulesForm(forms.Form):
    """The weights of the reward and the words that no reply may contain; for admins."""

    weight_pc = forms.FloatField(label=_("Weight of stance (PC)"), min_value=0, max_value=100)
    weight_aq = forms.FloatField(label=_("Weight of argument quality (AQ)"), min_value=0, max_value=100)
    weight_t = forms.FloatField(label=_("Weight of civility (1 − T)"), min_value=0, max_value=100)
    lexicon = WrittenField(
        label=_("Words replies must not use"),
        limit=100_000,
        rows=8,
        required=False,
        help_text=_("One word or phrase per line. A reply that uses one is flagged. Annotators never see this list."),
    )

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        weights = [values.get(name) for name in ("weight_pc", "weight_aq", "weight_t")]
        try:
            Weights(*(weight for weight in weights if weight is not None))
        except BadParts:
            self.add_error(None, _("At least one weight has to be above 0."))
        return values

    def clean_lexicon(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["lexicon"].splitlines()]
        words = list(dict.fromkeys(line for line in lines if line))
        if len(words) > MOST_LEXICON:
            raise forms.ValidationError(_("At most %(most)s lines.") % {"most": MOST_LEXICON})
        if any(len(word) > 120 for word in words):
            raise forms.ValidationError(_("A line has at most 120 characters."))
        return words


class ComparisonForm(RequestForm[Rating]):
    """Which of two replies is better, by each of the five criteria. `left` and `right` are the sides on the page."""

    asks = Rating
