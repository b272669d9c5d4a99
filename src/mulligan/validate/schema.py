"""Builds JSON Schema (2020-12) from Python annotations.

Objects are closed. A class that is used once is written in place; one that is used again, or that refers to itself,
is written in `$defs`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from decimal import Decimal
from functools import lru_cache
from itertools import count
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import evolve

from mulligan.errors import UsageError
from mulligan.validate.annotations import NO_DEFAULT, Field, alias_shape, fields_of, is_named_tuple
from mulligan.validate.types import (
    Alias,
    Array,
    Choice,
    Described,
    Limited,
    Map,
    Model,
    OneOf,
    Record,
    Row,
    Scalar,
    Shape,
    Text,
    text_form,
)

if TYPE_CHECKING:
    from docstring_parser import Docstring as ParsedDocstring

Schema = dict[str, Any]
_TYPES = MappingProxyType(
    {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null", object: None}
)


class Docstring(NamedTuple):
    """A parsed docstring.

    Attributes:
        text: the short and the long description, without the sections.
        parameters: the description of each documented parameter or attribute, by name.
    """

    text: str
    parameters: dict[str, str]


def read_docstring(docstring: str | None) -> Docstring:
    """Parses a docstring in Google, NumPy or Sphinx style.

    Args:
        docstring: the value of `__doc__`.
    """
    text = inspect.cleandoc(docstring or "")
    if "\n" not in text:
        return Docstring(text, {})
    import docstring_parser

    try:
        return _convert_docstring(docstring_parser.parse(text))
    except Exception:  # the parser fails on some unusual texts
        return Docstring(text, {})


def read_class_docstring(cls: type) -> Docstring:
    """Parses the docstring of a class, and the docstrings below its own and inherited attributes.

    A docstring that a decorator generated from the class's signature is ignored.
    """
    attributes: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__ != "builtins":
            attributes |= _attribute_docstrings(base)
    own = read_docstring(_written_docstring(cls))
    return Docstring(own.text, attributes | own.parameters)


def _written_docstring(cls: type) -> str | None:
    docstring = cls.__dict__.get("__doc__")
    return None if docstring is None or docstring.startswith(f"{cls.__name__}(") else docstring


@lru_cache(maxsize=1024)  # finding the source of a class takes milliseconds
def _attribute_docstrings(cls: type) -> Mapping[str, str]:
    import docstring_parser

    try:
        return MappingProxyType(_convert_docstring(docstring_parser.parse_from_object(cls)).parameters)
    except Exception:  # its source is not available, or cannot be parsed alone
        return MappingProxyType({})


def _convert_docstring(parsed: ParsedDocstring) -> Docstring:
    parameters = {
        name.strip().lstrip("*"): inspect.cleandoc(parameter.description)
        for parameter in parsed.params
        if parameter.description
        for name in parameter.arg_name.split(",")
    }
    return Docstring((parsed.description or "").strip(), parameters)


def shape_schema(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of a shape."""
    writer = _Writer()
    return writer.finish(writer.write(shape))


def object_schema(fields: Iterable[Field]) -> dict[str, Any]:
    """The closed JSON Schema of an object with these fields."""
    writer = _Writer()
    return writer.finish(writer.write_object(fields))


