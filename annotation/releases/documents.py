"""Documents that accompany the data of a release, for people and catalogues, made from its manifest, in English."""

import json
import re
import tomllib
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import override

from annotation.analytics.influence.card import card_rows
from annotation.domain.columns.evidence import CARD_COLUMNS
from annotation.domain.columns.items import EVIDENCE
from annotation.domain.columns.items import ITEMS as ITEM_COLUMNS
from annotation.domain.questions.released_answers import Kinds
from annotation.domain.releases.column_types import types_of
from annotation.domain.releases.croissant import authors, croissant
from annotation.domain.releases.licences import licence_of
from annotation.domain.releases.provenance import (
    annotations_creators,
    hub_licence,
    item_licences,
    language_creators,
    licences_of_parts,
)
from annotation.domain.releases.splits import Part
from annotation.releases.files import CARD, ITEMS, ReleasedFile, checksum, write_small
from annotation.releases.questions import card_changes, card_consensus, card_questions, kinds_of

CITATION = "CITATION.cff"
CROISSANT = "croissant.json"
LICENCE = "LICENSE"

COLUMN_WORDS = {column.name: column.meaning for column in ITEM_COLUMNS if column.meaning}
COLUMN_WORDS[EVIDENCE] += " (null: it does not say). " + "; ".join(
    f"{column.name}: {column.meaning}" for column in CARD_COLUMNS
)


