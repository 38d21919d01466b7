"""Which models a project asks for its priors: what is set up and why, one call to test it, another choice.

Addresses and keys belong to the site's settings; an admin chooses only among the models that the site allows.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from django.db import transaction
from PIL import Image, ImageDraw

from annotation.domain.category_names import DEFAULT_CATEGORIES
from annotation.domain.words import Modality
from annotation.models import Membership, Project, record
from annotation.prior_method import NAME, Case, question
from annotation.prior_rows import ROLES, model_of
from providers import reading, wiring
from providers.messages import Picture
from providers.wiring import Binding, NotConfigured, Trial
from runs import pausing
from runs.asking import Asking
from runs.prompting import prompt

_SAMPLE = "The white roses in front of the library are in bloom again."
_NONCE = "0123456789ab"


@dataclass(frozen=True)
class Setup:
    """The model of one modality as things stand. `chosen` is the project's own choice, if it made one."""

    modality: Modality
    binding: Binding
    chosen: str = ""
    pause: pausing.Paused | None = None

    @property
    def can_be_tried(self) -> bool:
        """Whether one call would tell something: the built-in baseline sees no pictures, as everybody knows."""
        return not self.binding.problem and (self.binding.is_language_model or self.modality == Modality.TEXT)


@dataclass(frozen=True)
class Tested:
    """What one call brought, and whether the answer had the form of a prior; `wrong` says why not."""

    modality: Modality
    trial: Trial
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Whether priors would come of such answers."""
        return self.trial.ok and not self.wrong


def setups(project: Project | None = None) -> list[Setup]:
    """The models of text and picture, for a project or for the site."""
    paused = {pause.provider: pause for pause in pausing.in_force()}
    found = []
    for modality in Modality:
        binding = model_of(project, modality) if project else wiring.bind(ROLES[modality])
        chosen = project.model_plan.get(ROLES[modality], "") if project else ""
        found.append(Setup(modality, binding, chosen, paused.get(binding.provider)))
    return found


def try_out(modality: Modality, project: Project | None = None) -> Tested:
    """Ask the model of a modality once, about a harmless sample of our own, in the words of a real prior."""
    categories = project.category_values() if project else DEFAULT_CATEGORIES
    picture = _sample_picture() if modality == Modality.IMAGE else None
    text = _SAMPLE if modality == Modality.TEXT else ""
    step = question(Case(modality, categories, prompt("annotation", NAME, modality), _NONCE, text, picture))
    trial = wiring.try_out(ROLES[modality], Asking.about(step).request, project.model_plan if project else None)
    if not trial.ok or step.shape is None:
        return Tested(modality, trial)
    read = reading.read(trial.text, step.shape)
    return Tested(modality, trial, read.error if isinstance(read, reading.Wrong) else "")


@transaction.atomic
def choose(admin: Membership, wanted: Mapping[Modality, str]) -> None:
    """Set the project's own models; an empty name goes back to the site's. Priors that are under way keep theirs.

    Raises NotConfigured, with a sentence, for a model that the site does not allow or cannot ask; nothing is stored.
    """
    plan: dict[str, str] = {ROLES[modality]: name for modality, name in wanted.items() if name}
    for modality in wanted:
        if problem := _problem(wiring.bind(ROLES[modality], plan), plan):
            raise NotConfigured(problem)
    project = Project.objects.select_for_update().get(pk=admin.project_id)
    kept = {role: name for role, name in project.model_plan.items() if role not in ROLES.values()}
    if (changed := {**kept, **plan}) == project.model_plan:
        return
    project.model_plan = changed
    project.save(update_fields=["model_plan"])
    record("choose_models", project=project, actor=admin, models=plan)


def _problem(binding: Binding, plan: Mapping[str, str]) -> str:
    return binding.problem if binding.role in plan else ""


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
