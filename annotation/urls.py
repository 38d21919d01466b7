"""Addresses of the annotation pages. Project pages live under /p/<slug>/; one block a station."""

from django.urls import path

from annotation.analytics import views_dashboard, views_figures
from annotation.analytics.influence import views_influence
from annotation.analytics.quality import views_annotator_quality
from annotation.batches import views, views_open
from annotation.glossary import views as glossary_views
from annotation.guidelines import views as guideline_views
from annotation.imports import views as import_views
from annotation.items import views as item_views
from annotation.items import views_bulk, views_searches
from annotation.labelling import views as labelling_views
from annotation.labelling import views_design_preview, views_glossary, views_post
from annotation.media import views as media_views
from annotation.members import views as member_views
from annotation.members import (
    views_invitation,
    views_own_data,
    views_own_work,
    views_preferences,
    views_teams,
    views_timesheets,
)
from annotation.members.accounts import views_api_tokens, views_mail, views_sign_ins
from annotation.pages.view_marks import limited, open_when_closed, takes_files, takes_long_texts
from annotation.picture_text import views as picture_text_views
from annotation.priors import views as prior_views
from annotation.priors import views_models
from annotation.projects import views_design, views_lifecycle, views_settings
from annotation.releases import views as release_views
from annotation.releases import views_public
from annotation.review import views as review_views
from annotation.review import views_reports
from annotation.training import views as training_views
from annotation.training import views_setup
from annotation.webhooks import views as webhook_views
from annotation.wellbeing import views as wellbeing_views
from annotation.wellbeing import views_settings as wellbeing_views_settings

app_name = "annotation"

