package learn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/store"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// same reports whether two networks agree in every bit of what they compute with, and their curves in all but the time.
func same(a, b *learn.Prior) bool {
	c, d := a.Curve, b.Curve
	c.Seconds, d.Seconds = 0, 0
	return a.String() == b.String() && reflect.DeepEqual(c, d) && a.Coupling(0.3) == b.Coupling(0.3)
}

// A short training comes close to the exact moments of a Gaussian prior: the root of the mean squared error of m, in
// units of the exact sd s, and the ratio of variances.
func TestTrainingLearnsTheMoments(t *testing.T) {
	c := learntest.Tiny(t)
	c.Engine, c.Steps, c.Batch, c.Rate, c.Average = enginetest.Fast(t), fulltest.N(900, 1500), 128, 0.01, 0.99
	c.Net = nn.Experts{Experts: 6, Blocks: 1, Width: 16, Embedding: 32}
	learned := learntest.Train(t, few, c)
	const batch = 400
	for _, sigma := range []float64{3, 0.5, 0.1} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			l, x := level.At(sigma), diffused(few, sigma, batch)
			moments := func(p Prior) [][]float64 {
				return enginetest.Call(t, c.Engine, func(x, a, v *graph.Node) []*graph.Node {
					m, s2 := p.Moments(x, level.Nodes{SqrtAlpha: a, V: v})
					return []*graph.Node{m, graph.BroadcastToDims(s2, x.Shape().Dimensions...)}
				}, x, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
			}
			got, want := moments(learned), moments(few)
			var miss, scalar, ratio float64
			shrink := l.SqrtAlpha // the denoiser of a cell by itself, of variance 1
			for i, m := range want[0] {
				s2 := want[1][i]
				miss += (got[0][i] - m) * (got[0][i] - m) / s2
				off := shrink*x[i/6][i%6] - m
				scalar += off * off / s2
				ratio += got[1][i] / s2
			}
			n := float64(6 * batch)
			miss, scalar, ratio = math.Sqrt(miss/n), math.Sqrt(scalar/n), ratio/n
			t.Logf("error of m %.3f s (one cell by itself: %.3f), s² %.3f of the exact", miss, scalar, ratio)
			// An error of 0.1 s adds 1% to the squared error of an estimate, and is three times what this training
			// leaves; a denoiser without the neighbours errs by several times that, so that passing takes learning.
			must.Be(t, miss < 0.1 && miss < scalar/3, "m is %.3f s off; a cell by itself %.3f", miss, scalar)
			must.Absolute(t, "s²", ratio, 1, 0.05)
		})
	}
	t.Run("coupling", func(t *testing.T) {
		for _, sigma := range []float64{0.3, 3} {
			got, want := learned.Coupling(sigma), few.Coupling(sigma)
			must.Absolute(t, fmt.Sprintf("at %g", sigma), got/want, 1, 0.1)
		}
	})
	t.Run("curve", func(t *testing.T) {
		curve := learned.Curve
		n := len(curve.Step)
		if n < 40 || len(curve.Train) != n || len(curve.HeldOut) != n || curve.Step[n-1] != float64(c.Steps) {
			t.Fatalf("%d points, the last at %g", n, curve.Step[n-1])
		}
		must.Be(t, curve.HeldOut[n-1] < curve.HeldOut[0] && curve.Train[n-1] < curve.Train[0] && curve.Seconds > 0,
			"the loss goes from %g to %g", curve.HeldOut[0], curve.HeldOut[n-1])
	})
}

func TestTrainingIsDeterministic(t *testing.T) {
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		c := learntest.Tiny(t)
		c.Engine, c.Steps = e, 25
		first := learntest.Train(t, few, c)
		again := learntest.Train(t, few, c)
		must.Be(t, same(first, again), "%v, then %v", first, again)
		c.Seed = 2
		must.Be(t, learntest.Train(t, few, c).String() != first.String(), "the seed is ignored")
	})
}

