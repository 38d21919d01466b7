"""Settings: what the environment may change, and what connects the parts.

Every variable is optional. docs/operators.md lists them; `config/environment` refuses a bad value with one sentence.
"""

import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext

from config.environment import env, env_bucket, env_database, env_models
from config.queues import Queues, Work
from config.secret_key import load_or_create_key
from config.web import rate_limit_table
from providers.roles import ModelRole

# Lets typed code write forms.ModelForm[User] at run time too.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
# Database, pictures, releases and logs are for this account alone, whatever the machine's usual rights are.
os.umask(0o077)
VAR_DIR = env.folder("VAR_DIR", default=BASE_DIR / "var", make=True)
"""Everything this machine keeps: database, pictures, queue, key. Never in the repository."""
with suppress(PermissionError):  # a folder of somebody else's: its rights are theirs to choose
    VAR_DIR.chmod(0o700)

# ── Who may reach the site, and how ───────────────────────────────────────────

DEBUG = env.flag("DEBUG", default=False)
DEMO = env.flag("DEMO", default=False)
"""Demo mode: the login page shows the sample logins. Never on a site with real people's labels."""
DEMO_LOGINS = VAR_DIR / "demo_logins.json"
"""Written by the `demo` command: a list of {"role", "username", "password"}."""
SECRET_KEY = env.secret("SECRET_KEY")
SECRET_KEY = env.signing_keys(
    "SECRET_KEY" if SECRET_KEY else str(VAR_DIR / "secret_key"),
    [SECRET_KEY or load_or_create_key(VAR_DIR / "secret_key")],
)[0]
SECRET_KEY_FALLBACKS = env.signing_keys("SECRET_KEY_FALLBACKS", env.secrets("SECRET_KEY_FALLBACKS"))
SEALING_KEY = "".join(env.signing_keys("SEALING_KEY", [key for key in [env.secret("SEALING_KEY")] if key]))
"""Encrypts secrets in the database; empty: what follows from SECRET_KEY does."""
SEALING_KEY_FALLBACKS = env.signing_keys("SEALING_KEY_FALLBACKS", env.secrets("SEALING_KEY_FALLBACKS"))
SITE_URL = env.site_url("SITE_URL", default="http://127.0.0.1:8000")
_SITE = urlsplit(SITE_URL)
HTTPS = _SITE.scheme == "https"
ALLOWED_HOSTS = [str(_SITE.hostname), *env.hosts("ALLOWED_HOSTS"), "127.0.0.1", "localhost", "[::1]"]
CSRF_TRUSTED_ORIGINS = [SITE_URL] if HTTPS else []
TRUSTED_PROXIES = env.whole("TRUSTED_PROXIES", default=0, most=5)
"""How many reverse proxies stand in front; the caller's address is the entry of that depth in X-Forwarded-For."""
# gunicorn takes these (config/server/gunicorn_config.py); each process refuses what makes no sense.
env.web_concurrency()
env.web_threads()
env.connections_per_address()
ADMIN_PATH = env.matching("ADMIN_PATH", r"/*[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*/*", default="backstage").strip("/") + "/"

