"""The parts of a person's data export that contain exchanges that they opened and material for samples."""

from annotation.members.personal_parts import Parts, part
from generation.models import Exchange, InjectionBatch, InjectionConsent, PicturePool, PlanRow, Sample, Trigger

PARTS: Parts = {
    # Not a post that was pasted: somebody else wrote it.
    "exchanges": part(Exchange, "opened_by", "created_at", project="project__slug", item="item__public_id"),
    "injection_terms": part(InjectionConsent, "member", "version", "accepted_at", project="project__slug"),
    "picture_pools": part(
        PicturePool,
        "created_by",
        *("name", "target_group", "licence", "source", "created_at"),
        project="project__slug",
    ),
    # Not the text, which is material of the project: nobody is shown it.
    "triggers": part(Trigger, "added_by", "target_group", "created_at", project="project__slug"),
    "plan_rows": part(PlanRow, "added_by", "entry", "created_at", project="project__slug"),
    "injection_batches": part(InjectionBatch, "started_by", "number", "seed", "created_at", project="project__slug"),
    # Not the item that a sample became.
    "samples_decided": part(
        Sample, "decided_by", "state", "reason", "decided_at", project="project__slug", sample="public_id"
    ),
}
"""What they opened, accepted, uploaded, started and decided."""
