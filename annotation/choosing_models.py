"""Which models a project asks, for its priors and in every method: what is set up and why, one test call, a choice.

Addresses and keys belong to the site's settings; an admin chooses only among the models that the site allows.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from django.db import transaction
from PIL import Image, ImageDraw

from annotation.domain.category_names import DEFAULT_CATEGORIES
from annotation.domain.words import Modality
from annotation.models import Membership, Project, record
from annotation.prior_method import NAME, Case, question
from annotation.prior_rows import ROLES
from providers import reading, wiring
from providers.messages import Message, Picture, Request
from providers.roles import ModelRole
from providers.wiring import Binding, NotConfigured, Trial
from runs import pausing
from runs.asking import Asking
from runs.prompting import prompt

_SAMPLE = "The white roses in front of the library are in bloom again."
_GREETING = "This is a test of the connection. Answer with the one word: ready."
_NONCE = "0123456789ab"
_MODALITIES = {role: modality for modality, role in ROLES.items()}


@dataclass(frozen=True)
class Setup:
    """The model of one role as things stand. `chosen` is the project's own choice, if it made one."""

    role: ModelRole
    binding: Binding
    chosen: str = ""
    pause: pausing.Paused | None = None

    @property
    def modality(self) -> Modality | None:
        """What the role gives priors for, if it does."""
        return _MODALITIES.get(self.role)

    @property
    def can_be_tried(self) -> bool:
        """Whether one call would tell something: of the built-in baseline only how it answers about a text."""
        return not self.binding.problem and (self.binding.is_language_model or self.role == ModelRole.PRIOR_TEXT)


@dataclass(frozen=True)
class Tested:
    """What one call brought, and whether the answer had the form of a prior; `wrong` says why not."""

    role: ModelRole
    trial: Trial
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Whether the role could be filled with such answers."""
        return self.trial.ok and not self.wrong


def setups(project: Project | None = None) -> list[Setup]:
    """The models of all roles, for a project or for the site, those of the priors first."""
    paused = {pause.provider: pause for pause in pausing.in_force()}
    found = []
    for role in ModelRole:
        binding = _bound(role, project)
        chosen = project.model_plan.get(role, "") if project else ""
        found.append(Setup(role, binding, chosen, paused.get(binding.provider)))
    return found


def prior_setups(project: Project | None = None) -> list[Setup]:
    """The models of text and picture alone."""
    return [setup for setup in setups(project) if setup.modality]


def try_out(role: ModelRole, project: Project | None = None) -> Tested:
    """Ask the model of a role once: for a prior about a harmless sample of our own, else whether it is there."""
    plan = project.model_plan if project else None
    modality = _MODALITIES.get(role)
    if modality is None:
        return Tested(role, wiring.try_out(role, Request(role, (Message.of("user", _GREETING),), max_tokens=200), plan))
    categories = project.category_values() if project else DEFAULT_CATEGORIES
    picture = _sample_picture() if modality == Modality.IMAGE else None
    text = _SAMPLE if modality == Modality.TEXT else ""
    step = question(Case(modality, categories, prompt("annotation", NAME, modality), _NONCE, text, picture))
    trial = wiring.try_out(role, Asking.about(step).request, plan)
    if not trial.ok or step.shape is None:
        return Tested(role, trial)
    read = reading.read(trial.text, step.shape)
    return Tested(role, trial, read.error if isinstance(read, reading.Wrong) else "")


@transaction.atomic
def choose(admin: Membership, wanted: Mapping[ModelRole, str]) -> None:
    """Set the project's own models; an empty name goes back to the site's. Runs that are under way keep theirs.

    Raises NotConfigured, with a sentence, for a model that the site does not allow or cannot ask; nothing is stored.
    """
    plan: dict[str, str] = {role: name for role, name in wanted.items() if name}
    for role in wanted:
        if role in plan and (problem := wiring.bind(role, plan).problem):
            raise NotConfigured(problem)
    project = Project.objects.select_for_update().get(pk=admin.project_id)
    kept = {role: name for role, name in project.model_plan.items() if role not in wanted}
    if (changed := {**kept, **plan}) == project.model_plan:
        return
    project.model_plan = changed
    project.save(update_fields=["model_plan"])
    record("choose_models", project=project, actor=admin, models=plan)


def _bound(role: ModelRole, project: Project | None) -> Binding:
    """The model of the role, with what is wrong with it: a list of the site may have changed since it was chosen."""
    try:
        return wiring.bind(role, project.model_plan if project else None)
    except NotConfigured as fault:
        return replace(wiring.bind(role), problem=str(fault))


@cache
def _sample_picture() -> Picture:
    """A flower on a lawn."""
    image = Image.new("RGB", (256, 256), "#cfe3c4")
    pen = ImageDraw.Draw(image)
    pen.rectangle((122, 120, 134, 240), fill="#3f7f3f")
    for x, y in ((96, 70), (160, 70), (96, 126), (160, 126)):
        pen.ellipse((x - 38, y - 38, x + 38, y + 38), fill="#ffffff", outline="#b8b8b8")
    pen.ellipse((106, 76, 150, 120), fill="#f2c84b")
    held = io.BytesIO()
    image.save(held, "JPEG", quality=85)
    return Picture(held.getvalue(), "image/jpeg")
