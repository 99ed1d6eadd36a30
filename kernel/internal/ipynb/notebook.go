// Package ipynb reads, changes and writes Jupyter notebooks of format 4 (nbformat 4.5).
//
// A notebook that is read and written without a change in between keeps every field, known or unknown, and comes out
// byte for byte the same if Jupyter wrote it: keys sorted, one space of indent, multi-line strings as lists of lines.
// That form depends on nothing but the content, so that version control shows what changed and nothing else.
package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
)

// Notebook is a document of format 4.
type Notebook struct {
	Cells    []*Cell
	Metadata map[string]any // kernelspec, language_info and whatever tools put there

	extra map[string]any // top-level fields that this package doesn't know
}

// Parse reads a notebook of format 4.0 to 4.5 (or a later minor version). Cells without an id, or with one that an
// earlier cell has, get an id which depends only on their place and source, so that parsing twice gives the same ids.
func Parse(data []byte) (*Notebook, error) {
	var doc object
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		if wrong := new(json.SyntaxError); errors.As(err, &wrong) {
			line := 1 + bytes.Count(data[:min(int(wrong.Offset), len(data))], []byte("\n"))
			return nil, fmt.Errorf("ipynb: not a notebook: line %d: %w", line, err)
		}
		return nil, fmt.Errorf("ipynb: not a notebook: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("ipynb: not a notebook: text after the document's end at byte %d", dec.InputOffset())
	}
	f := &fields{left: doc}
	if major := f.number("nbformat"); f.err == nil && (major == nil || *major != 4) {
		return nil, errors.New("ipynb: nbformat is not 4: open the notebook in JupyterLab and save it to convert it")
	}
	minor := f.number("nbformat_minor")
	nb := &Notebook{Metadata: f.object("metadata"), Cells: objects(f, "cells", "cell", parseCell), extra: doc}
	if f.err != nil {
		return nil, fmt.Errorf("ipynb: %w", f.err)
	}
	if minor != nil && *minor > 5 {
		nb.extra["nbformat_minor"] = *minor
	}
	nb.fillIDs()
	return nb, nil
}

// Bytes returns the notebook as Jupyter would write it, ending in a newline.
func (nb *Notebook) Bytes() ([]byte, error) {
	cells := make([]any, len(nb.Cells))
	for i, c := range nb.Cells {
		m, err := c.object()
		if err != nil {
			return nil, fmt.Errorf("ipynb: cell %d: %w", i+1, err)
		}
		cells[i] = m
	}
	doc := object{"nbformat": 4, "nbformat_minor": 5, "metadata": orEmpty(nb.Metadata), "cells": cells}
	maps.Copy(doc, nb.extra)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("ipynb: %w", err)
	}
	return rawSeparators(b.Bytes()), nil
}

// Language returns the language in which code cells are written, by the notebook's metadata; "" if they don't say.
func (nb *Notebook) Language() string {
	for _, at := range [][2]string{
		{"language_info", "name"}, {"language_info", "language"}, {"kernelspec", "language"},
	} {
		m, _ := nb.Metadata[at[0]].(map[string]any)
		if s, ok := m[at[1]].(string); ok {
			return s
		}
	}
	return ""
}