func TestTrainingResumes(t *testing.T) {
	whole := learntest.Train(t, few, learntest.Tiny(t))
	c := learntest.Tiny(t)
	c.Fresh = false
	// stopped trains until an interrupt after step at, not at the end of a
	// span of the curve, and returns the saved state's file.
	stopped := func(t *testing.T, at int) string {
		dir := t.TempDir()
		t.Setenv("EXPFAM_STORE", dir)
		must.Err(t, stop(t, c, at), "of 80; run it again to go on")
		states, _ := filepath.Glob(filepath.Join(dir, "training", "*"))
		must.Need(t, len(states) == 1, "saved states: %v", states)
		return states[0]
	}
	for _, at := range []int{2, 40} {
		t.Run(fmt.Sprintf("after step %d", at), func(t *testing.T) {
			state := stopped(t, at)
			resumed, first := resume(t, c)
			must.Be(t, same(resumed, whole), "resumed %v %v, whole %v %v", resumed, resumed.Curve, whole, whole.Curve)
			must.Be(t, first >= at, "it began again: step %d follows an interrupt at %d", first, at)
			_, err := os.Stat(state)
			must.Be(t, os.IsNotExist(err), "the state is left behind: %v", err)
		})
	}
	t.Run("a corrupt state is reported", func(t *testing.T) {
		state := stopped(t, 40)
		storetest.Damage(t, state)
		log := storetest.Logged(t)
		p := learntest.Train(t, few, c)
		must.Be(t, same(p, whole), "%v, want %v", p, whole)
		must.Be(t, strings.Contains(log.String(), "corrupt"), "log: %s", log)
	})
}

// A state is saved between two evaluations, and what goes on from it is the
// network of a training that was never stopped, to the bit.
func TestTrainingSavesBetweenEvaluations(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps, c.Batch = 160, 16 // an evaluation every 4 steps
	whole := learntest.Train(t, few, c)
	c.Fresh = false
	defer learn.SetSaving(0)()
	dir, early := t.TempDir(), t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	// A batch that is drawn takes the place of one that a step has used: draws see
	// the state of the second step, or of the third.
	var mu sync.Mutex
	copied := false
	_, err := learn.Train(watchedSimulator{Simulator: few, draw: func() {
		mu.Lock()
		defer mu.Unlock()
		if copied {
			return
		}
		states, _ := filepath.Glob(filepath.Join(dir, "training", "*.safetensors"))
		if len(states) == 0 {
			return
		}
		f, err := store.Read(states[0])
		if err == nil && (f.Meta["next"] == "1" || f.Meta["next"] == "2" || f.Meta["next"] == "3") {
			copied = store.Write(filepath.Join(early, "training", filepath.Base(states[0])), f) == nil
			storetest.Interrupt(t)
		}
	}}, c)
	must.Need(t, copied && errors.Is(err, ErrInterrupted),
		"no state was saved before the first evaluation; error %v", err)
	t.Setenv("EXPFAM_STORE", early)
	first := 0
	c.Progress = func(step, _ int, loss float64) {
		if first == 0 && !math.IsNaN(loss) { // between evaluations there is none
			first = step
		}
	}
	resumed := learntest.Train(t, watchedSimulator{few, func() {}}, c)
	must.Be(t, same(resumed, whole), "resumed %v, whole %v", resumed, whole)
	if states, _ := filepath.Glob(filepath.Join(early, "training", "*")); len(states) > 0 || first != 4 {
		t.Errorf("the state was not taken up: %v is left, the first evaluation at %d", states, first)
	}
}

// watchedSimulator calls draw before every draw.
type watchedSimulator struct {
	Simulator
	draw func()
}

func (w watchedSimulator) Draw(rng *rand.Rand, x []float64) {
	w.draw()
	w.Simulator.Draw(rng, x)
}

