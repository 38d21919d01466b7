"""The rows of an annotation campaign, and what the database itself guarantees (design section 5).

Rules live in `annotation/domain`; the verbs that change these rows are modules beside this one, named after
the stations of an item's way. Seats, labels and events refer to memberships, never to user accounts.
"""

import secrets
from enum import StrEnum
from typing import Any, Self
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from annotation.domain import words
from annotation.domain.stages import MOVES
from annotation.domain.votes import Category as CategoryValue


def random_place() -> int:
    """A random position in the order of handing out: 0 … 2**31 - 1."""
    return secrets.randbelow(2**31)


def random_key() -> str:
    """A fresh secret of 256 bits, in hex."""
    return secrets.token_hex(32)


def choices(closed_set: type[StrEnum]) -> list[tuple[str, str]]:
    """The members of a closed set as Django choices."""
    return [(member.value, member.value.replace("_", " ")) for member in closed_set]


class AppendOnlyError(TypeError):
    """Somebody tried to change or remove a row that only ever gets added."""


class AppendOnly(models.Model):
    """Rows that are added and never changed; triggers on both databases say the same (migration 0002)."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{type(self).__name__} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{type(self).__name__} rows are never removed")


# ── People ────────────────────────────────────────────────────────────────────


class Theme(models.TextChoices):
    SYSTEM = "system", "As the system"
    LIGHT = "light", "Light"
    DARK = "dark", "Dark"


class User(AbstractUser):
    """An account. Needs no e-mail address; personal filter settings follow the person (wellbeing rank 6)."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    blur = models.BooleanField(default=True)
    blur_strength = models.CharField(
        max_length=8, choices=choices(words.BlurStrength), default=words.BlurStrength.PATCHES
    )
    grey = models.BooleanField(default=True)
    sepia = models.BooleanField(default=False)
    picture_size = models.CharField(max_length=8, choices=choices(words.PictureSize), default=words.PictureSize.FULL)
    fold_text = models.BooleanField(default=False)  # a post's text stays closed until opened
    viewing_chosen = models.BooleanField(default=False)  # until then a project they join sets its defaults
    theme = models.CharField(max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    language = models.CharField(max_length=10, blank=True, default="")


# ── Projects ──────────────────────────────────────────────────────────────────

ROLE_FLAG = {words.Role.ANNOTATOR: "annotates", words.Role.REVIEWER: "reviews", words.Role.ADMIN: "administers"}
"""Where a membership keeps each role."""


class ProjectQuerySet(models.QuerySet["Project"]):
    def for_user(self, user: User | AnonymousUser, *roles: words.Role) -> Self:
        """Projects where the user is an active member, with one of the roles if any are named."""
        if not user.is_authenticated:
            return self.none()
        mine = Membership.objects.filter(user=user, active=True)
        if roles:
            wanted = Q()
            for role in roles:
                wanted |= Q(**{ROLE_FLAG[role]: True})
            mine = mine.filter(wanted)
        return self.filter(pk__in=mine.values("project_id"))


class Project(models.Model):
    """One labelling campaign."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True, default="")
    seats = models.PositiveSmallIntegerField(default=3)
    extra_seats = models.PositiveSmallIntegerField(default=0)  # m more on no_majority, before a reviewer looks
    policy = models.CharField(max_length=8, choices=choices(words.Policy), default=words.Policy.REVIEW)
    low_quality_threshold = models.PositiveSmallIntegerField(default=1)
    priors_wanted = models.BooleanField(default=False)  # imported items wait for them
    prior_display = models.CharField(
        max_length=20, choices=choices(words.PriorDisplay), default=words.PriorDisplay.SHOWN
    )
    show_keyword_priors = models.BooleanField(default=False)
    order = models.CharField(max_length=8, choices=choices(words.Order), default=words.Order.BREADTH)
    lease_minutes = models.PositiveSmallIntegerField(default=20)
    dispute_model_conflict = models.BooleanField(default=False)
    adjudicate_own = models.BooleanField(default=False)  # may a reviewer settle an item they labelled themselves
    is_open = models.BooleanField(default=True)  # closed: nothing is handed out
    licence = models.CharField(max_length=200, blank=True, default="")
    operator_contact = models.TextField(blank=True, default="")  # shown when illegal content was reported
    content_warning = models.TextField(blank=True, default="")
    consent_text = models.TextField(blank=True, default="")
    consent_version = models.PositiveIntegerField(default=1)
    daily_goal = models.PositiveIntegerField(default=0)  # 0: none; a personal bar, never a ranking
    call_budget = models.PositiveIntegerField(null=True, blank=True)  # model calls, None: no limit
    token_budget = models.PositiveBigIntegerField(null=True, blank=True)
    model_plan = models.JSONField(default=dict, blank=True)  # role -> "provider:model", within the allow-list
    export_key = models.CharField(max_length=64, default=random_key, editable=False)  # keys pseudonyms in releases
    # who labels what (campaigns)
    quota = models.PositiveIntegerField(null=True, blank=True)  # labels a person, None: no limit
    second_factor = models.CharField(max_length=8, choices=choices(words.SecondFactor), default=words.SecondFactor.NONE)
    on_withdrawal = models.CharField(max_length=8, choices=choices(words.OnWithdrawal), default=words.OnWithdrawal.KEEP)
    withheld_percent = models.PositiveSmallIntegerField(default=0)  # of (annotator, item): no priors at all
    influence_seed = models.CharField(max_length=64, default=random_key, editable=False)
    training_required = models.BooleanField(default=False)
    training_pass_percent = models.PositiveSmallIntegerField(default=80)
    training_attempts = models.PositiveSmallIntegerField(default=3)  # 0: as many as one likes
    check_percent = models.PositiveSmallIntegerField(default=0)  # of what is handed out: items with known answers
    new_batches = models.CharField(
        max_length=8, choices=choices(words.BatchState), default=words.BatchState.WAITING
    )  # the state of a batch that an import names first: waiting or open
    queues_settled = models.BooleanField(default=True, editable=False)  # False: `Item.queue` lags behind the batches
    # care; None: no cap. A person may set lower ones for themselves
    severe_from = models.PositiveSmallIntegerField(default=2)  # the severity that counts as severe
    severe_in_row = models.PositiveSmallIntegerField(default=3)  # then a milder one comes between; 0: no shaping
    severe_a_session = models.PositiveIntegerField(null=True, blank=True)
    severe_a_day = models.PositiveIntegerField(null=True, blank=True)
    minutes_a_day = models.PositiveIntegerField(null=True, blank=True)
    break_after_minutes = models.PositiveIntegerField(default=50)  # of work, then a break is offered; 0: never
    viewing_defaults = models.JSONField(default=dict, blank=True)  # `domain/viewing.py`, for people new to the site
    support_text = models.TextField(blank=True, default="")  # whom to turn to and what is offered, by the admins
    archived_at = models.DateTimeField(null=True, blank=True)
    delete_after = models.DateTimeField(null=True, blank=True)  # somebody asked for its deletion; until then undoable
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.CheckConstraint(condition=Q(seats__gte=2, seats__lte=15), name="project_seats_2_to_15"),)

    def __str__(self) -> str:
        return self.name

    def category_values(self) -> tuple[CategoryValue, ...]:
        """The project's categories as values for the rules, by code."""
        return tuple(category.value() for category in self.categories.order_by("code"))


class GuidelineQuerySet(models.QuerySet["Guideline"]):
    def unread_by(self, member: "Membership") -> Self:
        """Versions that ask this member to read: newer than the one they said they read, and than their joining.

        Empty means that nothing is asked. What they are shown then is the newest version of all, `first()` of the
        project's guidelines, and its number is what they have read.
        """
        asking = self.filter(project=member.project_id, asks_reading=True)
        return asking.filter(number__gt=member.guideline_read, created_at__gt=member.created_at)


class Guideline(models.Model):
    """A version of a project's guidelines, in Markdown. The newest is in force; labels keep theirs."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField(default=1)
    text = models.TextField()
    summary = models.CharField(max_length=300, blank=True, default="")  # what changed, for those who are asked to read
    asks_reading = models.BooleanField(default=True)  # of those who had joined before it
    author = models.ForeignKey(
        "Membership", null=True, blank=True, on_delete=models.PROTECT, related_name="guidelines_written"
    )  # None: a command or an import wrote it
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = GuidelineQuerySet.as_manager()

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="guideline_number_once"),)

    def __str__(self) -> str:
        return f"{self.project} guidelines {self.number}"


class GuidelineExample(models.Model):
    """A worked example in a version of the guidelines: a text of our own, its category and why."""

    guideline = models.ForeignKey(Guideline, on_delete=models.CASCADE, related_name="examples")
    place = models.PositiveSmallIntegerField(default=1)
    text = models.TextField(max_length=2000)
    category = models.ForeignKey("Category", on_delete=models.PROTECT, related_name="guideline_examples")
    why = models.TextField(blank=True, default="", max_length=2000)

    class Meta:
        ordering = ("place",)
        constraints = (models.UniqueConstraint(fields=("guideline", "place"), name="guideline_example_place_once"),)


class Category(models.Model):
    """A label of a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="categories")
    code = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=60)
    aliases = models.JSONField(default=list, blank=True)
    hateful = models.BooleanField()
    definition = models.TextField(blank=True, default="", max_length=2000)
    key = models.CharField(max_length=1)

    class Meta:
        ordering = ("code",)
        verbose_name_plural = "categories"
        constraints = (
            models.UniqueConstraint(fields=("project", "code"), name="category_code_once"),
            models.UniqueConstraint(fields=("project", "name"), name="category_name_once"),
            models.UniqueConstraint(fields=("project", "key"), name="category_key_once"),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.name}"

    def value(self) -> CategoryValue:
        """This category as a value for the rules."""
        return CategoryValue(
            code=self.code,
            name=self.name,
            hateful=self.hateful,
            aliases=tuple(self.aliases),
            definition=self.definition,
            key=self.key,
        )


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: User | AnonymousUser, project: Project) -> "Membership | None":
        """The user's active membership in the project, if any."""
        if not user.is_authenticated:
            return None
        return self.filter(user=user, project=project, active=True).first()


