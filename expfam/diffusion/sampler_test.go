package diffusion_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// benchmark is the data of a case of ../testdata/reference_posteriors.json.
func benchmark(t testing.TB, name string) []float64 {
	t.Helper()
	raw := must.Get(os.ReadFile("../testdata/reference_posteriors.json"))(t)
	var file struct {
		Cases map[string]struct{ Y []float64 }
	}
	must.Do(t, json.Unmarshal(raw, &file))
	return file.Cases[name].Y
}

func observe(t testing.TB, like expfam.Likelihood, y ...float64) expfam.Observations {
	t.Helper()
	return must.Get(like.Observe1(y...))(t)
}

func sample(t testing.TB, prior expfam.Prior, like expfam.Likelihood, obs expfam.Observations,
	s Sampler) *expfam.Posterior {
	t.Helper()
	s.Fresh = true
	return must.Get(Sample(prior, like, obs, s))(t)
}

var (
	normal  = expfam.Likelihood{Family: expfam.Normal{}}
	poisson = expfam.Likelihood{Family: expfam.Poisson{}}
)

// That engines draw the same is TestEnginesAgree.
func TestUnguidedSamplesThePrior(t *testing.T) {
	draws := float64(fulltest.N(2000, 4000)) // the bounds follow them
	for name, prior := range map[string]interface {
		expfam.Prior
		Mean() []float64
		Cov() *mat.SymDense
	}{
		"rbf": gp.RBF{Cells: 8, Length: 0.2},
		"uneven": expfam.Must(gp.New([]float64{1, -2, 0.5},
			mat.NewSymDense(3, []float64{4, 1, 0, 1, 0.5, -0.1, 0, -0.1, 0.09}))),
	} {
		t.Run(name, func(t *testing.T) {
			d := prior.Dim()
			post := sample(t, prior, normal, make(expfam.Observations, d), Sampler{
				Draws: int(draws), Seed: 3, Engine: enginetest.Open(t, "go"), Guidance: Unguided{},
				Method: Multistep{N: 60}})
			// 4.5 standard errors, and 2% of a variance for 60 steps, whose
			// error falls as their square (TestMethodOrder).
			k := prior.Cov()
			var cov mat.SymDense
			stat.CovarianceMatrix(&cov, post.X, nil)
			// All cells together tell more of a width than each: K⁻¹ times their covariance has the trace d.
			var factor mat.Cholesky
			var ratio mat.Dense
			must.Need(t, factor.Factorize(k), "the covariance has no factor")
			must.Do(t, factor.SolveTo(&ratio, &cov))
			v, tol := mat.Trace(&ratio)/float64(d), 3*math.Sqrt(2/draws/float64(d))+0.01
			must.Be(t, math.Abs(v-1) <= tol, "the variance of all cells is %.4f times theirs, want 1 ± %.4f", v, tol)
			for i := range d {
				near(t, fmt.Sprintf("mean %d", i), stat.Mean(mat.Col(nil, i, post.X), nil), prior.Mean()[i],
					4.5*math.Sqrt(k.At(i, i)/draws))
				for j := range d {
					scale := k.At(i, i) * k.At(j, j)
					tol := 4.5*math.Sqrt((scale+k.At(i, j)*k.At(i, j))/draws) + 0.02*math.Sqrt(scale)
					must.Be(t, math.Abs(cov.At(i, j)-k.At(i, j)) <= tol,
						"covariance (%d, %d) is %.4f, want %.4f ± %.4f", i, j, cov.At(i, j), k.At(i, j), tol)
				}
			}
		})
	}
}

