"""Ask a model in the way it takes: by its profile, and once more after each parameter that its server rejects."""

from dataclasses import replace

from providers.conversation_forms import with_reminder, without_system
from providers.learnt_facts import LearntFact, LearntFacts
from providers.messages import BadRequest, Model, ProviderError, Refused, Reply, Request
from providers.pictures import ScaledPictures, scaled_messages
from providers.profiles import Fact, Lesson, ModelProfile
from providers.rejections import lesson_of, quotes_prompt
from providers.thoughts import holds_thoughts

_MOST_LESSONS = 8
_STORED = 300


class AdaptingModel:
    """A model whose requests are changed to what it takes.

    A rejected parameter is left out, or sent in another form, and the call is made again, once for each parameter. What
    was learnt is remembered once the changed call was answered. Pictures are scaled to the side that it looks at.
    """

    def __init__(self, model: Model, profile: ModelProfile, facts: LearntFacts, pictures: ScaledPictures) -> None:
        self.name, self.sees_pictures = model.name, model.sees_pictures
        self._model, self._profile, self._facts, self._pictures = model, profile, facts, pictures

    def reply(self, request: Request) -> Reply:
        """Answer the request; `attempts` of the reply counts the calls that were rejected too."""
        lessons: dict[Lesson, str] = {}
        self._refuse_pictures(request)
        messages = scaled_messages(request.messages, self._profile.picture_side, self._pictures)
        while True:
            known = (*self._facts.about(self.name), *lessons)
            adapted = _in_its_way(replace(request, messages=messages, profile=self._profile.with_lessons(known)))
            try:
                reply = self._model.reply(adapted)
            except BadRequest as fault:
                fault.attempts += len(lessons)
                lesson = self._next_lesson(fault, adapted, lessons)
                if lesson is None:
                    raise
                lessons[lesson] = _kept_sentence(fault, adapted)
            except Refused as refusal:
                self._remember(lessons)
                refusal.attempts += len(lessons)
                raise
            except ProviderError as fault:
                fault.attempts += len(lessons)
                raise
            else:
                self._remember(lessons)
                if reply.usage.thinking_tokens or holds_thoughts(reply.text):
                    self._remember({Lesson(Fact.THINKS): ""})
                return replace(reply, attempts=reply.attempts + len(lessons))

    def _refuse_pictures(self, request: Request) -> None:
        """Raise ProviderError for pictures that the operator lets nobody send: some servers ignore them silently."""
        if not self._profile.is_sent_pictures and request.has_pictures:
            fault = ProviderError(f"MODEL_PROFILES says that {self.name} takes no pictures", code="bad_request")
            fault.attempts = 0
            raise fault

    def _next_lesson(self, fault: BadRequest, request: Request, lessons: dict[Lesson, str]) -> Lesson | None:
        """Return what to heed in another call; None if there is nothing new, or nothing that another call could."""
        lesson = lesson_of(fault, request)
        if lesson is None or lesson in lessons or len(lessons) == _MOST_LESSONS:
            return None
        if lesson.fact is Fact.NO_PICTURES:  # an answer about a picture that was not sent would be a guess
            self._remember({lesson: _kept_sentence(fault, request)})
            return None
        return lesson

    def _remember(self, lessons: dict[Lesson, str]) -> None:
        for lesson, sentence in lessons.items():
            self._facts.learn(LearntFact(self.name, lesson, sentence))


def _in_its_way(request: Request) -> Request:
    """Return the request as its profile wants the conversation: without a system role, reminded of the form."""
    messages, profile = request.messages, request.profile or ModelProfile()
    if profile.reminded and request.schema is not None:
        messages = with_reminder(messages)
    if not profile.system:
        messages = without_system(messages)
    return request if messages is request.messages else replace(request, messages=messages)


def _kept_sentence(fault: BadRequest, request: Request) -> str:
    """Return the server's sentence, to be kept with what it taught; empty if it quotes a post."""
    return "" if quotes_prompt(fault.sentence, request) else str(fault)[:_STORED]