class Membership(models.Model):
    """A person's place in a project. Annotators who came with imported data have no account (`user` is None)."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="memberships"
    )
    pseudonym = models.CharField(max_length=64)
    imported_name = models.CharField(max_length=128, blank=True, default="")  # the annotator's id in imported data
    annotates = models.BooleanField(default=False)
    reviews = models.BooleanField(default=False)
    administers = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    labels_out_before = models.DateTimeField(
        null=True, blank=True
    )  # labels from before it are being taken out of force
    consent_version = models.PositiveIntegerField(default=0)
    consent_at = models.DateTimeField(null=True, blank=True)
    idle_until = models.DateTimeField(null=True, blank=True)  # "nothing left" is remembered until then
    guideline_read = models.PositiveIntegerField(default=0)  # the newest version this person said they read
    trained_at = models.DateTimeField(null=True, blank=True)  # passed the training set
    training_extra = models.PositiveSmallIntegerField(default=0)  # attempts that an admin granted beyond the project's
    quota = models.PositiveIntegerField(null=True, blank=True)  # instead of the project's
    severe_a_day = models.PositiveIntegerField(null=True, blank=True)  # one's own caps, where lower than the project's
    minutes_a_day = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "user"), name="member_once"),
            models.UniqueConstraint(fields=("project", "pseudonym"), name="member_pseudonym_once"),
            models.UniqueConstraint(
                fields=("project", "imported_name"), condition=~Q(imported_name=""), name="member_imported_name_once"
            ),
        )

    def __str__(self) -> str:
        return self.pseudonym

    def has(self, role: words.Role) -> bool:
        """Whether this member has the role and is active."""
        return self.active and bool(getattr(self, ROLE_FLAG[role]))

    @property
    def roles(self) -> tuple[words.Role, ...]:
        return tuple(role for role in words.Role if self.has(role))


class Batch(models.Model):
    """Items that go to labelling together; items name it by `batch`, and `Item.queue` says who may get them now."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="batch_rows")
    name = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=8, choices=choices(words.BatchState), default=words.BatchState.OPEN)
    pilot = models.BooleanField(default=False)  # the others wait until it is closed
    limited = models.BooleanField(default=False)  # to `members`
    members = models.ManyToManyField(Membership, blank=True, related_name="batches")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("project", "name"), name="batch_name_once"),)

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """A link by which one person joins a project, once. Only the hash of its secret is kept.

    Open: not accepted, not revoked, not expired, and its maker is still an admin (`annotation/inviting.py`).
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="invitations")
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    annotates = models.BooleanField(default=False)
    reviews = models.BooleanField(default=False)
    administers = models.BooleanField(default=False)
    batch = models.ForeignKey(Batch, null=True, blank=True, on_delete=models.SET_NULL, related_name="invitations")
    note = models.CharField(max_length=200, blank=True, default="")  # for the admins: whom it is for
    created_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="invitations_made")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="invitations_accepted"
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.CheckConstraint(
                condition=Q(annotates=True) | Q(reviews=True) | Q(administers=True), name="invitation_to_some_role"
            ),
            models.CheckConstraint(
                condition=Q(accepted_by__isnull=True, accepted_at__isnull=True)
                | Q(accepted_by__isnull=False, accepted_at__isnull=False, revoked_at__isnull=True),
                name="invitation_accepted_by_someone",
            ),
        )

    @property
    def roles(self) -> tuple[words.Role, ...]:
        return tuple(role for role in words.Role if getattr(self, ROLE_FLAG[role]))


class ConsentText(models.Model):
    """A version of what people agree to in a project, kept so that each can be shown what they agreed to."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField()
    text = models.TextField(blank=True, default="")  # "": the site's own words stood there
    on_withdrawal = models.CharField(max_length=8, choices=choices(words.OnWithdrawal), default=words.OnWithdrawal.KEEP)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-version",)
        constraints = (models.UniqueConstraint(fields=("project", "version"), name="consent_version_once"),)