// The default sampler on Normal data of the benchmark, and with half of it missing, against the closed form, jointly.
// That engines draw the same is TestEnginesAgree.
func TestNormalPosterior(t *testing.T) {
	y := benchmark(t, "normal")
	all := observe(t, normal, y...)
	half := append(expfam.Observations{}, all...)
	for j := range half {
		if j%2 == 1 || j > 20 {
			half[j] = expfam.Term{}
		}
	}
	prior, e := gp.RBF{}, enginetest.Fast(t)
	compiled := must.Get(Compile(prior, normal, Sampler{Draws: 2000, Engine: e}))(t)
	defer compiled.Close()
	for name, obs := range map[string]expfam.Observations{"all observed": all, "half missing": half} {
		if name == "half missing" && !*fulltest.Full {
			continue // TestMissingCellsWidenThePosterior has a cell
		}
		exact := must.Get(gp.Exact(prior, normal, obs))(t)
		t.Run(name, func(t *testing.T) {
			post := must.Get(compiled.Sample(t.Context(), obs, 1))(t)
			// Means are good to 4 standard errors of 1/√2000 = 0.022 sd and 0.03 sd of bias; estimates of an sd scatter
			// by 1/√4000 = 0.016, 4 times.
			agrees(t, "draws", post, exact.Mean, exact.Cov, 0.12, 0.065)
			average := post.Latent().Functional(func(x []float64) float64 { return stat.Mean(x, nil) })
			n := float64(len(y))
			wantSD := math.Sqrt(mat.Sum(exact.Cov)) / n
			miss := (stat.Mean(average, nil) - stat.Mean(exact.Mean, nil)) / wantSD
			must.Be(t, math.Abs(miss) <= 0.12, "spatial average: mean %.2f sd off", miss)
			// Cells counted twice would make this 0.8 or less.
			ratio := stat.StdDev(average, nil) / wantSD
			must.Be(t, ratio >= 0.935 && ratio <= 1.065, "spatial average: sd is %.3f of the exact", ratio)
			must.Be(t, post.Info.Evaluations == 8 && post.Info.Products == 0 && post.Info.Engine == e.String() &&
				post.Info.Seed == 1,
				"info %+v; want 8 evaluations and no products", post.Info)
		})
	}
}

var few = gp.RBF{Cells: 6, Length: 0.3}

func TestMissingCellsWidenThePosterior(t *testing.T) {
	full := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	some := append(expfam.Observations{}, full...)
	some[0] = expfam.Term{}
	s := Sampler{Draws: 1000, Seed: 2, Engine: enginetest.Open(t, "go")}
	a, b := sample(t, few, normal, full, s).Latent().SD(), sample(t, few, normal, some, s).Latent().SD()
	exactA, exactB := expfam.Must(gp.Exact(few, normal, full)), expfam.Must(gp.Exact(few, normal, some))
	want := math.Sqrt(exactB.Cov.At(0, 0) / exactA.Cov.At(0, 0))
	// The same noise in both; sd good to 1/√2000 and the bias of few steps.
	if got := b[0] / a[0]; want < 1.05 || math.Abs(got/want-1) > 0.06 {
		t.Errorf("sd grows by %.3f in the missing cell, want %.3f", got, want)
	}

	t.Run("all missing is the prior", func(t *testing.T) {
		s := s
		s.Draws = 40
		// In drawn steps a cell that is missing has a precision of 1e-9/s² and noise of its own.
		for m, within := range map[Method]float64{Restarts{}: 0, CovarianceSteps{}: 1e-3} {
			s.Method, s.Guidance = m, nil
			guided := sample(t, few, normal, make(expfam.Observations, 6), s)
			s.Guidance = Unguided{}
			free := sample(t, few, normal, make(expfam.Observations, 6), s)
			must.Be(t, mat.EqualApprox(guided.X, free.X, within), "%v: guidance without data changes the draws", m)
		}
	})
}

// Both engines draw the same, up to rounding; double precision says how much of it there is.
func TestEnginesAgree(t *testing.T) {
	obs := observe(t, normal, benchmark(t, "normal")...)
	double := sample(t, gp.RBF{}, normal, obs,
		Sampler{Draws: 20, Seed: 1, DType: dtypes.Float64, Engine: enginetest.Open(t, "go")}).X
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		got := sample(t, gp.RBF{}, normal, obs, Sampler{Draws: 20, Seed: 1, Engine: e}).X
		var worst float64
		for k := range 20 {
			worst = max(worst, floats.Distance(got.RawRowView(k), double.RawRowView(k), math.Inf(1)))
		}
		// The eigenvectors of the smallest eigenvalues amplify roundings of 6e-8 by σ/s up to some hundred.
		must.Be(t, worst < 2e-3, "draws are %.2g off those of double precision", worst)
		t.Logf("draws are at most %.2g off", worst)
	})
}