class _Writer:
    """Writes one schema and the definitions that it needs."""

    def __init__(self) -> None:
        self._definitions: dict[str, Schema] = {}
        self._names: dict[Shape, str] = {}
        self._references: dict[str, list[Schema]] = {}

    def finish(self, schema: Schema) -> Schema:
        """Inlines every definition with a single reference, the innermost first."""
        for name, references in reversed(self._references.items()):
            if len(references) == 1:
                (place,) = references
                siblings = {keyword: value for keyword, value in place.items() if keyword != "$ref"}
                place.clear()
                place.update(self._definitions.pop(name) | siblings)
        return {**schema, "$defs": self._definitions} if self._definitions else schema

    def write(self, shape: Shape) -> Schema:
        match shape:
            case Scalar(kind):
                return {"type": _TYPES[kind]} if _TYPES[kind] else {}
            case Text(kind):
                return deepcopy(dict(text_form(kind).schema))
            case Choice():
                return _write_choice(shape)
            case Array() | Row():
                return self._write_array(shape)
            case Map(key, value):
                return self._write_map(key, value)
            case OneOf(members):
                return self._write_union(members)
            case Limited() | Described():
                return self._write_annotated(shape)
            case Alias() | Record():
                return self._refer(shape)
            case Model(cls):
                return self._write_model(cls)

    def write_object(self, fields: Iterable[Field]) -> Schema:
        properties, required = {}, []
        for field in fields:
            properties[field.name] = self._write_field(field)
            if field.required:
                required.append(field.name)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def _write_field(self, field: Field) -> Schema:
        schema = self.write(field.shape)
        if field.description and not isinstance(field.shape, Described):
            schema["description"] = field.description
        if field.default is not NO_DEFAULT and (field.default is not None or self._takes_null(schema)):
            schema["default"] = field.default
        return schema

    def _write_array(self, shape: Array | Row) -> Schema:
        if isinstance(shape, Row):
            return _write_row([self.write(item) for item in shape.items], len(shape.items))
        items = self.write(shape.item)
        schema: Schema = {"type": "array", "items": items} if shape.item != Scalar(object) else {"type": "array"}
        if issubclass(shape.build, (set, frozenset)):
            schema["uniqueItems"] = True
        return schema

    def _write_map(self, key: Shape, value: Shape) -> Schema:
        schema: Schema = {"type": "object"}
        if key != Scalar(str):
            names = self.write(key)
            names.pop("type", None)
            schema["propertyNames"] = names
        if value != Scalar(object):
            schema["additionalProperties"] = self.write(value)
        return schema

    def _write_union(self, members: Sequence[Shape]) -> Schema:
        alternatives: list[Schema] = []
        for member in members:
            schema = self.write(member)
            if schema not in alternatives:
                alternatives.append(schema)
        return {"anyOf": alternatives} if len(alternatives) > 1 else alternatives[0]

    def _write_annotated(self, shape: Limited | Described) -> Schema:
        if isinstance(shape, Described):
            schema = self.write(shape.shape)
            schema["description"] = shape.description
            return schema
        schema = {"type": "number"} if shape.shape == Text(Decimal) else self.write(shape.shape)
        for keyword, value in shape.limits:
            if keyword in schema:
                schema.setdefault("allOf", []).append({keyword: value})
            else:
                schema[keyword] = value
        return schema

    def _write_record(self, cls: type) -> Schema:
        description, texts = read_class_docstring(cls)
        fields = [evolve(field, description=texts.get(field.name, "")) for field in fields_of(cls)]
        if is_named_tuple(cls):
            items = [self._write_field(field) for field in fields]
            for field, item in zip(fields, items, strict=True):
                item["title"] = field.name
            schema = _write_row(items, sum(field.required for field in fields))
        else:
            schema = self.write_object(fields)
        return schema | {"description": description} if description else schema

    def _refer(self, shape: Alias | Record) -> Schema:
        if shape not in self._names:
            self._names[shape] = name = self._free_name(shape.type.__name__)
            self._references[name], self._definitions[name] = [], {}
            written = (
                self.write(alias_shape(shape.type)) if isinstance(shape, Alias) else self._write_record(shape.type)
            )
            self._definitions[name] = written
        reference = {"$ref": f"#/$defs/{self._names[shape]}"}
        self._references[self._names[shape]].append(reference)
        return reference

    def _free_name(self, name: str) -> str:
        names = (name if number == 1 else f"{name}_{number}" for number in count(1))
        return next(name for name in names if name not in self._definitions)

    def _write_model(self, cls: Any) -> Schema:
        """The schema that a model generates; its definitions get a prefix if their names are taken."""
        prefix = ""
        for number in count(1):
            schema, definitions = _foreign_schema(cls, prefix)
            if all(self._definitions.get(name, value) == value for name, value in definitions.items()):
                break
            prefix = f"{cls.__name__}_{number}_"
        self._definitions |= definitions
        return schema

    def _takes_null(self, schema: Schema) -> bool:
        if "$ref" in schema:
            schema = self._definitions[schema["$ref"].rpartition("/")[2]]
        if "anyOf" in schema:
            return any(self._takes_null(alternative) for alternative in schema["anyOf"])
        return schema.get("type", "null") == "null" and None in schema.get("enum", [None])


def _foreign_schema(cls: Any, prefix: str) -> tuple[Schema, dict[str, Schema]]:
    try:
        schema = dict(cls.model_json_schema(ref_template=f"#/$defs/{prefix}{{model}}"))
    except Exception as error:
        raise UsageError(f"{cls.__qualname__} cannot write its JSON Schema: {error}") from error
    return schema, {f"{prefix}{name}": value for name, value in schema.pop("$defs", {}).items()}


def _write_choice(choice: Choice) -> Schema:
    values = [option.json for option in choice.options]
    types = {_TYPES[option.type] for option in choice.options}
    return {"type": types.pop(), "enum": values} if len(types) == 1 else {"enum": values}


def _write_row(items: list[Schema], least: int) -> Schema:
    schema: Schema = {"type": "array", "items": False, "minItems": least, "maxItems": len(items)}
    return {**schema, "prefixItems": items} if items else schema
