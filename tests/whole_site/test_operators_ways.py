"""What an operator does by hand, done as the documents say and no other way, on a site that `serve` serves."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from PIL import Image

import migrated_database
from absent import skip_or_fail
from postgresql_cluster import Cluster, program
from worker_processes import Processes, environment, free_port, listens, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.once]
ROOT = Path(settings.BASE_DIR)
GUIDE = (ROOT / "docs/operators.md").read_text(encoding="utf-8")


def block(line: str) -> str:
    """Return the block of the guide in which this line stands."""
    (found,) = (text for text in GUIDE.split("```")[1::2] if line in text)
    return found.strip("\n")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if not program("initdb"):
        skip_or_fail("the programs of PostgreSQL's server are not installed")
    made = migrated_database.cluster()
    yield made
    made.remove()


class Site:
    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.port = free_port()
        self.environ = environment(
            folder,
            "filesystem://",
            DATABASE_URL=cluster.url,
            SITE_URL=f"http://127.0.0.1:{self.port}",
            LOG_LEVEL="INFO",
            INTERPLAY_ENV="",
        )
        self.processes = Processes(self.environ)

    def manage(self, *arguments: str, fails: bool = False, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=self.environ | more,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == fails, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    def serve(self, log: Path) -> "subprocess.Popen[bytes]":
        command = (
            f"exec {sys.executable} manage.py serve 127.0.0.1:{self.port} --threads 2 --web-workers 1 >> {log} 2>&1"
        )
        process = self.processes.start("-c", command, program="/bin/sh")
        wait_until(lambda: listens(self.port), "the web server", 90)
        return process

    def get(self, path: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            return int(answer.status)


@pytest.fixture
def site(tmp_path: Path, cluster: Cluster) -> Iterator[Site]:
    made = Site(tmp_path, cluster)
    made.manage("shared_parts", "--adopt", "--database-anyway")  # another test's site had this database
    yield made
    made.processes.end()


def test_the_first_token_is_made_without_a_browser(site: Site, tmp_path: Path) -> None:
    begin, make, ask = block("make_token ada > token").splitlines()
    assert shutil.which("curl")
    password = {"DJANGO_SUPERUSER_PASSWORD": "a word that nobody else has"}
    site.manage(*begin.partition("manage.py ")[2].split(), "--noinput", **password)  # which asks for it otherwise
    site.serve(tmp_path / "log")
    python = f"{sys.executable} {ROOT}/manage.py"
    script = [
        make.replace(".venv/bin/python manage.py", python),
        ask.replace("https://labels.example.org", "$SITE_URL"),
    ]
    done = subprocess.run(
        ["bash", "-euc", "\n".join(script)], env=site.environ, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600
    assert json.loads(done.stdout) == []  # she is in no project yet


def test_a_log_in_a_file_is_turned_and_no_line_is_lost(site: Site, tmp_path: Path) -> None:
    if shutil.which("logrotate") is None:
        skip_or_fail("logrotate is not installed")
    folder = tmp_path / "log"
    folder.mkdir(mode=0o755)
    rules = tmp_path / "rules"
    rules.write_text(block("copytruncate").replace("/var/log", str(folder)) + "\n")
    rules.chmod(0o644)
    log = folder / "interplay.log"
    serve = site.serve(log)
    turn = ["logrotate", "--force", "--state", str(tmp_path / "state"), str(rules)]
    for number in range(3):
        with pytest.raises(urllib.error.HTTPError):
            site.get(f"/nowhere-{number}/")
        wait_until(lambda number=number: f"/nowhere-{number}/" in log.read_text(), "the line in the log", 20)
        subprocess.run(turn, check=True, timeout=60)
        assert log.stat().st_size < 2000  # it begins anew, without a hole
    os.killpg(serve.pid, signal.SIGTERM)
    serve.wait(90)
    kept = sorted(path.name for path in folder.iterdir())
    assert kept == ["interplay.log", "interplay.log.1", "interplay.log.2.gz", "interplay.log.3.gz"]
    assert "/nowhere-2/" in (folder / "interplay.log.1").read_text() and b"\0" not in log.read_bytes()


def test_moved_files_are_found_and_told(site: Site, tmp_path: Path) -> None:
    if shutil.which("rsync") is None:
        skip_or_fail("rsync is not installed")
    site.manage("create_project", "garden")
    with zipfile.ZipFile(tmp_path / "posts.zip", "w") as archive:
        picture = io.BytesIO()
        Image.new("RGB", (40, 30)).save(picture, "PNG")
        archive.writestr("0.png", picture.getvalue())
        archive.writestr("posts.jsonl", json.dumps({"id": "q", "text": "A post.", "image": "0.png"}))
    site.manage("import_items", "garden", str(tmp_path / "posts.zip"))
    old, new = Path(site.environ["VAR_DIR"]) / "media", tmp_path / "elsewhere"
    (copy,) = re.findall(r"`(rsync -a OLD/ NEW/)`", GUIDE)
    subprocess.run(copy.replace("OLD", str(old)).replace("NEW", str(new)).split(), check=True, timeout=60)
    old.rename(tmp_path / "gone")
    assert "are not in MEDIA_ROOT" in site.manage("shared_parts", fails=True)
    assert "is lost" in site.manage("audit", fails=True)
    moved = {"MEDIA_ROOT": str(new)}
    site.manage("shared_parts", **moved)
    site.manage("audit", **moved)
