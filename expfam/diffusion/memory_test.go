package diffusion_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// counted are counts in every cell.
func counted(cells int) expfam.Observations {
	obs := make(expfam.Observations, cells)
	for j := range obs {
		obs[j] = expfam.Term{Stat: float64(j % 3), Size: 1}
	}
	return obs
}

// memoryCase is a prior and a sampler by name: network, rows and batch.
func memoryCase(t testing.TB, name string) (expfam.Prior, Sampler) {
	var kind string
	var rows, batch int
	must.Get(fmt.Sscanf(strings.ReplaceAll(name, "/", " "), "%s %d %d", &kind, &rows, &batch))(t)
	s := Sampler{Draws: batch, Batch: batch, Method: Multistep{N: 2}}
	net := nn.UNet{Rows: rows, Columns: rows}
	switch kind {
	case "unet":
	case "unet-one-product":
		s.Guidance = Quadrature{Independent: true}
	case "unet-32":
		net.Channels = 32
	case "unet-norm":
		net.Groups, net.Attention = 8, rows/8
		s.Method = Multistep{N: 5} // two steps are too few for random weights
	case "experts":
		return learntest.Untrained(t, nn.Experts{}, rows), s
	case "gp":
		return gp.RBF{Cells: rows}, s
	default:
		t.Fatalf("no case %s", name)
	}
	return learntest.Untrained(t, net, rows*rows), s
}

// peakMemory is the resident memory of this process at its peak, in bytes.
func peakMemory(t testing.TB) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	return 1024 * float64(expfam.Must(strconv.Atoi(string(m[1]))))
}

const memoryEnv = "EXPFAM_TEST_MEMORY"

// TestMemoryProcess is the process that [measure] starts.
func TestMemoryProcess(t *testing.T) {
	name := os.Getenv(memoryEnv)
	if name == "" {
		t.Skip("for TestMemoryIsEnough")
	}
	prior, s := memoryCase(t, name)
	s.Engine = enginetest.Open(t, "onnx")
	before := peakMemory(t)
	c := must.Get(Compile(prior, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink}, s))(t)
	must.Get(c.Sample(t.Context(), counted(prior.Dim()), 1))(t)
	fmt.Printf("planned %d took %.0f\n", c.Plan().Memory, peakMemory(t)-before)
}

// measure is what a case plans and takes in a process of its own, in bytes.
func measure(t testing.TB, name string) (planned, took float64) {
	t.Helper()
	if _, err := engine.Open("onnx"); err != nil {
		t.Skip(err)
	}
	peakMemory(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryProcess$")
	// Two workers are at their peaks at one moment or not, as the machine has it: one worker is measured.
	cmd.Env = append(os.Environ(), memoryEnv+"="+name, "GOMAXPROCS=1", "GOGC=25")
	out, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v: %s", err, out)
	_, err = fmt.Sscanf(string(out), "planned %f took %f", &planned, &took)
	must.Need(t, err == nil, "%v in %s", err, out)
	return planned, took
}

// The bounds are what [Plan] promises for the peak of a run. Beside other processes a run may miss its peak, because
// the kernel gives pages and the collector runs at other moments; so a run that took too little is repeated.
func TestMemoryIsEnough(t *testing.T) {
	var planned, peak float64
	for runs := 0; runs < 3 && (*fulltest.Full || runs == 0 || planned > 3*peak); runs++ {
		var took float64
		planned, took = measure(t, "unet/32/4")
		peak = max(peak, took)
	}
	must.Be(t, peak <= planned && planned <= 3*peak, "planned %.0f MB, took %.0f", planned/1e6, peak/1e6)
}

// BenchmarkMemory measures the factors of the estimate; -benchtime 1x.
func BenchmarkMemory(b *testing.B) {
	for _, name := range []string{"unet/32/4", "unet/32/8", "unet/32/16", "unet/64/4", "unet/64/8", "unet/64/16",
		"unet/128/4", "unet/128/8", "unet/128/16", "unet-one-product/64/8", "unet-32/64/8", "unet-norm/64/8",
		"experts/100/500", "experts/1000/500", "experts/100/10000", "gp/30/500", "gp/1000/500"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				planned, took := measure(b, name)
				b.ReportMetric(took/1e6, "MB")
				b.ReportMetric(planned/took, "planned/took")
			}
		})
	}
}

