"""The URLs of the site: the apps, accounts, administration, health."""

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.utils.module_loading import import_string

from annotation.pages.view_marks import limited
from config.web import health, metrics, queues

admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # with the second factor
admin.site.site_header = admin.site.site_title = "Interplay"

_CALLBACK = "config.web.organisation_account.callback"
"""In the place of the library's, which leaves signature and nonce unchecked; loaded where there is a provider."""

urlpatterns = [
    path("healthz", health.health, name="healthz"),
    path("livez", health.live, name="livez"),
    path("metrics", metrics.metrics, name="metrics"),
    path("readyz", health.ready, name="readyz"),
    path("favicon.ico", health.icon, name="favicon"),
    path("queues/", queues.queues, name="queues"),
    path("queues/do/", limited("trigger", queues.act), name="queues-act"),
    *(
        [
            path(
                "accounts/oidc/<str:provider_id>/login/callback/",
                import_string(_CALLBACK),
                name="openid_connect_callback",
            )
        ]
        if settings.OIDC_SERVER_URL
        else []
    ),
    path("accounts/", include("allauth.urls")),
    path(settings.ADMIN_PATH, admin.site.urls),
    path("api/v1/", include("annotation.api.urls")),
    path("api/v1/", include("generation.api.urls")),
    path("api/v1/", include("moderation.api.urls")),
    path("", include("annotation.urls")),
    path("", include("generation.urls")),
    path("", include("moderation.urls")),
]

handler400 = "config.web.error_pages.bad_request"
handler403 = "config.web.error_pages.forbidden"
handler404 = "config.web.error_pages.not_found"
handler500 = "config.web.error_pages.server_error"