urlpatterns = [
    # people
    path("", views_preferences.projects, name="projects"),
    path("me/", views_preferences.preferences, name="preferences"),
    path("me/keys/", views_preferences.own_keys, name="own-keys"),
    path("me/look/", views_preferences.look, name="look"),
    path("me/data/", views_own_data.own_data, name="own-data"),
    path("me/data/interplay-my-data.json", views_own_data.own_file, name="own-file"),
    path("me/data/erase/", limited("login", views_own_data.erase_me, takes_proof=True), name="erase-me"),
    path("mail/stop/<str:token>/", limited("invitation", views_mail.mail_stop), name="mail-stop"),
    path(
        "invite/<slug:token>/",
        limited("invitation", views_invitation.invitation, takes_proof=True),
        name="invitation",
    ),
    path("me/sign-ins/", views_sign_ins.sign_ins, name="sign-ins"),
    path("me/sign-ins/others/end/", views_sign_ins.end_others, name="sign-ins-end"),
    path("me/sign-ins/<uuid:public_id>/end/", views_sign_ins.end_one, name="sign-in-end"),
    path("me/second-step.svg", views_preferences.totp_picture, name="totp-picture"),
    # reports of illegal content, for admins of projects and of the site
    path("reports/", views_reports.waiting, name="reports"),
    path("p/<slug:slug>/reports/<uuid:public_id>/", open_when_closed(views_reports.answer), name="report-answer"),
    path("p/<slug:slug>/reports/<uuid:public_id>/picture/", views_reports.picture, name="report-picture"),
    path("p/<slug:slug>/reports/<uuid:public_id>/blurred/", views_reports.blurred, name="report-blurred"),
    path("p/<slug:slug>/", views_settings.home, name="project"),
    # the annotator's way
    path("p/<slug:slug>/label/", labelling_views.label, name="label"),
    path("p/<slug:slug>/label/ahead/", views_post.ahead, name="ahead"),
    path("p/<slug:slug>/label/undo/", labelling_views.undo, name="undo"),
    path("p/<slug:slug>/label/skipped/<uuid:item>/back/", labelling_views.take_skip_back, name="skip-back"),
    path("p/<slug:slug>/label/later/", labelling_views.open_postponed, name="open-postponed"),
    path("p/<slug:slug>/label/own/<uuid:label>/before/", labelling_views.undo, name="undo-before"),
    path(
        "p/<slug:slug>/label/own/<uuid:label>/",
        limited("submit", takes_long_texts(labelling_views.correct)),
        name="label-correct",
    ),
    path(
        "p/<slug:slug>/label/<uuid:seat>/", limited("submit", takes_long_texts(labelling_views.submit)), name="submit"
    ),
    path("p/<slug:slug>/label/<uuid:seat>/first/", takes_long_texts(labelling_views.first_answer), name="first-answer"),
    path(
        "p/<slug:slug>/label/<uuid:seat>/glossary/",
        takes_long_texts(views_glossary.glossary_of_post),
        name="glossary-beside",
    ),
    path("p/<slug:slug>/label/<uuid:seat>/look/", takes_long_texts(views_post.look), name="look-at"),
    path("p/<slug:slug>/label/<uuid:seat>/picture/", views_post.seat_picture, name="seat-picture"),
    path("p/<slug:slug>/label/<uuid:seat>/blurred/", views_post.seat_blurred, name="seat-blurred"),
    path("p/<slug:slug>/label/<uuid:seat>/renew/", views_post.renew, name="renew"),
    path("p/<slug:slug>/label/<uuid:seat>/later/", limited("submit", labelling_views.later), name="later"),
    path("p/<slug:slug>/label/<uuid:seat>/skip/", limited("submit", labelling_views.skip), name="skip"),
    path(
        "p/<slug:slug>/label/<uuid:seat>/report/",
        open_when_closed(limited("submit", labelling_views.report)),
        name="report",
    ),
    # the training room
    path("p/<slug:slug>/training/", training_views.room, name="training"),
    path("p/<slug:slug>/training/results/", training_views.own, name="training-own"),
    path("p/<slug:slug>/training/<uuid:public_id>/", training_views.answer, name="training-answer"),
    path("p/<slug:slug>/training/<uuid:public_id>/look/", training_views.look, name="training-look"),
    path("p/<slug:slug>/training/<uuid:public_id>/picture/", training_views.picture, name="training-picture"),
    path("p/<slug:slug>/training/<uuid:public_id>/blurred/", training_views.blurred, name="training-blurred"),
    # training and checks, for admins
    path("p/<slug:slug>/training/setup/", takes_long_texts(views_setup.setup), name="training-setup"),
    path("p/<slug:slug>/training/setup/results.csv", views_setup.results, name="training-results"),
    path("p/<slug:slug>/training/setup/<uuid:public_id>/", views_setup.person, name="training-person"),
    path("p/<slug:slug>/items/<uuid:public_id>/known/", views_setup.item, name="item-known"),
    # what belongs to the annotator
    path("p/<slug:slug>/consent/", views_own_work.consent, name="consent"),
    path("p/<slug:slug>/guidelines/", views_own_work.guidelines, name="guidelines"),
    path("p/<slug:slug>/history/", views_own_work.history, name="history"),
    path("p/<slug:slug>/pause/", views_own_work.pause, name="pause"),
    path("p/<slug:slug>/help/", views_own_work.resources, name="resources"),
    path("p/<slug:slug>/leave/", open_when_closed(views_own_work.withdraw), name="withdraw"),
    path("p/<slug:slug>/care/", takes_long_texts(wellbeing_views.opt_outs), name="opt-outs"),
    path("p/<slug:slug>/check-in/", wellbeing_views.check_in, name="check-in"),
    path("p/<slug:slug>/check-in/forget/", open_when_closed(wellbeing_views.forget_check_ins), name="check-in-forget"),
    path("p/<slug:slug>/hours/mine/", views_timesheets.own_hours, name="own-hours"),
    # care and pay, for a project's admins
    path(
        "p/<slug:slug>/care/settings/", takes_long_texts(wellbeing_views_settings.care_settings), name="care-settings"
    ),
    path("p/<slug:slug>/care/settings/viewing/", wellbeing_views_settings.viewing_defaults, name="care-viewing"),
    path("p/<slug:slug>/care/opt-outs.csv", wellbeing_views_settings.opted_out_items, name="care-opt-outs"),
    path("p/<slug:slug>/hours/", views_timesheets.hours, name="hours"),
    path("p/<slug:slug>/hours/table.csv", views_timesheets.hours_table, name="hours-table"),
    # tokens for the API
    path("me/tokens/", views_api_tokens.tokens, name="tokens"),
    path("me/tokens/<slug:key>/end/", views_api_tokens.token_end, name="token-end"),
    # a project's items, settings and people
    path("p/<slug:slug>/items/", item_views.items, name="items"),
    path("p/<slug:slug>/items/searches/", views_searches.searches, name="searches"),
    path("p/<slug:slug>/items/searches/save/", open_when_closed(views_searches.save), name="search-save"),
    path(
        "p/<slug:slug>/items/searches/<uuid:public_id>/", open_when_closed(views_searches.change), name="search-change"
    ),
    path("p/<slug:slug>/items/found.<slug:kind>", views_searches.items_file, name="items-file"),
    path("p/<slug:slug>/items/change/", takes_long_texts(views_bulk.bulk), name="bulk"),
    path("p/<slug:slug>/items/change/<uuid:public_id>/", views_bulk.order, name="bulk-order"),
    path("p/<slug:slug>/items/change/<uuid:public_id>/progress/", views_bulk.progress, name="bulk-progress"),
    path(
        "p/<slug:slug>/items/change/<uuid:public_id>/cancel/", open_when_closed(views_bulk.cancel), name="bulk-cancel"
    ),
    path("p/<slug:slug>/items/open/", views_open.open_items, name="open-items"),
    path("p/<slug:slug>/items/open/project/", views_open.open_project, name="open-project"),
    path("p/<slug:slug>/batches/", views.batches, name="batches"),
    path("p/<slug:slug>/batches/campaign/", views.campaign, name="batches-campaign"),
    path("p/<slug:slug>/batches/quotas/", views.own_quotas, name="batches-quotas"),
    path("p/<slug:slug>/batches/teams/", views_teams.teams, name="batch-teams"),
    path("p/<slug:slug>/batches/<uuid:public_id>/", views.batch, name="batch"),
    path("p/<slug:slug>/batches/<uuid:public_id>/do/", views.act, name="batch-act"),
    path("p/<slug:slug>/items/<uuid:public_id>/", item_views.item, name="item"),
    path("p/<slug:slug>/settings/", takes_long_texts(views_settings.settings), name="project-settings"),
    path("p/<slug:slug>/design/", takes_long_texts(views_design.design), name="design"),
    path("p/<slug:slug>/design/preview/", takes_long_texts(views_design_preview.preview), name="design-preview"),
    path("p/<slug:slug>/design/file/", takes_files(views_design.read_file), name="design-read"),
    path("p/<slug:slug>/design/design.json", views_design.file, name="design-file"),
    path("p/<slug:slug>/webhook/", webhook_views.webhook, name="webhook"),
    path("p/<slug:slug>/webhook/do/", limited("trigger", webhook_views.act), name="webhook-act"),
    # a project as a whole
    path("projects/new/", takes_files(views_lifecycle.new), name="project-new"),
    path("p/<slug:slug>/life/", open_when_closed(views_lifecycle.life), name="project-life"),
    path("p/<slug:slug>/life/copy/", open_when_closed(views_lifecycle.clone), name="project-clone"),
    path("p/<slug:slug>/life/archive/", open_when_closed(views_lifecycle.archive), name="project-archive"),
    path(
        "p/<slug:slug>/life/delete/",
        limited("login", open_when_closed(views_lifecycle.delete), takes_proof=True),
        name="project-delete",
    ),
    path("p/<slug:slug>/life/keep/", open_when_closed(views_lifecycle.keep), name="project-keep"),
    path("p/<slug:slug>/people/", member_views.members, name="members"),
    path("p/<slug:slug>/people/invitations/", member_views.invitations, name="invitations"),
    path(
        "p/<slug:slug>/people/invitations/<uuid:public_id>/end/",
        open_when_closed(member_views.invitation_end),
        name="invitation-end",
    ),
    path("p/<slug:slug>/people/<uuid:public_id>/", member_views.member, name="member"),
    path("p/<slug:slug>/people/<uuid:public_id>/roles/", member_views.member_roles, name="member-roles"),
    path("p/<slug:slug>/people/<uuid:public_id>/name/", member_views.member_pseudonym, name="member-pseudonym"),
    path("p/<slug:slug>/people/<uuid:public_id>/quota/", member_views.member_quota, name="member-quota"),
    path(
        "p/<slug:slug>/people/<uuid:public_id>/end/",
        open_when_closed(member_views.member_deactivate),
        name="member-deactivate",
    ),
    path("p/<slug:slug>/people/<uuid:public_id>/again/", member_views.member_reactivate, name="member-reactivate"),
    path(
        "p/<slug:slug>/people/<uuid:public_id>/password-link/",
        open_when_closed(limited("invitation", member_views.member_password_link)),
        name="member-password-link",
    ),
    path(
        "p/<slug:slug>/people/<uuid:public_id>/erase/", open_when_closed(member_views.member_erase), name="member-erase"
    ),
    # pictures
    path("media/<uuid:public_id>/", media_views.full, name="media"),
    path("media/<uuid:public_id>/blurred/", media_views.blurred, name="media-blurred"),
    # bringing files in
    path("p/<slug:slug>/import/", limited("import", takes_files(import_views.imports)), name="import"),
    path("p/<slug:slug>/import/examples/<slug:name>/", import_views.example, name="import-example"),
    path("p/<slug:slug>/import/<uuid:public_id>/", import_views.show, name="import-show"),
    path("p/<slug:slug>/import/<uuid:public_id>/progress/", import_views.progress, name="import-progress"),
    path("p/<slug:slug>/import/<uuid:public_id>/do/", takes_long_texts(import_views.act), name="import-act"),
    path("p/<slug:slug>/import/<uuid:public_id>/errors.csv", import_views.errors, name="import-errors"),
    # priors
    path("p/<slug:slug>/priors/", prior_views.show, name="priors"),
    path("p/<slug:slug>/priors/progress/", prior_views.progress, name="priors-progress"),
    path("p/<slug:slug>/priors/compute/", limited("trigger", prior_views.compute), name="compute-priors"),
    path("p/<slug:slug>/priors/cancel/", prior_views.cancel, name="priors-cancel"),
    path("p/<slug:slug>/priors/go-on/", prior_views.go_on, name="priors-go-on"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/priors/",
        limited("trigger", prior_views.compute_item),
        name="item-compute-priors",
    ),
    # reviewers
    path("p/<slug:slug>/items/<uuid:public_id>/picture-text/", picture_text_views.correct, name="picture-text"),
    path("p/<slug:slug>/pictures/read/", limited("trigger", picture_text_views.read_pictures), name="read-pictures"),
    path("p/<slug:slug>/items/<uuid:public_id>/names/", item_views.item_names, name="item-names"),
    path("p/<slug:slug>/items/<uuid:public_id>/reopen/", review_views.reopen, name="item-reopen"),
    path("p/<slug:slug>/items/<uuid:public_id>/withdraw/", review_views.withdraw_item, name="item-withdraw"),
    path(
        "p/<slug:slug>/items/<uuid:public_id>/report/", open_when_closed(review_views.report_item), name="item-report"
    ),
    # figures
    path("p/<slug:slug>/dashboard/", views_dashboard.show, name="dashboard"),
    path("p/<slug:slug>/dashboard/<slug:name>.csv", views_dashboard.table, name="dashboard-table"),
    path("p/<slug:slug>/influence/", views_influence.show, name="influence"),
    path("p/<slug:slug>/figures/<slug:kind>/", views_figures.moment, name="figures-moment"),
    path(
        "p/<slug:slug>/figures/<slug:kind>/compute/",
        limited("trigger", open_when_closed(views_figures.refresh)),
        name="figures-refresh",
    ),
    # versions of the guidelines
    path("p/<slug:slug>/guidelines/edit/", takes_long_texts(guideline_views.edit), name="guidelines-edit"),
    path("p/<slug:slug>/guidelines/versions/", guideline_views.versions, name="guideline-versions"),
    path("p/<slug:slug>/guidelines/versions/<int:number>/", guideline_views.version, name="guideline-version"),
    path("p/<slug:slug>/guidelines/read/", guideline_views.read, name="guidelines-read"),
    # quality over time
    path("p/<slug:slug>/quality/", views_annotator_quality.show, name="quality"),
    path("p/<slug:slug>/quality/<slug:name>.csv", views_annotator_quality.table, name="quality-table"),
    path("p/<slug:slug>/quality/people/<uuid:public_id>/", views_annotator_quality.person, name="quality-person"),
    path("p/<slug:slug>/quality/models/", views_annotator_quality.progress, name="quality-models"),
    path("p/<slug:slug>/quality/models/ask/", views_annotator_quality.ask, name="quality-ask"),
    # releases
    path("p/<slug:slug>/releases/", limited("export", takes_files(release_views.releases)), name="releases"),
    path("p/<slug:slug>/releases/ordered/<uuid:public_id>/", release_views.ordered, name="release-ordered"),
    path(
        "p/<slug:slug>/releases/ordered/<uuid:public_id>/progress/",
        release_views.release_progress,
        name="release-progress",
    ),
    path(
        "p/<slug:slug>/releases/ordered/<uuid:public_id>/cancel/", release_views.cancel_release, name="release-cancel"
    ),
    path("p/<slug:slug>/releases/<int:number>/", release_views.show_release, name="release"),
    path("p/<slug:slug>/releases/terms/", takes_long_texts(release_views.terms), name="release-terms"),
    path("p/<slug:slug>/releases/<int:number>/publish/", release_views.publish, name="release-publish"),
    path(
        "p/<slug:slug>/releases/<int:number>/take-back/",
        open_when_closed(release_views.take_back),
        name="release-take-back",
    ),
    path(
        "p/<slug:slug>/releases/<int:number>/access/<uuid:public_id>/",
        open_when_closed(release_views.access),
        name="release-access",
    ),
    path("p/<slug:slug>/releases/<int:number>/since/<int:older>/", release_views.changes, name="release-changes"),
    path("data/<str:key>/", views_public.show_published, name="public-release"),
    path("data/<str:key>/ask/", limited("access", views_public.ask_access), name="public-ask"),
    path("data/<str:key>/asked/<str:token>/", views_public.asked, name="public-request"),
    path("data/<str:key>/asked/<str:token>/all.zip", views_public.download, name="public-download"),
    path("p/<slug:slug>/releases/<int:number>/verify/", open_when_closed(release_views.verify), name="release-verify"),
    path("p/<slug:slug>/releases/<int:number>/all.zip", release_views.everything, name="release-all"),
    path("p/<slug:slug>/releases/<int:number>/files/<path:path>", release_views.file, name="release-file"),
    # models
    path("p/<slug:slug>/models/", views_models.models, name="models"),
    path("p/<slug:slug>/models/try/", limited("trigger", views_models.try_out), name="models-try"),
    path("p/<slug:slug>/models/choose/", views_models.choose, name="models-choose"),
    path("p/<slug:slug>/models/forget/", views_models.forget, name="models-forget"),
    # the glossary
    path("p/<slug:slug>/glossary/", glossary_views.glossary, name="glossary"),
    path("p/<slug:slug>/glossary/new/", takes_long_texts(glossary_views.propose), name="glossary-new"),
    path("p/<slug:slug>/glossary/import/", takes_files(glossary_views.import_file), name="glossary-import"),
    path("p/<slug:slug>/glossary/use/", glossary_views.use, name="glossary-use"),
    path("p/<slug:slug>/glossary/glossary.<slug:kind>", glossary_views.file, name="glossary-file"),
    path("p/<slug:slug>/glossary/<uuid:public_id>/", takes_long_texts(glossary_views.entry), name="glossary-entry"),
    path("p/<slug:slug>/glossary/<uuid:public_id>/rule/", glossary_views.rule, name="glossary-rule"),
]
