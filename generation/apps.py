"""The generation app: counterspeech and samples, written by models and people together."""

from functools import partial
from string import ascii_lowercase
from typing import TYPE_CHECKING

from django.apps import AppConfig
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.core.extensions import (
    POSTS,
    Extension,
    GoldWanted,
    NavigationLink,
    PageKey,
    PageKeys,
    Tab,
    debate_viewers,
    register_extension,
)
from providers.keyword.model import register_answers
from runs.methods import method
from vocabulary.display_names import register_labels
from vocabulary.registration import register_at_first_use

if TYPE_CHECKING:  # models are loaded after this module
    from annotation.models import Project
    from annotation.releases.formats.base import Target, Writer
    from annotation.releases.rows import Rows

_COUNTERSPEECH = (
    *("overview", "exchange", "item-counterspeech", "reply", "compare-replies", "standings", "dataset", "rules"),
    *("explanations", "candidates", "translation", "reply-write", "reply-submit", "reply-take-back", "reply-discard"),
    *("reply-approve", "reply-return", "reply-comment", "reply-withdraw", "reply-correct"),
    *("reply-claim", "post-claim", "reply-sources", "first-step"),
    *("item-first-step", "about", "postings", "posting-add", "posting-check", "figures", "library", "library-take"),
)
_SAMPLES = (
    *("injection", "injection-batch", "pools", "pool", "injection-material", "sample-review", "samples", "sample"),
    *("injection-report", "injection-add", "injection-file", "injection-begin", "injection-targets", "sample-reject"),
    *("pool-items", "pool-files", "injection-triggers", "injection-words"),
)
"""Names of the pages on which the header marks Counterspeech or Samples as the current place."""
_several = partial(format_lazy, "{} · {}")  # what a letter does on pages of different kinds
_KEYS = (
    PageKeys(
        "counterspeech",
        _("Counterspeech"),
        debate_viewers,
        (
            PageKey("a", _("Start with the first")),
            PageKey("r", _several(_("Your text"), _("In your own words"))),
            PageKey("x", _several(_("Send back"), _("Seven explanations"))),
            PageKey("c", _several(_("Comments"), _("It contradicts the claim"))),
            PageKey("s", _("It supports the claim")),
            PageKey("o", _several(_("Ask for candidates"), _("Make it open again"))),
            PageKey("d", _several(_("Correct or withdraw"), pgettext_lazy("stored word", "denouncing"))),
            PageKey("i", pgettext_lazy("stored word", "informative")),
            PageKey("p", pgettext_lazy("stored word", "positive")),
            PageKey("q", pgettext_lazy("stored word", "questioning")),
            PageKey("b", _("Start from a blank page")),
            PageKey("w", _("Write candidates")),
            PageKey("e", _("Ask models")),
            PageKey("k", _("Save changes")),
            PageKey("l", _several(_("Translate"), _("The post"))),
            PageKey("m", _several(_("Translate"), _("The reply"))),
            PageKey("t", _("The text")),
            PageKey("z", _("Zoom")),
        ),
        app="generation",
        pages=_COUNTERSPEECH,
        free=ascii_lowercase,
    ),
    PageKeys(
        "samples",
        _("Samples"),
        debate_viewers,
        (
            PageKey("a", _("Accept")),
            PageKey("x", _("Reject")),
            PageKey("r", _several(_("In your own words"), _("Review samples"))),
            PageKey("j", _("Later")),
            PageKey("t", _("The text")),
            PageKey("z", _("Zoom")),
        ),
        app="generation",
        pages=_SAMPLES,
        free=ascii_lowercase,
    ),
)


class GenerationConfig(AppConfig):
    name = "generation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        register_at_first_use(_register)


# These imports are inside the functions: short commands do without what they load.


def _register() -> None:
    from generation.domain.counterspeech.claim_states import ClaimState
    from generation.domain.counterspeech.first_step import StepReason
    from generation.domain.counterspeech.intents import Intent
    from generation.domain.counterspeech.postings import CheckedAfter
    from generation.domain.counterspeech.registers import Register
    from generation.domain.counterspeech.safety_flags import Flag
    from generation.domain.counterspeech.states import ReplyState
    from generation.domain.counterspeech.writers import Writer
    from generation.domain.event_verbs import GenerationVerb
    from generation.domain.injection.picture_fit import Misfit
    from generation.domain.injection.readings import Mismatch
    from generation.domain.injection.safety_holds import Hold
    from generation.domain.injection.states import SampleState
    from generation.domain.injection.strategies import Strategy
    from providers.keyword.counterspeech import COUNTERSPEECH

    method.register_method("counter_explain", "generation.methods.counterspeech.explain.CounterExplain")
    method.register_method("counterspeech", "generation.methods.counterspeech.candidates.Counterspeech")
    method.register_method("counterscore", "generation.methods.counterspeech.score.Counterscore")
    method.register_method("translation", "generation.methods.counterspeech.translate.Translation")
    method.register_method("injection", "generation.methods.injection.sample.Injection")
    method.register_method("pool_prior", "generation.methods.injection.pool_prior.PoolPrior")
    register_labels(GenerationVerb, ClaimState, Intent, Flag, ReplyState, Hold, Misfit, Mismatch, SampleState)
    register_labels(Strategy, Writer, CheckedAfter, Register, StepReason)
    register_answers(COUNTERSPEECH)
    register_extension(_extension())


def _add_samples(project: "Project") -> None:
    from generation.demo.load import bring_in

    bring_in(project)


def _release_writer(target: "Target", rows: "Rows") -> "Writer":
    from generation.files.training_release import ReleasedTraining

    return ReleasedTraining(target, rows)


def _extension() -> Extension:
    from generation.counterspeech.claims import after_check
    from generation.counterspeech.personal_data import PARTS as COUNTERSPEECH
    from generation.injection.personal_data import PARTS as INJECTION
    from generation.injection.run_subjects import exchanges, pasted_posts, pictures, samples
    from generation.injection.settings import targets_of

    return Extension(
        navigation=(
            NavigationLink("generation:overview", debate_viewers, _("Counterspeech"), _COUNTERSPEECH),
            NavigationLink("generation:injection", debate_viewers, _("Samples"), _SAMPLES, group=POSTS),
        ),
        page_keys=_KEYS,
        tabs=(Tab("generation:item-counterspeech", _("Counterspeech")),),
        add_samples=(_add_samples,),
        gold_wanted=GoldWanted("generation:injection", targets_of),
        personal_data={**COUNTERSPEECH, **INJECTION},
        run_subjects={
            **dict.fromkeys(("counter_explain", "counterspeech", "counterscore", "translation"), exchanges),
            "injection": samples,
            "pool_prior": pictures,
        },
        release_writers={"coarl": _release_writer},
        after_claim_check=(after_check,),
        pasted_posts=pasted_posts,
    )
