"""Models of annotator competence beside the majority: asked for on a page or by a command, fitted by a child process.

The models see the raw labels: round
1 of closed items, as submitted, without known answers. What comes out is shown and nothing else: no stage, no
category, no hand-out and no release looks at it.

`result` of a row that is done::

    {"labels", "items", "annotators", "iterations", "categories": [code],
     "priors": [share] | null,
     "people": [{"member": public id, "labels", "accuracy", "competence": share | null,
                 "diagonal": [share | null], "confusion": [true][said] | null}],
     "differing": [{"item": public id, "majority": code | null, "model": code | null, "probability"}]}
"""

import json
import logging
import os
import subprocess
import sys
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.analytics.annotator_quality_queries import read_raw
from annotation.core.jobs import JobKind, JobRefused, Phase
from annotation.core.snapshots import snapshot
from annotation.domain.choices import CompetenceMethod, EventVerb
from annotation.domain.statistics.competence import Differing, Judged, differing, judged
from annotation.models import CompetenceEstimate, Item, JobState, Membership, Project, record

log = logging.getLogger(__name__)

SECONDS = 600
"""For one fit; Dawid-Skene on 100,000 labels takes about ten seconds, MACE twenty."""
_ROOT = Path(__file__).resolve().parents[2]


class CannotEstimate(JobRefused):
    """There is no estimate, and why, in one sentence."""


def is_installed() -> bool:
    """Whether the extra with the models is there. Looks, and loads nothing."""
    return find_spec("crowdkit") is not None


def how_to_install() -> str:
    """One sentence for people."""
    return _("The models are an extra: whoever runs this site adds them by: pip install -c requirements.lock crowd-kit")


def ask(member: Membership, method: CompetenceMethod) -> CompetenceEstimate:
    """Order an estimate and enqueue it; return the one that is under way if there is one.

    Raises CannotEstimate if the extra is missing.
    """
    if not is_installed():
        raise CannotEstimate("not_installed", how_to_install())
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
    except IntegrityError:  # somebody asked at the same moment
        row = under_way.get()
    COMPETENCE.begin(row)
    return row


def _fit(row: CompetenceEstimate) -> None:
    COMPETENCE.finish(row, result=estimate(row.project, CompetenceMethod(row.method)))


def latest(project: Project) -> list[CompetenceEstimate]:
    """The newest estimate of each method, whatever became of it, and the newest that is done."""
    newest: dict[tuple[str, bool], CompetenceEstimate] = {}
    for row in CompetenceEstimate.objects.filter(project=project).order_by("-pk")[:50]:
        newest.setdefault((row.method, row.state == JobState.DONE), row)
    return sorted(newest.values(), key=lambda row: -row.pk)


def estimate(project: Project, method: CompetenceMethod) -> dict[str, Any]:
    """Fit a model to the project's raw labels now; the result as it is stored. Raises CannotEstimate."""
    with snapshot():
        codes = list(project.categories.order_by("code").values_list("pk", "code"))
        raw = read_raw(project, {pk: index for index, (pk, _code) in enumerate(codes)})
        names = dict(Membership.objects.filter(project=project).values_list("pk", "public_id"))
    if len(raw.category) == 0 or len(np.unique(raw.category)) < 2:
        raise CannotEstimate(
            "nothing_to_estimate", _("The models need closed items whose labels name at least two categories.")
        )
    item_keys, items = np.unique(raw.item, return_inverse=True)
    people_keys, people = np.unique(raw.annotator, return_inverse=True)
    given = {
        "method": method.value,
        "items": items.tolist(),
        "annotators": people.tolist(),
        "labels": raw.category.tolist(),
        "categories": len(codes),
    }
    fitted = _fitted(given)
    posterior = np.asarray(fitted["posterior"], dtype=np.float64)
    apart = differing(items, raw.category, posterior)
    public = _public_ids(project, [int(item_keys[each.item]) for each in apart])
    return {
        "labels": len(raw.category),
        "items": len(item_keys),
        "annotators": len(people_keys),
        "iterations": fitted["iterations"],
        "categories": [code for _pk, code in codes],
        "priors": fitted["priors"],
        "people": [
            _person(each, fitted, str(names[int(people_keys[each.annotator])]))
            for each in judged(items, people, raw.category, posterior)
        ],
        "differing": [_item(each, public[int(item_keys[each.item])], [code for _pk, code in codes]) for each in apart],
    }


def _fitted(given: dict[str, Any]) -> dict[str, Any]:
    """What the child process makes of the labels. It gets numbers alone, and no way to the network."""
    if not is_installed():
        raise CannotEstimate("not_installed", how_to_install())
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "annotation.analytics.competence_process"],
            input=json.dumps(given),
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
    fitted: dict[str, Any] = json.loads(done.stdout)
    return fitted


def _person(each: Judged, fitted: dict[str, Any], member: str) -> dict[str, Any]:
    return {
        "member": member,
        "labels": each.labels,
        "accuracy": each.accuracy,
        "competence": fitted["competence"] and fitted["competence"][each.annotator],
        "diagonal": list(each.diagonal),
        "confusion": fitted["confusion"] and fitted["confusion"][each.annotator],
    }


def _item(each: Differing, public_id: str, codes: list[int]) -> dict[str, Any]:
    return {
        "item": public_id,
        "majority": None if each.majority is None else codes[each.majority],
        "model": None if each.model is None else codes[each.model],
        "probability": each.probability,
    }


def _public_ids(project: Project, keys: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(keys), 5000):  # SQLite takes so many parameters in one statement
        some = Item.objects.filter(project=project, pk__in=keys[start : start + 5000])
        found |= {pk: str(public_id) for pk, public_id in some.values_list("pk", "public_id")}
    return found


COMPETENCE = JobKind(
    "competence",
    CompetenceEstimate,
    phases=(Phase(_fit, lapse=timedelta(seconds=SECONDS + 300)),),  # a fit gives no signs of life
)