SESSION_ENGINE = "config.web.sessions"
SESSION_COOKIE_AGE = 7 * 24 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|livez|readyz|metrics)$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = env.flag("HSTS_PRELOAD", default=False)
env.needs(HTTPS or not SECURE_HSTS_PRELOAD, "HSTS_PRELOAD", "a SITE_URL that begins with https://")
# A preload list is hard to leave, and binds whoever owns the domain: no site is put there unless they ask for it.
SILENCED_SYSTEM_CHECKS = [] if SECURE_HSTS_PRELOAD else ["security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "config.web.error_pages.csrf_failure"

DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
DATA_UPLOAD_MAX_NUMBER_FILES = 100  # pictures of a pool
FILE_UPLOAD_MAX_MEMORY_SIZE = 2**18  # larger files wait on disk: so many at once must not fill the memory
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
UPLOAD_MAX_BYTES = env.whole("UPLOAD_MAX_BYTES", default=512 * 2**20, least=1, most=2**40)
"""The largest upload (a ZIP with pictures) that a page or the API takes; commands take any size."""
ARCHIVE_MAX_MEMBERS = env.whole("ARCHIVE_MAX_MEMBERS", default=10_000, least=1, most=10**6)
"""Files in an uploaded ZIP; the command takes ten times as many."""
ARCHIVE_MAX_BYTES = env.whole("ARCHIVE_MAX_BYTES", default=2**30, least=1, most=2**42)
"""Bytes an uploaded ZIP may unpack to; for the command ten times as many."""
PICTURE_MAX_BYTES = env.whole("PICTURE_MAX_BYTES", default=20 * 2**20, least=1, most=2**30)
PICTURE_MAX_PIXELS = env.whole("PICTURE_MAX_PIXELS", default=40_000_000, least=1, most=10**9)
"""Width × height × frames of a picture."""
UPLOAD_MAX_PIXELS = env.whole("UPLOAD_MAX_PIXELS", default=10_000_000_000, least=1, most=10**13)
"""The same of all pictures of an upload together; for the command ten times as many."""

OIDC_SERVER_URL = env.url("OIDC_SERVER_URL")
"""An OpenID Connect provider people may sign in with, e.g. https://id.example.org/realms/lab; empty: none."""
_OIDC_APP = {
    "provider_id": "oidc",
    "name": env.text("OIDC_NAME", default="Single sign-on"),
    "client_id": env.text("OIDC_CLIENT_ID"),
    "secret": env.secret("OIDC_CLIENT_SECRET"),
    "settings": {"server_url": OIDC_SERVER_URL},
}
env.needs(not OIDC_SERVER_URL or _OIDC_APP["client_id"], "OIDC_SERVER_URL", "OIDC_CLIENT_ID")
_OIDC_ORIGIN = "{0.scheme}://{0.netloc}".format(urlsplit(OIDC_SERVER_URL)) if OIDC_SERVER_URL else None

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "font-src": ["'self'"],
        # Chromium holds the redirect after a form to this list too: signing in elsewhere needs the provider here.
        "form-action": ["'self'", *([_OIDC_ORIGIN] if _OIDC_ORIGIN else [])],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

# ── What the site says about itself ───────────────────────────────────────────

METRICS_TOKEN = env.secret("METRICS_TOKEN")
"""The bearer token with which Prometheus reads /metrics; empty: METRICS_NETWORKS decides alone."""
env.refuse_unsendable("METRICS_TOKEN", METRICS_TOKEN)
METRICS_NETWORKS = env.networks("METRICS_NETWORKS")
"""Networks from which /metrics is read; empty: from everywhere, with the token. With neither there is no /metrics."""
METRICS = bool(METRICS_TOKEN or METRICS_NETWORKS)
METRICS_FOLDER = VAR_DIR / "metrics"
"""Where the processes of this machine count."""

TRACES = env.traces()
"""How traces are sent, as the standard variables OTEL_… say; empty: there are none."""

# ── The parts ─────────────────────────────────────────────────────────────────

INSTALLED_APPS = [
    "config.apps.SiteConfig",
    "annotation",
    "moderation",
    "generation",
    "runs",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    *(["allauth.socialaccount.providers.openid_connect"] if OIDC_SERVER_URL else []),
    "csp",
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

# CSRF comes after the login check, so that nobody's upload is parsed before it is known who they are.
MIDDLEWARE = [
    "config.web.request_ids.RequestIds",
    *(["config.monitoring.middleware.RequestCounts"] if METRICS else []),
    "config.web.middleware.CallerAddress",
    "django.middleware.security.SecurityMiddleware",
    "config.web.middleware.Headers",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.web.middleware.CompressedText",
    "config.web.middleware.FrontDoor",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.web.middleware.EndSlash",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.web.locale_middleware.PersonalLanguage",
    "allauth.account.middleware.AccountMiddleware",
    "config.web.open_sessions.OpenSessions",
    "config.web.sign_in_again.SignInAgain",
    "config.web.own_password.OwnPassword",
    "config.web.rate_limits.RateLimits",
    "config.web.middleware.WholeText",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.web.ended_project.EndedProject",
    "config.web.middleware.NotAllowed",
    "config.web.middleware.OneLineNames",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "config.rendering.zoned_templates.ZonedTemplates",
        "NAME": "django",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "django.template.loaders.cached.Loader",
                    ["config.rendering.compact_templates.Loader", "django.template.loaders.app_directories.Loader"],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.web.context_processors.site",
            ],
        },
    }
]

