"""Joining a project: accounts and memberships."""

import secrets
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q

from annotation.assignment.make_seats import make_check_seats
from annotation.domain.choices import EventVerb, Role
from annotation.domain.wellbeing.viewing import read_viewing
from annotation.members.participation import fields_of_return
from annotation.models import ROLE_FLAG, Membership, Project, User, record
from annotation.models.people import NAME_SENTENCES
from annotation.projects.create import BadProject
from annotation.projects.pseudonyms import new_pseudonym

ERASED = "erased-"
"""The prefix of the names of erased accounts; no other account gets such a name."""

_PASSWORD_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # without characters that look alike


class BadMember(BadProject):
    """A person who cannot be added."""


@dataclass(frozen=True)
class Joined:
    """A member; `created` says whether they are new in the project. `password` is set for a new account."""

    membership: Membership
    created: bool
    password: str | None = None


def name_in_project(project: Project, name: str) -> str:
    """Return the user name of an account that the project makes: the project's address comes first."""
    return name if name.lower().startswith(f"{project.slug.lower()}.") else f"{project.slug}.{name}"


@transaction.atomic
def add_person(project: Project, name: str, role: Role, *, actor: Membership) -> Joined:
    """Give somebody a role on behalf of an admin of the project, who does not learn which accounts the site has.

    A person of the project, by the name that its admins see, gets the role beside theirs. For every other name an
    account is made that bears the project's name; its owner must change the password at the first sign-in. Who has an
    account already gets an invitation instead, and decides.
    Raises BadMember.
    """
    name = _username(name.strip())
    own_name = _username(name_in_project(project, name))
    people = Membership.objects.filter(project=project, withdrawn_at=None).select_related("user")
    known = people.filter(Q(user__username__iexact=name) | Q(user__username__iexact=own_name)).first()
    if known is not None and known.user is not None:
        return add_member(project, known.user.username, role, actor=actor)
    password = new_password()
    user = User(username=own_name, must_change_password=True)
    user.set_password(password)
    _store_under_a_free_name(user)
    member, created = enrol(project, user, Role(role))
    record(EventVerb.MEMBER_ADDED, project=project, actor=actor, row=member.public_id, role=role, created=created)
    return Joined(member, created, password)


def _store_under_a_free_name(user: User) -> None:
    """Store a new account; where its name is taken, a number is added. Raises BadMember."""
    wanted = user.username
    for number in range(2, 100):
        try:
            return _store(user)
        except BadMember as taken:
            if taken.code not in ("name_reads_alike", "username_taken"):
                raise
        user.username = _username(f"{wanted}-{number}")
    raise _taken()


@transaction.atomic
def add_member(
    project: Project,
    username: str,
    role: Role,
    *,
    email: str = "",
    actor: Membership | None = None,
    shows_password: bool = False,
) -> Joined:
    """Give a person a role in the project, on behalf of who runs the site; create the account if there is none.

    A member keeps their other roles; an ended membership begins again. `shows_password`: the caller shows the password
    of a new account to somebody, so its owner must change it at the first sign-in.
    Raises BadMember.
    """
    user, password = _account(username.strip(), email.strip(), shows_password)
    member, created = enrol(project, user, Role(role))
    record(EventVerb.MEMBER_ADDED, project=project, actor=actor, row=member.public_id, role=role, created=created)
    return Joined(member, created, password)


def enrol(project: Project, user: User, *roles: Role) -> tuple[Membership, bool]:
    """Make the user a member with these roles in addition to theirs. Return the member and whether they are new.

    Call it within a transaction. An ended membership begins again; who withdrew is asked for consent again.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # two admins may add one person at the same time
    flags = [ROLE_FLAG[role] for role in roles]
    member = Membership.objects.filter(project=project, user=user).first()
    if member is None:
        role_flags = dict.fromkeys(flags, True)
        member = Membership.objects.create(project=project, user=user, pseudonym=new_pseudonym(project), **role_flags)
        _set_viewing_defaults(user, project)
        make_check_seats(project)
        return member, True
    if not member.active or not all(getattr(member, flag) for flag in flags):
        begins_again = {} if member.active else fields_of_return(member)
        Membership.objects.filter(pk=member.pk).update(**dict.fromkeys(flags, True), **begins_again)
        member.refresh_from_db()
        make_check_seats(project)
    return member, False


def _set_viewing_defaults(user: User, project: Project) -> None:
    """Give the project's viewing defaults to a user who has not chosen their own."""
    if project.viewing_defaults and not user.viewing_chosen:
        viewing = read_viewing(project.viewing_defaults).stored()
        User.objects.filter(pk=user.pk, viewing_chosen=False).update(**viewing)


def make_account(username: str, password: str) -> User:
    """Create an account for an invited person; `password` is hashed. Raises BadMember."""
    username = _username(username.strip())
    if username.lower().startswith(ERASED) or User.objects.filter(username__iexact=username).exists():
        raise _taken()
    user = User(username=username, password=password)
    _store(user)
    return user


def _store(user: User) -> None:
    """Store a new account. Raises BadMember if its name is refused, or taken at the same moment."""
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError:
        raise _taken() from None
    except ValidationError as refused:
        (error,) = refused.error_dict["username"]
        raise BadMember(error.code or "bad_username", str(NAME_SENTENCES[error.code or ""]), "username") from None


def _taken() -> BadMember:
    return BadMember("username_taken", "This name is taken; choose another.", "username")


def _account(username: str, email: str, must_change_password: bool) -> tuple[User, str | None]:
    """Return the account of this name, in any case, and its password if it is new. Raises BadMember."""
    username = _username(username)
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        password = new_password()
        user = User(username=username, email=_email(email), must_change_password=must_change_password)
        user.set_password(password)
        try:
            _store(user)
        except BadMember:  # it is refused; or another admin gave this name an account at the same moment
            if (meanwhile := User.objects.filter(username__iexact=username).first()) is None:
                raise
            user = meanwhile
        else:
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
    """Return twenty random letters in groups of five, easy to copy by hand: 100 bits."""
    return "-".join("".join(secrets.choice(_PASSWORD_LETTERS) for _ in range(5)) for _ in range(4))
