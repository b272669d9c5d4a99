"""Reports of an edit or a patch whose text is not in the file, or not exactly once. The file itself exists."""

from __future__ import annotations

from mulligan.classify import meanings as m

EDIT_MISMATCH = m.CONFLICT._replace(message="The text to change was not found as given, or more than once")
PATCH_FAILED = EDIT_MISMATCH._replace(message="A part of the patch does not apply", effect="possible")

_OLD = "(old|search|original|target|find|anchor|expected|source|replacement|before|existing|specified|provided|given)"
_TEXT = "(string|str|text|content|contents|block|lines|snippet|substring)"
_JOINED = "(oldstring|oldtext|oldstr|oldcontent|searchtext|searchstring|targetcontent|targettext|searchblock)"
_TO_CHANGE = f"{_TEXT} to (replace|edit|search|find|change|match|modify|delete|remove|insert after|be replaced)"
_FAILED_TO = "(could not|cannot|unable to|failed to|did not)"
_MATCHES = "(match|matches|occurrence|occurrences|instance|instances)"
_FILE = "(file|document|buffer|cell|note|_)"

PHRASES = f"""
    ~ {_OLD} {_TEXT} (_|) (could|can|) @ not (be|) found …,
    ~ {_JOINED} (_|) (could|can|) @ not (be|) found …,
    ~ {_TO_CHANGE} (_|) (could|can|) @ not (be|) found …,
    ~ (context|anchor|passage) (_|) @ not (be|) found (in|at|near) ~,
    ~ (text|string|content|snippet|substring|pattern|regex) (_|) @ not (be|) found in (the|this|) {_FILE} ~,
    ~ {_OLD} {_TEXT} (_|) (does not|did not|do not|failed to) (exactly|) (match|appear|occur|exist) ~,
    ~ {_JOINED} (_|) (does not|did not|do not|failed to) (exactly|) (match|appear|occur|exist) ~,
    ~ {_OLD} {_TEXT} (_|) (is|was|are) not unique ~,
    ~ {_JOINED} (_|) (is|was|are) not unique ~,
    ~ {_OLD} {_TEXT} (_|) (found|appears|occurs|matches) (multiple|several|*) (times|places) ~,
    ~ {_JOINED} (_|) (found|appears|occurs|matches) (multiple|several|*) (times|places) ~,
    ~ {_FAILED_TO} (find|locate|match) (the|) {_OLD} {_TEXT} ~,
    ~ {_FAILED_TO} (find|locate|match) (the|) {_JOINED} ~,
    ~ {_FAILED_TO} (find|locate|match) (the|) {_TO_CHANGE} ~,
    ~ {_FAILED_TO} (find|locate|match) (*|) (*|) (snippet|hunk|context|anchor) (_|) …,
    ~ {_FAILED_TO} (find|locate) (*|) (*|) (match|matches|occurrence|occurrences) (_|),
    ~ {_FAILED_TO} (find|locate) (*|) (*|) (match|matches|occurrence|occurrences) (in|within) ~,
    ~ {_FAILED_TO} (find|locate) (*|) (*|) {_MATCHES} for (the|this|your|) (edit|edits|change|replacement|patch) ~,
    (no|0|zero) (exact|) {_MATCHES} (found|) (for|of) (the|) (replacement|edit|edits|patch|change) ~,
    (no|0|zero) (exact|) {_MATCHES} (found|) (for|of) (the|) {_OLD} {_TEXT} ~,
    (no|0|zero) (exact|) {_MATCHES} (found|) (for|of) (the|) {_JOINED} ~,
    (no|0|zero) (exact|) {_MATCHES} (found|) (for|of) (the|) {_TO_CHANGE} ~,
    (multiple|several|found multiple|found several|found *) {_MATCHES} (of|for) (the|) {_OLD} {_TEXT} ~,
    (multiple|several|found multiple|found several|found *) {_MATCHES} (of|for) (the|) {_JOINED} ~,
    (multiple|several|found multiple|found several|found *) {_MATCHES} (of|for) (the|) {_TO_CHANGE} ~,
    found * (for|of) (the|) {_OLD} {_TEXT} ~,
    expected (exactly|) * (occurrence|occurrences|match|matches|replacement|replacements),
    no (replacement|replacements|edit|edits) (was|were|) (performed|made|applied),
    ~ (patch|diff|edit) (*|) (does not|did not|failed to|cannot be|could not be) (apply|applied) …,
    patch (*|) failed …,
    ~ (does not|did not) match (the|) (current|) (file|document) (content|contents|text),
    file has not been read yet, ~ (must|should) read (the|this) file (first|before) ~
"""
PATCH_PHRASES = """
    ~ hunk (*|) (does not|did not|failed to) apply …, (hunk|hunks) (*|) failed …, ~ (hunk|hunks) failed ~
"""
