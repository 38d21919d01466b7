"""The rows of an annotation campaign, and what the database itself guarantees (design section 5).

Rules are in `annotation/domain`; the functions that change these rows are in the packages beside this one, each named
after a capability. Seats, labels and events refer to memberships, never to user accounts. Each row is defined in the
module of its topic; other packages import it from here.
"""

from annotation.models.base import AppendOnly, AppendOnlyError, WithCategories, choices, random_key, random_place
from annotation.models.glossary import GlossaryEntry, GlossarySource, GlossaryUse, GlossaryVersion
from annotation.models.history import Adjudication, Event, Ruling, event_of, holder_key, record
from annotation.models.items import Dispute, Item, ItemQuerySet, KeptColumn, Picture, Prior
from annotation.models.labels import (
    KnownAnswer,
    Label,
    PostponedSeat,
    Replacement,
    Report,
    Seat,
    Skip,
    TrainingAnswer,
    TrainingAttempt,
    seat_count,
)
from annotation.models.orders import (
    BulkOrder,
    CompetenceEstimate,
    Deletion,
    Figures,
    Import,
    ImportState,
    Job,
    JobState,
    PurgePermit,
    Release,
    ReleaseOrder,
    SavedSearch,
)
from annotation.models.outgoing import Delivery, Mail, Webhook
from annotation.models.participation import CheckIn, ConsentText, Invitation, OptOut, WorkDay
from annotation.models.people import OpenSession, Theme, TokenUse, User
from annotation.models.picture_texts import PictureReading, PictureText
from annotation.models.projects import (
    ROLE_FLAG,
    Batch,
    Category,
    Guideline,
    GuidelineExample,
    GuidelineQuerySet,
    Membership,
    MembershipQuerySet,
    Project,
)
from annotation.models.questions import Question
from annotation.models.releases import AccessRequest, AccessState, Publication, ReleaseTerms, SplitList

__all__ = (
    "Webhook",
    "Mail",
    "Delivery",
    "AccessRequest",
    "AccessState",
    "Publication",
    "ReleaseTerms",
    "SplitList",
    "GlossaryVersion",
    "GlossaryUse",
    "GlossarySource",
    "GlossaryEntry",
    "Adjudication",
    "AppendOnly",
    "AppendOnlyError",
    "Batch",
    "BulkOrder",
    "Category",
    "CheckIn",
    "CompetenceEstimate",
    "ConsentText",
    "Deletion",
    "Dispute",
    "Event",
    "Figures",
    "Guideline",
    "GuidelineExample",
    "GuidelineQuerySet",
    "Import",
    "ImportState",
    "Invitation",
    "Item",
    "ItemQuerySet",
    "KeptColumn",
    "KnownAnswer",
    "Label",
    "Membership",
    "MembershipQuerySet",
    "OpenSession",
    "OptOut",
    "Job",
    "JobState",
    "Picture",
    "PictureReading",
    "PostponedSeat",
    "PictureText",
    "Prior",
    "Project",
    "Question",
    "PurgePermit",
    "ROLE_FLAG",
    "Release",
    "ReleaseOrder",
    "Replacement",
    "Report",
    "Ruling",
    "SavedSearch",
    "Seat",
    "Skip",
    "Theme",
    "TokenUse",
    "TrainingAnswer",
    "TrainingAttempt",
    "User",
    "WithCategories",
    "WorkDay",
    "choices",
    "random_key",
    "random_place",
    "event_of",
    "holder_key",
    "record",
    "seat_count",
)
