"""Dawid-Skene and MACE by the library crowd-kit (extra `quality`), as a program of its own.

    python -m annotation.analytics.competence_process < labels.json > fitted.json

Only this module loads the library, and no module imports this one: the library takes some 200 MB of memory and two
seconds, which neither the site nor a worker should spend. It gets only numbers, no texts and no names, and opens no
connection.

Input: {"method", "items", "annotators", "labels", "categories"}: parallel lists of integers, one entry per label;
items and annotators are numbered from 0, labels are indices below `categories`.
Output: {"posterior": [item][category], "priors": [category] | null, "confusion": [annotator][true][said] | null,
"competence": [annotator] | null, "iterations"}. Dawid-Skene gives priors and confusion, MACE competence: the
probability that a person answers by knowledge rather than by habit.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from crowdkit.aggregation import MACE, DawidSkene

ITERATIONS = 1_000
TOLERANCE = 1e-9
"""The minimum gain of a step in the evidence lower bound per label; the fit ends when a step gains less.

The table of somebody with few labels settles last: in some thirty made sets of 450 to 90,000 labels, a share was up to
0.99 from where it settles at 1e-6, and in all but one within 0.0004 at 1e-9.
"""


def fit(request: dict[str, Any]) -> dict[str, Any]:
    """Fit the named model, and return its result as JSON values."""
    columns = {"task": request["items"], "worker": request["annotators"], "label": request["labels"]}
    # MACE of crowd-kit 1.4 mixes up the order of first appearance and sorted order: numbered by first appearance,
    # both are the same.
    numbered, back = {}, {}
    for name, values in columns.items():
        numbered[name], back[name] = pd.factorize(np.asarray(values, dtype=np.int64))
    fits = {"dawid-skene": _dawid_skene, "mace": _mace}
    return fits[request["method"]](pd.DataFrame(numbered), back, request["categories"])


def _dawid_skene(labels: pd.DataFrame, back: dict[str, Any], categories: int) -> dict[str, Any]:
    model: Any = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE).fit(labels)
    priors = np.zeros(categories)
    priors[back["label"][model.priors_.index]] = model.priors_
    confusion = np.zeros((len(back["worker"]), categories, categories))
    for true in model.errors_.columns:
        for (worker, chosen), share in model.errors_[true].items():
            confusion[back["worker"][worker], back["label"][true], back["label"][chosen]] = share
    return {
        "posterior": _posterior(model.probas_, back, categories).tolist(),
        "priors": priors.tolist(),
        "confusion": confusion.tolist(),
        "competence": None,
        "iterations": len(model.loss_history_),
    }


def _mace(labels: pd.DataFrame, back: dict[str, Any], categories: int) -> dict[str, Any]:
    model: Any = MACE(n_restarts=1, n_iter=50, random_state=0).fit(labels)  # in version 1.4 all restarts begin equally
    competence = np.zeros(len(back["worker"]))
    competence[back["worker"]] = model.spamming_[:, 1] / model.spamming_.sum(axis=1)
    return {
        "posterior": _posterior(model.probas_, back, categories).tolist(),
        "priors": None,
        "confusion": None,
        "competence": competence.tolist(),
        "iterations": model.n_iter,
    }


def _posterior(probabilities: pd.DataFrame, back: dict[str, Any], categories: int) -> Any:
    posterior = np.zeros((len(back["task"]), categories))
    posterior[np.ix_(back["task"][probabilities.index], back["label"][probabilities.columns])] = (
        probabilities.to_numpy()
    )
    return posterior


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the library's own warnings, about future versions of pandas
    json.dump(fit(json.load(sys.stdin)), sys.stdout, allow_nan=False)
