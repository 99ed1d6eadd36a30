package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/front"
	"github.com/expfam/lab/kernel/internal/ipynb"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// cellRun is what became of a cell.
type cellRun struct {
	reply   jupyter.ExecuteReply
	outputs []*ipynb.Output
	wall    time.Duration // from the request until the kernel is idle
}

// text is what the cell wrote on a stream, without ANSI colours; of "result" its value, of "error" what it failed with.
func (r cellRun) text(stream string) string {
	var b strings.Builder
	for _, out := range r.outputs {
		if out.Type == ipynb.Stream && out.Name == stream {
			b.WriteString(ansi.ReplaceAllString(out.Text, ""))
		}
		if out.Type == ipynb.ExecuteResult && stream == "result" {
			b.WriteString(out.Content("text/plain"))
		}
		if out.Type == ipynb.Error && stream == "error" {
			b.WriteString(ansi.ReplaceAllString(strings.Join(out.Traceback, "\n"), ""))
		}
	}
	return b.String()
}

// html are the pages that the cell displays.
func (r cellRun) html() string {
	var b strings.Builder
	for _, out := range r.outputs {
		b.WriteString(out.Content("text/html"))
	}
	return b.String()
}

// cellLimit tells a cell that hangs from one on a machine that is busy: none of these takes ten seconds on an idle one.
const cellLimit = 5 * time.Minute

// typedCells are how many cells were typed: each is another one of a notebook.
var typedCells atomic.Int64

// runCell executes a cell. When what it prints has the text, it interrupts the cell; "" means never.
func runCell(t testing.TB, k *jupyter.Kernel, source, interruptAt string) cellRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cellLimit)
	defer cancel()
	rec, cell := newRecording(k.TempDir()), &ipynb.Cell{Type: ipynb.Code, Source: source}
	var once sync.Once
	start := time.Now()
	request := jupyter.Request{Code: source, StoreHistory: true, StopOnError: true}
	reply, err := k.ExecuteRequest(ctx, request, front.Metadata{CellID: fmt.Sprint("cell-", typedCells.Add(1))},
		func(m jupyter.Message) {
			rec.record(cell, m)
			if interruptAt == "" || m.Header.Type != "stream" || !strings.Contains(string(m.Content), interruptAt) {
				return
			}
			once.Do(func() {
				go func() {
					err := k.Interrupt(ctx)
					must.Be(t, err == nil, "%v", err)
				}()
			})
		})
	must.Need(t, err == nil, "%v after %v in\n%s", k.Explain(err), time.Since(start), source)
	wall := time.Since(start)
	return cellRun{reply, rec.outputs(cell), wall}
}