@cache
def software_version() -> str:
    """Return the version of this software."""
    with (Path(settings.BASE_DIR) / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def write_papers(folder: Path, manifest: dict[str, Any], files: list[ReleasedFile]) -> list[ReleasedFile]:
    """Write dataset card, licence, citation and Croissant description into the folder of a release."""
    listed = [(file.path, file.size, file.sha256) for file in files]
    described = croissant(manifest, listed, bibtex(manifest, ""), COLUMN_WORDS | _question_words(manifest))
    return [
        write_small(folder, CARD, dataset_card(manifest, [file.path for file in files])),
        write_small(folder, LICENCE, licence_text(manifest)),
        write_small(folder, CITATION, citation_file(manifest)),
        write_small(folder, CROISSANT, json.dumps(described, ensure_ascii=False, indent=1, allow_nan=False) + "\n"),
    ]


def _question_words(manifest: dict[str, Any]) -> dict[str, str]:
    """Return the meaning of the column `questions`, which differs from project to project."""
    questions = "; ".join(
        f"{question['code']} ({question['kind']}): {question['wording']}" for question in manifest.get("questions", ())
    )
    words = "the consensus of the answers to the further questions, by code, with its version and number of answers"
    return {"questions": f"{words}. {questions}"} if questions else {}


def dataset_card(manifest: dict[str, Any], files: list[str] | None = None) -> str:
    """Return the README of a release."""
    paths = [listed["path"] for listed in manifest["files"]] if files is None else files
    gold = manifest["counts"]["gold"]
    with override("en"):
        context = {
            "m": manifest,
            "gold": [(category, gold.get(str(category["code"]), 0)) for category in manifest["categories"]],
            "columns": manifest["columns"],
            "influences": card_rows(manifest["influence"]),
            "head": _head(manifest, paths),
            "questions": card_questions(manifest),
            "consensus": card_consensus(),
            "changes": card_changes(manifest),
            "licences": list(item_licences(manifest).items()),
            "recognized": sum((manifest["counts"].get("languages") or {}).values()),
            "labelled": _labelled(manifest["counts"]),
            "paths": set(paths),
            "tops": {path.partition("/")[0] for path in paths},
        }
        return render_to_string("annotation/release_card.md", context)


def _labelled(counts: dict[str, Any]) -> dict[str, int]:
    """Count the items that were labelled here, that came with labels, and that the data decided without labels."""
    with_labels, decided = counts.get("items_with_imported_labels", 0), counts["sources"]["imported"]
    return {"here": counts["items"] - with_labels - decided, "with_labels": with_labels, "decided": decided}


def _head(manifest: dict[str, Any], paths: list[str]) -> str:
    """Return the front matter that dataset hubs read: JSON values, which are YAML too."""
    parquet = [path for path in paths if path.startswith("parquet/")]
    data: Any = ITEMS
    info: list[dict[str, Any]] = []
    if parquet:
        order = [part for part in Part if f"parquet/{part}.parquet" in parquet]
        data = [{"split": _HUB[part], "path": f"parquet/{part}.parquet"} for part in order]
    else:
        info = [
            {
                "config_name": "default",
                "features": _plain_features(manifest["columns"], kinds_of(manifest), manifest.get("extra")),
            }
        ]
    languages = list(manifest["counts"].get("languages") or ())
    head: dict[str, Any] = {
        "pretty_name": manifest["project"]["name"],
        **({"language": languages} if languages else {}),
        **hub_licence(manifest),
        "tags": ["hate-speech", "multimodal", "text-image"],
        "task_categories": ["text-classification", "image-classification"],
        "annotations_creators": annotations_creators(manifest),
        "language_creators": language_creators(manifest),
        "size_categories": [_size(manifest["counts"]["items"])],
        "configs": [{"config_name": "default", "data_files": data}],
    }
    if info:
        head["dataset_info"] = info
    return "\n".join(f"{name}: {_yaml(value)}" for name, value in head.items())


_HUB = {Part.TRAIN: "train", Part.DEV: "validation", Part.TEST: "test"}


# JSON may hold these as they are; YAML refuses them, or reads them as the end of a line.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def _yaml(value: Any) -> str:
    """Return the value as JSON that is YAML too."""
    return _UNPRINTABLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", json.dumps(value, ensure_ascii=False))


def _plain_features(columns: list[str], kinds: Kinds, kept: dict[str, str] | None) -> list[dict[str, Any]]:
    """Return the columns of `items.jsonl` as they are written: categories are codes, pictures are paths."""
    return [_plain(name, kind) for name, kind in types_of(columns, kinds, kept).items()]


def _plain(name: str, kind: Any) -> dict[str, Any]:
    if isinstance(kind, list):
        return {"name": name, "list": _plain_entry(kind[0])}
    if isinstance(kind, dict):
        return {"name": name, "struct": [_plain(*entry) for entry in kind.items()]}
    return {"name": name, "dtype": "int64" if kind == "category" else kind}


def _plain_entry(kind: Any) -> Any:
    if isinstance(kind, dict):
        return [_plain(*entry) for entry in kind.items()]
    return {"list": _plain_entry(kind[0])} if isinstance(kind, list) else kind


def _size(items: int) -> str:
    for limit, word in ((1000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")):
        if items < limit:
            return word
    return "n>1M"


def citation_file(manifest: dict[str, Any]) -> str:
    """Return CITATION.cff 1.2.0; JSON values, which are YAML too."""
    licences = set(map(licence_of, licences_of_parts(manifest)))
    # Several in a citation file mean a choice between them, which nobody has here: then LICENSE alone says it.
    licence = licences.pop() if len(licences) == 1 else None
    citation: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite this release.",
        "type": "dataset",
        "title": manifest["project"]["name"],
        "abstract": manifest["project"]["description"] or manifest["project"]["name"],
        "authors": [{"name": name} for name in authors(manifest)],
        "version": str(manifest["version"]),
        "date-released": manifest["created"],
        "identifiers": [{"type": "other", "value": f"urn:uuid:{manifest['release']}", "description": "This release."}],
        "keywords": ["hate speech", "text and picture", "annotation"],
    }
    if licence is not None:
        citation["license"] = licence.spdx
    return "".join(f"{name}: {_yaml(value)}\n" for name, value in citation.items())


def licence_text(manifest: dict[str, Any]) -> str:
    """Return the text about what may be done with the release, as far as its project states it."""
    with override("en"):
        licence = licence_of(manifest["licence"] or "")
        context = {"m": manifest, "licence": licence, "licences": list(item_licences(manifest).items())}
        return render_to_string("annotation/release_licence.txt", context)


def bibtex(manifest: dict[str, Any], note: str | None = None, url: str = "") -> str:
    """Return a BibTeX entry. Without `note` it notes the checksum. Signs that mean something to TeX are escaped.

    `url`: the address of the published release, if there is one.
    """
    about = manifest["project"]
    key = f"{about['slug']}_{manifest['version']}".replace("-", "_")
    fields = {
        "author": " and ".join(f"{{{_for_tex(name)}}}" for name in authors(manifest)),
        "title": _for_tex(about["name"]),
        "version": manifest["version"],
        "year": manifest["created"][:4],
    }
    remark = f"SHA-256 {checksum(manifest)}" if note is None else note
    if url:
        fields["url"] = url
    if remark:
        fields["note"] = remark
    lines = ",\n".join(f"  {field:<7} = {{{value}}}" for field, value in fields.items())
    return f"@dataset{{{key},\n{lines}\n}}"


_TEX = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"},
}
# BibTeX counts braces behind a backslash too: where they are not in pairs, commands without a brace stand for them.
_UNPAIRED = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}


def _for_tex(name: str) -> str:
    """Return a name with every sign that means something to TeX written so that TeX prints it."""
    signs = _TEX if _braces_match(name) else _TEX | _UNPAIRED
    return "".join(signs.get(sign, sign) for sign in name)


def _braces_match(name: str) -> bool:
    depths = list(accumulate((sign == "{") - (sign == "}") for sign in name))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)
