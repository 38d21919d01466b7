"""Settings under pytest: nothing of this machine's site is touched, and rate limits are off.

Variables that are set win, so that one suite runs on either database and any broker.
"""

import os
from pathlib import Path

os.environ.setdefault("VAR_DIR", str(Path(__file__).resolve().parent.parent / "var" / "tests"))
os.environ.setdefault("INTERPLAY_ENV", "")
os.environ.setdefault("CELERY_BROKER_URL", "memory://")
os.environ.setdefault("RATE_LIMITED", "off")
os.environ.setdefault("LOG_LEVEL", "WARNING")
os.environ.setdefault("WORKER_NICE", "0")  # a worker of a test has deadlines, and the suite takes the whole machine
os.environ.setdefault("WORKER_ONE_CORE", "off")
if "PYTEST_XDIST_WORKER" in os.environ:  # processes of one run share a broker, and take no message of another
    os.environ.setdefault("QUEUE_PREFIX", f"test-{os.environ['PYTEST_XDIST_WORKER']}")
os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "k" * 50)
for name in [name for name in os.environ if name.startswith(("MODEL_", "OPENAI_", "DASHSCOPE_"))]:
    del os.environ[name]  # nobody's key or model is used by a test; those that need one set it

from config.settings import *  # noqa: E402, F403  all of them, and after the environment is cleared
from config.settings import (  # noqa: E402  settings are read from the environment, which is cleared first
    CELERY_BROKER_TRANSPORT_OPTIONS,
    CELERY_BROKER_URL,
    DATABASES,
    STORAGES,
)

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True  # every client of a test would read all files anew otherwise
# Looked into once a second otherwise: each task of a worker in a test waits for that, and twice the worker's end.
if CELERY_BROKER_URL.startswith("memory:"):
    CELERY_BROKER_TRANSPORT_OPTIONS["polling_interval"] = 0.02
# A test database need not outlive a power cut.
if str(DATABASES["default"]["ENGINE"]).endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
else:
    DATABASES["default"]["OPTIONS"]["options"] += " -c synchronous_commit=off"
