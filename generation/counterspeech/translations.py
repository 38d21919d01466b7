"""A text of the desk in the language of its reader, by a model: shown beside the text, and never in its place."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Membership
from generation.counterspeech import costs, request
from generation.domain.counterspeech.languages import is_foreign
from generation.models import Candidate, Exchange
from providers.roles import ModelRole
from runs.domain.states import OPEN, RunState
from runs.models import Run
from runs.spending.cost import RunSpent, spent_by

POST = "post"
"""What is asked for instead of the id of a reply or candidate: the post itself."""


@dataclass(frozen=True)
class TranslationBox:
    """What a page knows of a text in its reader's language.

    `of` names the text: the post, or a reply or candidate by its id.
    """

    exchange: Exchange
    of: str
    text: str
    language: str
    fault: str = ""
    """Why nothing was asked just now."""

    @cached_property
    def run(self) -> Run | None:
        """The newest run that translates this text into this language."""
        return request.translation_run(self.exchange, self.text, self.language) if self.text else None

    @cached_property
    def is_offered(self) -> bool:
        """Whether the text is surely in another language, and a model can be asked."""
        return is_foreign(self.text, self.language) and bool(request.translator_of(self.exchange.project))

    @property
    def is_shown(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.fault or self.run or self.is_offered)

    @property
    def is_open(self) -> bool:
        """Whether a model is at work."""
        return self.run is not None and self.run.state in OPEN

    @property
    def words(self) -> str:
        """The translation; empty if there is none."""
        is_done = self.run is not None and self.run.state == RunState.SUCCEEDED
        return str((self.run.outcome or {}).get("text", "")) if self.run and is_done else ""

    @property
    def model(self) -> str:
        """The model that translated, or that was asked to."""
        return self.run.model_plan.get(ModelRole.TRANSLATOR, "") if self.run else ""

    @cached_property
    def asked_by(self) -> Membership | None:
        """The person who asked for it."""
        started_by = self.run.started_by if self.run else None
        return Membership.objects.filter(public_id=started_by).first() if started_by else None

    @property
    def why_not(self) -> str:
        """One sentence that says why there is no translation; empty if nothing is wrong."""
        if self.fault or self.run is None or self.words or self.is_open:
            return self.fault
        if self.run.state == RunState.REFUSED:
            return _("The model refused to translate this text.")
        if self.run.state == RunState.UNREADABLE:
            return _("The model gave no translation that could be read.")
        if self.run.state == RunState.CANCELLED:
            return _("The translation was stopped before its end.")
        return _("The text was not translated: %(why)s") % {"why": self.run.detail or self.run.reason}

    @property
    def expected(self) -> costs.Expected | None:
        """What it takes."""
        return costs.of_translation(self.exchange.project)

    @property
    def spent(self) -> RunSpent | None:
        """What it took."""
        return spent_by(self.run) if self.run else None


def box_of(exchange: Exchange, text: str, of: object = POST, fault: str = "") -> TranslationBox:
    """Return the box of a text for the language of the page."""
    return TranslationBox(exchange, str(of), text, get_language() or "en", fault)


def box_of_candidate(exchange: Exchange, candidate: Candidate) -> TranslationBox | None:
    """Return the box of a candidate. Returns None where it is not surely in another language than the page."""
    is_other = is_foreign(candidate.text, get_language() or "en")
    return box_of(exchange, candidate.text, candidate.public_id) if is_other else None
