"""Rows of the reviewers' desk: leases of items, rules, opinions, proposals, vectors."""

from uuid import uuid4

from django.db import models
from django.utils import timezone

from annotation.models import Category, Item, Membership, Project, Ruling, WithCategories


class Lease(models.Model):
    """A disputed item that one reviewer holds until `expires_at`; no other reviewer gets it until then."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="desk_lease")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="desk_leases")
    expires_at = models.DateTimeField(db_index=True)


class SetAside(models.Model):
    """A disputed post that is kept for one reviewer, or parked with a note. It ends, and stays on record."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="set_asides")
    round = models.PositiveSmallIntegerField()  # of another round of the item it says nothing
    reviewer = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="desk_assigned"
    )  # None: parked
    note = models.TextField(max_length=500, blank=True, default="")
    by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="desk_set_aside")
    at = models.DateTimeField(default=timezone.now, editable=False)
    until = models.DateTimeField(null=True, blank=True)  # None: until somebody takes it
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item",), condition=models.Q(ended_at__isnull=True), name="set_aside_once"),
        )


class DeskRules(models.Model):
    """The rules of a project's desk; a project without a row has the defaults."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="desk_rules")
    lease_minutes = models.PositiveSmallIntegerField(default=15)
    second_for = models.JSONField(default=list, blank=True)  # reasons for which two reviewers decide independently
    appeals = models.BooleanField(default=True)
    value_lists = models.JSONField(default=dict, blank=True)  # field of a statement → the values the platform allows


class Opinion(models.Model):
    """A reviewer's category for an item before they open its debates. One per round; it never changes."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="desk_opinions")
    round = models.PositiveSmallIntegerField()
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="desk_opinions")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="desk_opinions")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("item", "round", "reviewer"), name="desk_opinion_once_a_round"),)


class Proposal(WithCategories):
    """A reviewer's decision that needs the agreement of a second reviewer. It does not change the item."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="desk_proposals")
    item_version = models.PositiveIntegerField()  # proposals about another version of the item are ignored
    round = models.PositiveSmallIntegerField()
    place = (
        models.PositiveSmallIntegerField()
    )  # 1: the first reviewer, 2: the second, 3: the third, after a disagreement
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="desk_proposals")
    ruling = models.CharField(max_length=10, choices=Ruling.choices)
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="desk_proposals"
    )
    rationale = models.TextField()
    client_key = models.UUIDField()
    body_sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item", "item_version", "place"), name="desk_proposal_place_once"),
            models.UniqueConstraint(fields=("item", "item_version", "reviewer"), name="desk_proposal_person_once"),
            models.UniqueConstraint(fields=("reviewer", "client_key"), name="desk_proposal_key_once"),
        )


class ItemVector(models.Model):
    """The embedding vector of an item's text; it is computed again if the text or the model changes."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="desk_vector")
    model = models.CharField(max_length=160)
    text_sha256 = models.CharField(max_length=64)
    vector = models.BinaryField()  # 256 float32, little-endian, length 1
