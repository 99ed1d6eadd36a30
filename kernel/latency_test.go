package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkCell measures what a person waits for after Shift-Enter: from the request until the kernel is idle, compiling
// included, on the installed kernel after a first run. A plotting cell should take less than 1 s, a sampling cell less
// than 1.5 s.
func BenchmarkCell(b *testing.B) {
	g := installed(b)
	weights, err := filepath.Abs("../notebooks/weights")
	if err != nil {
		b.Fatal(err)
	}
	k := g.start(b, g.home, map[string]string{"EXPFAM_STORE": b.TempDir(), "WEIGHTS": weights})
	declare := runCell(b, k, `import (
	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/viz"
)

func posterior(s expfam.Sampler) *expfam.Posterior {
	prior := expfam.Must(learn.Load(os.Getenv("WEIGHTS")+"/gp-experts-score.safetensors"))
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(x)")}
	y := make([]float64, 30)
	for i := range y {
		y[i] = float64(i % 5)
	}
	return expfam.Must(expfam.Sample(prior, like, expfam.Must(like.Observe1(y...)), s))
}`, "")
	if err := declare.reply.Err(); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, source string }{
		{"text", "%%\nfmt.Println(1 + 1)"},
		{"plot", "%%\nviz.Show(viz.Lines{Lines: []viz.Line{{Name: \"a\", Y: []float64{1, 3, 2}}}, Title: \"A figure\"})"},
		{"plot of stored draws", "%%\nviz.Show(viz.Intervals{Draws: posterior(expfam.Sampler{Draws: 500, Seed: 1}), Title: \"Stored\"})"},
		{"sample 500 draws", "%%\nfmt.Println(posterior(expfam.Sampler{Draws: 500, Seed: 1, Fresh: true}).Info.Seconds)"},
		{"sample 500 draws and plot", "%%\nviz.Show(viz.Intervals{Draws: posterior(expfam.Sampler{Draws: 500, Seed: 1, Fresh: true}), Title: \"New\"})"},
	} {
		b.Run(c.name, func(b *testing.B) {
			runCell(b, k, c.source, "")
			var walls []float64
			before := g.cpu()
			for i := 0; b.Loop(); i++ {
				// Another program each time: Go doesn't build the same one twice.
				run := runCell(b, k, fmt.Sprintf("%s\nos.Setenv(\"RUN\", \"%d\")", c.source, i), "")
				if err := run.reply.Err(); err != nil {
					b.Fatalf("%v\n%s", err, run.text("stderr"))
				}
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

// cpu is the processor time in seconds that GoNB and all that it has started and waited for have taken.
func (g gonb) cpu() float64 {
	const ticks = 100 // a second: USER_HZ of Linux
	total := 0.0
	for _, pid := range processes(filepath.Join(g.home, "jupyter/kernels/expfam/bin/gonb"), os.Getpid()) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, text, ok := strings.Cut(string(stat), "(gonb) ")
		if !ok {
			continue // the supervisor, which counts GoNB when that has ended
		}
		for _, field := range strings.Fields(text)[11:15] { // utime stime cutime cstime, after state and ten more
			n, _ := strconv.ParseFloat(field, 64)
			total += n / ticks
		}
	}
	return total
}