class OptOut(models.Model):
    """What a person does not want to see: items of a category, about a group, or from a severity on.

    Private: shown to nobody else, counted per item only. An ended one stays for those counts.
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="opt_outs")
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.CASCADE, related_name="opt_outs")
    target_group = models.CharField(max_length=200, blank=True, default="")  # compared without case
    severity = models.PositiveSmallIntegerField(null=True, blank=True)  # this and above
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(category__isnull=False, target_group="", severity__isnull=True)
                | (Q(category__isnull=True, severity__isnull=True) & ~Q(target_group=""))
                | Q(category__isnull=True, target_group="", severity__isnull=False),
                name="opt_out_of_one_thing",
            ),
        )


class WorkDay(models.Model):
    """A person's day in a project: time, labels and what they were exposed to; caps and pay rest on it.

    The session fields are carried from day to day; a session ends with a long break (`domain/pace.py`).
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="work_days")
    day = models.DateField()  # by the site's clock
    active_seconds = models.PositiveIntegerField(default=0)  # pauses beyond two minutes left out
    labels = models.PositiveIntegerField(default=0)
    skips = models.PositiveIntegerField(default=0)
    shown = models.PositiveIntegerField(default=0)
    severe = models.PositiveIntegerField(default=0)  # severe items shown
    last_act_at = models.DateTimeField(null=True, blank=True)
    session_since = models.DateTimeField(null=True, blank=True)
    session_seconds = models.PositiveIntegerField(default=0)
    session_severe = models.PositiveIntegerField(default=0)
    severe_in_row = models.PositiveSmallIntegerField(default=0)
    break_offered_at = models.DateTimeField(null=True, blank=True)
    breaks = models.PositiveIntegerField(default=0)  # breaks offered on this day

    class Meta:
        constraints = (models.UniqueConstraint(fields=("member", "day"), name="work_day_once"),)