func TestSampleRefuses(t *testing.T) {
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	with := func(j int, c expfam.Term) expfam.Observations {
		o := append(expfam.Observations{}, obs...)
		o[j] = c
		return o
	}
	for _, c := range []struct {
		name string
		like expfam.Likelihood
		obs  expfam.Observations
		s    Sampler
		want string
	}{
		{"NaN statistic", normal, with(2, expfam.Term{Stat: math.NaN(), Size: 1}), Sampler{},
			"cell 2 has statistic NaN"},
		{"infinite size", normal, with(4, expfam.Term{Stat: 1, Size: math.Inf(1)}), Sampler{},
			"cell 4 has statistic 1, size +Inf"},
		{"negative size", normal, with(4, expfam.Term{Stat: 1, Size: -1}), Sampler{},
			"cell 4 has statistic 1, size -1"},
		{"too few cells", normal, obs[:5], Sampler{}, "5 observations of 6 data"},
		{"too many cells", normal, append(obs[:6:6], expfam.Term{}), Sampler{}, "7 observations of 6 data"},
		{"negative draws", normal, obs, Sampler{Draws: -1}, "-1 draws"},
		{"draws beyond all memory", normal, obs, Sampler{Draws: 1 << 50}, "1125899906842624 draws of 6 cells"},
		{"as many as an integer holds", normal, obs, Sampler{Draws: math.MaxInt}, "draw fewer"},
		{"from a number that is none", normal, obs, Sampler{First: math.MaxInt}, "from number 9223372036854775807"},
		{"negative batch", normal, obs, Sampler{Batch: -2}, "batches of -2"},
		{"integers", normal, obs, Sampler{DType: dtypes.Int32}, "dtype Int32; use Float32 or Float64"},
		{"too large for a float", normal, with(3, expfam.Term{Stat: 1e39, Size: 1}), Sampler{},
			"cell 3: the posterior of statistic 1e+39 and size 1 has no mode"},
		{"no steps", normal, obs, Sampler{Method: PredictorCorrector{N: -1}}, "N and SNR must be positive"},
		{"negative snr", normal, obs, Sampler{Method: PredictorCorrector{SNR: -0.1}}, "N and SNR must be positive"},
		{"one step", normal, obs, Sampler{Method: Multistep{N: 1}}, "use at least 2"},
		{"one step of the ODE", normal, obs, Sampler{Method: ODE{N: 1}}, "use at least 2"},
		{"negative steps", normal, obs, Sampler{Method: Multistep{N: -3}}, "use at least 2"},
		{"no return", normal, obs, Sampler{Method: Restarts{Count: -1}}, "must be at least 1"},
		{"spread below 0", normal, obs, Sampler{Method: Restarts{Spread: -1}}, "give a number from 0 to 1"},
		{"third cumulants below noise", normal, obs, Sampler{Method: Restarts{Skew: -2}},
			"Skew must be a noise level, or 0 for no third cumulants"},
		{"return below", normal, obs, Sampler{Method: Restarts{High: 0.01}}, "Low must be above"},
		{"negative noise", normal, obs, Sampler{Method: Multistep{VP: level.VP{Beta1: -1}}}, "β must be positive"},
		{"negative CG", normal, obs, Sampler{Guidance: Quadrature{Steps: -1}}, "-1 steps of conjugate gradients"},
		{"repelling dps", normal, obs, Sampler{Guidance: DPS{Weight: -0.5}}, "dps: Weight is -0.5"},
		{"negative nodes", normal, obs, Sampler{Guidance: Quadrature{Nodes: -1}}, "-1 nodes"},
		{"no family", expfam.Likelihood{}, obs, Sampler{}, "there is no family"},
		{"link outside the support", expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.IdentityLink}, obs,
			Sampler{}, "outside (0, +inf)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.s.Fresh, c.s.Engine = true, enginetest.Open(t, "go")
			post, err := Sample(few, c.like, c.obs, c.s)
			must.Be(t, post == nil && err != nil && strings.Contains(err.Error(), c.want),
				"posterior %v, error %v; want %q in it", post, err, c.want)
		})
	}
}

