package lab_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// leaves are kinds of which nothing else in the product knows: each can be removed by `git rm` of its files. What tests
// it are its own test files and its line in a table of tests.
var leaves = []struct{ kind, files string }{
	{"a simulator", "expfam/simulate/season.go"},
	{"a format of boundaries", "expfam/geopackage/*.go"},
	{"a figure", "viz/influence.go"},
	{"a format of boundaries and points", "expfam/geoparquet/*.go"},
	{"a baseline", "expfam/counts/*.go"},
	{"an operator", "expfam/operator/radon.go"},
	{"an engine", "expfam/engine/driver_xla.go"},
}

// TestLeaves compiles the product without each leaf. The first two, on which little depends, are those of every day.
func TestLeaves(t *testing.T) {
	for k, leaf := range leaves {
		t.Run(leaf.kind, func(t *testing.T) {
			if k > 1 && !*fulltest.Full {
				t.Skip("-full does it")
			}
			files := must.Get(filepath.Glob(leaf.files))(t)
			must.Need(t, len(files) > 0, "there is no %s", leaf.files)
			var overlay struct{ Replace map[string]string }
			overlay.Replace = map[string]string{}
			for _, f := range files {
				overlay.Replace[must.Get(filepath.Abs(f))(t)] = "" // the go command takes the file for deleted
			}
			path := filepath.Join(t.TempDir(), "overlay.json")
			must.Do(t, os.WriteFile(path, must.Get(json.Marshal(overlay))(t), 0o644))
			compile := exec.Command("go", "list", "-export", "-f", "", "-overlay", path, "./expfam/...", "./viz/...",
				"./kernel/...", "./notebooks/...", "./report") // what go build does, without linking the programs
			out, err := compile.CombinedOutput()
			must.Be(t, err == nil, "without %s: %v\n%s", leaf.files, err, out)
		})
	}
}

// TestHelpersOfTests: a package that no program reaches is for tests alone. Its name says so, so that a count of the
// product leaves it out.
func TestHelpersOfTests(t *testing.T) {
	list := func(args ...string) map[string]bool {
		out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
		must.Do(t, err)
		found := map[string]bool{}
		for _, path := range strings.Fields(string(out)) {
			if path, ours := strings.CutPrefix(path, "github.com/expfam/lab/"); ours {
				found[path] = true
			}
		}
		return found
	}
	// What is public is the product, and so is what its programs and its public packages need.
	needed := list("-deps", "./kernel/...", "./notebooks/...", "./report", "./expfam/...", "./viz/...")
	public := list("./expfam/...", "./viz/...", "./internal/...", "./kernel/...")
	reached := map[string]bool{}
	var roots []string
	for path := range needed {
		if !strings.Contains("/"+path, "/internal/") {
			roots = append(roots, "./"+path)
		}
	}
	for path := range list(append([]string{"-deps"}, roots...)...) {
		reached[path] = true
	}
	for path := range public {
		_, err := os.Stat(filepath.Join(path, "main.go")) // a program of its own
		name := filepath.Base(path)
		if !reached[path] && err != nil && !strings.HasSuffix(name, "test") && !forTests[path] {
			t.Errorf("%s is for tests alone; give it a name that ends in test", path)
		}
	}
}

// forTests are packages whose names say in another way that they are for tests.
var forTests = map[string]bool{"internal/must": true, "internal/outsider": true, "kernel/internal/faults": true,
	"kernel/internal/faults/dirtyfiles": true}