class CheckIn(models.Model):
    """How the work left a person on a day, from 1 (hard) to 5 (fine); None: they were asked and passed.

    Private: shown to nobody else; weeks are counted only where five people or more answered.
    """

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="check_ins")
    day = models.DateField()  # by the site's clock
    mood = models.PositiveSmallIntegerField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("member", "day"), name="check_in_once_a_day"),
            models.CheckConstraint(condition=Q(mood__isnull=True) | Q(mood__gte=1, mood__lte=5), name="mood_1_to_5"),
        )


# ── Items ─────────────────────────────────────────────────────────────────────


class Picture(models.Model):
    """A picture, stored once per project by the SHA-256 of the bytes that came in; files hold no metadata."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pictures")
    sha256 = models.CharField(max_length=64)  # of the bytes that came in
    file = models.FileField(max_length=200)  # re-encoded, metadata-free; random name
    file_sha256 = models.CharField(max_length=64)  # of the re-encoded file, as released
    blurred = models.FileField(max_length=200)  # the only derivative before reveal
    media_type = models.CharField(max_length=20)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "sha256"), name="picture_once"),)


class ItemQuerySet(models.QuerySet["Item"]):
    def open(self) -> Self:
        """Items with a free seat that may be handed out."""
        return self.filter(stage=words.Stage.LABELLING, taken__lt=F("seats"))


class Item(models.Model):
    """A text and/or a picture that is to be labelled."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    external_id = models.CharField(max_length=128)
    text = models.TextField(blank=True, default="")
    picture = models.ForeignKey(Picture, null=True, blank=True, on_delete=models.PROTECT, related_name="items")
    picture_name = models.CharField(max_length=512, blank=True, default="")  # as the file called it
    picture_missing = models.BooleanField(default=False)
    source = models.CharField(max_length=500, blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    batch = models.CharField(max_length=100, blank=True, default="")
    priority = models.SmallIntegerField(default=0)
    intended = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="intended_items"
    )
    intended_hateful = models.BooleanField(null=True, blank=True)
    severity = models.PositiveSmallIntegerField(null=True, blank=True)
    target_group = models.CharField(max_length=200, blank=True, default="")
    provenance = models.JSONField(default=dict, blank=True)
    text_sha256 = models.CharField(max_length=64, blank=True, default="")  # of the NFC text, for duplicate warnings

    stage = models.CharField(max_length=12, choices=choices(words.Stage), default=words.Stage.IMPORTED)
    round = models.PositiveSmallIntegerField(default=1)
    seats = models.PositiveSmallIntegerField(default=3)  # k, plus m where added
    taken = models.PositiveSmallIntegerField(default=0)  # a hint for the order only, never for correctness
    place = models.PositiveIntegerField(default=random_place)
    queue = models.BigIntegerField(null=True, blank=True, default=0)  # 0: for all, a limited batch's key, None: nobody
    version = models.PositiveIntegerField(default=1)  # grows with each move; a stale decision is refused

    level = models.CharField(max_length=8, choices=choices(words.Level), null=True, blank=True)
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="final_items")
    hateful = models.BooleanField(null=True, blank=True)  # the binary outcome, with its own majority
    category_source = models.CharField(max_length=12, choices=choices(words.Source), null=True, blank=True)
    aligned = models.BooleanField(null=True, blank=True)  # None: no intent, or not decided yet
    pattern = models.CharField(max_length=3, null=True, blank=True)
    difficulty = models.CharField(max_length=8, choices=choices(words.Difficulty), null=True, blank=True)
    excluded_for = models.CharField(max_length=20, choices=choices(words.Reason), null=True, blank=True)

    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)  # when round 1 was complete
    gold_at = models.DateTimeField(null=True, blank=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "external_id"), name="item_external_id_once"),
            models.CheckConstraint(
                condition=~Q(text="") | Q(picture__isnull=False) | Q(picture_missing=True), name="item_has_content"
            ),
        )
        indexes = (
            models.Index(
                fields=("project", "queue", "priority", "taken", "place"),
                condition=Q(stage="labelling", taken__lt=F("seats")),
                name="item_open",
            ),
            models.Index(fields=("project", "stage", "id"), name="item_stage"),
            models.Index(fields=("project", "text_sha256"), name="item_text"),
        )

    def __str__(self) -> str:
        return self.external_id

    def move(self, start: words.Stage, end: words.Stage, **fields: Any) -> bool:
        """Move this item from one stage to another, with other fields, if it still stands at `start`.

        One guarded UPDATE: False means somebody was first and nothing was changed. The instance is
        brought up to date only on success. Raises ValueError for a move that `annotation.domain.stages` does
        not list: that is a fault of the caller, not a race.
        """
        if (start, end) not in MOVES:
            raise ValueError(f"No item goes from {start} to {end}.")
        changed = Item.objects.filter(pk=self.pk, stage=start).update(stage=end, version=F("version") + 1, **fields)
        if changed:
            self.refresh_from_db()
        return bool(changed)


