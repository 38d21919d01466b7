"""Forms of the counterspeech pages."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.pages.form_fields import WrittenField
from annotation.pages.request_form import RequestForm
from generation.counterspeech import request
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.options import INTENT_WORDS, CounterRequest
from generation.domain.counterspeech.preferences import Choice, Criterion
from generation.domain.counterspeech.reward import BadParts, Weights

INTENT_NAMES = {intent: _(word) for intent, word in INTENT_WORDS.items()}
SIDE_NAMES = {
    Explanation.OFFENSIVENESS: _("Offensiveness"),
    Explanation.TARGET_GROUP: _("Target group"),
    Explanation.SPEAKER_INTENT: _("Speaker intent"),
    Explanation.POWER_DYNAMICS: _("Power dynamics"),
    Explanation.IMPLICATION: _("Implication"),
    Explanation.EMOTIONAL_REACTION: _("Emotional reaction"),
    Explanation.COGNITIVE_REACTION: _("Cognitive reaction"),
}
CRITERION_NAMES = {
    Criterion.INDEPENDENCE: _("Independent: can be understood on its own"),
    Criterion.ADEQUACY: _("Well written: correct, coherent, fluent"),
    Criterion.RELEVANCE: _("Speaks to this post: its subject, its claim, the people meant"),
    Criterion.EFFECTIVENESS: _("Convinces: a reader in doubt would be moved by it"),
    Criterion.CATEGORY: _("Does what its intent says"),
}
MOST_LEXICON = 2000


class PasteForm(forms.Form):
    """A post that is not an item of the project."""

    text = WrittenField(label=_("A text to answer"), limit=request.MOST_PASTED, rows=3)


class WriteForm(RequestForm[CounterRequest]):
    """Options of a run that writes candidates."""

    asks = CounterRequest


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


class ComparisonForm(forms.Form):
    """Which of two replies is better, by each of the five criteria. `left` and `right` are the sides on the page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for criterion, name in CRITERION_NAMES.items():
            self.fields[criterion] = forms.ChoiceField(
                label=name,
                choices=[("left", _("left")), ("tie", _("alike")), ("right", _("right"))],
                widget=forms.RadioSelect,
            )

    def choices_for(self, *, first_is_left: bool) -> dict[str, Choice]:
        """Return the choices by criterion, in the order of the stored pair."""
        sides = {"left": Choice.FIRST, "right": Choice.SECOND, "tie": Choice.TIE}
        if not first_is_left:
            sides = {"left": Choice.SECOND, "right": Choice.FIRST, "tie": Choice.TIE}
        return {criterion.value: sides[self.cleaned_data[criterion]] for criterion in Criterion}