# ── Rows, pictures, files ─────────────────────────────────────────────────────

DATABASES = {"default": env_database.database("DATABASE_URL", default=VAR_DIR / "interplay.sqlite3")}
_REPLICA = env_database.replica("DATABASE_REPLICA_URL", of=DATABASES["default"])
"""A read-only copy of the database, from which figures and files of items are read."""
DATABASES |= _REPLICA
SERVED_DATABASE = VAR_DIR / "served_database.json"
"""Which database the site was last served from; commands refuse another one (`config.served_database`)."""
DATABASE_ROUTERS = ["runs.sql.read_replica.Router"] if _REPLICA else []
_ON_SQLITE = str(DATABASES["default"]["ENGINE"]).endswith("sqlite3")
# Tests use a database file, not memory, so that threads and processes see the same rows; one per process, so that
# suites may run side by side.
DATABASES["default"]["TEST"] = {
    "NAME": (
        str(VAR_DIR / f"{env.text('TEST_DATABASE_NAME', default='test')}-{os.getpid()}.sqlite3")
        if _ON_SQLITE
        else env.text("TEST_DATABASE_NAME", default="test_interplay")
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

MEDIA_ROOT = env.folder("MEDIA_ROOT", default=VAR_DIR / "media")
FILE_UPLOAD_PERMISSIONS = 0o600
STATIC_URL = "static/"
STATIC_ROOT = env.folder("STATIC_ROOT", default=VAR_DIR / "static", make=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
# Hashed names and compressed files once `collectstatic` has run; straight from the sources until then.
_COLLECTED = not DEBUG and (STATIC_ROOT / "staticfiles.json").exists()
WHITENOISE_USE_FINDERS = not _COLLECTED
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
MEDIA_BUCKET = env.text("MEDIA_BUCKET")
"""The bucket of an S3-compatible server for pictures, uploads and releases of several machines; empty: MEDIA_ROOT."""
_BUCKET = env_bucket.bucket(
    MEDIA_BUCKET,
    endpoint=env.text("MEDIA_ENDPOINT"),
    region=env.text("MEDIA_REGION", default="us-east-1"),
    access_key=env.secret("MEDIA_ACCESS_KEY"),
    secret_key=env.secret("MEDIA_SECRET_KEY"),
    prefix=env.text("MEDIA_PREFIX"),
)
STORAGES: dict[str, dict[str, Any]] = {
    "default": _BUCKET if MEDIA_BUCKET else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if env.flag("COLLECTING", default=False) or _COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# ── Accounts ──────────────────────────────────────────────────────────────────

AUTH_USER_MODEL = "annotation.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "config.web.password_hasher.Argon2id",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",  # made before; replaced when somebody signs in
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "config.web.accounts.Accounts"
ACCOUNT_FORMS = {
    "login": "config.web.accounts.SignInForm",
    "change_password": "config.web.accounts.PasswordForm",
    "reset_password": "config.web.accounts.ResetForm",
}
SOCIALACCOUNT_ADAPTER = "config.web.accounts.OutsideAccounts"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_SESSION_REMEMBER = None
ACCOUNT_PREVENT_ENUMERATION = True
# Addresses, connected accounts, second steps: the password of the last five minutes, and the owner is told.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_EMAIL_NOTIFICATIONS = True
PASSWORD_RESET_TIMEOUT = 86_400
"""Seconds that a link for a new password works, sent by mail or made by an admin."""
ACCOUNT_UNIQUE_EMAIL = True
"""The database takes an address from one account only, once it is confirmed."""
# Ours count in one place for pages and API and answer 429 with Retry-After (config/web/rate_limits.py).
ACCOUNT_RATE_LIMITS = False
MFA_ADAPTER = "config.web.accounts.SecondSteps"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_TOTP_ISSUER = "Interplay"
# Accounts come from an admin, not from sign-up, and need no address: there is none to verify.
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_FORMS = {
    "add_webauthn": "config.web.security_keys.AddKeyForm",
    "authenticate_webauthn": "config.web.security_keys.KeyForm",
    "reauthenticate_webauthn": "config.web.security_keys.KeyAgainForm",
}
# The forms above compare the origin with SITE_URL. Keys come after the password: none signs in alone.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not HTTPS
MFA_PASSKEY_LOGIN_ENABLED = False
SOCIALACCOUNT_ONLY = False
SOCIALACCOUNT_LOGIN_ON_GET = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [_OIDC_APP] if OIDC_SERVER_URL else [],
    }
}

EMAIL_HOST = env.host("EMAIL_HOST")
EMAIL_PORT = env.whole("EMAIL_PORT", default=587, least=1, most=65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.secret("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=True)
env.together(EMAIL_HOST_USER=EMAIL_HOST_USER, EMAIL_HOST_PASSWORD=EMAIL_HOST_PASSWORD)
# Port 465 speaks TLS from the first byte, which waits for ever for what the other side says first.
env.needs(EMAIL_PORT != 465, "EMAIL_PORT 465", "TLS from the first byte, which the site does not speak: take 587")
EMAIL_TIMEOUT = 10
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'dummy'}.EmailBackend"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.mailbox("EMAIL_FROM", default=f"interplay@{_SITE.hostname}")
OPERATOR_CONTACT = env.text("OPERATOR_CONTACT")
"""Contact shown when something illegal was reported and the project names none."""

# ── How often (per user; per address before login) ────────────────────────────

RATE_LIMITS = rate_limit_table.LIMITS if env.flag("RATE_LIMITED", default=True) else {}
RATE_LIMITS_FOLDER = VAR_DIR / "limits"
_REDIS_PASSWORD = env.secret("REDIS_PASSWORD")
REDIS_URL = env.with_password(env.server_url("REDIS_URL", schemes="redis rediss unix"), _REDIS_PASSWORD)
"""Where rates are counted when several machines serve the site; empty: in files under VAR_DIR, for one machine."""
# Shared by all processes: a used one-time code must be known to each of them.
CACHES = {
    "default": {
        "BACKEND": "config.web.fallbacks.FallbackCache",
        "OPTIONS": {"CACHES": [*(["redis"] if REDIS_URL else []), "files", "memory"]},
    },
    "files": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": str(VAR_DIR / "cache")},
    "memory": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
if REDIS_URL:
    CACHES["redis"] = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_timeout": 3, "socket_connect_timeout": 3},
    }

# ── API ───────────────────────────────────────────────────────────────────────

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "config.api.authentication.StrictTokenAuthentication",  # first: its scheme goes into a 401
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["config.api.renderers.AnswerRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.api.parsers.StrictJSON"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.negotiation.OwnMediaTypes",
    "DEFAULT_THROTTLE_CLASSES": ["config.api.throttles.UserRateThrottle"],
    "DEFAULT_SCHEMA_CLASS": "config.api.schema.TruthfulSchema",
    "EXCEPTION_HANDLER": "config.api.exceptions.api_failure",
    "URL_FORMAT_OVERRIDE": None,
}
REST_KNOX = {"TOKEN_TTL": timedelta(days=90), "TOKEN_LIMIT_PER_USER": 10}
"""Tokens for the API are kept as hashes and expire."""
SPECTACULAR_SETTINGS = {
    "TITLE": "Interplay",
    "DESCRIPTION": (
        "Projects, items, priors, labels, model runs, decisions and releases of an Interplay site. Send a token in the "
        "header `Authorization: Token …`; pages of the site also send their session, with X-CSRFToken. Every refusal "
        "is a JSON object with a stable `code` for programs and a sentence in `detail` for people. A method that an "
        "address does not have is refused with 405 in the same form. What is not open to the caller looks as if it "
        "were not there. A whole campaign as one Python program, from its design to the files of its release, is in "
        "`docs/api.md` of the source."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",  # its schemas are JSON Schema, as validators and clients read it
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "DEFAULT_GENERATOR_CLASS": "config.api.schema.KeptDescription",
    "POSTPROCESSING_HOOKS": [],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

# ── Runs ──────────────────────────────────────────────────────────────────────

RUN_LEASE_SECONDS = env.whole("RUN_LEASE_SECONDS", default=25, least=3, most=3600)
"""Seconds without a renewed lease after which a worker's runs return to the queue."""
RUN_GRACE_SECONDS = env.whole("RUN_GRACE_SECONDS", default=20, most=600)
"""Seconds for which a stopping worker waits for the model calls under way."""
RUN_BELLS = env.whole("RUN_BELLS", default=16, least=1, most=10_000)
"""How many runs are at work at once: as many Celery tasks are enqueued, and each continues with waiting runs."""
RUN_BELL_SECONDS = env.whole("RUN_BELL_SECONDS", default=60, least=2, most=3600)
"""Seconds after which a Celery task that no worker started counts as lost; the sweeper enqueues it again."""
RUN_MODEL_THREADS = env.whole("RUN_MODEL_THREADS", default=128, least=1, most=10_000)
"""Model calls that one process has under way at most; the providers' limits are usually lower."""
WORKER_NICE = env.whole("WORKER_NICE", default=10, most=19)
"""Niceness of a worker: how much less processor time it gets than pages (0: the same, 19: nearly none)."""
WORKER_TAKES_WHAT_IS_LEFT = env.flag("WORKER_TAKES_WHAT_IS_LEFT", default=True)
"""Run a worker only on processor time that nothing else in its session or container needs (Linux)."""
WORKER_ONE_CORE = env.flag("WORKER_ONE_CORE", default=True)
"""Keep a worker on one core, each worker on another one (Linux)."""
WORKER_HEARTBEAT_FILE = env.text("WORKER_HEARTBEAT_FILE")
env.needs(
    not WORKER_HEARTBEAT_FILE or Path(WORKER_HEARTBEAT_FILE).parent.is_dir(), "WORKER_HEARTBEAT_FILE", "its folder"
)
"""A file that a worker touches every ten seconds, for health checks of containers; empty: none."""
RUN_BUSY_ROUNDS = env.whole("RUN_BUSY_ROUNDS", default=12, least=1, most=1000)
"""Rounds in a row for which a run waits for a busy provider before it fails."""
RUN_SITE_CALLS_A_DAY = env.whole("RUN_SITE_CALLS_A_DAY", default=0)
RUN_SITE_TOKENS_A_DAY = env.whole("RUN_SITE_TOKENS_A_DAY", default=0, most=2**40)
"""The most model calls and tokens of the whole site a day (UTC); 0: no limit. Projects have their own budgets."""
PROMPTS_DIR = env.folder("PROMPTS_DIR", default=VAR_DIR / "prompts", exists=True)
"""Prompts that replace the site's own: <app>/<method>/<role>.md below it."""

# ── Celery ────────────────────────────────────────────────────────────────────

CELERY_BROKER_URL = env.server_url(
    "CELERY_BROKER_URL",
    schemes="redis rediss amqp amqps pyamqp sentinel redis+socket filesystem memory",
    default="filesystem://localhost//",
)
if CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    CELERY_BROKER_URL = env.with_password(CELERY_BROKER_URL, _REDIS_PASSWORD)
# Celery reads the variable CELERY_BROKER_URL itself, which goes before the setting and lacks REDIS_PASSWORD.
CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = CELERY_BROKER_URL
for _name, _address in (
    (
        "DATABASE_URL or DATABASE_PASSWORD",
        env.with_password(env.secret("DATABASE_URL"), env.secret("DATABASE_PASSWORD")),
    ),
    (
        "DATABASE_REPLICA_URL or DATABASE_PASSWORD",
        env.with_password(env.secret("DATABASE_REPLICA_URL"), env.secret("DATABASE_PASSWORD")),
    ),
    ("REDIS_URL or REDIS_PASSWORD", REDIS_URL),
    ("CELERY_BROKER_URL", CELERY_BROKER_URL),
):
    env.refuse_public_password(_name, _address, deployed=HTTPS)
if CELERY_BROKER_URL.startswith("filesystem:"):
    QUEUE_FOLDERS = [VAR_DIR / "queue" / "messages", VAR_DIR / "queue" / "control"]
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_FOLDERS[0]),
        "data_folder_out": str(QUEUE_FOLDERS[0]),
        "control_folder": str(QUEUE_FOLDERS[1]),
        "polling_interval": 0.02,
    }
else:
    QUEUE_FOLDERS = []
    # A broker that is down must not delay a page: the row is saved, the sweeper enqueues it later (F6, F8).
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_timeout": 3,
        "socket_connect_timeout": 3,
        "connect_timeout": 3,
        "max_retries": 1,
    }
CELERY_BROKER_CONNECTION_TIMEOUT = 3
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
QUEUES = Queues(env.matching("QUEUE_PREFIX", r"[a-z0-9-]{1,40}", default="interplay"))
CELERY_TASK_DEFAULT_QUEUE = QUEUES.default
# With files there is one machine: one queue will do. Where there are more, config/celery.py declares them.
CELERY_TASK_ROUTES = () if QUEUE_FOLDERS else (QUEUES.route,)
WORKER_QUEUES = env.several("WORKER_QUEUES", among=set(Work))
env.needs(not QUEUE_FOLDERS or set(WORKER_QUEUES) == set(Work), "WORKER_QUEUES", "a broker (CELERY_BROKER_URL)")
"""What a worker takes: runs, imports, releases, figures, rest; all of them by default."""
# Nothing asks a worker by the broker, and whoever can write to the broker could stop them all with it. What workers
# tell each other stays within the site.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_CONTROL_EXCHANGE = f"{QUEUES.default}-control"
CELERY_EVENT_EXCHANGE = f"{QUEUES.default}-events"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_BEAT_SCHEDULER = "config.server.beat_schedule.Schedule"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")
_ONE_REPEAT = {"retry": True, "retry_policy": {"max_retries": 1, "interval_start": 0}}
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    # No message expires: that would compare the clocks of two machines. A sweep asks the database whether it is due.
    # Beat keeps one connection: only a repeat opens a new one in place of one that RabbitMQ has closed.
    "sweep": {"task": "config.tasks.sweep", "schedule": 30.0, "options": _ONE_REPEAT},
    "tidy": {"task": "config.tasks.tidy", "schedule": 6 * 3600.0, "options": _ONE_REPEAT},
}
QUEUE_TMP = VAR_DIR / "tmp"
"""The filesystem transport moves messages through the temporary directory: the worker runs with TMPDIR here."""

# ── PROVIDERS (models; providers/bindings.py says what follows from these) ────

MODEL_SERVERS = env_models.model_servers("MODEL_SERVERS")
"""Further servers by name: a role's model there is name:model."""
MODEL_BINDINGS = {
    name: env_models.model(name, servers=MODEL_SERVERS)
    for name in ("MODEL_TEXT", "MODEL_VISION", *(role.setting for role in ModelRole))
}
"""Which model answers which role, as provider:model; MODEL_TEXT and MODEL_VISION are what the others fall back to."""
MODEL_ALLOWED = env_models.model_patterns("MODEL_ALLOWED", servers=MODEL_SERVERS)
"""Further models that projects and runs may choose: provider:model, with * as a wildcard."""
MODEL_PRICES = env_models.prices("MODEL_PRICES")
"""Prices of a million tokens, in, out and in from the provider's cache: provider:model=2.5/10/0.25, by commas."""
MODEL_PRICE_CURRENCY = env.text("MODEL_PRICE_CURRENCY", default="USD")
EXAMPLES_FOLDER = VAR_DIR / "examples"
"""Folder of the vectors of labelled examples; rebuilt from the database if it is missing."""
MODEL_EMBEDDING = env_models.model(
    "MODEL_EMBEDDING", servers=MODEL_SERVERS, words=("local", "local:ngrams-1", "local:wordllama")
)
"""Embedding that finds similar examples: openai:NAME or dashscope:NAME; empty or `local`: by spelling."""
MODEL_EMBEDDING_DIMENSIONS = env.whole("MODEL_EMBEDDING_DIMENSIONS", default=256, most=8192)
"""Dimensions to ask for; 0 for a model with fixed dimensions."""
OPENAI_API_KEY = env.secret("OPENAI_API_KEY", key=True)
OPENAI_BASE_URL = env.url("OPENAI_BASE_URL", models=True)
OPENAI_JSON = env.choice("OPENAI_JSON", among={"schema", "object", "off"}, default="schema")
"""How JSON is requested: by schema, as any object, or in words only (for servers without either)."""
DASHSCOPE_API_KEY = env.secret("DASHSCOPE_API_KEY", key=True)
DASHSCOPE_HTTP_BASE_URL = env.url("DASHSCOPE_HTTP_BASE_URL", models=True)
MODEL_PROFILES = env_models.model_profiles("MODEL_PROFILES")
"""What models take, where the built-in table does not know it or an operator knows better."""
MODEL_PICTURE_SIDE = env.whole("MODEL_PICTURE_SIDE", default=2048, most=16_384)
"""The longest side in pixels with which pictures are sent to models; 0: pictures are sent as they are stored."""
MODEL_ANSWER_TOKENS = env_models.answer_tokens("MODEL_ANSWER_TOKENS", roles=set(ModelRole), default=16_000)
"""The most tokens of one answer, thinking included, by role; "" is every other role's."""
MODEL_CALLS_AT_ONCE = env.whole("MODEL_CALLS_AT_ONCE", default=4, least=1, most=1000)
"""Calls under way at one provider, per process."""
MODEL_CALLS_PER_MINUTE = env.whole("MODEL_CALLS_PER_MINUTE", default=0)
"""Calls begun at one provider in a minute, per process; 0: no limit."""
MODEL_ATTEMPTS = env.whole("MODEL_ATTEMPTS", default=5, least=1, most=20)
MODEL_BACKOFF = env.whole("MODEL_BACKOFF", default=30, most=300)
"""Longest pause in seconds between two attempts, if the provider asks for none."""
MODEL_REST_SECONDS = env.whole("MODEL_REST_SECONDS", default=60, least=1, most=3600)
"""Seconds without calls to a provider that failed five times within a minute."""
MODEL_READ_SECONDS = env.whole("MODEL_READ_SECONDS", default=30, least=1)
MODEL_WALL_SECONDS = env.whole("MODEL_WALL_SECONDS", default=60, least=1)
"""Seconds that one attempt may take in all, even if the server keeps sending."""
MODEL_THINKING_SECONDS = env.whole("MODEL_THINKING_SECONDS", default=240, least=1)
"""The same, of a model that thinks before it answers: until then its server is silent."""
MODEL_BODY_BYTES = env.whole("MODEL_BODY_BYTES", default=1_000_000, least=1000)

# ── Web search and pages (docs/evidence.md) ───────────────────────────────────

SEARCH_ENGINE = env.choice("SEARCH_ENGINE", among={"google", "searxng", "local"}, default="google")
"""Preferred engine if several are configured; `local` searches the documents that admins upload."""
GOOGLE_SEARCH_KEY = env.secret("GOOGLE_SEARCH_KEY", key=True)
GOOGLE_SEARCH_ENGINE = env.text("GOOGLE_SEARCH_ENGINE")
env.together(GOOGLE_SEARCH_KEY=GOOGLE_SEARCH_KEY, GOOGLE_SEARCH_ENGINE=GOOGLE_SEARCH_ENGINE)
"""The id (cx) of a Programmable Search Engine."""
GOOGLE_SEARCH_URL = env.url("GOOGLE_SEARCH_URL", default="https://www.googleapis.com/customsearch/v1")
SEARXNG_URL = env.url("SEARXNG_URL")
"""A SearXNG server that allows the format json, e.g. http://127.0.0.1:8888."""
FETCH_DENIED = env.denied("FETCH_DENY", "FETCH_NAT64")
"""Networks and hosts that no page or picture is fetched from, and prefixes that lead to IPv4 addresses."""
S3_ENDPOINT = env.url("S3_ENDPOINT")
"""The server of buckets that files are imported from, if it is not Amazon's."""
S3_REGION = env.text("S3_REGION", default="us-east-1")
S3_ACCESS_KEY = env.secret("S3_ACCESS_KEY")
S3_SECRET_KEY = env.secret("S3_SECRET_KEY")
env.together(S3_ACCESS_KEY=S3_ACCESS_KEY, S3_SECRET_KEY=S3_SECRET_KEY)
WEBHOOK_ALLOW = env.origins("WEBHOOK_ALLOW")
"""Origins that webhooks may be sent to although they are not public or not https, e.g. http://receiver.lab:8080."""
SEARCHES_AT_ONCE = env.whole("SEARCHES_AT_ONCE", default=4, least=1, most=100)
"""Searches under way at one engine, per process."""
SEARCH_SECONDS = env.whole("SEARCH_SECONDS", default=30, least=1, most=300)
"""Seconds that one search may take in all, with its repeats; then it ends with a named fault."""

# ── Words and logs ────────────────────────────────────────────────────────────

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文"), ("ko", "한국어")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.time_zone("TIME_ZONE", default="UTC")
USE_TZ = True

LOG_FORMAT = env.choice("LOG_FORMAT", among={"text", "json"}, default="text")
_FORMATTERS: dict[str, dict[str, Any]] = {
    "text": {
        "()": "config.monitoring.logging_filters.Redacting",
        "fmt": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        "secrets": [server.key for server in MODEL_SERVERS.values()],
    },
    "json": {
        "()": "config.monitoring.json_logs.RedactingJson",
        "secrets": [server.key for server in MODEL_SERVERS.values()],
    },
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {LOG_FORMAT: _FORMATTERS[LOG_FORMAT]},
    "filters": {"refusals": {"()": "config.monitoring.logging_filters.Refusals"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["refusals"]}},
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("LOG_LEVEL", among={"DEBUG", "INFO", "WARNING", "ERROR"}, default="INFO"),
    },
    "loggers": {
        "django": {"handlers": [], "propagate": True, "level": "INFO"},
        "django.server": {"handlers": [], "propagate": True, "level": "INFO"},
        # Statements carry the texts of items.
        "django.db.backends": {"handlers": [], "propagate": True, "level": "INFO"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "openai": {"level": "WARNING"},
        "dashscope": {"level": "WARNING"},
        "urllib3": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
    },
}