func TestTrainingIsStored(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("EXPFAM_STORE", dir)
	c := learntest.Tiny(t)
	c.Fresh, c.Steps = false, 10
	var steps int
	c.Progress = func(int, int, float64) { steps++ }
	first := learntest.Train(t, few, c)
	steps = 0
	if again := learntest.Train(t, few, c); !same(again, first) || steps != 0 {
		t.Errorf("second call: %v after %d reports, want %v and no step", again, steps, first)
	}
	for name, edit := range map[string]func(*learn.Training){
		"seed": func(c *learn.Training) { c.Seed = 2 }, "steps": func(c *learn.Training) { c.Steps = 11 },
		"rate": func(c *learn.Training) { c.Rate = 1e-4 }, "batch": func(c *learn.Training) { c.Batch = 65 },
		"network": func(c *learn.Training) { c.Net = nn.MLP{Layers: 1, Width: 8, Embedding: 8} },
	} {
		t.Run("other "+name, func(t *testing.T) {
			steps = 0
			c := c
			edit(&c)
			if learntest.Train(t, few, c); steps == 0 {
				t.Error("loaded")
			}
		})
	}
	t.Run("other prior", func(t *testing.T) {
		steps = 0
		if learntest.Train(t, gp.RBF{Cells: 6, Length: 0.31}, c); steps == 0 {
			t.Error("loaded")
		}
	})
	t.Run("corrupt", func(t *testing.T) {
		files, _ := filepath.Glob(filepath.Join(dir, "network", "*"))
		for _, f := range files {
			storetest.Damage(t, f)
		}
		log := storetest.Logged(t)
		steps = 0
		again := learntest.Train(t, few, c)
		must.Be(t, same(again, first) && steps != 0 && strings.Contains(log.String(), "corrupt"),
			"%v after %d reports; log %s", again, steps, log)
	})
}

// odd is a simulator whose last cell is what it says.
type odd struct {
	name string
	last func(rng *rand.Rand) float64
}

func (o odd) String() string { return o.name }
func (o odd) Dim() int       { return 3 }
func (o odd) Draw(rng *rand.Rand, x []float64) {
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	x[2] = o.last(rng)
}

// oneScale is a network for cells of one scale.
type oneScale struct{ nn.MLP }

func (oneScale) CheckScale(sd []float64) error {
	if sd[2] > 1.1*sd[0] {
		return errors.New("cell 2 has another scale")
	}
	return nil
}

func TestTrainRefuses(t *testing.T) {
	constant := func(v float64) func(*rand.Rand) float64 { return func(*rand.Rand) float64 { return v } }
	for _, c := range []struct {
		name string
		last func(*rand.Rand) float64
		edit func(*learn.Training)
		want string
	}{
		{"NaN draws", constant(math.NaN()), nil, "has NaN in cell 2"},
		{"infinite draws", constant(math.Inf(1)), nil, "has +Inf in cell 2"},
		{"constant 0", constant(0), nil, "cell 2 of constant 0 is 0 in all of"},
		// 0.1 is no binary fraction: sums of squares leave a variance of rounding errors.
		{"constant 0.1", constant(0.1), nil, "cell 2 of constant 0.1 is 0.1 in all of"},
		{"constant 1e8", constant(1e8), nil, "is 1e+08 in all of"},
		{"far draws", func(rng *rand.Rand) float64 { return 1e7 + rng.NormFloat64() }, nil,
			"subtract a constant from the draws and from the data"},
		{"negative steps", (*rand.Rand).NormFloat64, func(c *learn.Training) { c.Steps = -1 }, "-1 steps"},
		{"infinite rate", (*rand.Rand).NormFloat64, func(c *learn.Training) { c.Rate = math.Inf(1) }, "rate +Inf"},
		{"average of 1", (*rand.Rand).NormFloat64, func(c *learn.Training) { c.Average = 1 }, "average 1"},
		{"rate not a number", (*rand.Rand).NormFloat64, func(c *learn.Training) { c.Rate = math.NaN() }, "rate NaN"},
		{"a network of one scale for all cells", func(rng *rand.Rand) float64 { return 2 * rng.NormFloat64() },
			func(c *learn.Training) { c.Net = oneScale{} },
			"cell 2 has another scale"},
		{"rate too high", (*rand.Rand).NormFloat64, func(c *learn.Training) { c.Rate = 1e30 }, "lower the rate"},
		{"rate too high in the last step", (*rand.Rand).NormFloat64,
			func(c *learn.Training) { c.Rate, c.Steps = 1e30, 1 }, "loss at step 0: it is NaN; lower the rate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := learntest.Tiny(t)
			if c.edit != nil {
				c.edit(&config)
			}
			_, err := learn.Train(odd{c.name, c.last}, config)
			must.Be(t, err != nil && strings.Contains(err.Error(), c.want) && strings.HasPrefix(err.Error(), "train: "),
				"error %v, want %q in it", err, c.want)
		})
	}
}

