package expfam_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// With one draw of equal θ and two data T is χ² with one degree of freedom.
func TestLocalVarianceOfTwo(t *testing.T) {
	like := Likelihood{Family: Normal{SD: 0.5}}
	post := &Posterior{X: mat.NewDense(1, 2, []float64{1, 1}), Likelihood: like}
	var more, less float64
	const seeds = 40
	for seed := range uint64(seeds) {
		v := must.Get(post.LocalVariance(Must(like.Observe1(1.2, 0.4)), seed))(t)
		more, less = more+v.More/seeds, less+v.Less/seeds
	}
	want := 1 - distuv.ChiSquared{K: 1}.CDF(0.8*0.8/(2*0.25))
	if se := math.Sqrt(want * (1 - want) / (seeds * 200)); math.Abs(more-want) > 4*se || math.Abs(more+less-1) > 1e-9 {
		t.Errorf("shares %g and %g, want %g and its complement", more, less, want)
	}
}

// field is an exponential field on side × side cells with a nugget.
func field(side int, length, nugget float64) *gp.Gaussian {
	k := mat.NewSymDense(side*side, nil)
	for i := range side * side {
		for j := range i + 1 {
			k.SetSym(i, j, 0.36*math.Exp(-math.Hypot(float64(i/side-j/side), float64(i%side-j%side))/length))
		}
		k.SetSym(i, i, 0.36+nugget*nugget)
	}
	return Must(gp.New(nil, k))
}

// Data of the model are exchangeable with replicates, so both shares average 1/2 over data sets.
// Data with a nugget that the prior lacks, and data of a smoother field, are noticed.
func TestLocalVarianceExact(t *testing.T) {
	const side, sets = 10, 30
	prior, like := field(side, 6, 0), Likelihood{Family: Normal{SD: 0.2}}
	for _, c := range []struct {
		name         string
		truth        *gp.Gaussian
		rough, plain int // alarms at least, at most
	}{
		{"the prior itself", prior, 0, 1},
		{"with a nugget", field(side, 6, 0.4), sets, sets},
		{"with a faint nugget", field(side, 6, 0.02), 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var more, less float64
			alarms := 0
			for k := range uint64(sets) {
				rng, x := Stream(k, c.name), make([]float64, side*side)
				c.truth.Draw(rng, x)
				for j := range x {
					x[j] += 0.2 * rng.NormFloat64()
				}
				obs := Must(like.Observe1(x...))
				for j := 17; j < 60; j += 7 {
					obs[j] = Term{}
				}
				post := Must(Must(gp.Exact(prior, like, obs)).Sample(50, k))
				post.Info.Rows, post.Info.Cols = side, side
				v := must.Get(post.LocalVariance(obs, 1))(t)
				more, less = more+v.More/sets, less+v.Less/sets
				if v.Alarm() != "" {
					alarms++
				}
			}
			// A share of one set has a standard deviation of at most 1/√12.
			if c.truth == prior && (math.Abs(more-0.5) > 4/math.Sqrt(12*sets) ||
				math.Abs(less-0.5) > 4/math.Sqrt(12*sets)) {
				t.Errorf("the shares average %.3f and %.3f", more, less)
			}
			must.Be(t, alarms >= c.rough && alarms <= c.plain, "%d alarms of %d", alarms, sets)
		})
	}
}

// Every family, also with several observations of a cell, replicates data of its own.
func TestLocalVarianceOfFamilies(t *testing.T) {
	for _, f := range []Family{Normal{SD: 2}, LogNormal{SD: 2}, NormalVariance{}, LogNormalVariance{}, Gamma{Shape: 2},
		Weibull{Shape: 2}, Pareto{}, Binomial{Trials: 8},
		NegativeBinomial{Successes: 3}, BetaBinomial{Trials: 8, Correlation: 0.1}, Poisson{}, Exponential{},
		Bernoulli{}, Geometric{}} {
		t.Run(f.String(), func(t *testing.T) {
			like := Likelihood{Family: f}
			post := &Posterior{X: mat.NewDense(3, 400, nil), Likelihood: like}
			replicates := 3
			if _, general := f.(General); general { // replicates of a cell share p
				replicates = 1
			}
			data := must.Get(like.Simulate(post.Theta().X.RawRowView(0), nil, replicates, 1))(t)
			v := must.Get(post.LocalVariance(Must(like.Observe(data)), 1))(t)
			// The right θ: p is uniform, and T of 399 pairs is near its mean; that of exponential tails has a
			// standard deviation of 15%.
			if v.More < 0.001 || v.Less < 0.001 || math.Abs(v.Ratio-1) > 0.6 || v.Replicates != 201 {
				t.Errorf("%+v", *v)
			}
		})
	}
}

