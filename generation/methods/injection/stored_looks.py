"""Looks at pictures, each asked for once: stored as soon as there is an answer, found for later samples of a picture.

A look is asked again if the picture, the model, the prompt, the categories or the groups are others.
"""

from collections.abc import Mapping
from typing import Any

from generation.methods.injection.questions import SampleMaterial, look_digest
from generation.models import StoredLook
from providers.messages import ProviderPaused
from runs.domain.states import OPEN
from runs.models import Run

WAIT_SECONDS = 3.0


def find(case: SampleMaterial) -> dict[str, Any]:
    """Return the stored look at the picture; empty if this run is to ask for it.

    Raises ProviderPaused while another run asks; the run then waits without a call and is not counted as failing.
    """
    row, is_new = StoredLook.objects.get_or_create(
        picture_id=case.sample.pool_picture.picture_id, question=look_digest(case), defaults={"run_id": case.run_id}
    )
    if row.value or is_new or row.run_id == case.run_id:
        return dict(row.value)
    unanswered = StoredLook.objects.filter(pk=row.pk, run_id=row.run_id, value={})
    if Run.objects.filter(public_id=row.run_id, state__in=OPEN).exists() or not unanswered.update(run_id=case.run_id):
        raise ProviderPaused("Another sample of the same picture is being looked at.", retry_after=WAIT_SECONDS)
    return {}


def keep(case: SampleMaterial, look: Mapping[str, Any]) -> bool:
    """Store the look for later samples. Return False if another run stored one in the meantime."""
    rows = StoredLook.objects.filter(picture_id=case.sample.pool_picture.picture_id, question=look_digest(case))
    return bool(rows.filter(value={}).update(value=dict(look)))