// fields are draws on a grid of 4 rows and 8 columns.
type fields struct{ cellsOf }

func (fields) Lattice() (rows, cols int) { return 4, 8 }

func TestTrainRefusesAnotherGrid(t *testing.T) {
	config := learntest.Tiny(t)
	config.Net = nn.UNet{Rows: 8, Columns: 4, Multiples: []int{1}}
	_, err := learn.Train(fields{32}, config)
	want := "is for 8 rows and 4 columns, and the draws of cells(32) have 4 rows and 8 columns; set Rows"
	must.Err(t, err, want)
	ended, cancel := context.WithCancel(t.Context())
	cancel() // a training that is not refused begins, and ends at once
	_, err = learn.TrainContext(ended, cellsOf(32), config)
	must.Be(t, errors.Is(err, ErrInterrupted), "draws of which no grid is known: error %v", err)
	config.Net = nn.UNet{Rows: 4, Columns: 8, Multiples: []int{1}}
	_, err = learn.TrainContext(ended, fields{32}, config)
	must.Be(t, errors.Is(err, ErrInterrupted), "the grid of the draws: error %v", err)
}

// inverted is a network of a type that package nn does not know.
type inverted struct{ Sign float64 }

func (n inverted) String() string                     { return fmt.Sprintf("inverted(%g)", n.Sign) }
func (n inverted) Params(cells, heads int) []nn.Param { return nn.MLP{Width: 8}.Params(cells, heads) }
func (n inverted) Apply(w nn.Weights, in nn.Input, heads int) []*node {
	in.X = graph.MulScalar(in.X, n.Sign)
	return nn.MLP{Width: 8}.Apply(w, in, heads)
}

