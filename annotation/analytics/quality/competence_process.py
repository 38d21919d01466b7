"""Dawid-Skene by the library crowd-kit (extra `quality`), as a program of its own.

    python -m annotation.analytics.quality.competence_process < labels.json > fitted.json

Only this module loads the library, and no module imports this one: the library takes some 200 MB of memory and two
seconds, which neither the site nor a worker should spend. It gets only numbers, no texts and no names, and opens no
connection.

Input: {"items", "annotators", "labels", "categories"}: parallel lists of integers, one entry per label;
items and annotators are numbered from 0, labels are indices below `categories`.
Output: {"posterior": [item][category], "priors": [category], "confusion": [annotator][true][said], "iterations"}.
"""

import json
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene

ITERATIONS = 1_000
TOLERANCE = 1e-9
"""The minimum gain of a step in the evidence lower bound per label; the fit ends when a step gains less.

The table of somebody with few labels settles last: in some thirty made sets of 450 to 90,000 labels, a share was up to
0.99 from where it settles at 1e-6, and in all but one within 0.0004 at 1e-9.
"""


def fit(request: dict[str, Any]) -> dict[str, Any]:
    """Fit the model, and return its result as JSON values."""
    columns = {"task": request["items"], "worker": request["annotators"], "label": request["labels"]}
    labels, categories = pd.DataFrame(columns), request["categories"]
    model: Any = DawidSkene(n_iter=ITERATIONS, tol=TOLERANCE).fit(labels)
    priors = np.zeros(categories)
    priors[model.priors_.index] = model.priors_
    posterior = np.zeros((labels["task"].max() + 1, categories))
    posterior[np.ix_(model.probas_.index, model.probas_.columns)] = model.probas_.to_numpy()
    confusion = np.zeros((labels["worker"].max() + 1, categories, categories))
    for true in model.errors_.columns:
        for (worker, chosen), share in model.errors_[true].items():
            confusion[worker, true, chosen] = share
    return {
        "posterior": posterior.tolist(),
        "priors": priors.tolist(),
        "confusion": confusion.tolist(),
        "iterations": len(model.loss_history_),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # the library's own warnings, about future versions of pandas
    json.dump(fit(json.load(sys.stdin)), sys.stdout, allow_nan=False)
