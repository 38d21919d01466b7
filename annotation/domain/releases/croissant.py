"""A machine-readable description of a release, made from its manifest alone: Croissant 1.0 (JSON-LD)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotation.domain.columns.items import EVIDENCE
from annotation.domain.formats.kept_columns import EXTRA
from annotation.domain.releases.column_types import TYPES
from annotation.domain.releases.columns import QUESTION_COLUMN
from annotation.domain.releases.licences import licence_of
from annotation.domain.releases.provenance import licences_of_parts

_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_ENCODINGS = {
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "tar": "application/x-tar",
    "xml": "application/xml",
}
_KINDS = {"category": "sc:Integer", "int64": "sc:Integer", "bool": "sc:Boolean", "float64": "sc:Float"}
_ITEMS = "items.jsonl"


def croissant(
    manifest: Mapping[str, Any], files: Iterable[tuple[str, int, str]], citation: str, descriptions: Mapping[str, str]
) -> dict[str, Any]:
    """Return the description.

    `files`: path, bytes and SHA-256 of each; `descriptions`: the meaning of each column, in words.
    """
    described = [_file(*file) for file in files if _is_data(file[0])]
    about = manifest["project"]
    description = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": about["slug"],
        "alternateName": f"{about['name']}, release {manifest['version']}",
        "description": about["description"]
        or f"{about['name']}: texts and pictures labelled for what they mean together.",
        "version": f"{manifest['version']}.0.0",
        "datePublished": manifest["created"],
        "url": f"urn:uuid:{manifest['release']}",
        "identifier": f"urn:uuid:{manifest['release']}",
        "citeAs": citation,
        "creator": [{"@type": "sc:Organization", "name": name} for name in authors(manifest)],
        "distribution": described,
        "recordSet": [_records(manifest["columns"], descriptions)],
    }
    if languages := list(manifest["counts"].get("languages") or ()):
        description["inLanguage"] = languages
    licences = list(dict.fromkeys(map(_licence, licences_of_parts(manifest))))
    return description | {"license": licences[0] if len(licences) == 1 else licences}


def _licence(name: str) -> str:
    licence = licence_of(name)
    return licence.address if licence else name


def authors(manifest: Mapping[str, Any]) -> list[str]:
    """Return the authors of the data set as its project names them, else the project itself."""
    return manifest.get("authors") or [f"The {manifest['project']['name']} project"]


def _is_data(path: str) -> bool:
    return "/" not in path or path.startswith(("parquet/", "webdataset/"))


def _file(path: str, size: int, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{size} B",
        "encodingFormat": _ENCODINGS.get(path.rpartition(".")[2], "text/plain"),
        "sha256": sha256,
    }


def _records(columns: Sequence[str], descriptions: Mapping[str, str]) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"items/{name}",
            "name": name,
            "description": descriptions.get(name, name.replace("_", " ")),
            "dataType": _KINDS.get(str(TYPES.get(name, "")), "sc:Text"),
            "source": {"fileObject": {"@id": _ITEMS}, "extract": {"column": name}},
        }
        for name in columns
        if name not in (QUESTION_COLUMN, EXTRA) and not isinstance(TYPES.get(name), list)
    ]
    records: dict[str, Any] = {"@type": "cr:RecordSet", "@id": "items", "name": "items", "key": {"@id": "items/id"}}
    objects = [
        name for name in (QUESTION_COLUMN, EXTRA, EVIDENCE) if name in columns
    ]  # Croissant 1.0 has no type for them
    if objects:
        records["description"] = " ".join(
            f"Each line of {_ITEMS} has {name} too: {descriptions[name]}." for name in objects
        )
    return records | {"field": fields}
