"""The closed sets of terms of the project (design sections 2 and 3), as enums.

Their values are stored in the database and used by the API and the files. A value never changes its meaning.
"""

from enum import StrEnum

from vocabulary.display_names import NamedEnum, pgettext

PRIORITIES = (-100, 100)
"""The lowest and the highest priority of a batch or a post; higher ones are handed out first."""


class Stage(NamedEnum):
    """The stage of an item in its life."""

    IMPORTED = "imported", pgettext("stored word", "imported")
    READY = "ready", pgettext("stored word", "ready")
    LABELLING = "labelling", pgettext("stored word", "labelling")
    DISPUTED = "disputed", pgettext("stored word", "disputed")
    GOLD = "gold", pgettext("stored word", "gold")
    EXCLUDED = "excluded", pgettext("stored word", "excluded")
    KNOWN = "known", pgettext("stored word", "answer known")
    """The answer of the item is known: it trains or checks annotators and never becomes gold."""


class Reason(NamedEnum):
    """Why an item is disputed or excluded."""

    NOT_SURE = "not_sure", pgettext("stored word", "not sure")
    LOW_QUALITY = "low_quality", pgettext("stored word", "low quality")
    NO_MAJORITY = "no_majority", pgettext("stored word", "no majority")
    KIND_UNDECIDED = "kind_undecided", pgettext("stored word", "hateful, category unclear")
    MISALIGNED = "misaligned", pgettext("stored word", "not read as intended")
    PRIOR_CHALLENGED = "prior_challenged", pgettext("stored word", "prior challenged")
    MODEL_CONFLICT = "model_conflict", pgettext("stored word", "model conflict")
    APPEAL = "appeal", pgettext("stored word", "appeal")
    """Somebody objects to the decision."""
    REPORTED = "reported", pgettext("stored word", "reported")
    WITHDRAWN = "withdrawn", pgettext("stored word", "withdrawn")


class Level(NamedEnum):
    """The degree of agreement among the votes."""

    PERFECT = "perfect", pgettext("stored word", "perfect")
    STRONG = "strong", pgettext("stored word", "strong")
    WEAK = "weak", pgettext("stored word", "weak")
    NONE = "none", pgettext("stored word", "none")


class Source(NamedEnum):
    """The origin of a final category."""

    CONSENSUS = "consensus", pgettext("stored word", "consensus")
    ADJUDICATED = "adjudicated", pgettext("stored word", "adjudicated")
    IMPORTED = "imported", pgettext("stored word", "imported")


class Policy(NamedEnum):
    """What a failed check does to an item: a person reviews it, or the strict filter of the paper excludes it."""

    REVIEW = "review", pgettext("stored word", "review")
    PAPER = "paper", pgettext("stored word", "paper")


class Modality(NamedEnum):
    """The part of an item that a prior judges."""

    TEXT = "text", pgettext("stored word", "text")
    IMAGE = "image", pgettext("stored word", "image")


class PriorState(NamedEnum):
    """The result of the request for a prior; only OK carries a category."""

    OK = "ok", pgettext("stored word", "answered")
    REFUSED = "refused", pgettext("stored word", "refused")
    UNREADABLE = "unreadable", pgettext("stored word", "unusable answer")
    FAILED = "failed", pgettext("stored word", "failed")


UNUSABLE_PRIORS = (PriorState.FAILED, PriorState.UNREADABLE, PriorState.REFUSED)
"""The states that a person may ask for again."""


class PriorDisplay(StrEnum):
    """When an annotator sees the priors."""

    SHOWN = "shown"
    AFTER_FIRST_ANSWER = "after_first_answer"


class PriorArm(StrEnum):
    """Whether and when one person sees the priors of one item; drawn and stored before the item is shown."""

    SHOWN = "shown"
    HIDDEN = "hidden"
    """Hidden until the first answer."""
    WITHHELD = "withheld"
    """Never shown."""


class BatchState(StrEnum):
    """Whether annotators get items of a batch. In every state, seats that are already taken may still be filled."""

    WAITING = "waiting"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class SecondFactor(StrEnum):
    """Who needs a second sign-in step to work in a project."""

    NONE = "none"
    STAFF = "staff"
    """Reviewers and admins."""
    EVERYONE = "everyone"


class OnWithdrawal(StrEnum):
    """What happens to the labels of a member who withdraws; the consent text says so."""

    KEEP = "keep"
    REMOVE = "remove"
    """The labels no longer count: other members are asked instead, and a closed item gets a new round."""


