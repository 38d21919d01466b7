"""Posts that are answered, and the versions of their seven explanations."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.domain.columns.items import is_injected
from annotation.models import Item, Membership, Project
from annotation.models.lines import LineField
from generation.domain.counterspeech.explanations import Explanation, filled
from providers.keyword.model import OWN_WORDS

MOST_NAME = 200
"""The maximum length of a group or a theme, in characters."""


class CounterRules(models.Model):
    """The counterspeech rules of a project: the weights of the reward, and words that no reply may contain."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="counter_rules")
    weight_pc = models.FloatField(default=1.0)
    weight_aq = models.FloatField(default=1.0)
    weight_t = models.FloatField(default=1.0)
    lexicon = models.JSONField(default=list, blank=True)  # uploaded by the project's admins; never shown to annotators
    changed_at = models.DateTimeField(default=timezone.now)


class Exchange(models.Model):
    """A post and the replies to it. The post is an item of the project, or a text that somebody pasted."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="exchanges")
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="exchanges")
    pasted = models.TextField(blank=True, default="")  # where there is no item
    description = models.TextField(blank=True, default="")  # of the picture, by a model that sees pictures
    group_named = LineField(max_length=MOST_NAME, blank=True, default="", db_default="")  # where the item names none
    theme = LineField(max_length=MOST_NAME, blank=True, default="", db_default="")  # what it says of the group
    opened_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="exchanges")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item",), condition=Q(item__isnull=False), name="exchange_item_once"),
            models.CheckConstraint(
                condition=Q(item__isnull=False, pasted="") | Q(item__isnull=True) & ~Q(pasted=""),
                name="exchange_item_or_text",
            ),
        )

    def __str__(self) -> str:
        return str(self.public_id)

    @property
    def hate(self) -> str:
        """The text of the post; empty where the item is a picture alone."""
        return self.item.text if self.item is not None else self.pasted

    @property
    def target_group(self) -> str:
        """The group that the post is about: the item's own, or the one that somebody named at the desk."""
        return (self.item.target_group if self.item is not None else "") or self.group_named

    def say_about(self, *, group: str | None = None, theme: str | None = None) -> None:
        """Store whom the post is about and its theme; None leaves one as it is. The group that the item names stays."""
        self.group_named = self.group_named if group is None else group
        self.theme = self.theme if theme is None else theme
        self.save(update_fields=["group_named", "theme"])

    @property
    def injected(self) -> bool:
        """Whether a model wrote the post as a sample for the project."""
        return self.item is not None and is_injected(self.item.provenance)

    @property
    def name(self) -> str:
        """The name of the post: the item's id, or the first words of the pasted text."""
        return self.item.external_id if self.item is not None else " ".join(self.pasted.split())[:60]


class Explanations(models.Model):
    """One version of the seven explanations, written by a model or a person.

    A version is never changed; a change adds a new one. The newest version is in force.
    """

    exchange = models.ForeignKey(Exchange, on_delete=models.CASCADE, related_name="explanations")
    number = models.PositiveIntegerField()
    offensiveness = models.TextField(blank=True, default="")
    target_group = models.TextField(blank=True, default="")
    speaker_intent = models.TextField(blank=True, default="")
    power_dynamics = models.TextField(blank=True, default="")
    implication = models.TextField(blank=True, default="")
    emotional_reaction = models.TextField(blank=True, default="")
    cognitive_reaction = models.TextField(blank=True, default="")
    insults = models.JSONField(default=list, blank=True)  # words of the post that a reply must not repeat
    author = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="explanations_written"
    )  # None: a model
    run_id = models.UUIDField(null=True, blank=True, unique=True)  # the run's public id
    model = models.CharField(max_length=160, blank=True, default="")
    missing = models.JSONField(default=dict, blank=True)  # explanation → why the model gave none
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("exchange", "number"), name="explanations_number_once"),)

    def __str__(self) -> str:
        return f"{self.exchange} {self.number}"

    def by_name(self) -> dict[Explanation, str]:
        """Return the explanations that explain: not blank, and no sentence of the built-in baseline.

        The baseline knows no post: what it writes is for the person who explains, and goes to no model and no file.
        """
        written = filled({name: getattr(self, name) for name in Explanation})
        return {name: text for name, text in written.items() if not text.startswith(OWN_WORDS)}
