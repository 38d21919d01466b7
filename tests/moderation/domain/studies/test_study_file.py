"""A study's TOML file: what is read, and the one sentence about each fault."""

import pytest

from moderation.domain.evaluation.sampling import Sample
from moderation.domain.studies.study_file import LONGEST, BadStudy, read_study
from moderation.domain.task import Task

WHOLE = """
title = "Judges"
task = "six"
repeats = 2

[data]
file = "hvli.json"
images = "pictures"
sample = "balanced"
limit = 60
columns = { text = "body" }
labels = { "2" = "skip" }

[[arms]]
methods = "baseline"

[[arms]]
name = "court"
methods = ["arcade"]
models = ["a:x", "b:y"]
judges = ["a:x"]
rounds = [1, 3]
track = "deep"
temperatures.judge = [0.0, 0.5]
"""


def test_a_whole_file() -> None:
    study = read_study(WHOLE, "judges.toml")
    assert (study.title, study.task, study.repeats) == ("Judges", Task.SIX, 2)
    assert (study.data.file, study.data.images, study.data.limit) == (("hvli.json",), "pictures", 60)
    assert (study.data.sample, study.data.columns.text, study.data.labels) == (Sample.BALANCED, "body", {"2": "skip"})
    plain, court = study.arms
    assert (plain.methods, plain.options, plain.models) == (("baseline",), {}, ())
    assert (court.name, court.models, court.judges) == ("court", ("a:x", "b:y"), ("a:x",))
    assert court.options == {"rounds": (1, 3), "track": ("deep",), "temperatures.judge": (0.0, 0.5)}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title =\n", "s.toml is no TOML: Invalid value (at line 1, column 8). Correct that line."),
        ("", "s.toml, title: this key is missing; add it."),
        ('title = "t"', "s.toml, arms: this key is missing; add it."),
        (
            'title = "t"\nrounds = 2\n[[arms]]\nmethods = "arcade"',
            "s.toml, rounds: there is no such key; there are task, repeats, title, data, scores, arms.",
        ),
        (
            'title = "t"\n[data]\nfolder = "x"\n[[arms]]\nmethods = "arcade"',
            "s.toml, data.folder: there is no such key; there are sample, limit, seed, file, project, images, format, "
            "columns, labels, text_only, leave_out_bad_rows.",
        ),
        (
            'title = "t"\n[data.columns]\nbody = "x"\n[[arms]]\nmethods = "arcade"',
            "s.toml, data.columns.body: there is no such key; there are text, label, image, id, subset.",
        ),
        ('title = "t"\n[[arms]]\nmethods = "a"\n[[arms]]\nrounds = 2', "s.toml, [[arms]] 2, methods: this key is"),
        ('title = "t"\n[[arms]]\nmethods = []', "s.toml, [[arms]] 1, methods: the list is empty; name at least one."),
        ('title = "t"\n[[arms]]\nmethods = "a"\njudges = 3', "s.toml, [[arms]] 1, judges: write a name, or a list"),
        ('title = "t"\n[[arms]]\nmethods = "a"\nrounds = []', "s.toml, [[arms]] 1, rounds: write one value or a list"),
        ('title = "t"\n[[arms]]\nmethods = "a"\nrounds = [[1]]', "s.toml, [[arms]] 1, rounds: write one value"),
        ('title = "t"\nrepeats = 0\n[[arms]]\nmethods = "a"', "s.toml, repeats: Input should be greater than or equal"),
        ('title = "t"\ntask = "five"\n[[arms]]\nmethods = "a"', "s.toml, task: choose one of six, binary."),
        ("#" * (LONGEST + 1), "s.toml is longer than 100000 characters: shorten it."),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence_with_file_and_key(text: str, sentence: str) -> None:
    with pytest.raises(BadStudy) as refusal:
        read_study(text, "s.toml")
    assert str(refusal.value).startswith(sentence)
    assert refusal.value.phrase.values["file"] == "s.toml"