func TestLocalVarianceIsSeeded(t *testing.T) {
	like := Likelihood{Family: Poisson{}}
	x := mat.NewDense(300, 9, nil)
	post := &Posterior{X: x, Likelihood: like}
	obs := Must(like.Observe1(1, 2, 0, 1, 3, 1, 0, 1, 2))
	a, b, c := Must(post.LocalVariance(obs, 1)), Must(post.LocalVariance(obs, 1)), Must(post.LocalVariance(obs, 2))
	must.Be(t, reflect.DeepEqual(a, b) && !reflect.DeepEqual(a, c), "%+v, %+v and with another seed %+v", *a, *b, *c)
}

func TestLocalVarianceRefuses(t *testing.T) {
	like := Likelihood{Family: Poisson{}}
	post := &Posterior{X: mat.NewDense(2, 3, nil), Likelihood: like}
	one := Must(like.Observe1(1, 2, 3))
	apart := Observations{one[0], {}, one[2]}
	v, err := post.LocalVariance(apart, 1)
	must.Be(t, v == nil && err == nil, "no neighbours: %v, %v", v, err)
	v, err = post.LocalVariance(Must(like.Observe1(0, 0, 0)), 1)
	must.Be(t, err == nil && v != nil && v.Less <= 0.2, "no events: %v, %v", v, err)
	for want, c := range map[string]func() (*LocalVariance, error){
		"the posterior is nil": func() (*LocalVariance, error) { return (*Posterior)(nil).LocalVariance(one, 1) },
		"2 observations for 3": func() (*LocalVariance, error) { return post.LocalVariance(one[:2], 1) },
		"there is no family":   func() (*LocalVariance, error) { return (&Posterior{X: post.X}).LocalVariance(one, 1) },
		"cell 0: θ = +Inf": func() (*LocalVariance, error) {
			return (&Posterior{X: mat.NewDense(1, 3, []float64{1e4, 0, 0}), Likelihood: like}).LocalVariance(one, 1)
		},
	} {
		v, err := c()
		must.Err(t, err, want)
		must.Equal(t, v, nil)
	}
}

// Sample checks what has neighbours, shows what is alarming, and stores it.
func TestSampleChecksLocalVariance(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	like := Likelihood{Family: Poisson{}, Link: MustLink("exp(3+x)")}
	y := make([]float64, 30)
	for j := range y {
		y[j] = float64(5 + 60*(j%2))
	}
	obs := Must(like.Observe1(y...))
	prior := gp.RBF{}
	s := diffusion.Sampler{Draws: 40, Engine: enginetest.Open(t, "go")}
	post := Must(diffusion.Sample(prior, like, obs, s))
	must.Be(t, post.Info.Local != nil && post.Info.Local.More <= 0.01 &&
		strings.Contains(post.String(), "give the prior a nugget"),
		"%+v\n%v", post.Info.Local, post)
	again := Must(diffusion.Sample(prior, like, obs, s))
	must.Equal(t, again.Info.Local, post.Info.Local, "stored", "made")
	first, second := Must(diffusion.Sample(prior, like, obs, Must(s.Share(0, 2)))),
		Must(diffusion.Sample(prior, like, obs, Must(s.Share(1, 2))))
	merged := Must(Merge(second, first)).Info.Local
	must.Be(t, merged != nil && merged.More <= 0.01 && merged.Replicates == 400, "merged %+v", merged)
	plain := Must(diffusion.Sample(prior.Gaussian(), like, obs, s)) // a matrix has no neighbours
	must.Be(t, plain.Info.Local == nil, "cells without neighbours have %+v", plain.Info.Local)
}

// What the check takes for 40 draws of 64 × 64 counts, of which Sample makes one in half a second.
func BenchmarkLocalVariance(b *testing.B) {
	like := Likelihood{Family: Poisson{}}
	post := &Posterior{X: mat.NewDense(40, 4096, nil), Likelihood: like}
	post.Info.Rows, post.Info.Cols = 64, 64
	exposures := slices.Repeat([]float64{10}, 4096)
	obs := Must(like.Observe(Must(like.Simulate(post.Theta().X.RawRowView(0), exposures, 1, 1))))
	for b.Loop() {
		must.Get(post.LocalVariance(obs, 1))(b)
	}
}
