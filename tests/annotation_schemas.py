"""The JSON Schema of an annotation, as of a parameter with it."""

from __future__ import annotations

from typing import Any

from mulligan.validate.annotations import shape_of
from mulligan.validate.schema import shape_schema


def schema_of(annotation: Any) -> dict[str, Any]:
    """The schema of an annotation that is resolved as by `typing.get_type_hints(..., include_extras=True)`."""
    return shape_schema(shape_of(annotation))
