"""Dawid-Skene and MACE by the library crowd-kit (extra `quality`), as a program of its own.

    python -m annotation.competence_models < labels.json > fitted.json

The only module that loads the library, and nothing imports it: the library takes some 200 MB and two seconds, which
neither the site nor a worker should keep. It knows numbers only, no texts and no names, and opens no connection.

In: {"method", "items", "annotators", "labels", "categories"}: parallel lists of whole numbers, one place a label;
items and annotators numbered from 0, labels are indices below `categories`.
Out: {"posterior": [item][category], "priors": [category] | null, "confusion": [annotator][true][said] | null,
"competence": [annotator] | null, "iterations"}. Dawid-Skene gives priors and confusion, MACE competence: the
probability that somebody answers by knowledge rather than by habit.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from crowdkit.aggregation import MACE, DawidSkene

ITERATIONS = 200
TOLERANCE = 1e-6
"""Of the evidence lower bound a label: the fit ends when a step gains less."""


def fit(given: dict[str, Any]) -> dict[str, Any]:
    """Fit the model that is named."""
    columns = {"task": given["items"], "worker": given["annotators"], "label": given["labels"]}
    # MACE of crowd-kit 1.4 mixes up the order of first appearance and sorted order: numbered by first appearance,
    # both are the same.
    numbered, back = {}, {}
    for name, values in columns.items():
        numbered[name], back[name] = pd.factorize(np.asarray(values, dtype=np.int64))
    fits = {"dawid-skene": _dawid_skene, "mace": _mace}
    return fits[given["method"]](pd.DataFrame(numbered), back, given["categories"])


def _dawid_skene(labels: pd.DataFrame, back: dict[str, Any], categories: int) -> dict[str, Any]:
    model: Any = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE).fit(labels)
    priors = np.zeros(categories)
    priors[back["label"][model.priors_.index]] = model.priors_
    confusion = np.zeros((len(back["worker"]), categories, categories))
    for true in model.errors_.columns:
        for (worker, said), share in model.errors_[true].items():
            confusion[back["worker"][worker], back["label"][true], back["label"][said]] = share
    return {
        "posterior": _posterior(model.probas_, back, categories).tolist(),
        "priors": priors.tolist(),
        "confusion": confusion.tolist(),
        "competence": None,
        "iterations": len(model.loss_history_),
    }


def _mace(labels: pd.DataFrame, back: dict[str, Any], categories: int) -> dict[str, Any]:
    model: Any = MACE(n_restarts=1, n_iter=50, random_state=0).fit(labels)  # restarts of 1.4 all begin alike
    competence = np.zeros(len(back["worker"]))
    competence[back["worker"]] = model.spamming_[:, 1] / model.spamming_.sum(axis=1)
    return {
        "posterior": _posterior(model.probas_, back, categories).tolist(),
        "priors": None,
        "confusion": None,
        "competence": competence.tolist(),
        "iterations": model.n_iter,
    }


def _posterior(found: pd.DataFrame, back: dict[str, Any], categories: int) -> Any:
    posterior = np.zeros((len(back["task"]), categories))
    posterior[np.ix_(back["task"][found.index], back["label"][found.columns])] = found.to_numpy()
    return posterior


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the library's own, about pandas to come
    json.dump(fit(json.load(sys.stdin)), sys.stdout, allow_nan=False)
