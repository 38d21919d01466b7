"""User accounts."""

from functools import cache
from typing import Any, ClassVar
from uuid import uuid4

from django.apps import apps
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from annotation.domain import choices as domain_choices
from annotation.domain.accounts.user_names import check_user_name, name_keys
from annotation.domain.text_rules import BadText
from annotation.models.base import choices
from annotation.models.lines import LineField
from runs.sql.compiled_queries import CompiledQuery, slot


class Theme(models.TextChoices):
    SYSTEM = "system", "As the system"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class Accounts(UserManager["User"]):
    """Accounts. One that is named by its primary key alone, as every request does, needs no new query."""

    use_in_migrations = False

    def get(self, *args: Any, **lookups: Any) -> "User":
        """Return the account of these lookups, as `QuerySet.get` does."""
        if args or lookups.keys() != {"pk"}:
            return super().get(*args, **lookups)
        account = _account_with_key().first(pk=lookups["pk"])
        if account is None:
            raise User.DoesNotExist(f"There is no account {lookups['pk']}.")
        account._name_before = account.username
        return account


NAME_SENTENCES = {
    "name_like_path": _(
        "The name reads like a file or an option of a program: begin and end it with a letter or digit, and do not use "
        "names that Windows keeps for devices, such as con or nul."
    ),
    "mixed_scripts": _("The name mixes letters of scripts that are not written together: use one script."),
    "name_reads_alike": _("This name is taken, or reads like one that is: choose another."),
}
"""Why a user name is refused, by code."""


class NameKey(models.CharField[str | None, str | None]):
    """One of the two keys of an account's name (`domain/accounts/user_names.py`), written when the name is."""

    def __init__(self, *args: Any, which: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._which = which

    def deconstruct(self) -> Any:
        """Return the field as migrations know it: the database has an ordinary column."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        assert isinstance(model_instance, User)
        if add or model_instance.has_new_name:
            setattr(model_instance, self.attname, name_keys(model_instance.username)[self._which])
        return super().pre_save(model_instance, add)


class User(AbstractUser):
    """An account. It needs no e-mail address. Personal viewing settings belong to it (wellbeing rank 6)."""

    first_name = LineField(AbstractUser._meta.get_field("first_name").verbose_name, max_length=150, blank=True)
    last_name = LineField(AbstractUser._meta.get_field("last_name").verbose_name, max_length=150, blank=True)
    # what names that read alike have in common; null: an account of before that read like an older one
    name_key = NameKey(max_length=64, unique=True, null=True, editable=False, which=0)
    name_look = NameKey(max_length=64, unique=True, null=True, editable=False, which=1)
    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    blur = models.BooleanField(default=True)
    blur_strength = models.CharField(
        max_length=8, choices=choices(domain_choices.BlurStrength), default=domain_choices.BlurStrength.PATCHES
    )
    grey = models.BooleanField(default=True)
    sepia = models.BooleanField(default=False)
    picture_size = models.CharField(
        max_length=8, choices=choices(domain_choices.PictureSize), default=domain_choices.PictureSize.FULL
    )
    fold_text = models.BooleanField(default=False)  # a post's text is folded until the user opens it
    keys = models.CharField(
        max_length=8,
        choices=choices(domain_choices.KeyUse),
        default=domain_choices.KeyUse.PLAIN,
        db_default=domain_choices.KeyUse.PLAIN,
    )
    own_keys = models.JSONField(null=True, editable=False)  # by app and usual letter; none: all keys are as usual
    one_key = models.BooleanField(default=False, db_default=False)  # the key of a category sends the answer
    viewing_chosen = models.BooleanField(default=False)  # False: a project that they join sets its defaults
    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    language = models.CharField(max_length=10, blank=True, default="")
    # the password was shown to somebody else: a new one comes before all other pages
    must_change_password = models.BooleanField(default=False, db_default=False, editable=False)
    access_mail = models.BooleanField(default=False)  # a note when somebody asks for a release that they administer

    # when the account was told that strangers tried many wrong passwords, or codes of its second step
    passwords_guessed_at = models.DateTimeField(null=True, blank=True, editable=False)
    codes_guessed_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[Accounts] = Accounts()
    reports_wait = False
    """Whether reports wait that this person may answer. It is read with the account, by no query of its own."""
    _name_before: str | None = None

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> "User":
        account = super().from_db(*args, **kwargs)
        account._name_before = account.__dict__.get("username")
        return account

    def refresh_from_db(self, *args: Any, **kwargs: Any) -> None:
        super().refresh_from_db(*args, **kwargs)
        self._name_before = self.__dict__.get("username")

    @property
    def has_new_name(self) -> bool:
        """Whether the name is not the one that is stored. A row that was read beside another one is looked up."""
        if "username" not in self.__dict__:
            return False
        if self._name_before is None and not self._state.adding:
            self._name_before = User.objects.filter(pk=self.pk).values_list("username", flat=True).first()
        return self.username != self._name_before

    def clean(self) -> None:
        """Check the name. Raises ValidationError."""
        super().clean()
        if self.has_new_name:
            self._refuse_bad_name()

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store the account. Raises ValidationError for a new name that a form would have refused."""
        if self.has_new_name:
            self._refuse_bad_name()
        super().save(*args, **kwargs)
        self._name_before = self.__dict__.get("username")

    def _refuse_bad_name(self) -> None:
        try:
            check_user_name(self.username)
        except BadText as bad:
            raise ValidationError({"username": ValidationError(NAME_SENTENCES[bad.code], bad.code)}) from bad
        keys = name_keys(self.username)
        alike = User.objects.filter(Q(name_key__in=keys) | Q(name_look__in=keys))
        if alike.exclude(pk=self.pk).exists():
            code = "name_reads_alike"
            raise ValidationError({"username": ValidationError(NAME_SENTENCES[code], code)})


@cache
def _account_with_key() -> "CompiledQuery[User]":
    waiting = apps.get_model("annotation", "Report").objects.filter(answered_at=None)
    of_project = waiting.filter(item__project=OuterRef("project"))
    administered = apps.get_model("annotation", "Membership").objects.filter(
        Exists(of_project), user=OuterRef("pk"), active=True, administers=True
    )
    may_answer = Exists(administered) | (Q(is_staff=True) & Exists(waiting))
    accounts = User.objects.filter(pk=slot("pk", User._meta.pk))
    return CompiledQuery(accounts.annotate(**{"reports_wait": ExpressionWrapper(may_answer, BooleanField())}))


class TokenUse(models.Model):
    """When and from where a token for the API was last used; shown to its owner alone, and deleted with the token."""

    token = models.OneToOneField("knox.AuthToken", on_delete=models.CASCADE, primary_key=True, related_name="use")
    at = models.DateTimeField()
    address = models.CharField(max_length=45, blank=True, default="")
    client = models.CharField(max_length=100, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.token_id} at {self.at:%Y-%m-%d %H:%M}"


class OpenSession(models.Model):
    """A session of somebody who is signed in: where, and when it was last used. It ends with the session's own row.

    The library's table of sessions (allauth.usersessions) keeps whole addresses, and writes with every request.
    """

    # without a constraint: during an upgrade the version before ends sessions and knows no such row
    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, primary_key=True, related_name="open_session", db_constraint=False
    )
    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)  # the key itself is a secret
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="open_sessions")
    browser = models.CharField(max_length=60, blank=True, default="")
    place = models.CharField(max_length=45, blank=True, default="")  # a range of addresses, such as 203.0.113.x
    began_at = models.DateTimeField()
    used_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.browser} {self.place}"
