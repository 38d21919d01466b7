"""The processes of docker-compose.yml and of the manifests, started by their own commands as containers start them.

The code is what the image copies, with the static files that it collects, on a file system where nothing but the
volumes can be written, and with no right of root's. PostgreSQL's client and server have the version that image and
docker-compose.yml name. The database wants the password of the secret's file, and so does Redis, which is started by
its own command too. Compose's processes share a volume; those of Kubernetes have a folder each, and a bucket.
"""

import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml
from PIL import Image

import deployment
import postgresql_cluster
from absent import skip_or_fail
from deploy.pin_images import POSTGRESQL
from deployment import BASE, ROOT
from postgresql_cluster import Cluster, program
from s3_server import S3Server
from site_visitors import Crowd, Visitor
from worker_processes import free_port, listens, wait_until

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(
        not (program("initdb") and shutil.which("redis-server")) and not os.environ.get("CI"),
        reason="the programs of PostgreSQL's and Redis's servers are not installed",
    ),
]

IMAGE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = deployment.compose()["services"]
GUIDE = (ROOT / "docs/operators.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
SECRET = "dots.and/slashes:and@signs"  # what an address would take for something else
READ_ONLY = (
    'for folder in $0; do mount --bind "$folder" "$folder"; done; mount -o remount,bind,ro / && exec setpriv {} "$@"'
)
READ_ONLY = READ_ONLY.format("--no-new-privs --inh-caps=-all --bounding-set=-all")


class Proxied(HTTPConnection):
    """A connection of a proxy that ends TLS: it says which address and which person it speaks for."""

    def request(self, method: str, url: str, body: Any = None, headers: Any = (), **more: Any) -> None:
        own = {"Host": "labels.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.5"}
        super().request(method, url, body, {**dict(headers), **own, "Referer": "https://labels.example.org/"}, **more)


class VisitorByProxy(Visitor):
    def _connection(self) -> HTTPConnection:
        return Proxied("127.0.0.1", self.port, timeout=90)


class Servers:
    """A PostgreSQL and a Redis with the passwords of the secrets, and the folder of these."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.programs = programs
        self.secrets = folder / "secrets"
        self.secrets.mkdir()
        for name in ("database_password", "redis_password"):
            (self.secrets / name).write_text(f"{SECRET}\n")
        (self.secrets / "secret_key").write_text("only-for-tests-" + "k" * 50)
        self.cluster = Cluster(programs=programs)
        with self.cluster.connect("postgres") as server:  # POSTGRES_USER may do everything
            server.execute(f"CREATE ROLE interplay SUPERUSER LOGIN PASSWORD '{SECRET}'")
        rules = Path(self.cluster.folder, "data/pg_hba.conf")
        rules.write_text(f"host all interplay 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
        self.cluster.stop(signal.SIGINT)
        self.cluster.start()
        self.redis_port = free_port()
        (folder / "data").mkdir()
        self.redis_folder = folder / "data"
        command = [self._redis_words(word) for word in COMPOSE["queue"]["command"]]
        self.redis = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        check = self._redis_words(COMPOSE["queue"]["healthcheck"]["test"][1])
        wait_until(
            lambda: subprocess.run(["sh", "-c", check], check=False, capture_output=True).returncode == 0, "Redis"
        )

    def _redis_words(self, text: str) -> str:
        text = text.replace("/run/secrets", str(self.secrets)).replace("--dir /data", f"--dir {self.redis_folder}")
        text = text.replace("redis-server -", f"redis-server - --bind 127.0.0.1 --port {self.redis_port}")
        return text.replace("redis-cli", f"redis-cli -p {self.redis_port}")

    def remove(self) -> None:
        self.redis.terminate()
        self.redis.wait(30)
        self.cluster.remove()


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with postgresql_cluster.programs_for_the_account() as programs:
        if POSTGRESQL not in programs:
            skip_or_fail(f"PostgreSQL {POSTGRESQL} is not here; `make .venv/postgresql/ready` brings it")
        servers = Servers(tmp_path_factory.mktemp("servers"), programs[POSTGRESQL])
        yield servers
        servers.remove()


@pytest.fixture(scope="module")
def code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder /app of the image: the files that it copies, and the static files that it collects."""
    folder = tmp_path_factory.mktemp("image") / "app"
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    left_out = tuple(f"{name}/" for name in (ROOT / ".dockerignore").read_text().split())
    for name in listed:
        if not name.startswith(left_out) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    collect = re.search(r"^RUN (VAR_DIR=/app.+?[^\\])\n", IMAGE, re.M | re.S)[1].replace("/app/", f"{folder}/")
    environ = {"PATH": f"{BIN}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-ec", collect], cwd=folder, env=environ, check=True, timeout=300)
    return folder


