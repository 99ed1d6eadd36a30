package wasm

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/expfam/lab/internal/must"
)

var update = flag.Bool("update", false, "write docs/upstream/compute.patch anew")

// docs/upstream/compute.patch, which can be sent to GoMLX, is what pages change in its engine.
func TestUpstreamPatch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	checkout := must.Get(filepath.Abs("../../.."))(t)
	from := must.Get(output(t.Context(), checkout, "list", "-m", "-f", "{{.Dir}}", engineModule))(t)
	dir := t.TempDir()
	must.Get(engine(t.Context(), checkout, dir))(t)
	for to, of := range map[string]string{"a": from, "b": filepath.Join(dir, "engine")} {
		must.Do(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(of, "internal", "gobackend"))))
	}
	git := exec.Command("git", "diff", "--no-index", "--no-color", "--no-renames", "--src-prefix=", "--dst-prefix=",
		"a", "b")
	git.Dir = dir
	diff, err := git.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 { // 1 says that there are differences
		t.Fatal(err)
	}
	file := filepath.Join(checkout, "docs", "upstream", "compute.patch")
	if *update {
		must.Do(t, os.WriteFile(file, diff, 0o644))
	}
	if committed, err := os.ReadFile(file); err != nil || string(committed) != string(diff) {
		t.Errorf("%s is not what pages change (error %v); run go test ./kernel/internal/wasm -run TestUpstreamPatch "+
			"-update", file, err)
	}
}
