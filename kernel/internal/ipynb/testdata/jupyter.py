"""Writes jupyter.ipynb with Jupyter's own writer (nbformat 5.11): pip install nbformat; python jupyter.py"""
import nbformat

notebook = nbformat.from_dict({
    "cells": [
        {"cell_type": "markdown", "id": "m1", "metadata": {}, "source": "![p](attachment:p.png)\n\nlast",
         "attachments": {"p.png": {"image/png": "iVBORw0KGgo="}}},
        {"cell_type": "code", "id": "a1", "metadata": {"tags": ["raises-exception"], "jupyter": {"source_hidden": True}},
         "execution_count": 3,
         "source": "x := 1\nfmt.Println(\"<&>\", x) // \u03b8, \u7d71\u8a08, \\u2028, \x08\x1b\x7f\t",
         "outputs": [
             {"output_type": "stream", "name": "stdout", "text": "1\n2\r\n3\r4\x0b5\x0c6\x1c7\x1d8\x1e9\x8510\u202811\u202912"},
             {"output_type": "display_data", "metadata": {"image/png": {"width": 300}}, "data": {
                 "image/png": "iVBORw0KGgo=\n", "text/plain": "a\nb", "image/svg+xml": "<svg>\n</svg>", "text/html": "",
                 "application/javascript": "f()\ng()",
                 "application/vnd.vegalite.v5+json": {"mark": "bar", "n": 1e-05, "big": 12345678901234567890, "list": ["a", "b"], "one": 1.0},
             }},
             {"output_type": "execute_result", "execution_count": 3, "metadata": {}, "data": {"text/html": "<b>1</b>"}},
             {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE\x1b[0m\nline", "second"]},
         ],
         "from_another_tool": {"z": None, "a": [1, 2.50, True]}},
        {"cell_type": "code", "id": "a2", "metadata": {}, "execution_count": None, "source": "", "outputs": []},
        {"cell_type": "raw", "id": "r1", "metadata": {"raw_mimetype": "text/x-rst"}, "source": "raw"},
    ],
    "metadata": {"kernelspec": {"display_name": "expfam (Go)", "language": "go", "name": "expfam"},
                 "language_info": {"name": "go", "version": "go1.26.5"}, "unknown": {"deep": [{}, []]}},
    "nbformat": 4, "nbformat_minor": 5, "top_level_of_the_future": "kept",
})
nbformat.write(notebook, "jupyter.ipynb")