class Dispute(models.Model):
    """A reason for which an item is (or was) disputed."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="disputes")
    round = models.PositiveSmallIntegerField(default=1)
    reason = models.CharField(max_length=20, choices=choices(words.Reason))
    opened_at = models.DateTimeField(default=timezone.now)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("item", "reason"), condition=Q(settled_at__isnull=True), name="dispute_reason_open_once"
            ),
        )


class Prior(models.Model):
    """A model's view of one modality of an item, or what became of asking for it."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="priors")
    modality = models.CharField(max_length=8, choices=choices(words.Modality))
    state = models.CharField(max_length=12, choices=choices(words.PriorState), default=words.PriorState.OK)
    reason = models.CharField(max_length=40, blank=True, default="")  # code, where the state is not ok
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="priors")
    hateful = models.BooleanField(null=True, blank=True)  # where only hateful or not is known
    explanation = models.TextField(blank=True, default="")
    severity = models.PositiveSmallIntegerField(null=True, blank=True)
    model = models.CharField(max_length=120, blank=True, default="")  # "provider:model", or what the file said
    prompt_digest = models.CharField(max_length=64, blank=True, default="")
    run_id = models.UUIDField(null=True, blank=True)  # the run's public id; None: imported
    current = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item", "modality"), condition=Q(current=True), name="prior_current_once"),
            models.CheckConstraint(
                condition=Q(state="ok") | Q(category__isnull=True), name="prior_category_only_if_ok"
            ),
        )


# ── Seats and labels ──────────────────────────────────────────────────────────


