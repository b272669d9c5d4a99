"""Ten packages, each wrong in its own way, as wheels that pip installs."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import subprocess
import sys
import textwrap
import zipfile

SLEEP = 0.7
PACKAGES = {
    "import-error": "import nothing_of_that_name",
    "import-exit": "raise SystemExit(3)",
    "import-sleep": f"""
        import time

        from mulligan.plugin import hookimpl

        time.sleep({SLEEP})

        @hookimpl
        def classify(failure):
            return None
    """,
    "wrong-hook": """
        from mulligan.plugin import hookimpl

        @hookimpl
        def clasify(failure):
            return None
    """,
    "wrong-argument": """
        from mulligan.plugin import hookimpl

        @hookimpl
        def classify(failure, tool):
            return None
    """,
    "async-hook": """
        from mulligan.plugin import hookimpl

        @hookimpl
        async def classify(failure):
            return None
    """,
    "wrong-type": """
        from mulligan.plugin import hookimpl

        @hookimpl
        def resolve(call):
            return "a tool"

        @hookimpl
        def validate(call):
            return ["arguments"]

        @hookimpl
        def execute(tool):
            return 3

        @hookimpl
        def detect(value):
            return "bad"

        @hookimpl
        def classify(failure):
            return "an error"

        @hookimpl
        def render_feedback(feedback):
            return 3

        @hookimpl
        def hints():
            return 3

        @hookimpl
        def middlewares():
            return ["no middleware"]

        @hookimpl
        def feedback_formats():
            return ["no format"]

        @hookimpl
        def dialects():
            return 3

        @hookimpl
        def count_tokens():
            return "many"
    """,
    "crashes": """
        from mulligan.plugin import Dialect, FeedbackFormat, hookimpl

        def crash():
            raise LookupError("I crash on everything")

        class Crashing(FeedbackFormat):
            name = "crashing"

            def render(self, feedback):
                crash()

        class Shaky(Dialect):
            name = "shaky"

            def recognises(self, message):
                crash()

        @hookimpl
        def resolve():
            crash()

        @hookimpl
        def validate():
            crash()

        @hookimpl
        def repair():
            crash()

        @hookimpl
        def execute():
            crash()

        @hookimpl
        def detect():
            crash()

        @hookimpl
        def classify():
            crash()

        @hookimpl
        def render_feedback():
            crash()

        @hookimpl
        def count_tokens():
            crash()

        @hookimpl
        def hints():
            yield "Never mind."
            crash()

        @hookimpl
        def middlewares():
            def broken(run, tool, call):
                crash()
                yield run
            yield broken
            crash()

        @hookimpl
        def feedback_formats():
            yield Crashing()

        @hookimpl
        def dialects():
            yield Shaky()

        @hookimpl
        def observe():
            crash()
    """,
    "claims-everything": """
        from mulligan.plugin import Failure, OpenAIDialect, ToolQuotaError, hookimpl

        class Greedy(OpenAIDialect):
            name = "greedy"

            def recognises(self, message):
                return True

        @hookimpl
        def resolve(call, toolset):
            return next(iter(toolset.values()), None)

        @hookimpl
        def detect(value):
            return Failure(value=value, message="All is lost.")

        @hookimpl
        def classify(failure):
            return ToolQuotaError("I know everything.")

        @hookimpl
        def dialects():
            yield Greedy()
    """,
    "newer-api": """
        from mulligan.plugin import hookimpl

        mulligan_api = "9.0"

        @hookimpl
        def hints(error):
            return ["From a future."]
    """,
}


def wheel(name: str, code: str, folder: pathlib.Path) -> pathlib.Path:
    """A wheel of one module with an entry point.

    Args:
        name: the entry point's name; the distribution is `mulligan-<name>`.
        code: the module's text.
        folder: where it is written.
    """
    module = f"mulligan_{name.replace('-', '_')}"
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": textwrap.dedent(code).lstrip(),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: mulligan-{name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[mulligan]\n{name} = {module}\n",
    }
    lines = [f"{path},{_digest(text)},{len(text.encode())}\n" for path, text in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"])
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return path


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def install(site: pathlib.Path, wheels: list[pathlib.Path]) -> None:
    """Installs wheels into a folder, offline.

    Args:
        site: the folder.
        wheels: the wheels.
    """
    words = ["install", "--quiet", "--no-index", "--no-deps", "--no-compile", "--disable-pip-version-check"]
    subprocess.run(
        [sys.executable, "-m", "pip", *words, "--root-user-action", "ignore", "--target", site, *wheels], check=True
    )
