"""Passwords of the database and keys of the bucket change as docs/scaling.md says, with servers that ask for them."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import boto3
import psycopg
import pytest
from botocore.exceptions import ClientError
from django.conf import settings as site

import migrated_database
from absent import skip_or_fail
from postgresql_cluster import Cluster, program
from s3_server import BUCKET, S3Server
from worker_processes import Processes, environment, free_port, listens, wait_until

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.once]

WHO = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT current_user")
    print(cursor.fetchone())
"""
ASKS = """
local all all trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
"""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A migrated PostgreSQL that asks the role of the site for its password."""
    if not program("initdb"):
        skip_or_fail("the programs of PostgreSQL's server are not installed")
    made = migrated_database.cluster()
    with made.connect() as server:
        server.execute("CREATE ROLE interplay LOGIN PASSWORD 'first'")
        for kind in ("TABLES", "SEQUENCES"):
            server.execute(f"GRANT ALL ON ALL {kind} IN SCHEMA public TO interplay")  # type: ignore[call-overload]
        Path(made.folder, "data", "pg_hba.conf").write_text(ASKS)
        server.execute("SELECT pg_reload_conf()")
    yield made
    made.remove()


def ran(environ: dict[str, str], *command: str) -> "subprocess.CompletedProcess[str]":
    arguments = [sys.executable, "manage.py", *command, "--json"]
    return subprocess.run(arguments, env=environ, cwd=site.BASE_DIR, capture_output=True, text=True, timeout=300)


def status(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def refused(cluster: Cluster, role: str, password: str) -> bool:
    try:
        psycopg.connect(
            host="127.0.0.1", port=cluster.port, user=role, password=password, dbname="site", connect_timeout=5
        ).close()
    except psycopg.OperationalError as fault:
        return "password authentication failed" in str(fault)
    return False


def test_the_password_of_the_database_changes(cluster: Cluster, tmp_path: Path) -> None:
    password = tmp_path / "database_password"
    password.write_text("first\n")
    environ = environment(
        tmp_path,
        "filesystem://localhost//",
        DATABASE_URL=f"postgres://interplay@127.0.0.1:{cluster.port}/site",
        DATABASE_PASSWORD_FILE=str(password),
    )
    port, processes = free_port(), Processes(environ)
    serve = ("manage.py", "serve", f"127.0.0.1:{port}", "--web-workers", "1", "--threads", "2")

    def restart(running: "subprocess.Popen[bytes] | None" = None, **more: str) -> "subprocess.Popen[bytes]":
        if running is not None:
            running.terminate()
            running.wait(90)
        started = processes.start(*serve, **more)
        wait_until(lambda: listens(port) and status(port) == 200, "the site", 180)
        return started

    try:
        running = restart()
        with cluster.connect() as server:
            server.execute("ALTER ROLE interplay PASSWORD 'second'")
        assert refused(cluster, "interplay", "first")
        assert status(port) == 200  # on the connections that are open
        away = ran(environ, "shared_parts")
        assert away.returncode == 1 and "password authentication failed" in json.loads(away.stdout)["error"]
        password.write_text("second\n")
        running = restart(running)
        assert ran(environ, "shared_parts").returncode == 0
        # Without a moment in which new connections are refused: a second role, which acts as the first.
        with cluster.connect() as server:
            server.execute("CREATE ROLE interplay_b LOGIN PASSWORD 'third' IN ROLE interplay")
            server.execute("ALTER ROLE interplay_b SET role = interplay")
        password.write_text("third\n")
        other = {"DATABASE_URL": f"postgres://interplay_b@127.0.0.1:{cluster.port}/site"}
        restart(running, **other)
        done = ran(environ | other, "sweep")
        assert done.returncode == 0, done.stdout
        with cluster.connect() as server:
            server.execute("ALTER ROLE interplay PASSWORD 'never used'")
        assert status(port) == 200 and ran(environ | other, "shared_parts").returncode == 0
        shown = subprocess.run(
            [sys.executable, "manage.py", "shell", "-v", "0", "-c", WHO],
            env=environ | other,
            cwd=site.BASE_DIR,
            capture_output=True,
            text=True,
        )
        assert "('interplay',)" in shown.stdout
    finally:
        processes.end()


@pytest.fixture
def bucket() -> Iterator[S3Server]:
    """A server of buckets that looks at keys: those of two users who may do everything."""
    made = S3Server()
    yield made
    look_at_keys(made, False)
    made.stop()


def look_at_keys(bucket: S3Server, looks: bool) -> None:
    """Let the server refuse keys that are nobody's, or take all."""
    address, after = f"{bucket.endpoint}/moto-api/reset-auth", b"0" if looks else b"inf"
    request = urllib.request.Request(address, after, {"Content-Type": "text/plain"})
    urllib.request.urlopen(request, timeout=30).close()


def test_the_keys_of_the_bucket_change(bucket: S3Server, tmp_path: Path) -> None:
    iam = boto3.client(
        "iam",
        endpoint_url=bucket.endpoint,
        region_name="us-east-1",
        aws_access_key_id="an-access-key",
        aws_secret_access_key="a-secret-key",
    )
    iam.create_user(UserName="site")
    allowed = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}
    iam.put_user_policy(UserName="site", PolicyName="all", PolicyDocument=json.dumps(allowed))
    first, second = (iam.create_access_key(UserName="site")["AccessKey"] for _ in range(2))
    environ = migrated_database.make_site(tmp_path) | bucket.environment

    def with_keys(pair: dict[str, str]) -> dict[str, str]:
        return environ | {"MEDIA_ACCESS_KEY": pair["AccessKeyId"], "MEDIA_SECRET_KEY": pair["SecretAccessKey"]}

    look_at_keys(bucket, True)
    with pytest.raises(ClientError):
        bucket.client.list_objects_v2(Bucket=BUCKET)  # these keys are nobody's now
    assert ran(with_keys(first), "shared_parts").returncode == 0
    assert ran(with_keys(second), "shared_parts").returncode == 0
    look_at_keys(bucket, False)
    iam.delete_access_key(UserName="site", AccessKeyId=first["AccessKeyId"])
    look_at_keys(bucket, True)
    ended = ran(with_keys(first), "shared_parts")
    assert ended.returncode == 1
    assert "The bucket did not do it" in json.loads(ended.stdout)["error"]
    assert ran(with_keys(second), "shared_parts").returncode == 0