func TestDefaultBatch(t *testing.T) {
	unet := func(rows int) expfam.Prior {
		return learntest.Untrained(t, nn.UNet{Rows: rows, Columns: rows}, rows*rows)
	}
	for _, c := range []struct {
		name  string
		prior expfam.Prior
		s     Sampler
		want  int
	}{
		{"the one-dimensional benchmark", learntest.Untrained(t, nn.Experts{}, 100), Sampler{}, 500},
		{"a Gaussian process", gp.RBF{}, Sampler{Draws: 100000}, 100000},
		// 2²⁵ numbers, 528 a cell.
		{"64×64", unet(64), Sampler{Draws: 60}, 15},
		{"64×64, even batches", unet(64), Sampler{Draws: 64}, 13},
		{"64×64, few", unet(64), Sampler{Draws: 7}, 7},
		{"128×128", unet(128), Sampler{Draws: 60}, 3},
		{"given", unet(64), Sampler{Draws: 60, Batch: 59}, 59},
		// Draws would change with the size: neither even nor bounded by the machine.
		{"with a corrector", gp.RBF{}, Sampler{Draws: 200000, Method: PredictorCorrector{}}, 1 << 22 / 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Engine = enginetest.Open(t, "go")
			var plan Plan
			c.s.Plan = func(p Plan) { plan = p }
			compiled := must.Get(Compile(c.prior, expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink},
				c.s))(t)
			defer compiled.Close()
			must.Be(t, plan.Batch == c.want && plan == compiled.Plan() && plan.Memory > 0, "batch %d, want %d; %v",
				plan.Batch, c.want, plan)
		})
	}
}

// Of a U-Net, 197 MB are needed before the first draw and 88 for each.
func TestBatchFitsIntoMemory(t *testing.T) {
	prior := learntest.Untrained(t, nn.UNet{Rows: 64, Columns: 64}, 64*64)
	s := Sampler{Draws: 100, Engine: enginetest.Open(t, "go")}
	for budget, want := range map[float64]int{460e6: 2, 1: 1} {
		must.Equal(t, must.Get(BatchWithin(prior, s, budget))(t), want, budget, "bytes: a batch of")
	}
}

// A run of several batches says so in the log where nobody listens.
func TestPlanIsAnnounced(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s := Sampler{Draws: 5, Method: Multistep{N: 5}, Engine: enginetest.Open(t, "go")}
	sample(t, few, normal, make(expfam.Observations, 6), s)
	must.Be(t, log.Len() <= 0, "one batch logs %s", &log)
	s.Batch = 2
	post := sample(t, few, normal, make(expfam.Observations, 6), s)
	must.Be(t, strings.Contains(log.String(), "5 draws in 3 batches of 2, 5 evaluations each, in about 0.16 GB"),
		"log %q, want %q", &log, "5 draws in 3 batches of 2, 5 evaluations each, in about 0.16 GB")
	must.Be(t, post.Info.Memory >= 160e6, "memory %d", post.Info.Memory)
}

// hungry is a prior whose evaluation takes more memory than any machine has.
type hungry struct{ gp.RBF }

func (hungry) Footprint() expfam.Footprint { return expfam.Footprint{Draw: 1e15} }

// A prior of which one evaluation does not fit is refused before anything is compiled.
func TestMemoryRefuses(t *testing.T) {
	must.Refuse(Sample(hungry{gp.RBF{Cells: 3}}, gaussian, make(expfam.Observations, 3),
		Sampler{Engine: enginetest.Open(t, "go"), Fresh: true}))(t, "an evaluation of 3 cells takes at least",
		"are free")
}