class Seat(models.Model):
    """One of the k places for an annotator at an item, in a round.

    Free: no annotator. Held: annotator and `expires_at`. Filled: `label` points to the label in force.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="seat_rows")
    round = models.PositiveSmallIntegerField(default=1)
    number = models.PositiveSmallIntegerField()
    seats = models.PositiveSmallIntegerField()  # the item's, copied for the check
    annotator = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="seat_rows")
    held_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    shown_at = models.DateTimeField(null=True, blank=True)  # a prefetched item's clock starts when it is shown
    priors_shown_at = models.DateTimeField(null=True, blank=True)
    first_answer = models.JSONField(null=True, blank=True)  # own view first, where priors are hidden until then
    prior_arm = models.CharField(
        max_length=8, choices=choices(words.PriorArm), blank=True, default=""
    )  # before display
    reveals = models.PositiveIntegerField(default=0)
    label = models.OneToOneField("Label", null=True, blank=True, on_delete=models.PROTECT, related_name="in_force_at")
    filled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("item", "round", "number"), name="seat_number_once"),
            models.UniqueConstraint(fields=("item", "round", "annotator"), name="seat_annotator_once"),
            models.CheckConstraint(condition=Q(number__gte=1, number__lte=F("seats")), name="seat_number_within_seats"),
            models.CheckConstraint(
                condition=Q(label__isnull=True) | Q(annotator__isnull=False), name="seat_filled_by_someone"
            ),
            models.CheckConstraint(
                condition=Q(expires_at__isnull=True) | Q(annotator__isnull=False, label__isnull=True),
                name="seat_held_by_someone",
            ),
        )
        indexes = (
            models.Index(fields=("annotator", "expires_at"), condition=Q(expires_at__isnull=False), name="seat_held"),
            models.Index(fields=("expires_at",), condition=Q(expires_at__isnull=False), name="seat_lapsing"),
            models.Index(fields=("annotator", "filled_at"), name="seat_filled"),
        )


class Label(AppendOnly):
    """What an annotator submitted, one row a revision; the one in force is `seat.label`."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="labels")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="labels")
    annotator = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="labels")
    revision = models.PositiveSmallIntegerField(default=1)
    category = models.ForeignKey(Category, null=True, blank=True, on_delete=models.PROTECT, related_name="labels")
    not_sure = models.BooleanField(default=False)
    low_quality = models.BooleanField(default=False)
    target_group = models.CharField(max_length=200, blank=True, default="")
    note = models.TextField(blank=True, default="", max_length=4000)
    challenges = models.JSONField(default=list, blank=True)  # [{"modality", "category"|None, "hateful"}]
    first_answer = models.JSONField(null=True, blank=True)  # the answer before hidden priors opened
    priors_shown = models.JSONField(default=list, blank=True)  # ids of the priors seen before this answer
    priors_shown_at = models.DateTimeField(null=True, blank=True)
    prior_arm = models.CharField(max_length=8, choices=choices(words.PriorArm), blank=True, default="")
    seconds = models.FloatField(null=True, blank=True)
    reveals = models.PositiveIntegerField(default=0)
    guideline = models.ForeignKey(Guideline, null=True, blank=True, on_delete=models.PROTECT, related_name="labels")
    client_key = models.UUIDField(default=uuid4)
    body_sha256 = models.CharField(max_length=64, blank=True, default="")
    imported = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("annotator", "client_key"), name="label_client_key_once"),
            models.UniqueConstraint(fields=("seat", "annotator", "revision"), name="label_revision_once"),
            models.CheckConstraint(
                condition=(Q(not_sure=False) | Q(category__isnull=True))
                & (Q(category__isnull=False) | Q(not_sure=True) | Q(low_quality=True)),
                name="label_says_something",
            ),
        )


class KnownAnswer(models.Model):
    """The answer of an item in stage `known`: for training, or mixed in unseen. Never in agreement, gold or release."""

    item = models.OneToOneField(Item, on_delete=models.PROTECT, related_name="known_answer")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="known_answers")
    explanation = models.TextField(blank=True, default="", max_length=4000)  # shown after a training answer
    training = models.BooleanField(default=False)  # else mixed in
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class TrainingAttempt(models.Model):
    """One go of a person at a project's training items. The counts stand when it is finished; `total` holds skips."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="training_attempts")
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)
    correct = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    passed = models.BooleanField(default=False)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=("member", "number"), name="training_attempt_number_once"),
            models.UniqueConstraint(
                fields=("member",), condition=Q(finished_at__isnull=True), name="training_attempt_open_once"
            ),
        )


class TrainingAnswer(models.Model):
    """What somebody said of a training item in an attempt, and whether that was right by the key of that moment."""

    attempt = models.ForeignKey(TrainingAttempt, on_delete=models.CASCADE, related_name="answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="training_answers")
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="training_answers"
    )
    not_sure = models.BooleanField(default=False)
    skipped = models.BooleanField(default=False)
    correct = models.BooleanField(default=False)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("attempt", "item"), name="training_answer_once"),
            models.CheckConstraint(
                condition=Q(category__isnull=False, not_sure=False, skipped=False)
                | Q(category__isnull=True, not_sure=True, skipped=False, correct=False)
                | Q(category__isnull=True, not_sure=False, skipped=True, correct=False),
                name="training_answer_of_one_kind",
            ),
        )


class Skip(models.Model):
    """An annotator passed an item by; it is not offered to them again, and nothing else follows."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="skips")
    annotator = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="skips")
    round = models.PositiveSmallIntegerField(default=1)
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("item", "annotator"), name="skip_once"),)


