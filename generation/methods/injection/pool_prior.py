"""The image-only prior of a pool's picture: category, explanation, severity.

A model is asked with the same prompt as for an item's picture.
"""

from collections.abc import Mapping, Sequence

from django.conf import settings

from annotation.domain.choices import Modality
from annotation.priors.method import PriorCase, prior_question
from generation.models import PoolPicture
from providers.messages import Picture
from providers.prompt_fencing import nonce_for
from providers.roles import ModelRole
from runs.domain.states import Flag, RunState
from runs.methods.method import Finish, Limits, Outcome, SavedTurn, Step
from runs.methods.prompts import load_prompt
from runs.models import Run

NAME = "pool_prior"


class PoolPrior:
    """The method that asks for the prior of a pool's picture: one call for each picture."""

    name = NAME
    limits = Limits(calls=8, tokens=200_000, seconds=1800)

    def case(self, run: Run) -> PriorCase | None:
        """Return the picture. Returns None if it is no longer in the pool."""
        rows = PoolPicture.objects.filter(public_id=run.subject, pool__project__public_id=run.project)
        row = rows.select_related("picture", "pool__project").first()
        if row is None:
            return None
        nonce = nonce_for(settings.SECRET_KEY, NAME, str(run.public_id))
        with row.picture.file.open("rb") as file:
            picture = Picture(file.read(), row.picture.media_type)
        categories = row.pool.project.category_values()
        return PriorCase(
            Modality.IMAGE, categories, load_prompt("annotation", "prior", "image"), nonce, picture=picture
        )

    def still_wanted(self, run: Run) -> bool:
        """Return whether the picture is in the pool."""
        return PoolPicture.objects.filter(public_id=run.subject, pool__project__public_id=run.project).exists()

    def next_steps(self, case: PriorCase, turns: Mapping[str, SavedTurn]) -> Sequence[Step] | Finish:
        """Ask the one question, or finish with its answer."""
        if (turn := turns.get(case.modality)) is None:
            return [prior_question(case)]
        return Finish({**turn.value, "led_astray": Flag.LED_ASTRAY in turn.flags})

    def settle(self, run: Run, outcome: Outcome) -> bool:
        """Store the prior unless there is one already, or store why the model gave none.

        Returns False if the picture is gone.
        """
        row = PoolPicture.objects.select_for_update().filter(public_id=run.subject).first()
        if row is None:
            return False
        if row.category_id is not None:
            return True
        if outcome.state != RunState.SUCCEEDED or outcome.value["led_astray"]:
            row.trouble = str(outcome.reason or "injection_suspected")
            row.save(update_fields=["trouble"])
            return True
        row.category = row.pool.project.categories.filter(code=outcome.value["category"]).first()
        row.explanation, row.severity = outcome.value["explanation"], outcome.value["severity"]
        row.model, row.trouble = run.model_plan[str(ModelRole.PRIOR_IMAGE)], ""
        row.save(update_fields=["category", "explanation", "severity", "model", "trouble"])
        return True