func TestPriorFiles(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 5
	p := learntest.Train(t, few, c)
	path := filepath.Join(t.TempDir(), "prior.safetensors")
	must.Do(t, p.Save(path))
	t.Run("round trip", func(t *testing.T) {
		back := must.Get(learn.Load(path, c.Net))(t)
		must.Be(t, same(p, back) && reflect.DeepEqual(p.Scale, back.Scale), "%v, saved %v", back, p)
		s := diffusion.Sampler{Draws: 3, Engine: c.Engine}
		a := sample(t, p, normal, make(Observations, 6), s)
		b := sample(t, back, normal, make(Observations, 6), s)
		must.Equal(t, a.X, b.X, "draws differ")
	})
	t.Run("as the file has it", func(t *testing.T) {
		for _, given := range [][]nn.Network{nil, {nil}, {nn.Experts{}}} {
			back, err := learn.Load(path, given...)
			must.Be(t, err == nil && same(p, back), "%v: %v, saved %v; error %v", given, back, p, err)
		}
	})
	for _, net := range []nn.Network{nn.MLP{}, nn.Experts{Experts: 3, Blocks: 1, Width: 16, Embedding: 16}} {
		t.Run(fmt.Sprintf("wrong architecture/%v", net), func(t *testing.T) {
			must.Refuse(learn.Load(path, net))(t, "give the network that was trained, or none")
		})
	}
	t.Run("of the first versions", func(t *testing.T) {
		f := must.Get(store.Read(path))(t)
		delete(f.Meta, "architecture")
		old := filepath.Join(t.TempDir(), "old")
		must.Do(t, store.Write(old, f))
		back, err := learn.Load(old, c.Net)
		must.Be(t, err == nil && same(p, back), "%v, saved %v; error %v", back, p, err)
		for _, given := range [][]nn.Network{nil, {nn.Experts{}}} {
			_, err := learn.Load(old, given...)
			must.Be(t, err != nil && strings.HasSuffix(err.Error(), "give the network that was trained"),
				"%v: error %v", given, err)
		}
	})
	t.Run("a type of one's own", func(t *testing.T) {
		c := c
		c.Net = inverted{Sign: -1}
		p := learntest.Train(t, few, c)
		path := filepath.Join(t.TempDir(), "own")
		must.Do(t, p.Save(path))
		back, err := learn.Load(path, inverted{})
		must.Be(t, err == nil && same(p, back) && back.Net == c.Net, "%v, saved %v; error %v", back, p, err)
		must.Refuse(learn.Load(path))(t, "learn_test.inverted is known here; give one")
	})
	t.Run("truncated", func(t *testing.T) {
		raw := must.Get(os.ReadFile(path))(t)
		short := filepath.Join(t.TempDir(), "short")
		must.Do(t, os.WriteFile(short, raw[:len(raw)-9], 0o644))
		must.Refuse(learn.Load(short, c.Net))(t, "is corrupt")
	})
	t.Run("forged", func(t *testing.T) {
		for _, x := range []struct {
			tensor string
			i      int
			v      float64
			want   string
		}{
			{"mean", 2, math.NaN(), "mean NaN and sd"}, {"sd", 0, math.NaN(), "sd NaN of cell 0"},
			{"sd", 5, 0, "sd 0 of cell 5"},
			{"sd", 5, -1, "sd -1 of cell 5"}, {"mean", 1, math.Inf(1), "mean +Inf"},
			{"weights", 7, math.NaN(), "NaN as weight 7"},
			{"coupling", 3, math.NaN(), "NaN as coupling 3"}, {"coupling", 0, 0, "0 as coupling 0"},
		} {
			f := must.Get(store.Read(path))(t)
			forged, _ := f.Tensor(x.tensor)
			switch values := forged.Data.(type) {
			case []float32:
				values[x.i] = float32(x.v)
			case []float64:
				values[x.i] = x.v
			}
			file := filepath.Join(t.TempDir(), "forged")
			must.Do(t, store.Write(file, f))
			must.Refuse(learn.Load(file, c.Net))(t, x.want, "train the network anew")
		}
	})
	t.Run("forged networks", func(t *testing.T) {
		for net, want := range map[*nn.UNet]string{
			{Rows: 2, Columns: 3, Multiples: []int{1}, Channels: -4}: "Channels -4",
			{Rows: 2, Columns: 4, Multiples: []int{1}}:               "2×4 cells and 0 parameters, and a prior of 6",
		} {
			f, file := must.Get(store.Read(path))(t), filepath.Join(t.TempDir(), "forged")
			f.Meta["network"], f.Meta["architecture"] = net.String(), must.Get(nn.Describe(net))(t)
			must.Do(t, store.Write(file, f))
			must.Refuse(learn.Load(file))(t, want, "give the network that was trained")
		}
	})
	t.Run("no network", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "other")
		must.Do(t, store.Write(file, &store.File{Meta: map[string]string{"likelihood": "poisson"}}))
		if _, err := learn.Load(file); err == nil || err.Error() != "prior: "+file+
			" holds no network; give a file that Save of a trained network wrote" {
			t.Errorf("error %v", err)
		}
	})
	t.Run("not there", func(t *testing.T) {
		_, err := learn.Load(filepath.Join(t.TempDir(), "none"), c.Net)
		must.Be(t, errors.Is(err, os.ErrNotExist), "error %v", err)
	})
}

func BenchmarkTrainStep(b *testing.B) {
	enginetest.Benchmark(b, func(b *testing.B, e *engine.Engine) {
		// One iteration is one step of the default training. Compilation, the
		// scale and the coupling are in it: ask for -benchtime=500x or more.
		must.Get(learn.Train(gp.RBF{}, learn.Training{Steps: max(b.N, 1), Engine: e, Fresh: true}))(b)
	})
}