class Replacement(models.Model):
    """The category that another expert gives in place of a *not sure*; the original label stays."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="replacements")
    label = models.OneToOneField(Label, on_delete=models.PROTECT, related_name="replacement")
    reviewer = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="replacements")
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="replacements")
    note = models.TextField(blank=True, default="", max_length=4000)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("item", "reviewer"), name="replacement_once_per_person"),)


class Report(models.Model):
    """Somebody reported illegal content: labelling stops and the media are locked."""

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="reports")
    reporter = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="reports")
    note = models.TextField(blank=True, default="", max_length=2000)
    created_at = models.DateTimeField(default=timezone.now, editable=False)


# ── Decisions and history (append-only, by triggers too) ──────────────────────


class Ruling(models.TextChoices):
    """What a reviewer did with a disputed item."""

    DECIDE = "decide", "decided"
    EXCLUDE = "exclude", "excluded"
    NEW_ROUND = "new_round", "sent to a new round"
    REOPEN = "reopen", "reopened"


class Adjudication(AppendOnly):
    """A reviewer's decision about an item, with its reason. Level and votes stay as they were."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="adjudications")
    round = models.PositiveSmallIntegerField()
    reviewer = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )  # None: it came with imported data
    ruling = models.CharField(max_length=10, choices=Ruling.choices)
    category = models.ForeignKey(
        Category, null=True, blank=True, on_delete=models.PROTECT, related_name="adjudications"
    )
    corrections = models.JSONField(default=list, blank=True)  # challenges upheld: [{"modality", "hateful", "category"}]
    rationale = models.TextField()
    item_version = models.PositiveIntegerField()  # the version the reviewer saw
    created_at = models.DateTimeField(default=timezone.now, editable=False)


class Event(AppendOnly):
    """Who did what to which row, when. `actor` is None for the system; `row` is a public id."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="events")
    actor = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    verb = models.CharField(max_length=40)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.PROTECT, related_name="events")
    row = models.UUIDField(null=True, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes = (models.Index(fields=("project", "at"), name="event_when"),)


# ── Imports and releases ──────────────────────────────────────────────────────


class ImportState(models.TextChoices):
    UPLOADED = "uploaded", "uploaded"
    CHECKING = "checking", "checking"
    CHECKED = "checked", "checked"
    IMPORTING = "importing", "importing"
    DONE = "done", "done"
    REFUSED = "refused", "refused"
    CANCELLED = "cancelled", "cancelled"
    FAILED = "failed", "failed"


class Import(models.Model):
    """One file on its way in: uploaded, checked by a dry run, imported as a whole or not at all."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    started_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="imports")
    file_name = models.CharField(max_length=255)
    file = models.FileField(max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=ImportState.choices, default=ImportState.UPLOADED)
    rows_done = models.PositiveIntegerField(default=0)
    share = models.FloatField(default=0)  # of the file that is read, 0 to 1
    rate = models.FloatField(default=0)  # rows a second
    beat_at = models.DateTimeField(null=True, blank=True)  # when the worker at it last said so
    cancel_requested = models.BooleanField(default=False)
    outcome = models.JSONField(default=dict, blank=True)
    error_list = models.FileField(max_length=200, blank=True)  # every row with errors, as CSV
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)


