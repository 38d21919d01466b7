"""Settings of a bare Django site with the same libraries as ours and no app of ours, for bench/start.py."""

SECRET_KEY = "bare"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = [
    *("django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"),
    *("django.contrib.messages", "django.contrib.staticfiles", "django.contrib.humanize"),
    *("allauth", "allauth.account", "allauth.mfa", "allauth.socialaccount"),
    *("csp", "django_htmx", "rest_framework", "knox", "drf_spectacular", "drf_spectacular_sidecar"),
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
