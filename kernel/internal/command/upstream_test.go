package command

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

var update = flag.Bool("update", false, "write docs/upstream/gonb.patch anew")

// docs/upstream/gonb.patch, which can be sent to GoNB, is what install changes in the pinned release.
func TestUpstreamPatch(t *testing.T) {
	co, err := findCheckout()
	if err != nil {
		t.Skip("no checkout: ", err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir, module := t.TempDir(), tools[0].module
	original, changed := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for to, patches := range map[string][]patch{original: nil, changed: tools[0].patches} {
		if _, err := co.patched(t.Context(), to, module, patches); err != nil {
			t.Skip("no source of GoNB here: ", err)
		}
	}
	git := exec.Command("git", "diff", "--no-index", "--no-color", "--no-renames", "--src-prefix=", "--dst-prefix=",
		"a/source", "b/source")
	git.Dir = dir
	diff, err := git.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 { // 1 says that there are differences
		t.Fatal(err)
	}
	diff = []byte(strings.NewReplacer("a/source/", "a/", "b/source/", "b/").Replace(string(diff)))
	file := filepath.Join(co.dir, "docs", "upstream", "gonb.patch")
	if *update {
		must.Do(t, os.WriteFile(file, diff, 0o644))
	}
	must.Be(t, string(read(t, file)) == string(diff),
		"%s is not what install changes; run go test ./kernel/internal/command -run TestUpstreamPatch -update", file)
}
