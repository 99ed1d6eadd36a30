package dirtyfiles

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Two thousand files that testdata/dirty.py makes are read as they were meant, or refused. EXPFAM_TEST_PYTHON is a
// Python that has testdata/requirements.txt.
func TestPython(t *testing.T) {
	python := os.Getenv("EXPFAM_TEST_PYTHON")
	if python == "" {
		t.Skip("EXPFAM_TEST_PYTHON is not set; the step dirty of .ci/steps sets it")
	}
	folder := t.TempDir()
	number, seed := fmt.Sprint(fulltest.N(300, 2000)), "1"
	out, err := exec.Command(python, "-B", "testdata/dirty.py", folder, number, seed).CombinedOutput()
	must.Need(t, err == nil, "%v: %s", err, out)
	check(t, folder, manifest(t, filepath.Join(folder, "manifest.jsonl")))
}

// check judges all files, and logs how many have which outcome, by reader and by what is dirty.
func check(t *testing.T, folder string, files []entry) {
	t.Helper()
	byReader, byDirt := counts{}, counts{}
	for _, e := range files {
		outcome, detail := judge(folder, e)
		byReader.add(e.Reader, outcome)
		_, dirt, _ := strings.Cut(e.Kind, ": ")
		for _, label := range strings.Split(dirt, ", ") {
			if label = strings.Trim(label[:len(label)-len(strings.TrimLeftFunc(label, letters))], " "); label != "" {
				byDirt.add(label, outcome)
			}
		}
		for who, said := range map[string]string{"informed": e.Python.Informed, "naive": e.Python.Naive} {
			if verdict, _, _ := strings.Cut(said, ":"); verdict != "" {
				byReader.add(e.Reader, who+" "+verdict)
			}
		}
		switch {
		case outcome == different, outcome == panics, outcome != equal && e.Must == equal:
			t.Errorf("%s (%s): %s: %s; Python: %s", e.File, e.Kind, outcome, detail, e.Python.Informed)
		case os.Getenv("EXPFAM_TEST_REFUSALS") != "" && outcome != equal:
			t.Logf("%s (%s): %s", e.File, e.Kind, strings.ReplaceAll(detail, folder, ""))
		}
	}
	outcomes := []string{equal, refused, later, different, panics}
	byReader.log(t, append(outcomes, "informed equal", "informed text", "informed different", "informed error",
		"naive equal", "naive text", "naive different", "naive error"))
	byDirt.log(t, outcomes)
}

// letters are what labels of dirt begin with; the values behind them differ.
func letters(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune(" .-/#=^", r) }

// counts are numbers of files by a label and by their outcome.
type counts map[string]map[string]int

func (c counts) add(label, outcome string) {
	if c[label] == nil {
		c[label] = map[string]int{}
	}
	c[label][outcome]++
}

func (c counts) log(t *testing.T, columns []string) {
	t.Helper()
	lines := []string{strings.Join(columns, ", ")}
	for _, label := range slices.Sorted(maps.Keys(c)) {
		line := ""
		for _, column := range columns {
			line += fmt.Sprintf("%6d", c[label][column])
		}
		lines = append(lines, line+"  "+label)
	}
	t.Log(strings.Join(lines, "\n"))
}
