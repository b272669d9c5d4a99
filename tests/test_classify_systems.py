"""Failures of the system, as the runtimes of other languages report them in words."""

from __future__ import annotations

import errno

import pytest

from mulligan import Pipeline, errors

A, NF, C = errors.ToolArgumentError, errors.ResourceNotFoundError, errors.ResourceConflictError
P, Q, U = errors.ToolPermissionError, errors.ToolQuotaError, errors.ToolUnavailableError
N, T, X = errors.ToolConnectionError, errors.ToolTimeoutError, errors.ToolExecutionError


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize(
    ("text", "cls", "fatal", "resource"),
    [
        ("ENOENT: no such file or directory, stat '/var/z/menu.yml'", NF, False, "/var/z/menu.yml"),
        ("EACCES: permission denied, mkdir '/var/z'", P, False, "/var/z"),
        ("EEXIST: file already exists, link '/a' -> '/var/z'", C, False, None),
        ("EDQUOT: disk quota exceeded, write", Q, True, None),
        ("EFBIG: file too large, write", Q, False, None),
        ("ENOMEM: not enough memory, read", Q, False, None),
        ("spawn E2BIG", Q, False, None),
        ("EMFILE: too many open files, open '/var/z'", U, False, None),
        ("connect ECONNREFUSED ::1:6379", N, True, None),
        ("write ECONNRESET", N, False, None),
        ("getaddrinfo ENOTFOUND queue.internal", N, True, None),
        ("java.io.FileNotFoundException: /var/z/menu.yml (No such file or directory)", NF, False, "/var/z/menu.yml"),
        ("java.io.FileNotFoundException: /var/z/menu.yml (Permission denied)", P, False, "/var/z/menu.yml"),
        ("java.io.FileNotFoundException: /var/z/menu.yml (Too many open files)", U, False, None),
        ("Caused by: java.nio.file.NoSuchFileException: /var/z/menu.yml", NF, False, "/var/z/menu.yml"),
        ("java.nio.file.AccessDeniedException: /var/z/menu.yml", P, False, "/var/z/menu.yml"),
        ("java.nio.file.FileAlreadyExistsException: /var/z/menu.yml", C, False, "/var/z/menu.yml"),
        ('Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded', Q, False, None),
        ("java.net.ConnectException: Connection refused", N, True, None),
        ("java.net.SocketException: Broken pipe", N, False, None),
        ("java.net.UnknownHostException: queue.internal", N, True, None),
        ("java.lang.NullPointerException: name", X, False, None),
        ("stat /var/z/menu.yml: no such file or directory", NF, False, "/var/z/menu.yml"),
        ("mkdir /var/z: file exists", C, False, "/var/z"),
        ("dial tcp: lookup queue.internal on 10.0.0.2:53: no such host", N, True, None),
        ("dial tcp 10.1.1.1:443: i/o timeout", T, False, None),
        ("tls: failed to verify certificate: x509: certificate signed by unknown authority", N, True, None),
        ('exec: "ffprobe": executable file not found in $PATH', NF, False, "ffprobe"),
        ("No such file or directory (os error 2)", NF, False, None),
        ("Cannot allocate memory (os error 12)", Q, False, None),
        ("File too large (os error 27)", Q, False, None),
        ("No space left on device (os error 28)", Q, True, None),
        ("thread 'main' panicked: memory allocation of 9000 bytes failed; std::bad_alloc", Q, False, None),
        ("System.IO.FileNotFoundException: Could not find file 'D:\\z\\menu.yml'.", NF, False, "D:\\z\\menu.yml"),
        ("System.UnauthorizedAccessException: Access to the path 'D:\\z' is denied.", P, False, "D:\\z"),
        ("There is not enough space on the disk.", Q, True, None),
        ("System.OutOfMemoryException: Insufficient memory to continue.", Q, False, None),
        ("The file is being used by another process.", C, False, None),
        ("CUDA out of memory. Tried to allocate 3.00 GiB", Q, False, None),
        ("Allowed memory size of 134217728 bytes exhausted", Q, False, None),
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9000 bytes", Q, False, None),
        ("panic: runtime error: invalid memory address or nil pointer dereference", X, False, None),
        ("a file too large for the upload", errors.ToolArgumentError, False, None),
        ("the memory of it is out of date", errors.ResourceConflictError, False, None),
    ],
)
def test_what_a_runtime_reports(bare, text, cls, fatal, resource):
    error = bare.classify(RuntimeError(text))
    assert (type(error), error.fatal) == (cls, fatal)
    if resource is not None:
        assert error.resource == resource


