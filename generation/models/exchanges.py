"""Posts that are answered, and the versions of their seven explanations."""

from uuid import uuid4

from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models import Item, Membership, Project
from generation.domain.counterspeech.explanations import Explanation, filled
from providers.keyword.model import OWN_WORDS


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
