"""The consent texts of a project, version by version, and their effect when people leave."""

from django.utils.translation import gettext as _

from annotation.domain.choices import OnWithdrawal
from annotation.models import ConsentText, Membership, Project


def warning(project: Project) -> str:
    """Return the content warning that comes before the first post: the project's, or the site's own."""
    return project.content_warning or _(
        "Posts here may demean people for who they are, openly or only in how their parts work together. "
        "Some may upset you, also later in the day."
    )


def text(project: Project) -> str:
    """Return the words that annotators agree to: the project's, or the site's own."""
    return project.consent_text or _(
        "I am an adult, I have read the warning, and I take part of my own free will. My labels, notes and the time "
        "they took are stored and may be published without my name."
    )


def who_can_tell() -> str:
    """Return who knows whose labels are whose; consent, invitation and `docs/annotators.md` say it alike."""
    return _("Admins of this project and the people who run the site can tell which labels are yours; nobody else can.")


def seen_of_each() -> str:
    """Return all that admins are shown of a person; what more a page shows, it must say here."""
    return _(
        "For each pseudonym admins see labels and working time, agreement with others, results of training and checks, "
        "the share of not sure and of low quality, and the typical time; never skips, pauses, opt-outs or check-ins."
    )


def keep(project: Project) -> None:
    """Store the valid consent text under its version, once.

    Call it in the transaction that makes the text valid or accepts it.
    """
    ConsentText.objects.get_or_create(
        project=project,
        version=project.consent_version,
        defaults={"text": project.consent_text, "on_withdrawal": project.on_withdrawal},
    )


def agreed_by(member: Membership) -> ConsentText | None:
    """Return the version that the member agreed to last. Returns None if it was not stored."""
    return ConsentText.objects.filter(project=member.project_id, version=member.consent_version).first()


def policy_for(member: Membership) -> OnWithdrawal:
    """Return what happens to the member's labels if they leave, by the version that they agreed to.

    Without an agreement, labels are kept. If the agreed version was not stored, the project's policy applies if that
    version is the valid one, else labels are kept.
    """
    if member.consent_version == 0:
        return OnWithdrawal.KEEP
    agreed = agreed_by(member)
    if agreed is not None:
        return OnWithdrawal(agreed.on_withdrawal)
    current = member.consent_version == member.project.consent_version
    return OnWithdrawal(member.project.on_withdrawal) if current else OnWithdrawal.KEEP


def sentence(policy: OnWithdrawal | str) -> str:
    """Return the site's sentence about the labels of a member who leaves; consent and leave pages show it."""
    if policy == OnWithdrawal.REMOVE:
        return _(
            "If you leave, your labels no longer count, and other people are asked in your place. Labels in a "
            "release that is already published stay there, under your pseudonym."
        )
    return _("If you leave, your labels stay in use under your pseudonym, because the results depend on them.")