class Release(AppendOnly):
    """An immutable set of gold items, written to files and verifiable by its manifest."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    created_by = models.ForeignKey(Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="releases")
    options = models.JSONField(default=dict, blank=True)
    manifest = models.JSONField(default=dict)
    items = models.PositiveIntegerField()
    folder = models.CharField(max_length=500)  # relative to the releases' root, or where the command wrote it
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="release_number_once"),)


class OrderState(models.TextChoices):
    QUEUED = "queued", "queued"
    BUILDING = "building", "building"
    DONE = "done", "done"
    FAILED = "failed", "failed"
    CANCELLED = "cancelled", "cancelled"


class ReleaseOrder(models.Model):
    """Somebody asked for a release on a page: what became of it, and how far it is."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="release_orders")
    ordered_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="release_orders")
    key = models.UUIDField()  # made with the form: sent twice, it is still one order
    options = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=OrderState.choices, default=OrderState.QUEUED)
    problem = models.CharField(max_length=500, blank=True, default="")  # one sentence for people
    items_done = models.PositiveIntegerField(default=0)
    items_total = models.PositiveIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    begun_at = models.DateTimeField(null=True, blank=True)
    beat_at = models.DateTimeField(null=True, blank=True)  # when the worker at it last said so
    release = models.OneToOneField(Release, null=True, blank=True, on_delete=models.PROTECT, related_name="order")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="release_order_once"),)


class CompetenceEstimate(models.Model):
    """What a model of annotator competence makes of the labels of one moment. Shown beside the majority, and no more:
    nothing that is decided about an item rests on it.

    `result` holds what `annotation/competence.py` describes; it names annotators and items by public id.
    """

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="competence_estimates")
    method = models.CharField(max_length=12, choices=choices(words.CompetenceMethod))
    ordered_by = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="competence_estimates"
    )  # None: a command
    state = models.CharField(max_length=10, choices=OrderState.choices, default=OrderState.QUEUED)
    problem = models.CharField(max_length=500, blank=True, default="")  # one sentence for people
    result = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    begun_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("project", "method"),
                condition=Q(state__in=("queued", "building")),
                name="competence_one_under_way",
            ),
        )


class SavedSearch(models.Model):
    """A search over a project's items that somebody gave a name; shared ones are there for all staff."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="searches")
    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="searches")
    name = models.CharField(max_length=80)
    query = models.TextField(blank=True, default="", max_length=4000)  # as in the address: "stage=gold&level=weak"
    shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("member", "name"), name="search_name_once"),)

    def __str__(self) -> str:
        return self.name


class BulkOrder(models.Model):
    """Somebody changed many items at once: what was asked, what became of it, and how far it is."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="bulk_orders")
    ordered_by = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="bulk_orders")
    key = models.UUIDField()  # made with the form: sent twice, it is still one order
    act = models.CharField(max_length=12)
    options = models.JSONField(default=dict, blank=True)  # what the act needs: batch, priority, reason
    query = models.TextField(blank=True, default="")
    chosen = models.JSONField(null=True, blank=True)  # public ids; None: everything that the query finds
    state = models.CharField(max_length=10, choices=OrderState.choices, default=OrderState.QUEUED)
    problem = models.CharField(max_length=500, blank=True, default="")  # one sentence for people
    items_total = models.PositiveIntegerField(default=0)
    items_done = models.PositiveIntegerField(default=0)
    passed_over = models.JSONField(default=dict, blank=True)  # code -> how many
    last = models.BigIntegerField(default=0)  # the item up to which it is done
    until = models.BigIntegerField(default=0)  # the newest item when it was asked for
    cancel_requested = models.BooleanField(default=False)
    beat_at = models.DateTimeField(null=True, blank=True)  # when the worker at it last said so
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("project", "key"), name="bulk_order_once"),)


class Deletion(models.Model):
    """A project that somebody asked to delete: when, and what was lost. Outlives the project; holds no content."""

    project_key = models.UUIDField()  # the project's public id
    slug = models.SlugField(max_length=64)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    asked_at = models.DateTimeField(default=timezone.now, editable=False)
    due_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    counts = models.JSONField(default=dict, blank=True)  # rows and files by kind, as they were when it began

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project_key",),
                condition=Q(cancelled_at__isnull=True, finished_at__isnull=True),
                name="deletion_open_once",
            ),
        )


class PurgePermit(models.Model):
    """Lets append-only rows of a project (or of an item) go, inside the transaction that makes and removes it.

    The triggers of `append_only` look here. A row that is ever seen from outside is a fault, which `audit` names.
    """

    project_key = models.BigIntegerField(null=True, blank=True, db_index=True)
    item_key = models.BigIntegerField(null=True, blank=True, db_index=True)


def record(
    verb: str,
    *,
    project: Project,
    actor: Membership | None = None,
    item: Item | None = None,
    row: UUID | None = None,
    **facts: Any,
) -> Event:
    """Write down who did what. Facts are JSON values; never the item's text."""
    return Event.objects.create(project=project, actor=actor, verb=verb, item=item, row=row, facts=facts)
