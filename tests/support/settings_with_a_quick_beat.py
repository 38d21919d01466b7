"""The site's settings, with a beat that asks for sweeps more often than a test can wait for."""

from config.settings import *  # noqa: F403  all of them
from config.settings import CELERY_BEAT_SCHEDULE

CELERY_BEAT_SCHEDULE["sweep"]["schedule"] = 3.0
