"""Traces: loaded only where OpenTelemetry's variables ask for them; a run is part of the trace of its request."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

import migrated_database
from config.environment import env

pytestmark = pytest.mark.once

ROOT = Path(settings.BASE_DIR)
SECRET_ADDRESS = "a-token-of-an-invitation"
PROGRAM = f"""
import threading
import django
django.setup()
from django.test import Client
from django.urls import reverse
import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from opentelemetry import trace
from runs.execution import worker
from runs.models import Run

project = builders.make_project()
reviewer, annotator = builders.make_member(project, Role.REVIEWER), builders.make_member(project)
item = builders.make_labelled_item(project, [annotator, builders.make_member(project)], [0, 0])
close_item(item)
visitor = Client(SERVER_NAME="127.0.0.1")
visitor.force_login(reviewer.user)
start = reverse("moderation:item-start", args=[project.slug, item.public_id])
answer = visitor.post(start, {{"method": "baseline"}}, headers={{"X-Request-ID": "the-request"}})
assert answer.status_code == 302, answer.status_code
visitor.get("/livez")
visitor.get("/invite/{SECRET_ADDRESS}/")
run = Run.objects.get()
thread = threading.Thread(target=worker.perform_due_runs, args=[run.pk])  # as a worker, which knows no request
thread.start()
thread.join()
run.refresh_from_db()
assert run.state == "succeeded", (run.state, run.detail)
trace.get_tracer_provider().force_flush()
print(run.public_id)
"""


class Collector:
    """A collector of OTLP over HTTP: it keeps the spans that it is sent."""

    def __init__(self) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415
            ExportTraceServiceRequest,
        )

        self.spans: list[Any] = []
        self.services: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces"
                sent = ExportTraceServiceRequest()
                sent.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
                for resource in sent.resource_spans:
                    names = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
                    collector.services.add(names["service.name"])
                    collector.spans += [span for scope in resource.scope_spans for span in scope.spans]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, daemon=True).start()

    def named(self, name: str) -> Any:
        (span,) = [span for span in self.spans if span.name == name]
        return span


def facts(span: Any) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in span.attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    collecting = Collector()
    yield collecting
    collecting.server.shutdown()
    collecting.server.server_close()


def started(program: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in an environment of its own, in which the site is at home in the folder."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "INTERPLAY_ENV") if name in os.environ}
    paths = {"VAR_DIR": str(folder), "PYTHONPATH": f"{ROOT / 'tests' / 'support'}:{ROOT}"}
    environ = {**inherited, **paths, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environ, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.django_db
def test_a_trace_is_followed_from_a_request_to_the_run_that_it_starts(collector, tmp_path):
    migrated_database.make_site(tmp_path)
    endpoint = f"http://127.0.0.1:{collector.server.server_port}"
    done = started(PROGRAM, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    assert collector.services == {"interplay"}
    request = next(span for span in collector.spans if span.name.startswith("POST "))
    run, call = collector.named("run baseline"), next(span for span in collector.spans if span.name.startswith("chat "))
    assert run.trace_id == call.trace_id == request.trace_id
    assert (run.parent_span_id, call.parent_span_id) == (request.span_id, run.span_id)
    assert facts(run)["interplay.run"] == done.stdout.strip()
    assert facts(run)["interplay.request_id"] == "the-request"
    assert facts(call)["gen_ai.operation.name"] == "chat" and facts(call)["interplay.role"] == "baseline"
    assert "items/" in facts(request)["http.route"]


@pytest.mark.slow
@pytest.mark.django_db
def test_no_span_tells_an_address_or_is_of_a_health_check(collector, tmp_path):
    migrated_database.make_site(tmp_path)
    endpoint = f"http://127.0.0.1:{collector.server.server_port}/v1/traces"
    done = started(PROGRAM, tmp_path, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=endpoint, OTEL_SERVICE_NAME="lab")
    assert done.returncode == 0, done.stderr
    assert collector.services == {"lab"}
    visits = [span for span in collector.spans if "invite" in span.name]
    assert visits and "livez" not in " ".join(span.name for span in collector.spans)
    assert SECRET_ADDRESS not in str(collector.spans)
    told = set().union(*(facts(span) for span in collector.spans))
    assert not [name for name in told if "peer" in name or "client" in name or "agent" in name]


def test_spans_keep_their_kind_of_fault_and_lose_its_words():
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    from config.monitoring.tracing import RedactingExporter, Spans  # noqa: PLC0415

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(RedactingExporter(kept)))
    with pytest.raises(ValueError), Spans(provider).call("judge", "lab:some/model"):
        raise ValueError("the post says canary")
    (span,) = kept.get_finished_spans()
    assert (span.name, span.status.is_ok) == ("chat some/model", False)
    assert "canary" not in span.to_json()
    assert json.loads(span.to_json())["attributes"]["gen_ai.provider.name"] == "lab"


def test_without_a_variable_nothing_of_it_is_loaded(tmp_path):
    program = "import sys, django; django.setup(); sys.exit('opentelemetry' in sys.modules)"
    assert started(program, tmp_path).returncode == 0
    assert started(program, tmp_path, OTEL_TRACES_EXPORTER="console").returncode == 1


def test_without_the_extra_the_start_says_what_to_install(tmp_path):
    program = "import sys; sys.modules['opentelemetry.instrumentation.celery'] = None; import django; django.setup()"
    done = started(program, tmp_path, OTEL_TRACES_EXPORTER="otlp")
    assert done.returncode == 1
    assert "extra `tracing`" in done.stderr and "pip install" in done.stderr


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, ""),
        ({"OTEL_SERVICE_NAME": "lab"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, ""),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}, ""),
    ],
)
def test_the_standard_variables_decide(environ, wanted):
    assert env.traces(environ=environ) == wanted


def test_an_exporter_that_is_not_there_stops_the_start():
    with pytest.raises(ImproperlyConfigured, match="OTEL_TRACES_EXPORTER must be one of"):
        env.traces(environ={"OTEL_TRACES_EXPORTER": "zipkin"})
