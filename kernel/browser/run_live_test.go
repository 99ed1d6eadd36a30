package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
)

// slider is the notebook of one live cell.
const slider = `import (
	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/live"
)

%%
s := &live.Slider{Label: "level", Min: 0, Max: 100, Step: 1, Value: 50, Frames: 3}
live.Show(func() (viz.Figure, error) {
	return viz.Lines{Lines: []viz.Line{{Name: "y", Y: []float64{0, s.Value, 100}}}, Title: fmt.Sprintf("value is %.0f", s.Value)}, nil
}, s)`

// TestRunLive has `expfam run -live` execute a notebook, and opens its page: from its file with the program inside,
// from a server with the program beside. A program that is too large for a page is refused, and the page shows settings
// drawn beforehand.
func TestRunLive(t *testing.T) {
	beside(t)
	shots(t)
	dir, bin := t.TempDir(), filepath.Join(t.TempDir(), "kernel")
	out, err := exec.Command("go", "build", "-o", bin, checkout+"/kernel").CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	home := os.Getenv(homeEnv)
	if home == "" {
		home = t.TempDir()
	}
	env := environment(t, home)
	run := func(t *testing.T, name, source string, args ...string) (said string) {
		t.Helper()
		nb := &ipynb.Notebook{Metadata: map[string]any{"kernelspec": map[string]any{"name": "expfam",
			"display_name": "expfam (Go)", "language": "go"}}}
		nb.Cells = []*ipynb.Cell{{ID: "panel", Type: ipynb.Code, Source: source}}
		path := filepath.Join(dir, name+".ipynb")
		must.Do(t, nb.Write(path))
		ctx, stop := context.WithTimeout(t.Context(), 15*time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, bin, append(append([]string{"run"}, args...), path)...)
		cmd.Dir, cmd.Env = checkout, env
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
		return string(out)
	}
	// moves makes the panel live and drags its slider.
	moves := func(t *testing.T, p *hosted) {
		t.Helper()
		t.Logf("live after %.0f ms", in[float64](p, 2*time.Minute, "live", "cell-panel", 90000))
		got := in[drawn](p, time.Minute, "set", "cell-panel", "level", 83, 30000)
		must.Be(t, got.Error == "" && strings.Contains(got.Figure, "value is 83"),
			"the figure does not follow its slider: %s", got.Error)
		for _, problem := range in[[]string](p, time.Minute, "problems") {
			t.Error(problem)
		}
	}

	t.Run("in", func(t *testing.T) {
		said := run(t, "in", slider, "-live", "in")
		must.Be(t, strings.Contains(said, "in.ipynb: 1 live cell in its page, a program of "),
			"its size is not in\n%s", said)
		p := host(t, dir)
		p.url = "file://" + dir + "/"
		p.visit("in.html")
		moves(t, p)
	})
	t.Run("beside", func(t *testing.T) {
		run(t, "be side", slider, "-live", "beside")
		p := host(t, dir)
		p.visit("be%20side.html")
		moves(t, p)
		p.quiet = true // the browser says that it reads no files beside a file
		p.url = "file://" + dir + "/"
		p.visit("be%20side.html")
		told := in[string](p, time.Minute, "refused", "cell-panel", 30000)
		must.Be(t, strings.HasPrefix(told, "not live: ") && strings.Contains(told, "server of files"),
			"a page from a disk whose program lies beside says %q", told)
	})
	t.Run("too large", func(t *testing.T) {
		large := make([]byte, 9_000_000)
		for i, x := 0, uint64(1); i < len(large); i++ { // what gzip makes no smaller
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			large[i] = byte(x)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, "large.bin"), large, 0o600))
		said := run(t, "large", strings.Replace(slider, `fmt.Sprintf("value is %.0f", s.Value)`,
			`fmt.Sprint("large.bin", s.Value)`, 1), "-live", "in")
		must.Be(t, strings.Contains(said, "MB, more than 8: ") && strings.Contains(said, "or give -live beside"),
			"nothing of its size in\n%s", said)
		p := host(t, dir)
		p.url = "file://" + dir + "/"
		p.visit("large.html")
		must.Equal(t, len(in[[]string](p, time.Minute, "cells")), 0, "live cells")
		text := in[string](p, time.Minute, "beforehand", "", 10000)
		must.Be(t, strings.Contains(text, "precomputed settings of level"),
			"no settings that were drawn beforehand in %q", text)
	})
}