class CompetenceMethod(NamedEnum):
    """A model that estimates annotators' competence and items' categories from the labels alone."""

    DAWID_SKENE = "dawid-skene", pgettext("stored word", "Dawid-Skene")
    """Dawid and Skene (1979): a table of confusions for each annotator."""
    MACE = "mace", pgettext("stored word", "MACE")
    """Hovy et al. (2013): each annotator either knows the answer or guesses. Stored estimates alone; none is fitted."""


class BlurStrength(StrEnum):
    """The placeholder shown until a picture is revealed. The file stays the same; stronger levels hide more of it."""

    PATCHES = "patches"
    """Patches of colour that show no detail."""
    SOFT = "soft"
    """Fainter and softer patches."""
    BLANK = "blank"
    """A surface of one colour."""


class KeyUse(StrEnum):
    """How a person presses what has a letter or digit as its key (WCAG 2.1.4)."""

    PLAIN = "plain"
    ALT = "alt"
    """With Alt held."""
    OFF = "off"


class PictureSize(StrEnum):
    """The size in which a person wants to see pictures on every page."""

    FULL = "full"
    MEDIUM = "medium"
    SMALL = "small"


class Order(StrEnum):
    """Which items are assigned first: labels spread over many items, the items already begun, or the hard items."""

    BREADTH = "breadth"
    DEPTH = "depth"
    HARD = "hard"
    """Items on which models disagree first (`Informativeness`); among equal ones as BREADTH."""


class Choose(StrEnum):
    """How many categories an answer may name."""

    ONE = "one"
    SEVERAL = "several"


class Role(NamedEnum):
    """The permissions of a member in a project; a member may have several roles."""

    ANNOTATOR = "annotator", pgettext("stored word", "annotator")
    REVIEWER = "reviewer", pgettext("stored word", "reviewer")
    ADMIN = "admin", pgettext("stored word", "admin")


class Difficulty(NamedEnum):
    """How hard the parts of an item make its combined label."""

    EASY = "easy", pgettext("stored word", "easy")
    NORMAL = "normal", pgettext("stored word", "normal")
    HARD = "hard", pgettext("stored word", "hard")


class SourceLabels(StrEnum):
    """How labels that come with a file are used (design section 4)."""

    SEATS = "seats"
    INTENDED = "intended"


class PictureReader(StrEnum):
    """Who reads the words in the pictures of a project when they come in."""

    NONE = "none"
    LOCAL = "local"
    """The reader on this machine (extra `ocr`)."""
    MODEL = "model"
    """The model of the role `picture_reader`."""


class GlossaryKind(NamedEnum):
    """The kind of term that a glossary entry explains."""

    TERM = "term", pgettext("stored word", "word or phrase")
    SYMBOL = "symbol", pgettext("stored word", "sign")
    MEME = "meme", pgettext("stored word", "meme")


class GlossaryStatus(NamedEnum):
    """The status of an entry: only approved entries are shown beside posts and given to models."""

    PROPOSED = "proposed"
    APPROVED = "approved", pgettext("stored word", "approved")
    RETIRED = "retired", pgettext("stored word", "retired")


class GlossarySourceKind(NamedEnum):
    """The kind of source of a glossary entry."""

    RUN = "run", pgettext("stored word", "debate")
    DECISION = "decision", pgettext("stored word", "decision")
    EVIDENCE = "evidence", pgettext("stored word", "evidence")
    REFERENCE = "reference", pgettext("stored word", "reference")
    """A reference in words: a book, an address, a person."""


class FigureKind(StrEnum):
    """The figures of a project that are computed together."""

    DASHBOARD = "dashboard"
    """Counts, agreement, people, days, influence of priors."""
    QUALITY = "quality"
    """Annotators over time, pairs, versions of the guidelines."""


