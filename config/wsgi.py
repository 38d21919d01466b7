"""The site for a WSGI server such as gunicorn."""

from functools import partial

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config import late_modules, start
from config.server import gc_freeze
from config.server.http_request import Intake
from config.web.body_limits import always_taken, body_limit
from config.web.content_type import with_plain_content_type
from vocabulary import registration

start.read_settings()

application = with_plain_content_type(get_wsgi_application())
# What our own server asks before it reads a body; another server passes over it.
application.intake = partial(Intake, body_limit, 2 * settings.UPLOAD_MAX_BYTES, always_taken())  # type: ignore[attr-defined]  # read in config/server
# Every page's code is loaded before gunicorn parts into processes: they share it, and no first visitor waits.
get_resolver().url_patterns  # noqa: B018  reading it loads them
registration.complete()
# Figures on the dashboard and in the desk, similar posts; tasks that a page enqueues.
late_modules.load("numpy", "krippendorff", "celery", "kombu.exceptions")
gc_freeze.freeze_loaded_objects()
