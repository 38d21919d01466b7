"""Models of a project for its priors and every method: the configured ones and why, one test call, a choice.

Addresses and keys belong to the site's settings; an admin chooses only among the models that the site allows.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from django.db import transaction
from PIL import Image, ImageDraw

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.choices import EventVerb, Modality
from annotation.models import Membership, Project, record
from annotation.priors.method import NAME, PriorCase, prior_question
from annotation.priors.results import ROLES
from providers import bindings, structured_output, wiring
from providers.bindings import Binding, NotConfigured
from providers.messages import Message, Picture, Request
from providers.roles import ModelRole
from providers.wiring import TrialCall
from runs.execution.step import PendingStep
from runs.methods.prompts import load_prompt
from runs.queue import model_facts, provider_pauses

_SAMPLE = "The white roses in front of the library are in bloom again."
_GREETING = "This is a test of the connection. Answer with the one word: ready."
_NONCE = "0123456789ab"
_MODALITIES = {role: modality for modality, role in ROLES.items()}


@dataclass(frozen=True)
class ModelSetup:
    """The model of one role at present. `chosen` is the project's own choice, if it made one."""

    role: ModelRole
    binding: Binding
    chosen: str = ""
    pause: provider_pauses.PauseInForce | None = None

    @property
    def modality(self) -> Modality | None:
        """What the role gives priors for, if it does."""
        return _MODALITIES.get(self.role)

    @property
    def can_be_tried(self) -> bool:
        """Whether one call would tell something: of the built-in baseline only how it answers about a text."""
        return not self.binding.problem and (self.binding.is_language_model or self.role == ModelRole.PRIOR_TEXT)


@dataclass(frozen=True)
class TrialReply:
    """The reply to one test call, and whether it has the form of a prior; `wrong` says why not."""

    role: ModelRole
    trial: TrialCall
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Whether the role could be filled with such answers."""
        return self.trial.ok and not self.wrong


def model_setups(project: Project | None = None) -> list[ModelSetup]:
    """Return the models of all roles, for a project or for the site, those of the priors first."""
    paused = {pause.name: pause for pause in provider_pauses.pauses_in_force()}
    setups = []
    for role in ModelRole:
        binding = _bound(role, project)
        chosen = project.model_plan.get(role, "") if project else ""
        setups.append(ModelSetup(role, binding, chosen, paused.get(binding.provider) or paused.get(binding.name)))
    return setups


def prior_setups(project: Project | None = None) -> list[ModelSetup]:
    """Return the models of text and picture alone."""
    return [setup for setup in model_setups(project) if setup.modality]


def try_model(role: ModelRole, project: Project | None = None) -> TrialReply:
    """Call the model of a role once: for a prior about a harmless sample of our own, otherwise whether it is there."""
    plan = project.model_plan if project else None
    modality = _MODALITIES.get(role)
    room = wiring.profile_of(_bound(role, project).name).room_to_think
    if modality is None:
        greeting = Request(role, (Message.of("user", _GREETING),), max_tokens=200 + room)
        return TrialReply(role, _tried(role, greeting, plan))
    categories = project.offered_categories() if project else DEFAULT_CATEGORIES
    picture = _sample_picture() if modality == Modality.IMAGE else None
    text = _SAMPLE if modality == Modality.TEXT else ""
    step = prior_question(
        PriorCase(modality, categories, load_prompt("annotation", NAME, modality), _NONCE, text, picture)
    )
    trial = _tried(role, PendingStep.of(step, thinking_tokens=room).request, plan)
    if not trial.ok or step.shape is None:
        return TrialReply(role, trial)
    read = structured_output.read_answer(trial.text, step.shape)
    return TrialReply(role, trial, read.error if isinstance(read, structured_output.InvalidAnswer) else "")


@transaction.atomic
def choose_models(admin: Membership, names: Mapping[ModelRole, str]) -> None:
    """Set the project's own models; an empty name selects the site's. Runs in progress keep theirs.

    Raises NotConfigured, with a sentence, for a model that the site does not allow or cannot call; nothing is stored.
    """
    plan: dict[str, str] = {role: name for role, name in names.items() if name}
    for role in names:
        if role in plan and (problem := bindings.bind_role(role, plan).problem):
            raise NotConfigured(problem)
    project = Project.objects.select_for_update().get(pk=admin.project_id)
    unchanged = {role: name for role, name in project.model_plan.items() if role not in names}
    if (changed := {**unchanged, **plan}) == project.model_plan:
        return
    project.model_plan = changed
    project.save(update_fields=["model_plan"])
    record(EventVerb.CHOOSE_MODELS, project=project, actor=admin, models=plan)


def _tried(role: ModelRole, request: Request, plan: Mapping[str, str] | None) -> TrialCall:
    """Ask once and store what the call taught."""
    trial = wiring.try_model(role, request, plan)
    model_facts.store_new_facts()
    return trial


def _bound(role: ModelRole, project: Project | None) -> Binding:
    """Return the model of the role and what is wrong with it: the site's list may have changed since the choice."""
    try:
        return bindings.bind_role(role, project.model_plan if project else None)
    except NotConfigured as fault:
        return replace(bindings.bind_role(role), problem=str(fault))


@cache
def _sample_picture() -> Picture:
    """Return a flower on a lawn."""
    image = Image.new("RGB", (256, 256), "#cfe3c4")
    pen = ImageDraw.Draw(image)
    pen.rectangle((122, 120, 134, 240), fill="#3f7f3f")
    for x, y in ((96, 70), (160, 70), (96, 126), (160, 126)):
        pen.ellipse((x - 38, y - 38, x + 38, y + 38), fill="#ffffff", outline="#b8b8b8")
    pen.ellipse((106, 76, 150, 120), fill="#f2c84b")
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=85)
    return Picture(buffer.getvalue(), "image/jpeg")