// The likelihood at the point estimate is stiff under steep links: few steps
// diverge, and say so instead of returning what is left.
func TestDivergenceIsAnError(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.MustLink("exp(5+x)")}
	obs := observe(t, like, benchmark(t, "poisson5")...)
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		post, err := Sample(gp.RBF{}, like, obs, Sampler{Draws: 50, Engine: e, Fresh: true, Guidance: Delta{},
			Method: Multistep{N: 13}})
		must.Be(t, post == nil && err != nil && strings.Contains(err.Error(), "diverged at step") &&
			strings.Contains(err.Error(), "of 13 (sigma"),
			"posterior %v, error %v", post != nil, err)
	})
}

func TestInterruptKeepsWhatIsFinished(t *testing.T) {
	obs := observe(t, normal, 1, 0.5, 0, -0.5, 0, 1)
	steps := len(CovarianceSteps{}.Steps())
	run := func(t *testing.T, stop int) (*expfam.Posterior, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := must.Get(Compile(few, normal, Sampler{Draws: 10, Batch: 4, Engine: enginetest.Open(t, "go"),
			Progress: func(done, _ int, _ float64) {
				if done == stop {
					cancel()
				}
			}}))(t)
		return c.Sample(ctx, obs, 1)
	}
	whole := must.Get(run(t, -1))(t)
	for _, c := range []struct {
		name string
		stop int
		rows int
	}{{"in the first batch", 3, 0}, {"at the end of the first", steps, 4}, {"in the third", 2*steps + 1, 8}} {
		t.Run(c.name, func(t *testing.T) {
			post, err := run(t, c.stop)
			must.Need(t, errors.Is(err, expfam.ErrInterrupted), "error %v", err)
			if c.rows == 0 {
				if post != nil {
					t.Errorf("%v", post.X)
				}
				return
			}
			if n, _ := post.Dims(); n != c.rows || !mat.Equal(post.X, whole.X.Slice(0, c.rows, 0, 6)) {
				t.Errorf("%d draws, want the first %d of the whole run", n, c.rows)
			}
			want := fmt.Sprintf("after %d of 10 draws", c.rows)
			must.Be(t, strings.Contains(err.Error(), want), "error %v, want %q in it", err, want)
		})
	}
	t.Run("at the very end", func(t *testing.T) {
		post, err := run(t, 3*steps)
		must.Be(t, err == nil && mat.Equal(post.X, whole.X), "error %v though every draw is finished", err)
	})
}

// Progress counts the steps of all batches up, and what Watch sees last are the draws.
func TestProgressAndWatch(t *testing.T) {
	var done, total []int
	var sigmas []float64
	last := make(map[int]*expfam.Draws)
	steps := 0
	post := sample(t, few, normal, make(expfam.Observations, 6), Sampler{Draws: 10, Batch: 4, Method: Multistep{N: 5},
		Progress: func(d, n int, sigma float64) {
			done, total, sigmas = append(done, d), append(total, n), append(sigmas, sigma)
		},
		Watch: func(first int, sigma float64, estimate *expfam.Draws) { last[first], steps = estimate, steps+1 }})
	for i := range done {
		must.Need(t, done[i] == i+1 && total[i] == 15, "call %d says %d of %d", i, done[i], total[i])
	}
	must.Be(t, len(done) == 15 && sigmas[0] > 100 && sigmas[4] < 0.1, "%d calls, noise levels %v", len(done), sigmas)
	must.Need(t, len(last) == 3 && steps == 15, "%d batches and %d steps, want 3 and 15", len(last), steps)
	for first, estimate := range last {
		n, d := estimate.X.Dims()
		sameDraws(t, first, estimate.X, post.X.Slice(first, first+n, 0, d).(*mat.Dense), 0)
	}
}
