"""Who signs in."""

from uuid import uuid4

from django.contrib.auth.models import AbstractUser
from django.db import models

from annotation.domain import choices as domain_choices
from annotation.models.base import choices


class Theme(models.TextChoices):
    SYSTEM = "system", "As the system"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class User(AbstractUser):
    """An account. Needs no e-mail address; personal filter settings follow the person (wellbeing rank 6)."""

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
    fold_text = models.BooleanField(default=False)  # a post's text stays closed until opened
    viewing_chosen = models.BooleanField(default=False)  # until then a project they join sets its defaults
    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    language = models.CharField(max_length=10, blank=True, default="")
