"""Data sets by name through the library `datasets`, where it is installed: `hf://NAME`, `hf://NAME#CONFIG:SPLIT`.

NAME is one of the Hugging Face Hub, or a folder that the library reads (`hf:///srv/posts`). The data set comes as
Parquet, with the names of its categories and its pictures inside, and is read as any such file.
"""

from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from annotation.domain.formats.base import RowError, Unreadable

HUB = "hf://"
_SAVED = ("state.json", "dataset_dict.json")
"""What a folder holds that `save_to_disk` wrote."""
_UNPROCESSABLE = 422


def bring_data_set(address: str, target: BinaryIO) -> None:
    """Write one part of a data set to `target` as Parquet. Raises Unreadable with one sentence."""
    name, config, split = parts_of(address)
    try:
        datasets = import_module("datasets")
    except ImportError:
        reason = (
            "A data set is read by its name only where the Python library datasets is installed beside the site. "
            "Install it (pip install datasets), or import one of its Parquet files."
        )
        raise _refusal("no_library", reason) from None
    try:
        found = _loaded(datasets, name, config, split)
    except Exception as fault:  # whatever the library, and those below it, call a name that leads nowhere
        said = " ".join(str(fault).split())[:300].rstrip(".")
        raise _refusal("file_not_fetched", f"{name}: datasets cannot load it: {said}.") from fault
    if isinstance(found, dict):
        if len(found) != 1:
            example = f"{address}:{next(iter(found), 'train')}"
            raise _refusal("several_parts", f"The data set has the parts {', '.join(found)}. Name one: {example}.")
        (found,) = found.values()
    _with_pictures(datasets, found).to_parquet(target)
    target.flush()


def _loaded(datasets: Any, name: str, config: str, split: str) -> Any:
    if any((Path(name) / file).is_file() for file in _SAVED):
        saved = datasets.load_from_disk(name)
        return saved[split] if split and isinstance(saved, dict) else saved
    return datasets.load_dataset(name, config or None, split=split or None)


def parts_of(address: str) -> tuple[str, str, str]:
    """Return the name of a data set, its configuration and its part; "" for one that is not named."""
    whole, _, split = unquote(address.removeprefix(HUB)).partition(":")
    name, _, config = whole.partition("#")
    return name, config, split


def _with_pictures(datasets: Any, found: Any) -> Any:
    """Return a data set whose pictures are inside, and not only named by their paths."""
    if not any(isinstance(feature, datasets.Image) for feature in found.features.values()):
        return found
    embedded = import_module("datasets.table").embed_table_storage
    return found.with_format("arrow").map(embedded, batched=True, batch_size=100)


def _refusal(code: str, reason: str) -> Unreadable:
    return Unreadable(RowError(0, code, reason, status=_UNPROCESSABLE))
