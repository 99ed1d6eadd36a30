package form

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/notebooks/exercise"
)

// lessonCell is a cell of a lesson as its file has it.
type lessonCell struct {
	Type        string `json:"cell_type"`
	ID          string
	Source      []string
	Attachments map[string]map[string]string
	Outputs     []struct {
		Text []string
		Data map[string]any
	}
}

// lesson is a notebook with its prose and the texts of its outputs, in which words stand a blank apart.
type lesson struct {
	name, prose, outputs string
	cells                []lessonCell
	size                 int
	picture              string // cell of the picture of its card
}

// lessons reads all lessons.
func lessons(t *testing.T) (all []lesson) {
	t.Helper()
	paths := must.Get(filepath.Glob("../*.ipynb"))(t)
	must.Need(t, len(paths) == 12, "%d lessons, want 12", len(paths))
	for _, path := range paths {
		data := must.Get(os.ReadFile(path))(t)
		var nb struct {
			Cells    []lessonCell
			Metadata struct{ Expfam struct{ Picture string } }
		}
		must.Do(t, json.Unmarshal(data, &nb), path)
		name, _, _ := strings.Cut(filepath.Base(path), "-")
		l := lesson{name: name, cells: nb.Cells, size: len(data), picture: nb.Metadata.Expfam.Picture}
		var prose, outputs []string
		for _, c := range nb.Cells {
			if c.Type == "markdown" {
				prose = append(prose, strings.Join(c.Source, ""))
			}
			for _, o := range c.Outputs {
				outputs = append(outputs, strings.Join(o.Text, ""), joined(o.Data["text/plain"]))
			}
		}
		l.prose, l.outputs = strings.Join(prose, "\n\n"), blanks(strings.Join(outputs, "\n"))
		all = append(all, l)
	}
	return all
}

// joined returns a text that a notebook keeps as lines.
func joined(v any) string {
	lines, ok := v.([]any)
	if !ok {
		text, _ := v.(string)
		return text
	}
	var b strings.Builder
	for _, line := range lines {
		text, _ := line.(string)
		b.WriteString(text)
	}
	return b.String()
}

func blanks(text string) string { return strings.Join(strings.Fields(text), " ") }

// Every lesson has the parts of the form.
func TestLessons(t *testing.T) {
	for _, l := range lessons(t) {
		t.Run(l.name, func(t *testing.T) {
			must.Be(t, strings.Contains(strings.Join(l.cells[0].Source, ""), "?"), "it does not begin with a question")
			must.Be(t, l.first() <= 260, "%d words and cells stand before the first figure, which is not on the first "+
				"screen", l.first())
			must.Be(t, strings.Contains(l.prose, "redict"), "no prediction")
			must.Be(t, strings.Contains(l.prose, "<summary>Answer"), "the prediction has no answer")
			must.Be(t, slices.ContainsFunc(l.cells, func(c lessonCell) bool {
				return len(c.Outputs) == 1 && strings.Contains(strings.Join(c.Source, ""), "form.Guess{")
			}), "no panel checks the prediction")
			for _, heading := range []string{"## What can go wrong", "## Theory on half a page",
				"## Where the paper has this", "## Exercises"} {
				must.Be(t, strings.Count(l.prose, heading+"\n") == 1, "it has not one %q", heading)
			}
			must.Be(t, strings.Count(l.prose, "<summary>Solution</summary>") >= 3, "fewer than three folded solutions")
			for _, grade := range []string{"*(Easy.)*", "*(Middle.)*", "*(Hard.)*"} {
				must.Be(t, strings.Contains(l.prose, grade), "no exercise is %s", grade)
			}
			must.Be(t, strings.Count(l.prose, "<details>") == strings.Count(l.prose, "</details>"), "a fold is open")
			must.Be(t, l.size < 3_000_000, "%d bytes; 3 MB is the most", l.size)
			for _, c := range l.cells {
				must.Be(t, c.Type != "code" || len(c.Source) <= 10 || strings.HasPrefix(c.Source[0], "import"),
					"cell %s has %d lines; ten are the most", c.ID, len(c.Source))
			}
		})
	}
}

// first returns what stands before the first figure, in words; a folded cell of code takes the room of 15 words.
func (l lesson) first() (words int) {
	for _, c := range l.cells {
		text := strings.Join(c.Source, "")
		if c.Type == "markdown" {
			before, _, picture := strings.Cut(text, "](attachment:")
			if words += len(strings.Fields(before)); picture {
				return words
			}
			continue
		}
		words += 15
		for _, o := range c.Outputs {
			if o.Data["image/png"] != nil {
				return words
			}
		}
	}
	return words
}

// The picture at the head of a lesson is the figure of the cell that its card shows, so that it cannot be an old one.
func TestHeadPictures(t *testing.T) {
	found := 0
	for _, l := range lessons(t) {
		for _, kinds := range l.cells[0].Attachments {
			found++
			at := slices.IndexFunc(l.cells, func(c lessonCell) bool { return c.ID == l.picture })
			must.Need(t, at >= 0, "%s has no cell %s", l.name, l.picture)
			same := false
			for _, o := range l.cells[at].Outputs {
				same = same || blanks(joined(o.Data["image/png"])) == blanks(kinds["image/png"])
			}
			must.Be(t, same, "%s: the picture at its head is not the figure of cell %s: put that into the attachment",
				l.name, l.picture)
		}
	}
	must.Be(t, found >= 8, "%d pictures at heads", found)
}

// Every exercise stands in its lesson with its check, and the other way round. Each lesson has three.
func TestCheckedExercises(t *testing.T) {
	all := lessons(t)
	checked := map[string]int{}
	for _, e := range exercise.All {
		name, _, _ := strings.Cut(e.Name, ".")
		checked[name]++
		at := slices.IndexFunc(all, func(l lesson) bool { return l.name == name })
		must.Need(t, at >= 0, "no lesson %s", name)
		must.Be(t, strings.Contains(all[at].prose, `exercise.Check("`+e.Name+`"`), "lesson %s has no %s", name, e.Name)
	}
	for _, l := range all {
		must.Be(t, checked[l.name] == 3, "lesson %s has %d exercises with a check, want 3", l.name, checked[l.name])
		for _, part := range strings.Split(l.prose, `exercise.Check("`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			must.Get(exercise.Find(name))(t, l.name)
		}
	}
}
