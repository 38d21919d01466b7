"""Messages of the filesystem transport appear whole: a worker that looks at any moment reads all of one, or none."""

import os
import threading
from pathlib import Path
from queue import Empty
from typing import Any

from django.conf import settings
from kombu import Connection

from config import celery
from config.server.celery_filesystem import Channel


def channel(folder: Path) -> Any:
    (folder / "control").mkdir(exist_ok=True)
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder), "control_folder": str(folder / "control")}
    return Connection("filesystem://", transport_options=options).channel()


def test_the_site_s_workers_use_it(tmp_path: Path) -> None:
    assert celery.app.conf.task_default_queue == settings.CELERY_TASK_DEFAULT_QUEUE  # loading the app puts it in place
    assert isinstance(channel(tmp_path), Channel)


def test_a_message_is_not_seen_before_it_is_written(tmp_path: Path, monkeypatch: Any) -> None:
    seen: list[list[str]] = []
    rename = os.replace

    def look_first(source: str, target: str) -> None:
        seen.append([name for name in os.listdir(tmp_path) if name.endswith(".msg")])
        assert Path(source).stat().st_size > 0
        rename(source, target)

    monkeypatch.setattr(os, "replace", look_first)
    bell = channel(tmp_path)
    bell._put("interplay", {"body": "x" * 1000})
    assert seen == [[]]
    assert bell._get("interplay") == {"body": "x" * 1000}


def test_reading_while_others_write_meets_no_half_message(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "control"))
    bell, got = channel(tmp_path), 0

    def write() -> None:
        for number in range(100):
            bell._put("interplay", {"number": number})

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    while got < 300:
        try:
            assert "number" in bell._get("interplay")
            got += 1
        except Empty:
            assert got < 300
    for writer in writers:
        writer.join()
