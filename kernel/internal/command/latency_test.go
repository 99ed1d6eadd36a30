package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

// BenchmarkCell measures what a person waits for after Shift-Enter: from the request until the kernel is idle,
// compiling included, on the installed kernel after a first run, beside one busy process. On two cores an expression
// should take less than .2 s, a posterior's figure less than .5 s, a sampling cell less than 1.5 s, Tab less than
// .5 s, the first of a kernel that has just been started less than 3 s with its start, and the first word of long work
// should come within 2 s.
func BenchmarkCell(b *testing.B) {
	g := installed(b)
	weights := must.Get(filepath.Abs("../../../notebooks/weights"))(b)
	k := g.start(b, g.home, map[string]string{"EXPFAM_STORE": b.TempDir(), "WEIGHTS": weights})
	declare := runCell(b, k, `func posterior(s diffusion.Sampler) *expfam.Posterior {
	prior := expfam.Must(learn.Load(os.Getenv("WEIGHTS")+"/gp-experts-score.safetensors"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	y := make([]float64, 30)
	for i := range y {
		y[i] = float64(i % 5)
	}
	return expfam.Must(diffusion.Sample(prior, like, expfam.Must(like.Observe1(y...)), s))
}`, "")
	must.Do(b, declare.reply.Err())
	must.Do(b, runCell(b, k, "post := posterior(diffusion.Sampler{Draws: 500, Seed: 1})", "").reply.Err())
	busy := exec.Command("sh", "-c", "while :; do :; done")
	must.Do(b, busy.Start())
	b.Cleanup(func() {
		busy.Process.Kill()
		busy.Wait()
	})
	b.Run("first Tab", func(b *testing.B) { // from the start of a kernel on
		var waits []float64
		for b.Loop() {
			start := time.Now()
			cold := g.start(b, g.home, nil)
			got, err := complete(context.Background(), cold, "viz.Show(viz.Lines{Ti")
			must.Need(b, err == nil && len(got.Matches) != 0, "%+v, %v", got, err)
			waits = append(waits, time.Since(start).Seconds())
			cold.Stop()
		}
		slices.Sort(waits)
		b.ReportMetric(waits[len(waits)/2], "s-median")
		b.ReportMetric(waits[len(waits)-1], "s-worst")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("Tab", func(b *testing.B) {
		for b.Loop() {
			got, err := complete(context.Background(), k, "viz.Show(viz.Lines{Ti")
			must.Need(b, err == nil && len(got.Matches) != 0, "%+v, %v", got, err)
		}
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s-mean")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("first word of a training", func(b *testing.B) {
		var words []float64
		for i := 1; b.Loop(); i++ {
			words = append(words, firstWord(b, k,
				fmt.Sprintf("learn.Train(gp.RBF{Cells: 12}, learn.Training{Steps: 1000000, Seed: %d, Fresh: true})",
					i)))
		}
		slices.Sort(words)
		b.ReportMetric(words[len(words)/2], "s-median")
		b.ReportMetric(words[len(words)-1], "s-worst")
		b.ReportMetric(0, "ns/op")
	})
	for _, c := range []struct{ name, source string }{
		// %d makes another program each time: Go doesn't build the same one twice
		{"expression", "1 + %d"},
		{"text", "%%%%\nfmt.Println(1 + %d)"},
		{"declaration", "func unused%d() {}"},
		{"plot", "viz.Lines{Lines: []viz.Line{{Name: \"a\", Y: []float64{1, 3, 2}}}, Title: \"A figure %d\"}"},
		{"plot of a posterior", "viz.Intervals{Draws: post, Title: \"Kept %d\"}"},
		{"plot of stored draws", "viz.Intervals{Draws: posterior(diffusion.Sampler{Draws: 500, Seed: 1}), Title: " +
			"\"Stored %d\"}"},
		{"sample 500 draws", "_ = %d\nposterior(diffusion.Sampler{Draws: 500, Seed: 1, Fresh: true}).Info.Seconds"},
		{"sample 500 draws and plot", "viz.Intervals{Draws: posterior(diffusion.Sampler{Draws: 500, Seed: 1, " +
			"Fresh: true}), Title: \"New %d\"}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			runCell(b, k, fmt.Sprintf(c.source, 0), "")
			var walls []float64
			before := g.cpu()
			for i := 1; b.Loop(); i++ {
				run := runCell(b, k, fmt.Sprintf(c.source, i), "")
				err := run.reply.Err()
				must.Need(b, err == nil, "%v\n%s", err, run.text("stderr"))
				walls = append(walls, run.wall.Seconds())
			}
			slices.Sort(walls)
			b.ReportMetric(walls[len(walls)/2], "s-median")
			b.ReportMetric(walls[len(walls)-1], "s-worst")
			b.ReportMetric((g.cpu()-before)/float64(len(walls)), "cpu-s") // what counts on a busy machine
			b.ReportMetric(0, "ns/op")
			if load, err := os.ReadFile("/proc/loadavg"); err == nil {
				b.Logf("load average %s", load)
			}
		})
	}
}

// firstWord runs a cell until it displays something, interrupts it and tells how many seconds that took from the
// request on.
func firstWord(b *testing.B, k *jupyter.Kernel, source string) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), cellLimit)
	defer cancel()
	start, word := time.Now(), 0.0
	_, err := k.Execute(ctx, source, func(m jupyter.Message) {
		if m.Header.Type != "display_data" || word > 0 {
			return
		}
		word = time.Since(start).Seconds()
		go k.Interrupt(ctx)
	})
	must.Need(b, err == nil && word != 0, "no word in %v: %v", time.Since(start), err)
	return word
}

// cpu is the processor time in seconds that the kernel, GoNB and all that they have started and waited for have taken.
func (g gonb) cpu() float64 {
	const ticks = 100 // a second: USER_HZ of Linux
	total := 0.0
	for _, pid := range processes(filepath.Join(g.home, "jupyter/kernels/expfam/bin/gonb"), os.Getpid()) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, text, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(text); len(fields) > 15 {
			for _, field := range fields[11:15] { // utime stime cutime cstime, after state and ten more
				n, _ := strconv.ParseFloat(field, 64)
				total += n / ticks
			}
		}
	}
	return total
}
