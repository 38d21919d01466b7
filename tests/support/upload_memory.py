"""How far a web process grows while it answers an upload: run in a process of a site's own, which measures itself.

Bodies are written to disk first and read from there, as a web server hands them on, so that nothing of the test itself
counts. Child processes do not count: they have limits of their own.
"""

import ctypes
import gc
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

import site_visitors
from annotation.domain.choices import Role
from annotation.members.join import add_member
from annotation.models import User
from annotation.projects.create import create_project
from generation.injection import settings as injection
from generation.injection.material import make_pool
from moderation.perspectives import edit as perspectives
from upload_ways import BODIES, WAYS, Content

BOUNDARY = "weeds"
SLUG = "garden"


class _Site(WSGIHandler):
    """The site as its web server calls it; a form needs no token."""

    def get_response(self, request: HttpRequest) -> HttpResponseBase:
        request._dont_enforce_csrf_checks = True  # type: ignore[attr-defined]  # as Django's own test client
        return super().get_response(request)


def grown(begin: Callable[[], object]) -> int:
    """Return the bytes by which this process was larger at its largest than before."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the highest size begins anew
    before = _figure("VmRSS")
    begin()
    return _figure("VmHWM") - before


def _figure(name: str) -> int:
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


def multipart(fields: Mapping[str, str], name: str, files: Iterable[tuple[str, Content]]) -> Iterator[bytes]:
    """Yield the pieces of a form with files."""
    for field, value in fields.items():
        yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
    for file_name, content in files:
        yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{file_name}"\r\n\r\n'.encode()
        yield from content()
        yield b"\r\n"
    yield f"--{BOUNDARY}--\r\n".encode()


class Admin:
    """An admin of a project with everything that takes a file."""

    def __init__(self) -> None:
        self.site = _Site()
        project = create_project(SLUG)
        member = add_member(project, "gardener", Role.ADMIN).membership
        assert member is not None and member.user is not None
        injection.switch_on(member, injection.TERMS_VERSION)
        pool = make_pool(project, "weeds", "gardeners", actor=member)
        perspectives.ensure_perspectives(project)
        code = perspectives.Perspective.objects.filter(project=project)[0].code
        self.arguments = {"pool": pool.public_id, "perspective": code}
        User.objects.update(is_staff=True)
        self.session = site_visitors.session_of(member.user)

    def address(self, name: str, more: str = "") -> str:
        """Return the address of a page, of the project if it has one."""
        if name == "annotation:project-new":
            return reverse(name)
        return reverse(name, args=[SLUG, *([self.arguments[more]] if more else [])])

    def send(self, path: str, pieces: Iterable[bytes], kind: str) -> tuple[int, int, float]:
        """Send a body. Return the status, the bytes by which this process grew, and its processor time."""
        with tempfile.TemporaryFile() as body:
            for piece in pieces:
                body.write(piece)
            length = body.tell()
            body.seek(0)
            status: list[str] = []
            began = time.process_time()
            size = grown(lambda: status.append(self._answer(path, body, length, kind)))
            return int(status[0][:3]), size, time.process_time() - began

    def _answer(self, path: str, body: BinaryIO, length: int, kind: str) -> str:
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": path,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": f"sessionid={self.session}",
            "CONTENT_TYPE": kind,
            "CONTENT_LENGTH": str(length),
            "wsgi.url_scheme": "http",
            "wsgi.input": body,
            "wsgi.errors": sys.stderr,
        }
        status = []
        answer = self.site(environ, lambda line, headers: status.append(line))
        for _piece in answer:
            pass
        answer.close()
        return status[0]


def main() -> None:
    """Print the status, the growth in megabytes and the seconds of each upload, by its way and content."""
    admin, found = Admin(), {}
    gc.freeze()  # what is loaded stays, and need not be looked through before each upload
    for way, upload in WAYS.items():
        path = admin.address(upload.page, upload.argument)
        for name, content in [("a small one first", upload.small), *upload.contents.items()]:
            fields = {field: value.replace("KEY", str(uuid4())) for field, value in upload.fields.items()}
            files = [(upload.file_name(name), content)] * upload.times(name)
            kind = f"multipart/form-data; boundary={BOUNDARY}"
            found[f"{way}: {name}"] = admin.send(path, multipart(fields, upload.field, files), kind)
    for name, ((page, kind), content) in BODIES.items():
        found[f"body: {name}"] = admin.send(page, content(), kind)
    print(json.dumps({name: (status, size >> 20, round(spent, 1)) for name, (status, size, spent) in found.items()}))
