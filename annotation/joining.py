"""A campaign begins and people join it: projects, accounts, memberships."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from annotation.domain.category_names import DEFAULT_CATEGORIES
from annotation.domain.texts import BadText, read_text
from annotation.domain.votes import Category as CategoryValue
from annotation.domain.words import Policy, Role
from annotation.models import ROLE_FLAG, Category, Guideline, Membership, Project, User, record
from annotation.welcoming import welcome

NAME_LIMIT = 120
"""Characters of a project's name."""
FEWEST_SEATS, MOST_SEATS = 2, 15
ERASED = "erased-"
"""How the names of accounts begin that were erased; nobody else gets such a name."""

FIRST_GUIDELINES = """\
Decide what the post means when text and picture are taken **together**, not what each of them says alone.

1. Read the text, look at the picture, then ask what somebody would understand who sees both at once.
2. Choose the category that fits this joint meaning. Quoting or opposing an attack is not the attack.
3. The notes of the models beside the post are one opinion each; challenge them where they are wrong.
4. Choose *not sure* when you cannot decide after a second look: another person will be asked.
5. Flag *low quality* when the post cannot be judged: unreadable, cut off, a language you do not know.
6. Skip whatever you would rather not look at. Nothing follows from a skip, and no reason is needed.
"""

_SLUG = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_LETTERS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_PASSWORD_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # none that look alike


class BadProject(ValueError):
    """A project that cannot be made: a stable code, a sentence for people, the field it is about."""

    def __init__(self, code: str, sentence: str, field: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.field = field


class BadMember(BadProject):
    """A person who cannot be added."""


@dataclass(frozen=True)
class Joined:
    """A member; `created` if they were not in the project before. `password` is that of an account made just now."""

    membership: Membership
    created: bool
    password: str | None = None


@transaction.atomic
def create_project(
    slug: str,
    *,
    name: str = "",
    categories: Sequence[CategoryValue] = DEFAULT_CATEGORIES,
    seats: int = 3,
    policy: Policy = Policy.REVIEW,
    creator: User | None = None,
) -> Project:
    """Make a project with its categories and first guidelines; the creator, if any, becomes its admin.

    `categories` come from `category_names.read_categories`, which refuses impossible sets. Raises BadProject.
    """
    project = Project.objects.create(
        slug=_free_slug(slug), name=_name(name or slug), seats=_seats(seats), policy=Policy(policy)
    )
    Category.objects.bulk_create(
        Category(
            project=project,
            code=each.code,
            name=each.name,
            aliases=list(each.aliases),
            hateful=each.hateful,
            definition=each.definition,
            key=each.key,
        )
        for each in categories
    )
    Guideline.objects.create(project=project, number=1, text=FIRST_GUIDELINES)
    admin = add_member(project, creator.username, Role.ADMIN).membership if creator else None
    record("project_created", project=project, actor=admin, row=project.public_id, seats=seats, policy=policy)
    return project


@transaction.atomic
def add_member(
    project: Project, username: str, role: Role, *, email: str = "", actor: Membership | None = None
) -> Joined:
    """Give a person a role in the project, making the account where there is none. Raises BadMember.

    Somebody who is a member keeps the roles they have; an ended membership begins again.
    """
    user, password = _account(username.strip(), email.strip())
    member, created = enrol(project, user, Role(role))
    record("member_added", project=project, actor=actor, row=member.public_id, role=role, created=created)
    return Joined(member, created, password)


def enrol(project: Project, user: User, *roles: Role) -> tuple[Membership, bool]:
    """Make the user a member with these roles beside those they have, and whether they were none before.

    Within the caller's transaction; an ended membership begins again.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two admins adding one person
    flags = [ROLE_FLAG[role] for role in roles]
    member = Membership.objects.filter(project=project, user=user).first()
    if member is None:
        given = dict.fromkeys(flags, True)
        member = Membership.objects.create(project=project, user=user, pseudonym=new_pseudonym(project), **given)
        welcome(user, project)
        return member, True
    if not member.active or not all(getattr(member, flag) for flag in flags):
        for flag in flags:
            setattr(member, flag, True)
        member.active, member.withdrawn_at = True, None
        member.save(update_fields=(*flags, "active", "withdrawn_at"))
    return member, False


def make_account(username: str, password: str) -> User:
    """An account for somebody who was invited, with a password of their own, hashed by the caller. Raises BadMember."""
    username = _username(username.strip())
    if username.lower().startswith(ERASED) or User.objects.filter(username__iexact=username).exists():
        raise BadMember("username_taken", "This name is taken; choose another.", "username")
    user = User(username=username, password=password)
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        raise BadMember("username_taken", "This name is taken; choose another.", "username") from None
    return user


def _free_slug(slug: str) -> str:
    if not _SLUG.fullmatch(slug):
        sentence = "A project's address has 1 to 64 letters, digits, - and _, a letter or digit first and last."
        raise BadProject("bad_slug", sentence, "slug")
    if Project.objects.filter(slug__iexact=slug).exists():
        raise BadProject("slug_taken", f"There is a project {slug!r} already; choose another address.", "slug")
    return slug


def _name(name: str) -> str:
    try:
        return read_text(name.strip(), NAME_LIMIT)
    except BadText as bad:
        raise BadProject(bad.code, f"The project's name: {bad.sentence}", "name") from None


def _seats(seats: int) -> int:
    if not FEWEST_SEATS <= seats <= MOST_SEATS:
        sentence = f"An item has {FEWEST_SEATS} to {MOST_SEATS} seats, not {seats}."
        raise BadProject("bad_seats", sentence, "seats")
    return seats


def _account(username: str, email: str) -> tuple[User, str | None]:
    """The account of this name, in whatever case it is written, and its password if it was made just now."""
    username = _username(username)
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        password = new_password()
        user = User(username=username, email=_email(email))
        user.set_password(password)
        user.save()
        return user, password
    if not user.is_active:
        sentence = f"The account {user.username} is closed; a site admin can open it."
        raise BadMember("account_closed", sentence, "username")
    return user, None


def _username(username: str) -> str:
    user = User(username=User.normalize_username(username))
    try:
        name: str = User._meta.get_field("username").clean(user.username, user)
    except ValidationError:
        sentence = "A user name has 1 to 150 letters, digits and @ . + - _ characters."
        raise BadMember("bad_username", sentence, "username") from None
    return name


def _email(email: str) -> str:
    if email:
        try:
            validate_email(email)
        except ValidationError:
            raise BadMember("bad_email", "This is no e-mail address; leave it out if there is none.", "email") from None
    return email


def new_password() -> str:
    """Twenty letters in groups of five, easy to copy by hand: 100 bits."""
    return "-".join("".join(secrets.choice(_PASSWORD_LETTERS) for _ in range(5)) for _ in range(4))


def new_pseudonym(project: Project) -> str:
    """A name for the person that says nothing about them, new in the project."""
    taken = set(Membership.objects.filter(project=project).values_list("pseudonym", flat=True))
    while True:
        name = "".join(secrets.choice(letters) for letters in (_LETTERS, _VOWELS) * 2) + str(secrets.randbelow(90) + 10)
        if name not in taken:
            return name
