"""Traces by OpenTelemetry: requests, statements of PostgreSQL, tasks, runs and model calls.

Loaded only where OpenTelemetry's own variables ask for it (`config.environment.env.traces`); it needs
the extra `tracing`. Requests to providers carry no header of a trace: nobody outside is told which calls belong
together.
"""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.monitoring.logging_filters import all_secrets, redact
from runs import origin
from runs.models import Run

try:
    from opentelemetry import trace
    from opentelemetry.context import Context
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.instrumentation.celery import CeleryInstrumentor
    from opentelemetry.instrumentation.django import DjangoInstrumentor
    from opentelemetry.instrumentation.psycopg import PsycopgInstrumentor
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import (
        BatchSpanProcessor,
        ConsoleSpanExporter,
        SpanExporter,
        SpanExportResult,
    )
    from opentelemetry.trace import SpanKind, Status
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as fault:
    raise ImproperlyConfigured(
        f"OTEL_… asks for traces, which need the extra `tracing` ({fault.name} is missing): "
        "pip install -c requirements.lock opentelemetry-sdk opentelemetry-exporter-otlp-proto-http "
        "opentelemetry-instrumentation-django opentelemetry-instrumentation-psycopg "
        "opentelemetry-instrumentation-celery"
    ) from None

_W3C = TraceContextTextMapPropagator()
_NOT_TRACED = "livez,healthz,metrics"
_LEFT_OUT = frozenset(
    {
        # Invitations and downloads have secrets in their addresses; the route stays.
        *("http.url", "http.target", "url.full", "url.path", "url.query"),
        # Who asked: annotators are known by pseudonyms alone.
        *("http.user_agent", "user_agent.original", "http.client_ip", "client.address", "client.port"),
        *("net.peer.ip", "net.peer.name", "net.peer.port", "net.sock.peer.addr", "net.sock.peer.port"),
        *("network.peer.address", "network.peer.port"),
    }
)
"""Attributes that no span may have."""


def start() -> None:
    """Write traces from now on. Called once, before the web server loads its middleware."""
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: "interplay"}
    provider = TracerProvider(resource=Resource.create(named))
    exporter = ConsoleSpanExporter() if settings.TRACES == "console" else OTLPSpanExporter()
    provider.add_span_processor(BatchSpanProcessor(RedactingExporter(exporter)))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(excluded_urls=_NOT_TRACED)
    PsycopgInstrumentor().instrument(skip_dep_check=True)  # psycopg is there as psycopg[binary]
    CeleryInstrumentor().instrument()  # type: ignore[no-untyped-call]  # has no types
    origin.use_tracing(Spans(provider))


class Spans:
    """The spans of runs and of their calls."""

    def __init__(self, provider: TracerProvider) -> None:
        self._tracer = provider.get_tracer("interplay.runs")

    def traceparent(self) -> str:
        """Return the place in the trace at which this thread works; "" if there is none."""
        carrier: dict[str, str] = {}
        _W3C.inject(carrier)
        return carrier.get("traceparent", "")

    def run(self, run: Run) -> AbstractContextManager[object]:
        """Write a span below the request that started the run, whichever message brought it here."""
        return self._tracer.start_as_current_span(
            f"run {run.method}",
            context=_W3C.extract({"traceparent": run.traceparent}, context=Context()),
            kind=SpanKind.CONSUMER,
            attributes={
                "interplay.run": str(run.public_id),
                "interplay.method": run.method,
                "interplay.request_id": run.request_id,
            },
        )

    def call(self, role: str, model: str) -> AbstractContextManager[object]:
        """Write a span of one question to a model, named as OpenTelemetry names them."""
        provider, _colon, name = model.partition(":")
        return self._tracer.start_as_current_span(
            f"chat {name}",
            kind=SpanKind.CLIENT,
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider,
                "gen_ai.request.model": name,
                "interplay.role": role,
            },
        )


class RedactingExporter(SpanExporter):
    """Sends spans without addresses, callers, and the words of faults, which may quote posts and secrets."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._secrets = all_secrets([server.key for server in settings.MODEL_SERVERS.values()])

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send what is left of the spans."""
        return self._exporter.export([self._redacted(span) for span in spans])

    def shutdown(self) -> None:
        """Send nothing more."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits."""
        return self._exporter.force_flush(timeout_millis)

    def _redacted(self, span: ReadableSpan) -> ReadableSpan:
        attributes = {
            name: redact(value, self._secrets) if isinstance(value, str) else value
            for name, value in (span.attributes or {}).items()
            if name not in _LEFT_OUT
        }
        return ReadableSpan(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=attributes,
            links=span.links,
            kind=span.kind,
            instrumentation_scope=span.instrumentation_scope,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
        )
