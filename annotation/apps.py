"""The annotation app."""

from django.apps import AppConfig

from annotation import append_only  # noqa: F401  registers its system check
from runs import method


class AnnotationConfig(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        method.register("prior", "annotation.prior_method.PriorMethod")
