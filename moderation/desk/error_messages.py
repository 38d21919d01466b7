"""The sentences in which the desk refuses a decision; pages and the API show the same."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.review.adjudicate import BadRuling, OwnItem, RulingKeyReused
from moderation.desk.appeals import DecidedBefore
from moderation.desk.decide import AlreadyProposed, CategoryWanted, NeedsAppeal, ProposalAnswered
from moderation.desk.set_aside import BadSetAside, KeptForAnother
from moderation.models import Lease

_SET_ASIDE = {
    "not_disputed": gettext_lazy("Only a disputed post can be set aside."),
    "note_missing": gettext_lazy("Say in one sentence why it is parked."),
    "past_day": gettext_lazy("Choose a day after today."),
    "may_not_decide": gettext_lazy(
        "This person may not decide the post: they do not review here, or took part in it before. Choose somebody else."
    ),
}


_REFUSALS = {
    OwnItem: gettext_lazy("You labelled this post, so somebody else has to decide it."),
    DecidedBefore: gettext_lazy("The appeal is against your own decision: somebody else has to answer it."),
    NeedsAppeal: gettext_lazy(
        "Two reviewers decided this together. Record an appeal, so that others look at it again."
    ),
    CategoryWanted: gettext_lazy(
        "Somebody was not sure about this post. Give the category that replaces it first, or see the votes on its page."
    ),
    AlreadyProposed: gettext_lazy("You have decided about this post; now somebody else has to look at it too."),
    ProposalAnswered: gettext_lazy(
        "It cannot be changed any more: another reviewer decided too, or it was taken back before."
    ),
    KeptForAnother: gettext_lazy("This post is set aside for somebody else, or parked. Take it first, then decide it."),
    RulingKeyReused: gettext_lazy(
        "This form was sent before with another decision, which is stored. Load the page again."
    ),
}


def refusal_of(fault: Exception) -> str:
    """Return the reason for the refusal as a sentence."""
    if isinstance(fault, BadSetAside):
        return str(_SET_ASIDE[fault.code])
    if isinstance(fault, BadRuling):
        return _("That cannot be done here: %(why)s") % {"why": fault}
    sentence = _REFUSALS.get(type(fault))
    return str(sentence or _("Only reviewers settle disputed posts, and only while they are disputed."))


def leased_sentence(lease: Lease) -> str:
    """Return a sentence that says who works on the post, and until when."""
    return _("%(who)s has this post until %(until)s.") % {"who": lease.reviewer, "until": f"{lease.expires_at:%H:%M}"}