class EventVerb(NamedEnum):
    """The action that an event of the log records. Apps that build on this one have their own verbs too."""

    ACCESS_DECIDED = "access_decided", pgettext("stored word", "request for access answered")
    ASKED_AGAIN = "asked_again", pgettext("stored word", "asked again")
    BATCH_CLOSED = "batch_closed", pgettext("stored word", "batch closed")
    BATCH_FOR_ALL = "batch_for_all", pgettext("stored word", "batch opened to everybody")
    BATCH_LIMITED = "batch_limited", pgettext("stored word", "batch limited to people")
    BATCH_NO_PILOT = "batch_no_pilot", pgettext("stored word", "batch is no pilot")
    BATCH_OPENED = "batch_opened", pgettext("stored word", "batch opened")
    BATCH_PAUSED = "batch_paused", pgettext("stored word", "batch paused")
    BATCH_PILOT = "batch_pilot", pgettext("stored word", "batch made the pilot")
    BATCH_PRIORITY = "batch_priority", pgettext("stored word", "priority of a batch changed")
    BATCH_RESUMED = "batch_resumed", pgettext("stored word", "batch resumed")
    BATCH_SPLIT = "batch_split", pgettext("stored word", "batch split among teams")
    BULK_CHANGE = "bulk_change", pgettext("stored word", "many items changed")
    CHANGE_ROLES = "change_roles", pgettext("stored word", "roles changed")
    CHANGE_SETTINGS = "change_settings", pgettext("stored word", "settings changed")
    CHOOSE_MODELS = "choose_models", pgettext("stored word", "models chosen")
    CLOSED = "closed", pgettext("stored word", "closed")
    COMPETENCE_ASKED = "competence_asked", pgettext("stored word", "model of competence asked")
    CONSENTED = "consented", pgettext("stored word", "consented")
    CORRECTED = "corrected", pgettext("stored word", "label corrected")
    DEACTIVATED = "deactivated", pgettext("stored word", "access ended")
    DECIDE = "decide", pgettext("stored word", "decided")
    DELETION_ASKED = "deletion_asked", pgettext("stored word", "deletion asked for")
    DELETION_CANCELLED = "deletion_cancelled", pgettext("stored word", "deletion cancelled")
    DESIGN_CHANGED = "design_changed", pgettext("stored word", "design changed")
    DISPUTED = "disputed", pgettext("stored word", "disputed")
    ERASED = "erased", pgettext("stored word", "account erased")
    EXCLUDE = "exclude", pgettext("stored word", "excluded")
    FILLED = "filled", pgettext("stored word", "gap filled")
    FIRST_ANSWER = "first_answer", pgettext("stored word", "first answer given")
    GLOSSARY_APPROVED = "glossary_approved", pgettext("stored word", "glossary entry approved")
    GLOSSARY_CHANGED = "glossary_changed", pgettext("stored word", "glossary entry changed")
    GLOSSARY_IMPORTED = "glossary_imported", pgettext("stored word", "glossary entries imported")
    GLOSSARY_OPENED = "glossary_opened", pgettext("stored word", "looked at the glossary")
    GLOSSARY_PROPOSED = "glossary_proposed", pgettext("stored word", "glossary entry proposed")
    GLOSSARY_RETIRED = "glossary_retired", pgettext("stored word", "glossary entry retired")
    GUIDELINES_WRITTEN = "guidelines_written", pgettext("stored word", "guidelines written")
    IMPORT_UPLOADED = "import_uploaded", pgettext("stored word", "file uploaded")
    IMPORTED = "imported", pgettext("stored word", "imported")
    INVITATION_ACCEPTED = "invitation_accepted", pgettext("stored word", "invitation accepted")
    INVITATION_REVOKED = "invitation_revoked", pgettext("stored word", "invitation revoked")
    INVITED = "invited", pgettext("stored word", "invited")
    KNOWN_CHANGED = "known_changed", pgettext("stored word", "known answer changed")
    KNOWN_ENDED = "known_ended", pgettext("stored word", "known answer taken back")
    KNOWN_MARKED = "known_marked", pgettext("stored word", "answer declared known")
    KNOWN_RESTED = "known_rested", pgettext("stored word", "known answer set aside")
    KNOWN_USED = "known_used", pgettext("stored word", "known answer in use again")
    LABEL_REMOVED = "label_removed", pgettext("stored word", "label removed")
    LABELLED = "labelled", pgettext("stored word", "labelled")
    LABELS_REMOVED = "labels_removed", pgettext("stored word", "labels of somebody who left removed")
    LOOK_AT_VOTES = "look_at_votes", pgettext("stored word", "looked at the votes")
    """Somebody looked at the votes of an item that waits for a replacement."""
    MEMBER_ADDED = "member_added", pgettext("stored word", "member added")
    MORE_SEATS = "more_seats", pgettext("stored word", "more people asked")
    NAMES_REVEALED = "names_revealed", pgettext("stored word", "names of voters looked at")
    """An admin looked at which member gave which vote of an item."""
    NEW_ROUND = "new_round", pgettext("stored word", "sent to a new round")
    OPENED = "opened", pgettext("stored word", "opened")
    PASSWORD_LINK_MADE = "password_link_made", pgettext("stored word", "link for a new password made")
    PICTURE_TEXT_CORRECTED = "picture_text_corrected", pgettext("stored word", "words of a picture corrected")
    PICTURES_READ = "pictures_read", pgettext("stored word", "reading of pictures asked")
    PRIORS_CANCELLED = "priors_cancelled", pgettext("stored word", "priors cancelled")
    PRIORS_GIVEN_UP = "priors_given_up", pgettext("stored word", "priors given up")
    PRIORS_REQUESTED = "priors_requested", pgettext("stored word", "priors requested")
    PROJECT_ARCHIVED = "project_archived", pgettext("stored word", "project archived")
    PROJECT_CLONED = "project_cloned", pgettext("stored word", "project copied")
    PROJECT_CLOSED = "project_closed", pgettext("stored word", "project closed")
    PROJECT_CREATED = "project_created", pgettext("stored word", "project created")
    PROJECT_OPENED = "project_opened", pgettext("stored word", "project opened")
    PROJECT_UNARCHIVED = "project_unarchived", pgettext("stored word", "project taken out of the archive")
    PSEUDONYM_CHANGED = "pseudonym_changed", pgettext("stored word", "pseudonym changed")
    QUOTA = "quota", pgettext("stored word", "quota changed")
    QUOTA_CHANGED = "quota_changed", pgettext("stored word", "personal quota changed")
    REACTIVATED = "reactivated", pgettext("stored word", "access given again")
    READY = "ready", pgettext("stored word", "ready")
    RELEASE_PUBLISHED = "release_published", pgettext("stored word", "release published")
    RELEASE_TAKEN_BACK = "release_taken_back", pgettext("stored word", "release taken back")
    RELEASE_TERMS = "release_terms", pgettext("stored word", "terms of releases changed")
    RELEASED = "released", pgettext("stored word", "released")
    REOPEN = "reopen", pgettext("stored word", "reopened")
    REPLACE = "replace", pgettext("stored word", "missing category given")
    REPORT = "report", pgettext("stored word", "reported as illegal")
    REPORT_ANSWERED = "report_answered", pgettext("stored word", "report answered")
    RUN_CANCELLED = "run_cancelled", pgettext("stored word", "run cancelled")
    RUNS_STARTED = "runs_started", pgettext("stored word", "models asked")
    SEAT_EMPTIED = "seat_emptied", pgettext("stored word", "seat emptied")
    """The holder of the seat left, or the item was withdrawn."""
    SEAT_LAPSED = "seat_lapsed", pgettext("stored word", "seat lapsed")
    """The time of the seat was over: it was freed, and its holder may still fill it."""
    SEATS_ADDED = "seats_added", pgettext("stored word", "seats added")
    SKIPPED = "skipped", pgettext("stored word", "skipped")
    """The holder gave the seat back."""
    SPLIT_LIST_KEPT = "split_list_kept", pgettext("stored word", "list of parts kept")
    TAKEN_BACK = "taken_back", pgettext("stored word", "label taken back")
    TRAINING_FINISHED = "training_finished", pgettext("stored word", "training attempt finished")
    TRAINING_GRANTED = "training_granted", pgettext("stored word", "another training attempt granted")
    TRAINING_RULES = "training_rules", pgettext("stored word", "rules of training changed")
    TRAINING_WAIVED = "training_waived", pgettext("stored word", "declared trained")
    WEBHOOK_CHANGED = "webhook_changed", pgettext("stored word", "webhook changed")
    WITHDRAW_ITEM = "withdraw_item", pgettext("stored word", "taken out")
    WITHDREW = "withdrew", pgettext("stored word", "left the project")
    WITHHELD_SHARE = "withheld_share", pgettext("stored word", "share without priors changed")


NEVER_SHOWN = frozenset({EventVerb.SKIPPED, EventVerb.GLOSSARY_OPENED})
"""What no list of events shows, to admins neither: the consent says that nobody is told who skipped."""

FILTER_LABELS = {
    "stage": pgettext("stored word", "stage"),
    "reason": pgettext("stored word", "reason"),
    "level": pgettext("stored word", "level"),
    "difficulty": pgettext("stored word", "difficulty"),
    "source": pgettext("stored word", "source"),
    "pattern": pgettext("stored word", "pattern"),
    "picture": pgettext("stored word", "picture"),
    "batch": pgettext("stored word", "batch"),
    "undefined": pgettext("stored word", "undefined"),
    "yes": pgettext("stored word", "yes"),
    "no": pgettext("stored word", "no"),
    "missing": pgettext("stored word", "missing"),
}
"""Labels of the filter fields and values that belong to no enum."""
