"""Distributions as an installer leaves them."""

from __future__ import annotations

import textwrap
from pathlib import Path

HINTING = """
    from mulligan.plugin import hookimpl

    @hookimpl
    def hints(error):
        return ["from NAME"]
"""


class Site:
    """A folder on `sys.path` with distributions in it, as an installer leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []

    def install(
        self,
        name: str,
        code: str | None = None,
        *,
        points: dict[str, str] | None = None,
        version: str = "1.2",
        metadata: bool = True,
        entry_points: bytes | None = None,
        knows: tuple[str, ...] = (),
    ) -> None:
        module = name.replace("-", "_")
        self.modules.append(module)
        (self.folder / f"{module}.py").write_text(textwrap.dedent((code or HINTING).replace("NAME", name)))
        info = self.folder / f"{module}-{version}.dist-info"
        info.mkdir()
        if metadata:
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [f"{point} = {value}" for point, value in (points or {name: module}).items()]
        text = "\n".join(["[other.group]", "x = nothing_at_all", "[mulligan]", *lines])
        text += "\n".join(["", "[mulligan.lazy]", *(f"{known} = {module}" for known in knows), ""])
        (info / "entry_points.txt").write_bytes(text.encode() if entry_points is None else entry_points)
