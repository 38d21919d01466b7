"""What the reasons of a dispute are called, and what each means for the votes of a post."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.domain.alignment import IntendedCategory, IntendedHateful
from annotation.domain.choices import Reason
from annotation.domain.item_decision import Case
from annotation.domain.votes import Vote
from annotation.models import Category

REASON_NAMES = {
    Reason.NOT_SURE: gettext_lazy("Not sure"),
    Reason.LOW_QUALITY: gettext_lazy("Low quality"),
    Reason.NO_MAJORITY: gettext_lazy("No majority"),
    Reason.KIND_UNDECIDED: gettext_lazy("Hateful, but category unclear"),
    Reason.MISALIGNED: gettext_lazy("Not read as intended"),
    Reason.PRIOR_CHALLENGED: gettext_lazy("Prior challenged"),
    Reason.MODEL_CONFLICT: gettext_lazy("Model conflict"),
    Reason.APPEAL: gettext_lazy("Appeal"),
    Reason.REPORTED: gettext_lazy("Reported"),
    Reason.WITHDRAWN: gettext_lazy("Withdrawn"),
}


def sentence_of(reason: Reason, case: Case, categories: Sequence[Category]) -> str:
    """Return a sentence that says what the reason means for this item's votes."""
    votes = case.votes
    match reason:
        case Reason.NOT_SURE:
            return _of(
                ngettext(
                    "%(count)d of %(all)d gives no category.", "%(count)d of %(all)d give no category.", _unsure(votes)
                ),
                _unsure(votes),
                votes,
            )
        case Reason.LOW_QUALITY:
            flags = sum(vote.low_quality for vote in votes)
            return _of(ngettext("%(count)d of %(all)d flags it.", "%(count)d of %(all)d flag it.", flags), flags, votes)
        case Reason.NO_MAJORITY:
            hateful = sum(vote.category is not None and vote.category.hateful for vote in votes)
            return _of(_("%(count)d of %(all)d say hateful; no category has more than half."), hateful, votes)
        case Reason.KIND_UNDECIDED:
            return _("All say hateful; no kind has more than half.")
        case Reason.MISALIGNED:
            return _("Meant as %(intended)s, read differently.") % {"intended": _intended(case, categories)}
        case Reason.PRIOR_CHALLENGED:
            return _("A correction short of a majority would change the pattern.")
        case Reason.MODEL_CONFLICT:
            return _("A model's verdict differs from the votes.")
        case Reason.APPEAL:
            return _("Somebody objects to what was decided.")
        case _:
            return ""


def _unsure(votes: tuple[Vote, ...]) -> int:
    return sum(vote.category is None for vote in votes)


def _of(sentence: str, count: int, votes: tuple[Vote, ...]) -> str:
    return sentence % {"count": count, "all": len(votes)}


def _intended(case: Case, categories: Sequence[Category]) -> str:
    match case.intent:
        case IntendedCategory(category, further):
            codes = {intended.code for intended in (category, *further)}
            return ", ".join(str(named) for named in categories if named.code in codes)
        case IntendedHateful(hateful):
            return _("hateful") if hateful else _("not hateful")
        case None:
            return "–"
