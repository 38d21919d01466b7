"""Folders of the storage, removed while other processes write into them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotation.core.stored_files import local_path, remove_below

pytestmark = pytest.mark.no_database


@pytest.fixture
def folder() -> Path:
    for name in ("a.txt", "inner/b.txt", "inner/c.txt"):
        default_storage.save(f"changed/{name}", ContentFile(b"x"))
    path = local_path("changed")
    assert path is not None
    return path


def once_before(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], object]) -> None:
    """Call `act` right before the first call of this function of `os`."""
    call, acts = getattr(os, name), [act]

    def changed(*args: object, **kwargs: object) -> object:
        if acts:
            acts.pop()()
        return call(*args, **kwargs)

    monkeypatch.setattr(os, name, changed)


def test_a_file_that_is_written_meanwhile_may_stay_and_the_next_call_removes_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once_before(monkeypatch, "rmdir", lambda: (folder / "inner" / "late.txt").write_text("x"))
    remove_below("changed")
    assert [path.name for path in folder.rglob("*.txt")] == ["late.txt"]
    remove_below("changed")
    assert not folder.exists()


def test_what_another_process_removes_meanwhile_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_before(monkeypatch, "unlink", lambda: [path.unlink() for path in folder.rglob("*.txt")])
    remove_below("changed")
    assert not folder.exists()


def test_a_folder_that_may_not_be_changed_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError(13, "Permission denied")

    once_before(monkeypatch, "unlink", refuse)
    with pytest.raises(PermissionError):
        remove_below("changed")


def test_no_folder_is_no_fault() -> None:
    remove_below("changed/never")
