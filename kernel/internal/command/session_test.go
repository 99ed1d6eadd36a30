package command

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
	"github.com/expfam/lab/kernel/internal/kerneltest"
)

// testSession types cells into the kernel as Jupyter would: the first of the session, which
// TestCells of package browser types whole, and all with -full.
func testSession(t *testing.T, g gonb) {
	session := kerneltest.Session[:18]
	if *fulltest.Full {
		session = kerneltest.Session
	}
	var sources []string // of the whole notebook, in which the kernel looks for what has not run
	for _, c := range kerneltest.Session {
		sources = append(sources, c.Source)
	}
	notebook := g.notebook(t, "typed", sources...)
	for _, part := range []struct {
		name  string
		cells []kerneltest.Cell
	}{{"first", session}, {"restarted", kerneltest.AfterRestart}} {
		k := g.start(t, g.home, map[string]string{"JPY_SESSION_NAME": notebook})
		if part.name == "first" {
			t.Run("Tab at once", func(t *testing.T) { completes(t, k) })
		}
		typeCells(t, k, part.name, part.cells)
		k.Stop()
	}
}

// typeCells has a kernel execute cells, and compares what comes of each.
func typeCells(t *testing.T, k *jupyter.Kernel, name string, cells []kerneltest.Cell) {
	for i, c := range cells {
		t.Run(name+"/"+c.Name, func(t *testing.T) {
			run := runCell(t, k, c.Source, "")
			var shown strings.Builder
			for _, out := range run.outputs {
				if out.Type == ipynb.Stream {
					shown.WriteString(ansi.ReplaceAllString(out.Text, ""))
				}
				if !strings.Contains(out.Content("text/html"), "<details") { // Go's trace
					shown.WriteString(out.Content("text/plain"))
				}
				if out.Type == ipynb.ExecuteResult {
					shown.WriteString("\n")
				}
			}
			must.Do(t, c.Compare(i+1, shown.String(), run.text("error")))
			must.Equal(t, run.reply.Status == "ok", c.Fails == "", "status", run.reply.Status)
		})
	}
}

// testChanging types cells that change variables of others, and that act: each does so once.
func testChanging(t *testing.T, g gonb) {
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fmt.Fprintf(w, "created %d", posts.Add(1)); r.Method != http.MethodPost {
			t.Errorf("%s", r.Method)
		}
	}))
	defer server.Close()
	for _, part := range []struct {
		name  string
		cells []kerneltest.Cell
	}{{"first", changing}, {"restarted", changingAgain}} {
		var cells []kerneltest.Cell
		for _, c := range part.cells {
			c.Source = strings.ReplaceAll(c.Source, "SERVER", server.URL)
			cells = append(cells, c)
		}
		k := g.start(t, g.home, nil)
		typeCells(t, k, part.name, cells)
		k.Stop()
	}
	n := posts.Load()
	must.Be(t, n == changingPosts, "%d posts, want %d", n, changingPosts)
}

// completion is what could stand between two places (in Unicode code points) of the code.
type completion struct {
	Matches []string
	Start   int `json:"cursor_start"`
}

// complete asks how code of ASCII could go on at its end.
func complete(ctx context.Context, k *jupyter.Kernel, code string) (c completion, err error) {
	reply, err := k.Ask(ctx, "complete_request", map[string]any{"code": code, "cursor_pos": len(code)})
	if err == nil {
		err = json.Unmarshal(reply, &c)
	}
	return c, err
}

// completes asks the installed kernel, which has just started, to complete a name of the library, and for the
// documentation of another.
func completes(t *testing.T, kernel *jupyter.Kernel) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, code := range []string{"viz.Interv", "import \"github.com/expfam/lab/viz\"\n\n%%\nviz.Interv",
		"viz.Show(viz.Intervals{Dra"} {
		start := time.Now()
		got, err := complete(ctx, kernel, code)
		want := []string{"Intervals", "Intervals", "Draws"}[i]
		must.Be(t, err == nil && len(got.Matches) != 0 && got.Matches[0] == want &&
			got.Start == strings.LastIndexAny(code, ".{")+1,
			"%q: %+v, %v", code, got, err)
		t.Logf("completion after %.2f s", time.Since(start).Seconds())
	}
	const hover = "import \"github.com/expfam/lab/viz\"\n\n%%\nviz.Show()"
	start := time.Now()
	found, err := kernel.Ask(ctx, "inspect_request", map[string]any{"code": hover, "cursor_pos": len(hover) - 3})
	must.Be(t, err == nil && strings.Contains(string(found), "Show displays figures"), "inspect: %v %s", err, found)
	t.Logf("documentation after %.2f s", time.Since(start).Seconds())
}