class Site:
    """Containers without containers: commands and variables of the files, with other addresses and folders."""

    def __init__(self, kind: str, folder: Path, code: Path, servers: Servers) -> None:
        self.kind, self.folder, self.code, self.servers = kind, folder, code, servers
        self.port = free_port()
        self.backups = folder / "backups"
        self.backups.mkdir()
        self.database = f"{kind}_site"
        self.begin_with_an_empty_database()
        self.bucket = S3Server() if kind == "kubernetes" else None
        for name in ("media_access_key", "media_secret_key") if self.bucket else ():
            (servers.secrets / name).write_text(self.bucket.environment[name.upper()])
        self.running: dict[str, subprocess.Popen[str]] = {}

    def begin_with_an_empty_database(self) -> None:
        with self.servers.cluster.connect("postgres") as server:
            server.execute(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
            server.execute(f"CREATE DATABASE {self.database} OWNER interplay")

    def lose_everything(self) -> None:
        """Empty database, queue, volumes and bucket, but the folder of backups."""
        self.begin_with_an_empty_database()
        password = {"REDISCLI_AUTH": SECRET}
        flush = ["redis-cli", "-p", str(self.servers.redis_port), "FLUSHALL"]
        subprocess.run(flush, env={**os.environ, **password}, check=True, capture_output=True)
        for folder in self.folder.iterdir():
            if folder.is_dir() and folder != self.backups:
                shutil.rmtree(folder)
        if self.bucket:
            self.bucket.empty()

    def variables(self, name: str) -> dict[str, str]:
        if self.kind == "compose":
            return dict(COMPOSE[name]["environment"])
        own = deployment.pods()[name]["containers"][0].get("env", ())
        shared = yaml.safe_load((BASE / "kustomization.yaml").read_text())["configMapGenerator"][0]["literals"]
        return dict(literal.split("=", 1) for literal in shared) | {entry["name"]: entry["value"] for entry in own}

    def command(self, name: str) -> list[str]:
        if self.kind == "compose":
            return list(COMPOSE[name]["command"])
        return list(deployment.pods()[name]["containers"][0]["command"])

    def here(self, text: str, name: str) -> str:
        """Put what this machine has for the addresses and folders of a container."""
        volume = "site" if self.kind == "compose" else name
        places = {
            "@database:5432/interplay": f"@127.0.0.1:{self.servers.cluster.port}/{self.database}",
            "queue:6379/": f"127.0.0.1:{self.servers.redis_port}/",
            "/run/secrets/site/": f"{self.servers.secrets}/",
            "/run/secrets/": f"{self.servers.secrets}/",
            "/var/lib/interplay": str(self.folder / volume),
            "/backups": str(self.backups),
            "/tmp": str(self.folder / f"tmp-{name}"),
            "0.0.0.0:8000": f"127.0.0.1:{self.port}",
            "/app/": f"{self.code}/",
        }
        return re.sub("|".join(map(re.escape, places)), lambda place: places[place[0]], text)

    def environ(self, name: str) -> dict[str, str]:
        image = dict(re.findall(r"\b([A-Z_]+)=(/var/lib/\S+|/app/static\S+|1)", IMAGE.split("COPY --from=build")[0]))
        image |= {"STATIC_ROOT": "/app/static-collected"}
        wanted = image | self.variables(name)
        if self.bucket:
            wanted |= {key: self.bucket.environment[key] for key in ("MEDIA_BUCKET", "MEDIA_ENDPOINT")}
        else:
            wanted["SITE_URL"] = "https://labels.example.org"  # of .env
            wanted["WORKER_NICE"] = "0"  # other tests take all of the processor that idle programs would get
        variables = {key: self.here(str(value), name) for key, value in wanted.items()}
        for folder in (variables["VAR_DIR"], variables["TMPDIR"], str(self.folder / f"tmp-{name}")):
            Path(folder).mkdir(parents=True, exist_ok=True)  # a volume begins as the image's folder, with its tmp
        path = f"{BIN}:{self.servers.programs}:{os.environ['PATH']}"
        return {"PATH": path, "HOME": variables["VAR_DIR"], **variables}

    def words(self, name: str, *command: str) -> list[str]:
        """Return the command on a file system where only its own folders can be written."""
        environ = self.environ(name)
        own = {environ["VAR_DIR"], environ["TMPDIR"], str(self.folder / f"tmp-{name}")}
        writable = " ".join(own | ({str(self.backups)} if name == "backup" else set()))
        own_mounts = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", READ_ONLY, writable]
        return [*(own_mounts if os.geteuid() == 0 else []), *(self.here(word, name) for word in command)]

    def run(self, name: str, *command: str, **more: str) -> str:
        done = subprocess.run(
            self.words(name, *(command or self.command(name))),
            env=self.environ(name) | more,
            cwd=self.code,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-2000:]
        return done.stdout

    def start(self, name: str) -> None:
        with (self.folder / f"{name}.log").open("w") as log:
            self.running[name] = subprocess.Popen(
                self.words(name, *self.command(name)),
                env=self.environ(name),
                cwd=self.code,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def up(self) -> None:
        """Start what stays, as `docker compose up -d` and the manifests do once the database is migrated."""
        for name in ("web", "runs", "worker", "beat"):
            self.start(name)
        wait_until(lambda: listens(self.port), "web", 120)

    def answer(self, path: str, **headers: str) -> tuple[int, bytes]:
        connection = Proxied("127.0.0.1", self.port, timeout=30)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def logs(self) -> str:
        return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in sorted(self.folder.glob("*.log")))

    def stop(self) -> dict[str, int]:
        """Send TERM to all, as `docker stop` does, and return their exit codes."""
        for process in self.running.values():
            process.terminate()
        return {name: process.wait(80) for name, process in self.running.items()}

    def remove(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if self.bucket:
            self.bucket.stop()


@pytest.fixture(params=["compose", "kubernetes"])
def site(request: pytest.FixtureRequest, tmp_path: Path, code: Path, servers: Servers) -> Iterator[Site]:
    site = Site(request.param, tmp_path, code, servers)
    yield site
    site.remove()


def weight(process: "subprocess.Popen[str]") -> tuple[int, int]:
    """Return the memory in MiB and the number of threads of a process and those below it, shared pages counted once."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listed.splitlines())}
    group = {process.pid}
    while more := {pid for pid, parent in parents.items() if parent in group} - group:
        group |= more
    memory = threads = 0
    for pid in group:
        try:
            memory += int(re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)[1])
            threads += int(re.search(r"^Threads:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1])
        except (FileNotFoundError, ProcessLookupError, TypeError):
            continue  # it has just ended
    return memory // 1024, threads


def mib(limit: str) -> int:
    return int(limit[:-1]) * {"M": 1, "G": 1024}[limit[-1]]


def test_everybody_may_read_the_static_files_of_the_image(code: Path) -> None:
    """The site writes files for its own account alone: those that root collected were closed to the image's user."""
    collected = [code / "static-collected", *(code / "static-collected").rglob("*")]
    assert len(collected) > 50
    assert [path for path in collected if not path.stat().st_mode & stat.S_IROTH] == []
    assert [path for path in collected if path.is_dir() and not path.stat().st_mode & stat.S_IXOTH] == []


def test_the_commands_of_the_files_make_a_site_that_people_label_on_and_that_comes_back_when_all_volumes_are_lost(
    site: Site, record_property: Callable[[str, object], None]
) -> None:
    """In one go, for most of its time goes by while processes start and migrate."""
    _people_label_on_a_new_site(site, record_property)
    made, labels = _a_backup_is_made(site)
    assert site.stop() == {"web": 0, "runs": 0, "worker": 0, "beat": 0}, site.logs()
    assert "Traceback" not in site.logs()
    site.lose_everything()
    _the_backup_comes_back_as_the_document_says(site, made, labels)
    assert site.stop() == {"web": 0, "runs": 0, "worker": 0, "beat": 0}, site.logs()
    assert "Traceback" not in site.logs()


def _people_label_on_a_new_site(site: Site, record_property: Callable[[str, object], None]) -> None:
    assert "Applying annotation.0001" in site.run("migrate")
    site.run("web", "python", "manage.py", "migrate", "--check")
    site.up()
    assert site.answer("/livez")[0] == site.answer("/readyz")[0] == 200
    static = re.search(rb"/static/[\w.-]+\.css", site.answer("/accounts/login/")[1])
    assert static and site.answer(static[0].decode())[0] == 200
    wait_until(lambda: site.answer("/healthz")[0] == 200, f"a sweep: {site.logs()}", 120)
    _health_checks_are_green(site)
    assert _people_label(site) >= 1
    for name, process in site.running.items():
        memory, threads = weight(process)
        record_property(f"{name}: MiB and threads", f"{memory}, {threads}")
        limits = COMPOSE[name]["deploy"]["resources"]["limits"]
        assert memory < mib(limits["memory"]) and threads < limits["pids"]


def _people_label(site: Site) -> int:
    """Let somebody label in a new project, and return how many labels are stored in all."""
    fill = (
        "import json, django; django.setup(); import site_visitors as people; print(json.dumps(people.fill({}, 9, 1)))"
    )
    of_tests = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests/support'}", "DJANGO_SETTINGS_MODULE": "config.settings"}
    filled = json.loads(site.run("web", "python", "-c", fill.format(repr(f"p-{uuid4().hex}")), **of_tests))
    before = _labels(site)
    crowd = Crowd(site.port, filled, VisitorByProxy)
    crowd.labels(1)
    crowd.go_home()
    assert [status for status, _text in crowd.odd if status != 302] == []  # nothing is left
    assert _labels(site) - before >= len(crowd.acknowledged) >= 1
    return _labels(site)


def _labels(site: Site) -> int:
    with site.servers.cluster.connect(site.database) as server:
        return int(server.execute("SELECT count(*) FROM annotation_label").fetchone()[0])


def _a_backup_is_made(site: Site) -> tuple[Path, int]:
    """Return the backup, which its check has restored, and how many labels it holds."""
    site.run("web", "python", "manage.py", "create_project", "garden")
    pictures = Path(site.here("/tmp/posts.zip", "web"))
    pictures.write_bytes(_posts_with_pictures(5))
    assert '"items": 5, "labels": 0' in site.run(
        "web", "python", "manage.py", "import_items", "garden", "/tmp/posts.zip", "--json"
    )
    labels = _labels(site)
    site.run("backup")  # while people could label
    (made,) = site.backups.iterdir()
    (document,) = re.findall(r"^docker compose run --rm backup (python manage\.py backup \S+ --check)$", GUIDE, re.M)
    checked = json.loads(site.run("backup", *of_this_backup(document, made), "--json"))
    assert checked["ok"] and checked["restored"] and len(checked["projects"]) == 2 and not checked["remarks"], checked
    return made, labels


def _the_backup_comes_back_as_the_document_says(site: Site, made: Path, labels: int) -> None:
    if site.kind == "compose":
        (document,) = re.findall(r"^docker compose run --rm backup (python manage\.py restore \S+)$", GUIDE, re.M)
    else:
        (document,) = re.findall(r'"value": (\["python", "manage.py", "restore", .+?\])', GUIDE)
        document = " ".join(json.loads(document))
    site.run("backup", *of_this_backup(document, made))
    assert "No migrations to apply" in site.run("migrate")
    site.up()
    wait_until(lambda: site.answer("/healthz")[0] == 200, f"a sweep: {site.logs()}", 120)
    audited = json.loads(site.run("web", "python", "manage.py", "audit", "--json"))
    assert audited["ok"] and (audited["site"]["items"], audited["site"]["labels"]) == (14, labels), audited
    assert _people_label(site) > labels


def of_this_backup(document: str, made: Path) -> list[str]:
    """Return the document's command with the name of a backup that is there."""
    return [re.sub(r"^/backups/\d.*", f"/backups/{made.name}", word) for word in document.split()]


def _posts_with_pictures(number: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        rows = [{"id": f"q-{n}", "text": f"Post {n}.", "image": f"{n}.png"} for n in range(number)]
        archive.writestr("posts.jsonl", "\n".join(map(json.dumps, rows)))
        for n in range(number):
            picture = io.BytesIO()
            Image.new("RGB", (40, 30), (n, 9, 9)).save(picture, "PNG")
            archive.writestr(f"{n}.png", picture.getvalue())
    return out.getvalue()


def _health_checks_are_green(site: Site) -> None:
    for name in ("runs", "worker"):
        kind, check = COMPOSE[name]["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        assert subprocess.run(["sh", "-c", site.here(check, name)], check=False).returncode == 0, name
    assert '"ok": true' in site.run("beat", *COMPOSE["beat"]["healthcheck"]["test"][1:], "--json")
    check = json.loads(re.search(r"HEALTHCHECK .*\n +CMD (\[.+\])", IMAGE)[1])
    site.run("web", *(word.replace("8000", str(site.port)) for word in check))
