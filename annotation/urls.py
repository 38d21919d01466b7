"""Addresses of the annotation pages. Project pages live under /p/<slug>/; one block a station."""

from django.urls import path

from annotation.views import (
    dashboard,
    importing,
    influence,
    items,
    labelling,
    looking,
    media,
    models_page,
    opening,
    own_work,
    people,
    priors,
    project,
    releases,
    reviewing,
    tokens,
)

app_name = "annotation"

urlpatterns = [
    # people
    path("", people.projects, name="projects"),
    path("me/", people.preferences, name="preferences"),
    path("me/look/", people.look, name="look"),
    path("me/second-step.svg", people.totp_picture, name="totp-picture"),
    # the annotator's way
    path("p/<slug:slug>/label/", labelling.label, name="label"),
    path("p/<slug:slug>/label/ahead/", looking.ahead, name="ahead"),
    path("p/<slug:slug>/label/undo/", labelling.undo, name="undo"),
    path("p/<slug:slug>/label/own/<uuid:label>/", labelling.correct, name="label-correct"),
    path("p/<slug:slug>/label/<uuid:seat>/", labelling.submit, name="submit"),
    path("p/<slug:slug>/label/<uuid:seat>/first/", labelling.first_answer, name="first-answer"),
    path("p/<slug:slug>/label/<uuid:seat>/look/", looking.look, name="look-at"),
    path("p/<slug:slug>/label/<uuid:seat>/picture/", looking.seat_picture, name="seat-picture"),
    path("p/<slug:slug>/label/<uuid:seat>/blurred/", looking.seat_blurred, name="seat-blurred"),
    path("p/<slug:slug>/label/<uuid:seat>/renew/", looking.renew, name="renew"),
    path("p/<slug:slug>/label/<uuid:seat>/skip/", labelling.skip, name="skip"),
    path("p/<slug:slug>/label/<uuid:seat>/report/", labelling.report, name="report"),
    # what belongs to the annotator
    path("p/<slug:slug>/consent/", own_work.consent, name="consent"),
    path("p/<slug:slug>/guidelines/", own_work.guidelines, name="guidelines"),
    path("p/<slug:slug>/history/", own_work.history, name="history"),
    path("p/<slug:slug>/pause/", own_work.pause, name="pause"),
    path("p/<slug:slug>/help/", own_work.resources, name="resources"),
    path("p/<slug:slug>/leave/", own_work.withdraw, name="withdraw"),
    # tokens for the API
    path("me/tokens/", tokens.tokens, name="tokens"),
    path("me/tokens/<slug:key>/end/", tokens.token_end, name="token-end"),
    # a project's items, settings and people
    path("p/<slug:slug>/items/", items.items, name="items"),
    path("p/<slug:slug>/items/open/", opening.open_items, name="open-items"),
    path("p/<slug:slug>/items/open/project/", opening.open_project, name="open-project"),
    path("p/<slug:slug>/items/<uuid:public_id>/", items.item, name="item"),
    path("p/<slug:slug>/settings/", project.settings, name="project-settings"),
    path("p/<slug:slug>/people/", project.members, name="members"),
    path("p/<slug:slug>/people/<uuid:public_id>/roles/", project.member_roles, name="member-roles"),
    path("p/<slug:slug>/people/<uuid:public_id>/end/", project.member_deactivate, name="member-deactivate"),
    # pictures
    path("media/<uuid:public_id>/", media.full, name="media"),
    path("media/<uuid:public_id>/blurred/", media.blurred, name="media-blurred"),
    # bringing files in
    path("p/<slug:slug>/import/", importing.imports, name="import"),
    path("p/<slug:slug>/import/<uuid:public_id>/", importing.show, name="import-show"),
    path("p/<slug:slug>/import/<uuid:public_id>/progress/", importing.progress, name="import-progress"),
    path("p/<slug:slug>/import/<uuid:public_id>/do/", importing.act, name="import-act"),
    path("p/<slug:slug>/import/<uuid:public_id>/errors.csv", importing.errors, name="import-errors"),
    # priors
    path("p/<slug:slug>/priors/", priors.show, name="priors"),
    path("p/<slug:slug>/priors/progress/", priors.progress, name="priors-progress"),
    path("p/<slug:slug>/priors/compute/", priors.compute, name="compute-priors"),
    path("p/<slug:slug>/priors/cancel/", priors.cancel, name="priors-cancel"),
    path("p/<slug:slug>/priors/go-on/", priors.go_on, name="priors-go-on"),
    path("p/<slug:slug>/items/<uuid:public_id>/priors/", priors.compute_item, name="item-compute-priors"),
    # reviewers
    path("p/<slug:slug>/review/", reviewing.reviews, name="reviews"),
    path("p/<slug:slug>/review/<uuid:public_id>/", reviewing.review, name="review"),
    path("p/<slug:slug>/review/<uuid:public_id>/missing/", reviewing.replace, name="replace"),
    path("p/<slug:slug>/review/<uuid:public_id>/votes/", reviewing.look_at_votes, name="look-at-votes"),
    path("p/<slug:slug>/items/<uuid:public_id>/reopen/", reviewing.reopen, name="item-reopen"),
    path("p/<slug:slug>/items/<uuid:public_id>/withdraw/", reviewing.withdraw_item, name="item-withdraw"),
    path("p/<slug:slug>/items/<uuid:public_id>/report/", reviewing.report_item, name="item-report"),
    # figures
    path("p/<slug:slug>/dashboard/", dashboard.show, name="dashboard"),
    path("p/<slug:slug>/dashboard/<slug:name>.csv", dashboard.table, name="dashboard-table"),
    path("p/<slug:slug>/influence/", influence.show, name="influence"),
    # releases
    path("p/<slug:slug>/releases/", releases.releases, name="releases"),
    path("p/<slug:slug>/releases/ordered/<uuid:public_id>/", releases.ordered, name="release-ordered"),
    path("p/<slug:slug>/releases/ordered/<uuid:public_id>/progress/", releases.progress, name="release-progress"),
    path("p/<slug:slug>/releases/ordered/<uuid:public_id>/cancel/", releases.cancel, name="release-cancel"),
    path("p/<slug:slug>/releases/<int:number>/", releases.show, name="release"),
    path("p/<slug:slug>/releases/<int:number>/verify/", releases.verify, name="release-verify"),
    path("p/<slug:slug>/releases/<int:number>/all.zip", releases.everything, name="release-all"),
    path("p/<slug:slug>/releases/<int:number>/files/<path:path>", releases.file, name="release-file"),
    # models
    path("p/<slug:slug>/models/", models_page.models, name="models"),
    path("p/<slug:slug>/models/try/", models_page.try_out, name="models-try"),
    path("p/<slug:slug>/models/choose/", models_page.choose, name="models-choose"),
]
