package cell

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// In quotes, names of files are suggested.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.Mkdir("data", 0o700))
	for _, name := range []string{"cases.csv", "cases.asc", ".hidden", "data/map.tif"} {
		must.Do(t, os.WriteFile(name, nil, 0o600))
	}
	for typed, want := range map[string]string{
		"os.Open(\"ca|":           "cases.asc cases.csv",
		"os.Open(\"ca|\")":        "cases.asc cases.csv",
		"os.Open(\"d|":            "data/",
		"os.Open(\"data/|\")":     "map.tif",
		"os.Open(\".h|":           ".hidden",
		"x := \"a\"\nos.Open(\"|": "cases.asc cases.csv data/",
		"os.Open(\"none/|":        "",
	} {
		at := strings.Index(typed, "|")
		got, from := newSession().Suggest(Cell{Source: strings.Replace(typed, "|", "", 1)}, at)
		if strings.Join(got, " ") != want || from > at {
			t.Errorf("%s: %q from %d", typed, got, from)
		}
	}
	s := newSession()
	run(t, s, Cell{Number: 1, Source: "sorted := 1"})
	if got, _ := s.Suggest(Cell{Source: "so"}, 2); !slices.Equal(got, []string{"sorted", "sort"}) {
		t.Errorf("one's own names are not the first: %q", got)
	}
}

// The documentation of a field is there in its literal.
func TestDescribeField(t *testing.T) {
	d, ok := newSession().Describe(Cell{Source: "exec.Cmd{Path: \"a\"}"}, len("exec.Cmd{Pa"))
	if !ok || d.Text != "field Path string" || !slices.Equal(d.Doc, []string{"os/exec", "Cmd.Path"}) {
		t.Errorf("%+v, %v", d, ok)
	}
}
