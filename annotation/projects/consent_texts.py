"""What people agree to, version by version, and what follows from it when they leave."""

from django.utils.translation import gettext as _

from annotation.domain.choices import OnWithdrawal
from annotation.models import ConsentText, Membership, Project


def keep(project: Project) -> None:
    """Keep the consent in force under its version, once; within the transaction that puts it in force or accepts it."""
    ConsentText.objects.get_or_create(
        project=project,
        version=project.consent_version,
        defaults={"text": project.consent_text, "on_withdrawal": project.on_withdrawal},
    )


def agreed_by(member: Membership) -> ConsentText | None:
    """The version that the member agreed to last, if it was kept."""
    return ConsentText.objects.filter(project=member.project_id, version=member.consent_version).first()


def policy_for(member: Membership) -> OnWithdrawal:
    """What happens to the member's labels if they leave: what the version says that they agreed to.

    Without an agreement on record labels are kept; a version from before they were kept follows the project.
    """
    if member.consent_version == 0:
        return OnWithdrawal.KEEP
    agreed = agreed_by(member)
    if agreed is not None:
        return OnWithdrawal(agreed.on_withdrawal)
    current = member.consent_version == member.project.consent_version
    return OnWithdrawal(member.project.on_withdrawal) if current else OnWithdrawal.KEEP


def sentence(policy: OnWithdrawal | str) -> str:
    """The site's fixed sentence about the labels of somebody who leaves; consent and leave pages both say it."""
    if policy == OnWithdrawal.REMOVE:
        return _(
            "If you leave, your labels are taken out of force and other people are asked in your place. "
            "Labels in a release that is already published stay there, under your pseudonym."
        )
    return _("If you leave, your labels stay in use, under your pseudonym: others’ work rests on them.")


def standard_text() -> str:
    """Return the consent text of projects that have none of their own."""
    return _(
        "I am an adult, I have read the warning, and I take part of my own free will. My labels, notes and the time "
        "they took are stored and may be published without my name."
    )
