package ipynb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// CellType says what a cell holds.
type CellType string

// The three types of cells in nbformat 4.
const (
	Code     CellType = "code"
	Markdown CellType = "markdown"
	Raw      CellType = "raw"
)

// Cell is one cell. Outputs and ExecutionCount belong to code cells only.
type Cell struct {
	ID             string
	Type           CellType
	Source         string
	Metadata       map[string]any
	Outputs        []*Output
	ExecutionCount *int // nil: not executed

	extra map[string]any // attachments and unknown fields
}

func parseCell(o object) (*Cell, error) {
	f := &fields{left: o}
	c := &Cell{Type: CellType(f.string("cell_type")), extra: o}
	if c.Type != Code && c.Type != Markdown && c.Type != Raw {
		f.fail(fmt.Errorf("cell_type %q is none of code, markdown, raw", c.Type))
	}
	c.ID, c.Source, c.Metadata = f.string("id"), f.text("source"), f.object("metadata")
	if c.Type == Code {
		c.ExecutionCount, c.Outputs = f.number("execution_count"), objects(f, "outputs", "output", parseOutput)
	}
	return c, f.err
}

func (c *Cell) object() (object, error) {
	o := object{"cell_type": string(c.Type), "id": c.ID, "source": lines(c.Source), "metadata": orEmpty(c.Metadata)}
	if c.Type == Code {
		outputs, err := c.outputs()
		if err != nil {
			return nil, err
		}
		o["outputs"] = outputs
		o["execution_count"] = orNull(c.ExecutionCount)
	}
	maps.Copy(o, c.extra)
	return o, nil
}

// OutputsJSON returns the outputs as front ends take them: as in a file, with texts in one piece.
func (c *Cell) OutputsJSON() ([]any, error) {
	list, err := c.outputs()
	for _, o := range list {
		o := o.(object)
		for key, value := range o {
			if pieces, is := value.([]any); is && key == "text" {
				o[key] = text(pieces)
			} else if bundle, is := value.(map[string]any); is && key == "data" {
				o[key] = joined(bundle)
			}
		}
	}
	return list, err
}

// outputs returns the outputs as a file has them.
func (c *Cell) outputs() ([]any, error) {
	outputs := make([]any, 0, len(c.Outputs))
	for i, out := range c.Outputs {
		if out.emptied {
			continue
		}
		o, err := out.object()
		if err != nil {
			return nil, fmt.Errorf("output %d: %w", i+1, err)
		}
		outputs = append(outputs, o)
	}
	return outputs, nil
}

// Tags returns the cell's tags, as JupyterLab's property inspector sets them.
func (c *Cell) Tags() []string {
	list, _ := c.Metadata["tags"].([]any)
	var tags []string
	for _, v := range list {
		if s, ok := v.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// HasTag reports whether the cell has the tag.
func (c *Cell) HasTag(tag string) bool { return slices.Contains(c.Tags(), tag) }

// FirstLine returns the first line of the source that isn't blank, for messages and progress. GoNB marks what the cell
// runs by a line %%. Lines before that count only if nothing follows it.
func (c *Cell) FirstLine() string {
	before, after, _ := strings.Cut("\n"+c.Source, "\n%%")
	for _, part := range []string{after, before} {
		for line := range strings.Lines(part) {
			if s := strings.TrimSpace(line); s != "" {
				return s
			}
		}
	}
	return ""
}

// Attachments returns the files that a Markdown cell carries: by name, then by media type, as base64 (or text).
func (c *Cell) Attachments() map[string]map[string]string {
	all, _ := c.extra["attachments"].(map[string]any)
	found := make(map[string]map[string]string, len(all))
	for name, v := range all {
		bundle, _ := v.(map[string]any)
		found[name] = make(map[string]string, len(bundle))
		for mime, data := range bundle {
			found[name][mime] = text(data)
		}
	}
	return found
}

// fillIDs gives an id to every cell that has none or shares one with an earlier cell.
func (nb *Notebook) fillIDs() {
	taken := make(map[string]bool, len(nb.Cells))
	var without []int
	for i, c := range nb.Cells {
		if c.ID == "" || taken[c.ID] {
			without = append(without, i)
			continue
		}
		taken[c.ID] = true
	}
	for _, i := range without {
		for salt := 0; ; salt++ {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s", i, salt, nb.Cells[i].Source))
			if id := hex.EncodeToString(sum[:4]); !taken[id] {
				nb.Cells[i].ID, taken[id] = id, true
				break
			}
		}
	}
}
