"""The dialects in which programs of many countries write tables."""

import io

import pandas as pd

MISSING = [
    "",
    "NA",
    "NaN",
    "nan",
    "N/A",
    "null",
    "NULL",
    "None",
    "-",
    ".",
    "..",
    "*",
    "n.a.",
    "#N/A",
    "#NV",
    "-9999",
    "-999",
    "?",
    "keine Angabe",
    "1.#IND",
    "<NA>",
    "-99",
    "NODATA",
]


class Dialect:
    """How a program writes a table."""

    def __init__(self, rng, clean):
        pick = rng.choice
        self.sep = pick(",;\t|")
        self.decimal, self.thousands, self.digits = ".", "", pick([0, 0, 1, 2, 3])
        self.encoding, self.eol, self.quote, self.missing = "utf-8", "\n", False, pick(["", "NA", "NaN"])
        self.lead, self.blank, self.trailing, self.pad, self.end, self.style = [], False, False, "", True, ""
        if self.sep != "," and rng.random() < 0.5:
            self.decimal = ","
        self.dirt = []
        if clean:
            if self.sep == ";" or self.digits == 3 and self.sep != ",":
                self.digits = pick([0, 2])
            return
        for name in rng.sample(
            [
                "thousands",
                "encoding",
                "eol",
                "quote",
                "missing",
                "comment",
                "blank",
                "trailing",
                "pad",
                "end",
                "style",
                "sep=",
                "digits",
                "decimal",
                "space",
                "#unit",
            ],
            pick([1, 1, 2, 3]),
        ):
            getattr(self, "_" + name.replace("=", "").replace("#", ""))(rng)

    def _thousands(self, rng):
        self.thousands = rng.choice(
            [c for c in [".", ",", ".", ",", "'", "’", " ", "\u00a0", "\u202f", "\u2009", "_"] if c != self.decimal]
        )
        self.digits = rng.choice([0, 0, 0, 2])
        if self.thousands == self.sep:
            self.quote = True
        self.dirt.append(f"thousands {self.thousands!r}")

    def _encoding(self, rng):
        self.encoding = rng.choice(
            ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "utf-32", "cp1251", "gb18030"]
        )
        self.dirt.append(self.encoding)

    def _eol(self, rng):
        self.eol = rng.choice(["\r\n", "\r", "mixed", "\r\r\n"])
        self.dirt.append(f"lines end in {self.eol!r}")

    def _quote(self, rng):
        self.quote = True
        self.dirt.append("quotes")

    def _missing(self, rng):
        self.missing = rng.choice(MISSING)
        self.dirt.append(f"missing {self.missing!r}")

    def _comment(self, rng):
        self.lead = [
            rng.choice(
                [
                    "# made by hand",
                    "# a, b; c",
                    "% MATLAB",
                    "// C",
                    "#1",
                    "! IDL",
                    "# 1,2,3",
                    '"# quoted"',
                    "Title of the table",
                    "-- SQL",
                ]
            )
            for _ in range(rng.choice([1, 1, 3]))
        ]
        self.dirt.append(f"comment {self.lead[0][:12]}")

    def _blank(self, rng):
        self.blank = True
        self.dirt.append("blank lines")

    def _trailing(self, rng):
        self.trailing = True
        self.dirt.append("separator at the ends of lines")

    def _pad(self, rng):
        self.pad = rng.choice([" ", "  ", "\t", "\u00a0", "\u200b"])
        self.dirt.append(f"cells padded by {self.pad!r}")
        if self.pad == self.sep or self.pad == "\t":
            self.sep = ";"

    def _end(self, rng):
        self.end = False
        self.dirt.append("no end of the last line")

    def _style(self, rng):
        self.style = rng.choice(
            [
                "exp",
                "EXP",
                "plus",
                "minus sign",
                "parentheses",
                "minus after",
                "D",
                "zeros",
                "percent",
                "euro",
                "less",
                "text=",
                "unit",
                "arabic",
                "full width",
                "f",
            ]
        )
        self.dirt.append(f"numbers written as {self.style}")

    def _sep(self, rng):
        self.lead = [f"sep={self.sep}"]
        self.dirt.append("sep=")

    def _digits(self, rng):
        self.digits = 3
        self.dirt.append("three decimals")

    def _decimal(self, rng):
        self.decimal = rng.choice([",", "·", "."])
        self.quote = self.quote or self.decimal == self.sep
        self.dirt.append(f"decimal {self.decimal!r} between {self.sep!r}")

    def _space(self, rng):
        self.sep = rng.choice([" ", "  ", ":", "::", ", ", "~"]) if self.pad != "\t" else ":"
        self.dirt.append(f"separator {self.sep!r}")

    def _unit(self, rng):
        self.missing = "#" + rng.choice(["VALUE!", "REF!", "DIV/0!", "N/A", "NAME?"])
        self.dirt.append(f"missing {self.missing}")

    def number(self, v):
        """The text of a number that has at most self.digits decimals."""
        if v is None:
            return self.missing
        if isinstance(v, str):
            return v
        text = str(abs(v)) if isinstance(v, int) and self.digits == 0 else f"{abs(v):.{self.digits}f}"
        whole, _, part = text.partition(".")
        if self.thousands:
            whole = f"{int(whole):,}".replace(",", self.thousands)
        if self.style == "zeros":
            whole = whole.zfill(6)
        text = whole + (self.decimal + part if part else "")
        if self.style in ("exp", "EXP", "D"):
            mantissa, power = f"{abs(v):.12e}".split("e")
            text = mantissa.replace(".", self.decimal) + {"exp": "e", "EXP": "E", "D": "D"}[self.style] + power
        sign = "-" if v < 0 else ""
        match self.style:
            case "plus":
                sign = sign or "+"
            case "minus sign":
                sign = sign and "−"
            case "parentheses":
                return f"({text})" if v < 0 else text
            case "minus after":
                return text + sign
            case "percent":
                return f"{sign}{text} %"
            case "euro":
                return f"€ {sign}{text}"
            case "less":
                return f"<{text}" if v > 0 and int(v) % 3 == 0 else sign + text
            case "text=":
                return f'="{sign}{text}"'
            case "unit":
                return f"{sign}{text} km"
            case "arabic":
                text = text.translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩"))
            case "full width":
                text = text.translate(str.maketrans("0123456789", "０１２３４５６７８９"))
            case "f":
                text += "f"
        return sign + text

    def cell(self, v):
        text = v if isinstance(v, str) else self.number(v)
        text = self.pad + text + self.pad
        if self.quote or any(c in text for c in (self.sep, '"', "\n")):
            text = '"' + text.replace('"', '""') + '"'
        return text

    def bytes(self, rows, rng, blank_ok=True):
        lines = list(self.lead)
        for k, row in enumerate(rows):
            lines.append(self.sep.join(self.cell(v) for v in row) + (self.sep if self.trailing else ""))
            if self.blank and blank_ok and rng.random() < 0.3:
                lines.append("")
        out = ""
        for k, line in enumerate(lines):
            eol = rng.choice(["\n", "\r\n"]) if self.eol == "mixed" else self.eol
            out += line + (eol if self.end or k < len(lines) - 1 else "")
        return out.encode(self.encoding, "replace")

    def frame(self, path, header, extra_missing=()):
        """pandas, told how the file was written."""
        text = path.read_bytes().decode(self.encoding)
        for line in self.lead:
            text = text.replace(line, "", 1)
        frame = pd.read_csv(
            io.StringIO(text.lstrip("\r\n").replace("\r\r\n", "\n")),
            sep=self.sep,
            engine="python" if len(self.sep) > 1 else "c",
            decimal=self.decimal,
            thousands=self.thousands or None,
            header=header,
            na_values=[self.missing, *extra_missing],
            skipinitialspace=True,
            skip_blank_lines=True,
            index_col=False,
        )
        for k, name in enumerate(frame.columns):  # the pads are no part of the numbers
            if not pd.api.types.is_numeric_dtype(frame.iloc[:, k]):
                text = (
                    frame.iloc[:, k]
                    .astype("str")
                    .str.strip(" \t\u00a0\u200b")
                    .replace([self.missing, "nan", "NaN"], None)
                )
                number = (
                    text
                    if text.isna().all()
                    else pd.to_numeric(
                        (
                            text.str.replace(self.thousands, "", regex=False).str.replace(
                                self.decimal, ".", regex=False
                            )
                            if self.thousands or self.decimal != "."
                            else text
                        ),
                        errors="coerce",
                    )
                )
                if number.isna().sum() == text.isna().sum() and text.notna().any():
                    frame = frame.astype({name: object} if frame.columns.is_unique else {})
                    frame.isetitem(k, number)
                else:
                    frame.isetitem(k, text)
        return frame
