package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// TestCellHasOnlyWhatItCalls: the linker drops methods that nobody calls, unless anything in the program looks methods
// up at run time. One such function in one dependency makes every cell a quarter larger and slower to link.
func TestCellHasOnlyWhatItCalls(t *testing.T) {
	dir := t.TempDir()
	cell := filepath.Join(dir, "main.go")
	source := `package main

import (
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/viz"
)

func main() {
	prior := expfam.Must(learn.Load("prior.safetensors"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	post := expfam.Must(diffusion.Sample(prior, like, expfam.Must(like.Observe1(1, 2)), diffusion.Sampler{}))
	viz.Show(viz.Intervals{Draws: post})
}
`
	must.Do(t, os.WriteFile(cell, []byte(source), 0o600))
	build := exec.Command("go", "build", "-tags=noxla", "-ldflags=-linkmode=internal -dumpdep", "-o",
		filepath.Join(dir, "cell"), cell)
	build.Dir = "../../.." // the module's root
	reached, err := build.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, reached)
	must.Need(t, strings.Contains(string(reached), "main.main -> type:github.com/expfam/lab/viz.Intervals"),
		"the linker doesn't say what it reaches")
	for line := range strings.Lines(string(reached)) {
		must.Be(t, !strings.Contains(line, " <ReflectMethod>\n"), "looks methods up: %s", line)
	}
	// A sync.Map is a generic type with a hundred functions. If a type that a cell names holds one, the compiler makes
	// them anew for every cell.
	list := exec.Command("go", "list", "-export", "-tags=noxla", "-f", "{{.Export}}", cell)
	list.Dir = build.Dir
	archive := strings.TrimSpace(string(must.Get(list.Output())(t)))
	symbols := must.Get(exec.Command("go", "tool", "nm", archive).Output())(t)
	must.Be(t, strings.Contains(string(symbols), "main.main"), "no symbols")
	must.Be(t, !strings.Contains(string(symbols), "HashTrieMap"), "the cell compiles sync.Map")
}
