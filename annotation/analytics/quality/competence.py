"""A model of annotator competence beside the majority: requested on a page or by a command, fitted by a child process.

It is Dawid-Skene. It uses the raw labels: round 1 of closed items, as submitted, without known answers. The result is
only shown: no stage, no category, no assignment and no release depends on it.

`result` of a finished row::

    {"labels", "items", "annotators", "iterations", "categories": [code],
     "priors": [share],
     "people": [{"member": public id, "labels", "accuracy", "diagonal": [share | null], "confusion": [true][said]}],
     "differing": [{"item": public id, "majority": code | null, "model": code | null, "probability"}]}

Stored estimates may be of MACE, which is fitted no more: its `priors` and `confusion` are null, and each person has
`competence`, the probability that they answer by knowledge rather than by habit.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.analytics.quality.queries import read_raw
from annotation.core.jobs import Heartbeat, JobKind, JobRefused, Phase
from annotation.core.snapshots import snapshot
from annotation.domain.choices import CompetenceMethod, EventVerb
from annotation.domain.statistics.competence import Differing, Judged, differing, judged
from annotation.models import CompetenceEstimate, Item, JobState, Membership, Project, record
from runs.sql.read_replica import from_replica

log = logging.getLogger(__name__)

SECONDS = 600
"""The maximum time of one fit: 100,000 labels take some twenty seconds, or minutes where they leave much open."""
_ROOT = Path(__file__).resolve().parents[3]


class CannotEstimate(JobRefused):
    """There is no estimate; the message says why."""


def is_installed() -> bool:
    """Return whether the extra with the models is installed, without importing it."""
    return find_spec("crowdkit") is not None


def how_to_install() -> str:
    """Return a message for people about how to install the extra."""
    return _(
        "This model is an extra. The people who run this site add it with: pip install -c requirements.lock crowd-kit"
    )


def ask(member: Membership) -> CompetenceEstimate:
    """Request an estimate and enqueue it; return the one that is already queued or running, if there is one.

    Raises CannotEstimate if the extra is missing.
    """
    if not is_installed():
        raise CannotEstimate("not_installed", how_to_install())
    method = CompetenceMethod.DAWID_SKENE
    under_way = CompetenceEstimate.objects.filter(
        project=member.project, method=method, state__in=CompetenceEstimate.ACTIVE
    )
    try:
        with transaction.atomic():
            row = under_way.first()
            if row is None:
                row = CompetenceEstimate.objects.create(project=member.project, method=method, ordered_by=member)
                record(
                    EventVerb.COMPETENCE_ASKED, project=member.project, actor=member, row=row.public_id, method=method
                )
    except IntegrityError:  # another request came at the same moment
        row = under_way.get()
    COMPETENCE.begin(row)
    return row


def _fit(row: CompetenceEstimate, heartbeat: Heartbeat[CompetenceEstimate]) -> None:
    if row.method != CompetenceMethod.DAWID_SKENE:  # asked for while the site still fitted it
        raise CannotEstimate("model_gone", _("MACE is fitted no more. Fit Dawid-Skene."))
    COMPETENCE.finish(row, result=estimate(row.project))


def latest(project: Project) -> list[CompetenceEstimate]:
    """Return the newest estimate of each method in any state, and the newest finished one."""
    newest: dict[tuple[str, bool], CompetenceEstimate] = {}
    for row in CompetenceEstimate.objects.filter(project=project).order_by("-pk")[:50]:
        newest.setdefault((row.method, row.state == JobState.DONE), row)
    return sorted(newest.values(), key=lambda row: -row.pk)


def estimate(project: Project) -> dict[str, Any]:
    """Fit the model to the present raw labels, and return the result as it is stored. Raises CannotEstimate."""
    with from_replica(), snapshot():
        codes = list(project.categories.order_by("code").values_list("pk", "code"))
        raw = read_raw(project, {pk: index for index, (pk, _code) in enumerate(codes)})
        names = dict(Membership.objects.filter(project=project).values_list("pk", "public_id"))
    if len(raw.category) == 0 or len(np.unique(raw.category)) < 2:
        raise CannotEstimate(
            "nothing_to_estimate", _("The model needs closed items whose labels name at least two categories.")
        )
    item_keys, items = np.unique(raw.item, return_inverse=True)
    people_keys, people = np.unique(raw.annotator, return_inverse=True)
    labels = {
        "items": items.tolist(),
        "annotators": people.tolist(),
        "labels": raw.category.tolist(),
        "categories": len(codes),
    }
    fitted = _fitted(labels)
    posterior = np.asarray(fitted["posterior"], dtype=np.float64)
    differences = differing(items, raw.category, posterior)
    public = _public_ids(project, [int(item_keys[entry.item]) for entry in differences])
    return {
        "labels": len(raw.category),
        "items": len(item_keys),
        "annotators": len(people_keys),
        "iterations": fitted["iterations"],
        "categories": [code for _pk, code in codes],
        "priors": fitted["priors"],
        "people": [
            _person(entry, fitted, str(names[int(people_keys[entry.annotator])]))
            for entry in judged(items, people, raw.category, posterior)
        ],
        "differing": [
            _item(entry, public[int(item_keys[entry.item])], [code for _pk, code in codes]) for entry in differences
        ],
    }


def _fitted(labels: dict[str, Any]) -> dict[str, Any]:
    """Return the child process's result for the labels. The process gets only numbers, and works offline.

    Raises CannotEstimate.
    """
    if not is_installed():
        raise CannotEstimate("not_installed", how_to_install())
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    try:
        process = subprocess.run(
            [sys.executable, "-m", "annotation.analytics.quality.competence_process"],
            input=json.dumps(labels),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=_ROOT,
            env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(_ROOT), **offline},
            check=True,
        )
    except subprocess.TimeoutExpired as fault:
        raise CannotEstimate("too_long", _("The model was not fitted in ten minutes and was stopped.")) from fault
    except subprocess.CalledProcessError as fault:
        log.error("The model's process ended with %s: %s", fault.returncode, fault.stderr[-2000:])
        raise CannotEstimate("model_failed", _("The model could not be fitted; the log says why.")) from fault
    fitted: dict[str, Any] = json.loads(process.stdout)
    return fitted


def _person(judgement: Judged, fitted: dict[str, Any], member: str) -> dict[str, Any]:
    return {
        "member": member,
        "labels": judgement.labels,
        "accuracy": judgement.accuracy,
        "diagonal": list(judgement.diagonal),
        "confusion": fitted["confusion"][judgement.annotator],
    }


def _item(difference: Differing, public_id: str, codes: list[int]) -> dict[str, Any]:
    return {
        "item": public_id,
        "majority": None if difference.majority is None else codes[difference.majority],
        "model": None if difference.model is None else codes[difference.model],
        "probability": difference.probability,
    }


def _public_ids(project: Project, keys: list[int]) -> dict[int, str]:
    public_ids: dict[int, str] = {}
    for start in range(0, len(keys), 5000):  # SQLite limits the number of parameters in one statement
        some = Item.objects.filter(project=project, pk__in=keys[start : start + 5000])
        public_ids |= {pk: str(public_id) for pk, public_id in some.values_list("pk", "public_id")}
    return public_ids


COMPETENCE = JobKind(
    "competence",
    CompetenceEstimate,
    phases=(Phase(_fit),),
)
