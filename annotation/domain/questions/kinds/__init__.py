"""The kinds of further questions: a module each, with the name of its member of `QuestionKind`."""
