"""The tour of four steps that a person gets with their first project in a role: its words, and how far they are.

`User.tours` keeps for each role how many steps were seen or passed over. A role without an entry gets no tour, so that
people who worked here before tours existed are not stopped.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.domain.choices import Role
from annotation.models import Membership, Picture, User
from annotation.pages.navigation import address_of


@dataclass(frozen=True)
class TourStep:
    """A step: its heading, what it says, and the page that it is about (the name of a URL that takes the project)."""

    title: str | Promise
    text: str | Promise
    url_name: str
    text_without_pictures: str | Promise = ""
    """What it says instead in a project that has no pictures; empty: the same."""


STEPS: dict[Role, tuple[TourStep, ...]] = {
    Role.ANNOTATOR: (
        TourStep(
            _("Look"),
            _("Pictures start blurred. Hold Space, or press the button on the picture, to look."),
            "annotation:label",
            _("Read the post. The guidelines are one key away: press G, and G again to close them."),
        ),
        TourStep(
            _("Answer"),
            _("Press the key of a category, then Enter. Backspace takes you back to your last post."),
            "annotation:label",
        ),
        TourStep(
            _("When you are not sure"),
            _("Press U. Skip a post with S: skipping never counts against you. The guidelines explain each category."),
            "annotation:guidelines",
        ),
        TourStep(
            _("Take care of yourself"),
            _("Pause whenever you like. Choose content you would rather not see; nobody else can see your choice."),
            "annotation:opt-outs",
        ),
    ),
    Role.REVIEWER: (
        TourStep(
            _("Find a post"),
            _(
                "The desk lists the posts that the annotators did not agree on. "
                "Each says why, and how long it has waited."
            ),
            "moderation:desk",
        ),
        TourStep(
            _("Read the votes"),
            _("Open a post. Votes and notes stand beside it, without names. J and K go to the next and previous post."),
            "moderation:desk",
        ),
        TourStep(
            _("Ask models"),
            _("Under Debates, models argue both sides. Model verdicts never override human decisions."),
            "moderation:runs",
        ),
        TourStep(
            _("Decide"),
            _("Choose a category, write your reason, press Ctrl+Enter. Your decision and reason are recorded."),
            "moderation:desk",
        ),
    ),
    Role.ADMIN: (
        TourStep(
            _("Bring posts in"),
            _("Import checks the whole file first. It stores all rows or none, and lists every problem."),
            "annotation:import",
        ),
        TourStep(
            _("Hand posts out"),
            _("Campaign shows the batches. Open one to hand out its posts. People invites annotators and reviewers."),
            "annotation:batches",
        ),
        TourStep(
            _("Follow the work"),
            _("The dashboard shows progress, agreement and disputes. Every figure has its table."),
            "annotation:dashboard",
        ),
        TourStep(
            _("Publish"),
            _("A release is a fixed set of files with checksums and a citation. Publish it when you are ready."),
            "annotation:releases",
        ),
    ),
}


def offer_tours(user: User, roles: Iterable[Role]) -> None:
    """Offer the tours of the roles, each once in a person's life."""
    new = {str(role): 0 for role in roles if str(role) not in user.tours}
    if new:
        user.tours |= new
        user.save(update_fields=["tours"])


def pass_step(user: User, role: Role, steps_seen: int) -> None:
    """Store that the person has seen so many steps of the role's tour; the number of all ends it."""
    user.tours[str(role)] = max(0, min(steps_seen, len(STEPS[role])))
    user.save(update_fields=["tours"])


def begin_again(member: Membership, user: User) -> None:
    """Begin the tours of all roles that the member has, at the first step."""
    user.tours |= {str(role): 0 for role in Role if member.has(role)}
    user.save(update_fields=["tours"])


def shown_tour(member: Membership, user: User, path: str) -> dict[str, Any]:
    """Return the step that is due, for `_tour.html`; without `step` if none is due. `path` is that of the page."""
    for role, steps in STEPS.items():
        steps_seen = user.tours.get(str(role), len(steps))
        if member.has(role) and steps_seen < len(steps):
            step = steps[steps_seen]
            place = {"number": steps_seen + 1, "total": len(steps), "last": steps_seen + 1 == len(steps)}
            address = address_of(step.url_name, member.project.slug)
            says = step.text
            if step.text_without_pictures and not Picture.objects.filter(project=member.project).exists():
                says = step.text_without_pictures
            return {
                "step": step,
                "says": says,
                "role": role,
                "project": member.project,
                "address": "" if address == path else address,
                **place,
            }
    return {"project": member.project}
