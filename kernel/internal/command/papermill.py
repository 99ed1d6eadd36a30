"""Lets papermill set the parameters of notebooks in Go: `papermill IN.ipynb OUT.ipynb -p draws 100`.

papermill loads this module by its entry point, and writes the values of -p into a cell after the one tagged
"parameters". Each is declared as in that cell: `const draws = 100` stays a constant, and 2 for `var share = 0.5` is 2.0.
"""

import json
import re

from papermill.engines import NBClientEngine
from papermill.exceptions import PapermillException
from papermill.models import Parameter
from papermill.translators import Translator, papermill_translators

Engine = NBClientEngine  # an entry point of papermill has to be an engine

NAMES = re.compile(r"^\s*(?:(?P<kind>const|var)\s+)?(?P<names>\w+(?:\s*,\s*\w+)*)"
                   r"\s*(?P<type>[^=:]*?)\s*:?=\s*(?P<values>.*)$")


class GoTranslator(Translator):
    declared = {}  # the kind, type and value of each name in the cell that was inspected

    @classmethod
    def inspect(cls, cell):
        cls.declared, group = {}, None
        for line in cell.source.splitlines():
            code = line.partition("//")[0]
            opens = re.match(r"\s*(const|var)\s*\(\s*$", code)
            group = opens[1] if opens else None if code.strip() == ")" else group
            found = NAMES.match(code)
            if opens or not found:
                continue
            names = re.split(r"\s*,\s*", found["names"])
            values = split(found["values"])
            for name, value in zip(names, values) if len(names) == len(values) else ():
                cls.declared[name] = (found["kind"] or group or "var", found["type"], value)
        return [Parameter(name, of_type or "None", value, "") for name, (_, of_type, value) in cls.declared.items()]

    @classmethod
    def codify(cls, parameters, comment="Parameters"):
        lines = ["// " + comment]
        for name, value in parameters.items():
            kind, of_type, default = cls.declared.get(name, ("var", "", ""))
            lines.append(" ".join(filter(None, [kind, name, of_type, "=", literal(name, value, of_type, default)])))
        return "\n".join(lines) + "\n"


def literal(name, value, of_type, default):
    """Returns a value as Go has it, of the type that the notebook declares."""
    text = default[:1] in ('"', "`") or not default or of_type == "string"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        if text and default:
            return json.dumps(str(value))  # -p year 2024 of a text
        real = isinstance(value, int) and not of_type and re.fullmatch(r"[-+]?\d*\.\d*(e[-+]?\d+)?", default, re.I)
        return repr(float(value)) if real else repr(value)
    if isinstance(value, (list, tuple)):
        kinds = [kind for kind in (bool, int, float, str) if any(type(v) is kind for v in value)]
        one = {"bool": "bool", "int": "int", "int float": "float64", "float": "float64", "str": "string"}.get(
            " ".join(kind.__name__ for kind in kinds))
        head = default.partition("{")[0].strip() if "{" in default else one and "[]" + one
        if head:
            return head + "{" + ", ".join(literal(name, v, "", "") for v in value) + "}"
    elif isinstance(value, str):
        if text:
            return json.dumps(value, ensure_ascii=False)
        raise PapermillException(f"parameter {name} is {default} and {value!r} is a text: give a value of its kind")
    raise PapermillException(f"parameter {name}: a notebook in Go takes numbers, texts, truth values and lists of "
                             f"one of them, not {value!r}")


def split(values):
    """Splits at commas outside of brackets and texts."""
    return [part.strip() for part in
            re.findall(r'(?:"(?:\\.|[^"\\])*"|`[^`]*`|[({\[][^)}\]]*[)}\]]|[^,"`({\[])+', values)]


papermill_translators.register("expfam", GoTranslator)
papermill_translators.register("go", GoTranslator)
