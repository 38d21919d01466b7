"""Site administration: accounts are edited here; campaigns are read-only, each change to one needs its function."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from annotation.domain.accounts.mail_addresses import normal_address
from annotation.domain.choices import NEVER_SHOWN, EventVerb
from annotation.models import Event, Import, Item, Membership, Project, Release, User


class LookOnly(admin.ModelAdmin[Any]):
    """Read-only rows: nothing is added, changed or removed without the app's own functions."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class AccountForm(UserChangeForm[User]):
    """An account. An address that another one has would lead a link for a new password to one of the two."""

    def clean_email(self) -> str:
        address = normal_address(self.cleaned_data["email"])
        others = User.objects.exclude(pk=self.instance.pk)
        if address and others.filter(Q(email=address) | Q(emailaddress__email=address, emailaddress__verified=True)):
            raise ValidationError("Another account has this address.")
        return address


@admin.register(User)
class Accounts(UserAdmin[User]):
    """Accounts: create one, set a password, disable one, make someone a site admin. They are never removed."""

    form = AccountForm
    list_display = ("username", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    ordering = ("username",)
    readonly_fields = ("last_login", "date_joined")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email", "language")}),
        ("May", {"fields": ("is_active", "is_staff", "is_superuser", "user_permissions")}),
        ("When", {"fields": ("last_login", "date_joined")}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        obj.must_change_password |= not change and obj.has_usable_password()
        super().save_model(request, obj, form, change)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Set a password. Whoever gets it from somebody else has to choose another one at the next sign-in."""
        response: HttpResponse = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302 and id != str(request.user.pk):
            user = User.objects.get(pk=int(id))
            User.objects.filter(pk=user.pk).update(must_change_password=user.has_usable_password())
        return response


@admin.register(Project)
class Projects(LookOnly):
    list_display = ("slug", "name", "policy", "seats", "is_open", "created_at")
    search_fields = ("slug", "name")


@admin.register(Membership)
class Memberships(LookOnly):
    """Members by pseudonym.

    Neither the list nor its search tells the user name of somebody who left, and nothing tells people's own limits.
    """

    list_display = ("pseudonym", "project", "shown_username", "annotates", "reviews", "administers", "active")
    exclude = ("user", "severe_a_day", "minutes_a_day", "idle_until", "guideline_read")
    readonly_fields = ("shown_username",)
    list_filter = ("active", "annotates", "reviews", "administers")
    list_select_related = ("project", "user")
    search_fields = ("pseudonym", "project__slug")


@admin.register(Item)
class Items(LookOnly):
    """Items by their ids; members read the texts on the project's own pages."""

    list_display = ("external_id", "project", "stage", "round", "taken")
    list_filter = ("stage",)
    list_select_related = ("project",)
    search_fields = ("external_id", "=public_id", "project__slug")
    fields: ClassVar[tuple[str, ...]] = ("public_id", "external_id", "project", "stage", "round", "taken", "batch")


@admin.register(Event)
class Events(LookOnly):
    """The log without who skipped or let a seat go, and without the counts of a training, which tell skips too."""

    exclude = ("facts",)
    readonly_fields = ("told_facts",)
    list_display = ("at", "verb", "project", "actor", "row")
    list_filter = ("verb",)
    list_select_related = ("project", "actor")
    search_fields = ("project__slug", "=row")
    ordering = ("-pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).exclude(verb__in=NEVER_SHOWN)

    @admin.display(description="facts")
    def told_facts(self, event: Event) -> dict[str, Any]:
        untold = ("holder", *(("answered", "total", "correct") if event.verb == EventVerb.TRAINING_FINISHED else ()))
        return {name: value for name, value in event.facts.items() if name not in untold}


@admin.register(Import)
class Imports(LookOnly):
    list_display = ("created_at", "project", "file_name", "state", "rows_done", "share")
    list_select_related = ("project",)
    ordering = ("-pk",)


@admin.register(Release)
class Releases(LookOnly):
    list_display = ("project", "number", "items", "created_at")
    list_select_related = ("project",)
