package lab_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

var update = flag.Bool("update", false, "write docs/decisions/structure.md anew")

const structureFile = "docs/decisions/structure.md"

// imports returns the packages of this module that each of its packages imports, by their paths in the module. Internal
// packages and programs of single notebooks are left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./expfam/...", "./viz/...",
		"./kernel/...", "./notebooks/...", "./report").Output()
	must.Do(t, err)
	const module = "github.com/expfam/lab/"
	shown := func(path string) bool {
		return !strings.Contains(path+"/", "/internal/") &&
			!strings.HasPrefix(path, "internal/")
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(strings.ReplaceAll(line, module, ""))
		if !shown(words[0]) {
			continue
		}
		all[words[0]] = []string{}
		for _, w := range words[1:] {
			if strings.Contains(line, module+w) && shown(w) {
				all[words[0]] = append(all[words[0]], w)
			}
		}
	}
	return all
}

// TestArrows: the rules of CONTRIBUTING.md about which package may import which.
func TestArrows(t *testing.T) {
	for from, to := range imports(t) {
		below := func(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }
		for _, p := range to {
			switch {
			case from == "expfam" && !slices.Contains([]string{"expfam/formula", "expfam/special", "expfam/engine",
				"expfam/store", "expfam/law", "expfam/latent", "expfam/level"}, p),
				below(from, "expfam") && !below(p, "expfam"),
				below(from, "viz") && !below(p, "viz"),
				below(from, "kernel") && below(p, "expfam") && p != "expfam/certify",
				below(from, "kernel") && below(p, "viz") && p != "viz/program":
				t.Errorf("%s imports %s, against the rules of CONTRIBUTING.md", from, p)
			}
		}
	}
}

// TestStructure draws the imports, without those that follow from others. `go test . -run TestStructure -update` writes
// the drawing anew.
func TestStructure(t *testing.T) {
	all := imports(t)
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return from == to || slices.ContainsFunc(all[from], func(next string) bool { return reaches(next, to) })
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Which package imports which\n\nAn arrow points from a package to one that it imports. "+
		"Imports that follow from others are left out, and so are internal\n"+
		"packages. `go test . -run TestStructure -update` makes this page.\n\n```mermaid\nflowchart LR\n")
	id := func(path string) string { return strings.NewReplacer("/", "_", "-", "_").Replace(path) }
	for _, from := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "  %s[\"%s\"]\n", id(from), from)
		for _, to := range slices.Sorted(slices.Values(all[from])) {
			if !slices.ContainsFunc(all[from], func(via string) bool { return via != to && reaches(via, to) }) {
				fmt.Fprintf(&b, "  %s --> %s\n", id(from), id(to))
			}
		}
	}
	b.WriteString("```\n")
	if *update {
		must.Do(t, os.WriteFile(structureFile, []byte(b.String()), 0o644))
	}
	if drawn, err := os.ReadFile(structureFile); err != nil || string(drawn) != b.String() {
		t.Errorf("%s is not the structure of this tree (error %v); run go test . -run TestStructure -update",
			structureFile, err)
	}
}
