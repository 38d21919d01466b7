"""The closed sets of the project's words (design section 2 and 3), as enums.

Their values are what the database, the API and the files hold; a value never changes its meaning.
"""

from enum import StrEnum


class Stage(StrEnum):
    """Where an item is on its way."""

    IMPORTED = "imported"
    READY = "ready"
    LABELLING = "labelling"
    DISPUTED = "disputed"
    GOLD = "gold"
    EXCLUDED = "excluded"
    KNOWN = "known"
    """Its answer is known: it trains or checks people and never becomes gold."""


class Reason(StrEnum):
    """Why an item is disputed or excluded."""

    NOT_SURE = "not_sure"
    LOW_QUALITY = "low_quality"
    NO_MAJORITY = "no_majority"
    KIND_UNDECIDED = "kind_undecided"
    MISALIGNED = "misaligned"
    PRIOR_CHALLENGED = "prior_challenged"
    MODEL_CONFLICT = "model_conflict"
    APPEAL = "appeal"
    """Somebody objects to what was decided."""
    REPORTED = "reported"
    WITHDRAWN = "withdrawn"


class Level(StrEnum):
    """How far the votes agree."""

    PERFECT = "perfect"
    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class Source(StrEnum):
    """Where a final category comes from."""

    CONSENSUS = "consensus"
    ADJUDICATED = "adjudicated"
    IMPORTED = "imported"


class Policy(StrEnum):
    """What a failed check does to an item: a person looks, or the paper's strict filter."""

    REVIEW = "review"
    PAPER = "paper"


class Modality(StrEnum):
    """The part of an item that a prior speaks about."""

    TEXT = "text"
    IMAGE = "image"


class PriorState(StrEnum):
    """What became of asking for a prior; only OK carries a category."""

    OK = "ok"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    FAILED = "failed"


class PriorDisplay(StrEnum):
    """When an annotator sees the priors."""

    SHOWN = "shown"
    AFTER_FIRST_ANSWER = "after_first_answer"


class PriorArm(StrEnum):
    """How one person meets the priors of one item; drawn and stored before the item is shown."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    """Until the first answer."""
    WITHHELD = "withheld"
    """Never."""


class BatchState(StrEnum):
    """Whether a batch is handed out. A closed one is done with; held seats may still be filled in all of them."""

    WAITING = "waiting"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class SecondFactor(StrEnum):
    """Who must sign in with a second step to work in a project."""

    NONE = "none"
    STAFF = "staff"
    """Reviewers and admins."""
    EVERYONE = "everyone"


class OnWithdrawal(StrEnum):
    """What happens to the labels of somebody who withdraws; the consent text says so."""

    KEEP = "keep"
    REMOVE = "remove"
    """Out of force: others are asked in their place; a closed item gets a new round."""


class CompetenceMethod(StrEnum):
    """A model that tells annotators' competence and items' categories from the labels alone."""

    DAWID_SKENE = "dawid-skene"
    """Dawid and Skene (1979): a table of confusions for each annotator."""
    MACE = "mace"
    """Hovy et al. (2013): each annotator either knows the answer or guesses in their own way."""


class BlurStrength(StrEnum):
    """What stands in a picture's place until it is revealed. The file is the same; stronger ones hide more of it."""

    PATCHES = "patches"
    """Patches of colour, from which nothing can be read."""
    SOFT = "soft"
    """Fainter and softer patches."""
    BLANK = "blank"
    """A plain surface."""


class PictureSize(StrEnum):
    """How large a person wants pictures on every page."""

    FULL = "full"
    MEDIUM = "medium"
    SMALL = "small"


class Order(StrEnum):
    """Which items are handed out first: spread over many, or finish those begun."""

    BREADTH = "breadth"
    DEPTH = "depth"


class Role(StrEnum):
    """What a member may do in a project; a member may have several."""

    ANNOTATOR = "annotator"
    REVIEWER = "reviewer"
    ADMIN = "admin"


class Difficulty(StrEnum):
    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


class SourceLabels(StrEnum):
    """What labels that come with a file become (design section 4)."""

    SEATS = "seats"
    INTENDED = "intended"


class GlossaryKind(StrEnum):
    """What an entry of the glossary explains."""

    TERM = "term"
    SYMBOL = "symbol"
    MEME = "meme"


class GlossaryStatus(StrEnum):
    """Whether an entry counts: only approved ones are shown beside posts and given to models."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    RETIRED = "retired"


class GlossarySourceKind(StrEnum):
    """What an entry is known from."""

    RUN = "run"
    DECISION = "decision"
    EVIDENCE = "evidence"
    REFERENCE = "reference"
    """Words about it: a book, an address, a person."""