// testFaults runs cells that go wrong in every way that a cell can. Each has to say why it ended, and the next, which
// goes wrong in another way, has to run: the last of them succeeds.
func testFaults(t *testing.T, g gonb) {
	weights := must.Get(filepath.Abs("../../../notebooks/weights/gp-experts-score.safetensors"))(t)
	k := g.start(t, g.home, map[string]string{front.MemoryEnv: "1024", "EXPFAM_STORE": t.TempDir()})
	for _, c := range []struct {
		name, source string
		interruptAt  string
		status       string
		stream, want string // want is a regular expression
	}{
		{name: "panic", source: "%%\nvar p *int\n*p = 1", status: "error", stream: "error",
			want: "nil pointer dereference\ncell [0-9]+, line 3$"},
		{name: "panic in another goroutine", source: "%%\ngo func() { panic(\"far away\") }()\nselect {}",
			status: "error",
			stream: "error", want: "^panic: far away\ncell [0-9]+, line 2$"},
		// The runtime has two ways to say it.
		{name: "out of memory", source: "%%\nvar all [][]byte\nfor {\n\tall = append(all, bytes.Repeat([]byte{1}, " +
			"1<<20))\n}",
			status: "error", stream: "error", want: "^fatal error: .*(out of|cannot allocate) memory"},
		{name: "loop, interrupted", source: "%%\nfmt.Println(\"busy\")\nfor {\n}", interruptAt: "busy", status: "error",
			stream: "stdout", want: "^busy\ninterrupted after [0-9.]+ s; what the library had stored is kept: run " +
				"the cell again to go on\n$"},
		// GoNB waits five seconds for a program that doesn't listen.
		{name: "loop that ignores interrupts",
			source:      "%%\nsignal.Ignore(os.Interrupt)\nfmt.Println(\"busy\")\nfor {\n\ttime.Sleep(time.Second)\n}",
			interruptAt: "busy", status: "error", stream: "stdout", want: "the program did not listen and was killed"},
		{name: "10 MB of text", source: "%%\nline := strings.Repeat(\"x\", 99) + \"\\n\"\nfor range 100000 " +
			"{\n\tfmt.Print(line)\n}",
			status: "ok", stream: "stdout", want: "bytes left out"},
		// What was sampled before the interrupt is kept, and so is what the cell does with it.
		{name: "sampling, interrupted", source: "import (\n\t\"github.com/expfam/lab/expfam\"\n" +
			"\t\"github.com/expfam/lab/expfam/learn\"\n)\n\n%%\n" +
			"prior := expfam.Must(learn.Load(" + "`" + weights + "`" + "))\n" +
			"like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink(\"exp(x)\")}\n" +
			"obs := expfam.Must(like.Observe1(make([]float64, 30)...))\n" +
			"post, err := diffusion.Sample(prior, like, obs, diffusion.Sampler{Draws: 1000000, Batch: 100, " +
			"Progress: func(done, _ int, _ float64) {\n" +
			"\tif done == 100 {\n\t\tfmt.Println(\"three batches\")\n\t}\n}})\n" +
			"n, _ := post.Dims()\nfmt.Println(\"kept:\", n >= 300, errors.Is(err, expfam.ErrInterrupted))",
			interruptAt: "three batches", status: "ok", stream: "stdout", want: "kept: true true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := runCell(t, k, c.source, c.interruptAt)
			if text := run.text(c.stream); run.reply.Status != c.status ||
				!regexp.MustCompile(c.want).MatchString(text) {
				t.Errorf("status %s, want %s; no %q in %s: %q … %q", run.reply.Status, c.status, c.want, c.stream,
					text[:min(len(text), 500)], text[max(0, len(text)-500):])
			}
			must.Equal(t, strings.Contains(run.html(), "<details"), c.stream == "error", "a folded trace", run.html())
			for _, out := range run.outputs {
				n := len(out.Text)
				must.Be(t, n <= ipynb.MaxStream+100, "a notebook would keep %d bytes", n)
			}
			left := cellPrograms(k.TempDir())
			must.Be(t, len(left) <= 0, "still running: %v", left)
			t.Logf("%.1f s", run.wall.Seconds())
		})
	}
	t.Run("a hundred interrupts", func(t *testing.T) {
		stop := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 100 {
				err := k.Interrupt(context.Background())
				must.Be(t, err == nil, "%v", err)
			}
			<-stop
		}()
		for range 5 { // whichever cells they meet, at whatever stage
			runCell(t, k, "for range 20 {\n\ttime.Sleep(10 * time.Millisecond)\n}", "")
		}
		close(stop)
		<-done
		// On a busy machine the last interrupts arrive when the cells that they were meant for have ended.
		next := runCell(t, k, "1 + 1", "")
		for range 5 {
			if next.reply.EName != "interrupted" {
				break
			}
			time.Sleep(200 * time.Millisecond)
			next = runCell(t, k, "1 + 1", "")
		}
		must.Equal(t, next.text("result"), "2", "the next cell", next.reply)
		left := cellPrograms(k.TempDir())
		must.Be(t, len(left) <= 0, "still running: %v", left)
	})
	t.Run("cells behind one that fails", func(t *testing.T) {
		replies := make(chan jupyter.ExecuteReply)
		go func() {
			reply, err := k.Execute(context.Background(), "time.Sleep(300 * time.Millisecond)\npanic(\"first\")",
				func(jupyter.Message) {})
			must.Be(t, err == nil, "%v", err)
			replies <- reply
		}()
		time.Sleep(100 * time.Millisecond)
		second := must.Get(k.Execute(context.Background(), "2", func(jupyter.Message) {}))(t)
		if first := <-replies; first.Status != "error" || second.Status != "aborted" {
			t.Errorf("the first is %s, the second %s", first.Status, second.Status)
		}
	})
	t.Run("the system ends a cell before the server", func(t *testing.T) {
		if _, err := os.Stat("/proc/self/oom_score_adj"); err != nil {
			t.Skip("no such order here: ", err)
		}
		run := runCell(t, k, "%%\nb, _ := os.ReadFile(\"/proc/self/oom_score_adj\")\nfmt.Print(string(b))", "")
		must.Equal(t, run.text("stdout"), "500\n")
	})
}
