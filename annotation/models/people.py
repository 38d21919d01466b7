"""User accounts."""

from functools import cache
from typing import Any, ClassVar
from uuid import uuid4

from django.apps import apps
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q

from annotation.domain import choices as domain_choices
from annotation.models.base import choices
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
        return account


class User(AbstractUser):
    """An account. It needs no e-mail address. Personal viewing settings belong to it (wellbeing rank 6)."""

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
    viewing_chosen = models.BooleanField(default=False)  # False: a project that they join sets its defaults
    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    language = models.CharField(max_length=10, blank=True, default="")
    tours = models.JSONField(blank=True, default=dict)  # by role: how many steps of its tour were seen
    weekly_mail = models.BooleanField(default=False)  # a note once a week about what waits, counts only
    weekly_mailed_at = models.DateTimeField(null=True, blank=True)
    # the password was shown to somebody else: a new one comes before all other pages
    must_change_password = models.BooleanField(default=False, db_default=False, editable=False)
    access_mail = models.BooleanField(default=False)  # a note when somebody asks for a release that they administer

    objects: ClassVar[Accounts] = Accounts()
    reports_wait = False
    """Whether reports wait that this person may answer. It is read with the account, by no query of its own."""


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
