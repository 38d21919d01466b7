"""URLs of the API of counterspeech and sample injection, under /api/v1/."""

from django.urls import path

from annotation.pages.view_marks import takes_long_texts
from generation.api import (
    claims,
    comparisons,
    counterspeech,
    dataset,
    exchanges,
    first_steps,
    injection,
    library,
    postings,
    replies,
    reply_steps,
    translations,
)

app_name = "generation-api"

_DESK = "projects/<slug:slug>/counterspeech/"
_POST = f"{_DESK}exchanges/<uuid:public_id>/"
_REPLY = f"{_DESK}replies/<uuid:public_id>/"
_MADE = "projects/<slug:slug>/injection/"

urlpatterns = [
    path(_DESK, takes_long_texts(counterspeech.Counterspeech.as_view()), name="counterspeech"),
    path(f"{_DESK}exchanges/", takes_long_texts(exchanges.Exchanges.as_view()), name="exchanges"),
    path(_POST, exchanges.OneExchange.as_view(), name="exchange"),
    path(f"{_POST}explain/", exchanges.Explain.as_view(), name="explain"),
    path(f"{_POST}explanations/", takes_long_texts(exchanges.ExplanationVersions.as_view()), name="explanations"),
    path(f"{_POST}candidates/", exchanges.ExchangeCandidates.as_view(), name="candidates"),
    path(f"{_POST}cancel/", exchanges.ModelsAreStopped.as_view(), name="cancel"),
    path(f"{_POST}translation/", translations.Translation.as_view(), name="translation"),
    path(f"{_POST}costs/", translations.Costs.as_view(), name="costs"),
    path(f"{_POST}replies/", replies.BeginReply.as_view(), name="reply-begin"),
    path(f"{_DESK}replies/", replies.ApprovedReplies.as_view(), name="replies"),
    path(f"{_DESK}replies/all/", replies.AllReplies.as_view(), name="replies-all"),
    path(_REPLY, replies.OneReply.as_view(), name="reply"),
    path(f"{_REPLY}submit/", reply_steps.SubmitReply.as_view(), name="reply-submit"),
    path(f"{_REPLY}take-back/", reply_steps.TakeBackReply.as_view(), name="reply-take-back"),
    path(f"{_REPLY}score/", reply_steps.ScoreReply.as_view(), name="reply-score"),
    path(f"{_REPLY}approve/", reply_steps.ApproveReply.as_view(), name="reply-approve"),
    path(f"{_REPLY}return/", reply_steps.ReturnReply.as_view(), name="reply-return"),
    path(f"{_REPLY}comment/", reply_steps.CommentReply.as_view(), name="reply-comment"),
    path(f"{_DESK}first-steps/", first_steps.FirstSteps.as_view(), name="first-steps"),
    path(f"{_REPLY}postings/", postings.Postings.as_view(), name="postings"),
    path(f"{_DESK}postings/<uuid:public_id>/checks/", postings.PostingChecks.as_view(), name="posting-checks"),
    path(f"{_DESK}library/", library.Library.as_view(), name="library"),
    path(f"{_DESK}figures/", postings.Figures.as_view(), name="reply-figures"),
    path(f"{_REPLY}withdraw/", replies.WithdrawReply.as_view(), name="reply-withdraw"),
    path(f"{_REPLY}correct/", replies.CorrectReply.as_view(), name="reply-correct"),
    path(f"{_DESK}comparisons/", comparisons.Comparisons.as_view(), name="comparisons"),
    path(f"{_DESK}comparisons/next/", comparisons.NextPair.as_view(), name="comparison-next"),
    path(f"{_DESK}comparisons/results/", comparisons.Results.as_view(), name="comparison-results"),
    path(f"{_DESK}dataset/", dataset.Dataset.as_view(), name="dataset"),
    path(f"{_DESK}dataset/<str:name>", dataset.DatasetFile.as_view(), name="dataset-file"),
    path(f"{_DESK}rules/", takes_long_texts(dataset.Rules.as_view()), name="rules"),
    path(f"{_REPLY}claims/<uuid:claim_id>/", claims.ReplyClaim.as_view(), name="reply-claim"),
    path(f"{_REPLY}sources/", claims.ReplySources.as_view(), name="reply-sources"),
    path(f"{_POST}claims/", claims.PostClaims.as_view(), name="post-claims"),
    path(f"{_POST}claims/<uuid:claim_id>/", claims.PostClaim.as_view(), name="post-claim"),
    path(_MADE, takes_long_texts(injection.Injection.as_view()), name="injection"),
    path(f"{_MADE}switch/", injection.Switch.as_view(), name="injection-switch"),
    path(f"{_MADE}batches/<uuid:public_id>/", injection.Batch.as_view(), name="injection-batch"),
    path(f"{_MADE}samples/", injection.Samples.as_view(), name="samples"),
    path(f"{_MADE}samples/<uuid:public_id>/", injection.OneSample.as_view(), name="sample"),
    path(f"{_MADE}report/", injection.Report.as_view(), name="injection-report"),
]