@pytest.mark.parametrize(
    "text",
    [
        "EISDIR: illegal operation on a directory, open '/var/z'",
        "ENOTDIR: not a directory, scandir '/var/z'",
        "java.io.FileNotFoundException: /var/z (Is a directory)",
        "java.nio.file.NotDirectoryException: /var/z",
        "open /var/z: is a directory",
        "Not a directory (os error 20)",
        "[Errno 21] Is a directory: '/var/z'",
    ],
)
def test_a_folder_for_a_file_and_the_reverse(bare, text):
    error = bare.classify(RuntimeError(text), arguments={"path": "/var/z", "mode": "r"})
    assert type(error) is A
    assert [problem.pointer for problem in error.problems] == ["/path"]
    assert "directory" in error.problems[0].message


@pytest.mark.parametrize(
    ("text", "arguments", "pointer"),
    [
        ("No enum constant com.shop.Size.HUGE", {"size": "HUGE"}, "/size"),
        ('java.lang.NumberFormatException: For input string: "four"', {"n": "four", "m": "five"}, "/n"),
        ('strconv.ParseInt: parsing "four": invalid syntax', {"n": "four"}, "/n"),
        ("Value cannot be null. (Parameter 'owner')", {"name": "x"}, "/owner"),
        ("System.ArgumentException: Requested value 'Huge' was not found.", {"size": "Huge"}, "/size"),
        ('The "owner" argument must be of type string. Received undefined', {"name": "x"}, "/owner"),
    ],
)
def test_an_argument_that_another_runtime_rejects(bare, text, arguments, pointer):
    error = bare.classify(RuntimeError(text), arguments=arguments)
    assert (type(error), [problem.pointer for problem in error.problems]) == (A, [pointer])


@pytest.mark.parametrize(
    ("number", "message", "fatal"),
    [
        (errno.ENOMEM, "The tool ran out of memory.", False),
        (errno.EFBIG, "The file is larger than the system allows.", False),
        (errno.E2BIG, "The arguments of a program are longer than the system allows.", False),
        (errno.EDQUOT, "No space left on the disk.", True),
    ],
)
def test_what_is_exhausted(bare, number, message, fatal):
    error = bare.classify(OSError(number, "text", "/var/z"))
    assert (type(error), error.message, error.fatal) == (Q, message, fatal)


def test_memory_is_no_reason_to_stop(make_pipeline, run):
    def work() -> None:
        raise MemoryError

    result = run(make_pipeline(work), "work")
    assert (type(result.error), result.fatal, result.error.effect) == (Q, False, "possible")
    assert result.content.splitlines()[0] == "Error executing tool work: The tool ran out of memory."


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("429 Too Many Requests", errors.ToolRateLimitError),
        ("Got 429 from upstream", errors.ToolRateLimitError),
        ("HTTPError 503", U),
        ("504 Gateway Time-out", T),
        ("413 Payload Too Large", A),
        ("413 Content Too Large", A),
        ("Response status 502 received", U),
        ("Expected 200, got 500", X),
        ("got 404 apples", X),
    ],
)
def test_a_status_in_words(bare, text, cls):
    assert type(bare.classify(RuntimeError(text))) is cls


@pytest.mark.parametrize(
    ("text", "called", "cls"),
    [
        ("Unknown function: pour_tea", "pour_tea", errors.ToolNotFoundError),
        ("Function 'pour_tea' not found", "pour_tea", errors.ToolNotFoundError),
        ("Function pour_tea is not defined", "pour_tea", errors.ToolNotFoundError),
        ("No tool named 'pour_tea'", "pour_tea", errors.ToolNotFoundError),
        ("Unknown function: MEDAIN", "run_formula", A),
    ],
)
def test_the_tool_that_another_runtime_does_not_have(bare, text, called, cls):
    assert type(bare.classify(RuntimeError(text), tool=called)) is cls


class ApiError(Exception):
    def __init__(self, status: int, text: str, **stored: object) -> None:
        super().__init__(text)
        self.__dict__.update(status_code=status, **stored)


@pytest.mark.parametrize(
    ("error", "cls"),
    [
        (ApiError(429, "the idempotency lock on this payment is held"), C),
        (ApiError(429, "A request with the same idempotency key is in progress"), C),
        (ApiError(429, "failed", code="lock_timeout"), C),
        (ApiError(429, "slow down"), errors.ToolRateLimitError),
        (ApiError(429, "failed", code="rate_limit"), errors.ToolRateLimitError),
    ],
)
def test_a_lock_that_is_held_is_no_rate_limit(bare, error, cls):
    told = bare.classify(error)
    assert (type(told), told.fatal) == (cls, False)


@pytest.mark.parametrize(
    "text",
    [
        "invalid DSN: scheme is expected to be postgresql",
        "Invalid connection string",
        "Could not parse the database URL from the given string",
        "URI must begin with 'amqp://'",
        "invalid uri: no host",
    ],
)
def test_an_address_of_a_database_that_cannot_be_read(bare, text):
    assert type(bare.classify(RuntimeError(text), arguments={"dsn": "x"})) is A
