"""Creation of a project with its categories, first guidelines and first admin."""

import re

from django.db import IntegrityError, transaction

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import Choose, EventVerb, Policy, Role
from annotation.domain.design.file import Design
from annotation.domain.one_line import read_line
from annotation.domain.text_rules import BadText, read_text
from annotation.models import Guideline, Membership, Project, User, record
from annotation.projects.design import store_design
from annotation.projects.pseudonyms import new_pseudonym

NAME_LIMIT = 120
"""The maximum length of a project's name, in characters."""
FEWEST_SEATS, MOST_SEATS = 2, 15
DEFAULT_DESIGN = Design(DEFAULT_CATEGORIES)
"""The six categories of the H-VLI paper."""

FIRST_GUIDELINES = """\
Decide what the post means **as a whole**, not what each of its parts says alone.

1. Take in every part of it, then ask what somebody would understand who meets all of it at once.
2. Choose the category that fits this meaning. Quoting or opposing an attack is not the attack.
3. The notes of the models beside the post are one opinion each; challenge them where they are wrong.
4. Choose *not sure* when you cannot decide after a second look: another person will be asked.
5. Flag *low quality* when the post cannot be judged: unreadable, cut off, a language you do not know.
6. Skip whatever you would rather not look at. Nothing follows from a skip, and no reason is needed.
"""

_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")


class BadProject(ValueError):
    """A project that cannot be created: a stable code, a message for people, the field with the error."""

    def __init__(self, code: str, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


@transaction.atomic
def create_project(
    slug: str,
    *,
    name: str = "",
    design: Design = DEFAULT_DESIGN,
    seats: int = 3,
    policy: Policy = Policy.REVIEW,
    creator: User | None = None,
) -> Project:
    """Create a project with its design and first guidelines; `creator`, if given, becomes its admin.

    The design comes from `domain.design.file.read_design`, which refuses invalid ones.
    Raises BadProject.
    """
    project = Project(
        slug=_free_slug(slug),
        name=_name(name or slug),
        seats=_seats(seats),
        policy=Policy(policy),
        question=dict(design.question),
        choose=design.choose or Choose.ONE,
    )
    try:
        with transaction.atomic():
            project.save()
    except IntegrityError:  # somebody else took the address at the same moment
        raise _taken(slug) from None
    store_design(project, design)
    Guideline.objects.create(project=project, number=1, text=FIRST_GUIDELINES)
    admin = _first_admin(project, creator) if creator else None
    record(EventVerb.PROJECT_CREATED, project=project, actor=admin, row=project.public_id, seats=seats, policy=policy)
    return project


def _first_admin(project: Project, creator: User) -> Membership:
    pseudonym = new_pseudonym(project)
    admin = Membership.objects.create(project=project, user=creator, pseudonym=pseudonym, administers=True)
    record(EventVerb.MEMBER_ADDED, project=project, actor=None, row=admin.public_id, role=Role.ADMIN, created=True)
    return admin


def _free_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        sentence = "A project's address has 1 to 64 letters, digits, - and _, a letter or digit first and last."
        raise BadProject("bad_slug", sentence, "slug")
    if Project.objects.filter(slug__iexact=slug).exists():
        raise _taken(slug)
    return slug


def _taken(slug: str) -> BadProject:
    return BadProject("slug_taken", f"There is a project {slug!r} already; choose another address.", "slug")


def _name(name: str) -> str:
    try:
        return read_text(read_line(name), NAME_LIMIT)
    except BadText as bad:
        raise BadProject(bad.code, f"The project's name: {bad.sentence}", "name") from None


def _seats(seats: int) -> int:
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        sentence = f"An item has {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}."
        raise BadProject("bad_seats", sentence, "seats")
    return seats
