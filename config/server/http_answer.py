"""What is sent as the answer to a request, and what the site is told about the request."""

from typing import Any

from waitress.task import ErrorTask, WSGITask


class Head(bytes):
    """The head of an answer, which is sent together with what follows it."""


class Answer(WSGITask):
    """The site's answer.

    A process without a free thread closes the connection after it: its owner comes back to whichever process is free.
    """

    def build_response_header(self) -> bytes:
        if self.channel.server.crowd.is_busy() and len(self.channel.requests) == 1:
            self.request.headers["CONNECTION"] = "close"
        return Head(super().build_response_header())

    def finish(self) -> None:
        if self.request.command == "HEAD":  # there is no body whose end could be marked
            self.chunked_response = False
            self.write(b"")
            self.chunked_response = False
        super().finish()
        self.channel.write_soon(b"")  # what was gathered

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        # A proxy on this machine may say that it was asked by HTTPS, as gunicorn's forwarded_allow_ips has it.
        if environ["REMOTE_ADDR"] in ("127.0.0.1", "::1") and environ.get("HTTP_X_FORWARDED_PROTO") == "https":
            environ["wsgi.url_scheme"] = "https"
        environ["wsgi.multiprocess"] = True
        return environ


class Refusal(ErrorTask):
    """The answer to what is no request: a status and a sentence."""

    def execute(self) -> None:
        error = self.request.error
        sentence = error.body.partition(' "')[0].rstrip(".")  # without what the caller wrote
        body = f"{sentence}.\n".encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "text/plain; charset=utf-8"))
        if error.code == 503:
            self.response_headers.append(("Retry-After", "60"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)

    def finish(self) -> None:
        super().finish()
        self.channel.write_soon(b"")  # what was gathered, if a reader has not taken the answer before


def without_body_of_head(application: Any) -> Any:
    """Return the WSGI application with answers to HEAD that end after their headers, whatever size a file has."""

    def bare(environ: dict[str, Any], start_response: Any) -> Any:
        content = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return content
        if hasattr(content, "close"):
            content.close()
        return []

    return bare
