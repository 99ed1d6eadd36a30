package learn_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	. "github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/learntest"
	"github.com/expfam/lab/expfam/learn"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// rows makes an operator of weights.
func rows(rows ...[]float64) *operator.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for k, r := range rows {
		m.SetRow(k, r)
	}
	return &operator.Dense{Matrix: m}
}

// Of Normal data the evidence has a closed form: with x₀ | x_t ~ N(m, C) datum k alone is
// N((H m)_k, (H C Hᵀ)_kk + noise²). A short training comes close to it.
func TestInferenceThroughOperators(t *testing.T) {
	const batch, noise = 300, 0.5
	weights := [][]float64{{0.5, 0.5, 0.5, 0, 0, 0}, {0, 0, 1, -1, 0, 0.5}}
	op := rows(weights...)
	like := Likelihood{Family: Normal{SD: noise}, Operator: op}
	c := learntest.Tiny(t)
	c.Engine, c.Steps, c.Batch, c.Rate, c.Average = enginetest.Fast(t), fulltest.N(500, 1500), 128, 0.01, 0.99
	c.Net = nn.Experts{Experts: 6, Blocks: 1, Width: 16, Embedding: 32}
	learned := learntest.TrainInference(t, few, like, c)
	obs := Must(like.Observe1(0.8, -0.6))
	for _, sigma := range []float64{3, 0.5, 0.1} {
		l, x := level.At(sigma), diffused(few, sigma, batch)
		got := enginetest.Call(t, c.Engine, func(x, a, v *node) []*node {
			both := func(n *node) *node { return graph.BroadcastToDims(n, batch, 2) }
			loc, conc := learned.Infer(x, level.Nodes{SqrtAlpha: a, V: v})
			stat, size := graph.Const(x.Graph(), [][]float64{obs.Stats()}),
				graph.Const(x.Graph(), [][]float64{obs.Sizes()})
			stat, size = graph.ConvertDType(stat, x.DType()), graph.ConvertDType(size, x.DType())
			return []*node{both(loc), both(conc), both(Normal{}.Conjugate().LogEvidence(loc, conc, stat, size))}
		}, x, [][]float64{{l.SqrtAlpha}}, [][]float64{{l.V}})
		mean, cov := conditional(sigma)
		var miss, ratio, evidence [2]float64
		for b := range batch {
			for k, w := range weights {
				var at, variance float64
				for i := range w {
					for j := range w {
						at += w[i] * mean.At(i, j) * x[b][j] / l.SqrtAlpha
						variance += w[i] * w[j] * cov.At(i, j)
					}
				}
				i := 2*b + k
				miss[k] += math.Pow(got[0][i]-at, 2) / variance / batch
				ratio[k] += math.Exp(got[1][i]) * variance / batch
				total := variance + noise*noise
				y := obs[k].Stat / obs[k].Size
				want := -(y-at)*(y-at)/(2*total) - math.Log(2*math.Pi*total)/2
				evidence[k] += math.Pow(obs[k].Base+got[2][i]-want, 2) / batch
			}
		}
		for k := range weights {
			miss, off := math.Sqrt(miss[k]), math.Sqrt(evidence[k])
			t.Logf("sigma %g, datum %d: location %.3f sd off, concentration %.3f of the exact, log evidence %.3f off",
				sigma, k, miss, ratio[k], off)
			// Twice what this training leaves. Independent cells would have 0.43 and 6 times the
			// variance of datum 0 and of datum 1 at sigma 3.
			if !(miss < 0.25) || !(math.Abs(ratio[k]-1) < 0.15) || !(off < 0.16) {
				t.Errorf("sigma %g, datum %d: location %.3f sd off, concentration %.3f of the exact, log evidence "+
					"%.3f off", sigma, k, miss, ratio[k], off)
			}
		}
	}
	t.Run("posterior", func(t *testing.T) {
		s := diffusion.Sampler{Draws: fulltest.N(400, 2000), Seed: 1, Engine: c.Engine, Method: diffusion.Restarts{},
			Guidance: diffusion.Evidence{Inference: learned}, Fresh: true}
		post := sample(t, few, like, obs, s)
		must.Equal(t, post.Info.Products, post.Info.Evaluations, "products in", "evaluations")
		exact := Must(gp.Exact(few, like, obs))
		sd := make([]float64, 6)
		for j := range sd {
			sd[j] = math.Sqrt(exact.Cov.At(j, j))
		}
		for j, m := range post.Latent().Mean() {
			// 400 draws: three standard errors are .15 sd, and as much for the training
			// and for data that are taken for independent given x_t.
			must.Absolute(t, fmt.Sprintf("cell %d: mean", j), m, exact.Mean[j], 0.3*sd[j])
		}
	})
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "inference.safetensors")
		must.Do(t, learned.Save(path))
		back, err := learn.LoadInference(path, like, c.Net)
		must.Need(t, err == nil && back.String() == learned.String(), "%v, saved %v: %v", back, learned, err)
		s := diffusion.Sampler{Draws: 3, Engine: c.Engine, Method: diffusion.Multistep{N: 3}, Fresh: true}
		s.Guidance = diffusion.Evidence{Inference: back}
		a := sample(t, few, like, obs, s)
		s.Guidance = diffusion.Evidence{Inference: learned}
		must.Be(t, mat.Equal(a.X, sample(t, few, like, obs, s).X), "the network of the file makes other draws")
		other := Likelihood{Family: Normal{SD: noise}, Operator: rows(weights[1], weights[0])}
		_, err = learn.LoadInference(path, other, c.Net)
		must.Be(t, err != nil && strings.Contains(err.Error(), "seen through a matrix of 2×6 (") &&
			strings.HasSuffix(err.Error(), "train one with TrainInference"),
			"other weights: %v", err)
		must.Refuse(diffusion.Sample(few, other, obs, s))(t, "train one with TrainInference")
		must.Refuse(learn.LoadInference(path, Likelihood{Family: Normal{SD: noise}}, c.Net))(t, "was trained for")
	})
}

// conditional has M and C of x₀ | x_t ~ N(M x_t/√α, C) for the prior few, of mean 0.
func conditional(sigma float64) (m, c *mat.Dense) {
	k := few.Cov()
	var total, inverse mat.Dense
	total.CloneFrom(k)
	for j := range 6 {
		total.Set(j, j, total.At(j, j)+sigma*sigma)
	}
	if err := inverse.Inverse(&total); err != nil {
		panic(err)
	}
	m, c = new(mat.Dense), new(mat.Dense)
	m.Mul(k, &inverse)
	c.Mul(m, k)
	c.Sub(k, c)
	return m, c
}

// A network has as many priors as the operator has data, more or fewer than cells. What it
// cannot serve is refused in a sentence.
func TestInferenceOfAnyNumberOfData(t *testing.T) {
	c := learntest.Tiny(t)
	c.Steps = 5
	many := make([][]float64, 9)
	for k := range many {
		many[k] = make([]float64, 6)
		many[k][k%6], many[k][(k+k/6+1)%6] = 1, 0.5
	}
	s := diffusion.Sampler{Draws: 2, Engine: c.Engine, Method: diffusion.Multistep{N: 4}, Fresh: true}
	for _, w := range [][][]float64{many, many[:1]} {
		like := Likelihood{Family: Poisson{}, Operator: operator.Offset{Of: rows(w...), By: 0.5}}
		n := learntest.TrainInference(t, few, like, c)
		s.Guidance = diffusion.Evidence{Inference: n}
		must.Equal(t, sample(t, few, like, make(Observations, len(w)), s).Info.Missing, len(w), "data are missing")
		// The intercept of the link is free behind an operator, too.
		moved := Likelihood{Family: Poisson{}, Link: MustLink("exp(2+x)"), Operator: like.Operator}
		sample(t, few, moved, make(Observations, len(w)), s)
	}
	one := Likelihood{Family: Poisson{}, Operator: rows(many[0])}
	cells := learntest.TrainInference(t, few, poisson, c)
	for want, g := range map[string]diffusion.Guidance{
		"needs an inference network that was trained for it":    diffusion.Evidence{},
		`not for "gamma, log(theta) = c + 1 x, seen through a`:  diffusion.Evidence{Inference: cells},
		"this guidance takes data of single cells; guide data ": diffusion.Corrected{Inference: cells},
	} {
		s.Guidance = g
		must.Refuse(diffusion.Sample(few, one, make(Observations, 1), s))(t, want)
	}
	for want, like := range map[string]Likelihood{
		"is no function of one linear combination of cells": {Family: Poisson{},
			Operator: SumOf{Operator: one.Operator}},
		"serves one data set, and this likelihood has 2": Together(poisson, one),
		"looks at 5 cells, and the prior has 6":          {Family: Poisson{}, Operator: rows([]float64{1, 1, 1, 1, 1})},
	} {
		must.Refuse(learn.TrainInference(few, like, c))(t, want)
	}
	// An operator that is the identity is none.
	eye := make([][]float64, 6)
	for j := range eye {
		eye[j] = make([]float64, 6)
		eye[j][j] = 1
	}
	s.Guidance = diffusion.Evidence{Inference: cells}
	obs := observe(t, poisson, 2, 0, 1, 1, 4, 3)
	a, b := sample(t, few, poisson, obs, s), sample(t, few, Likelihood{Family: Poisson{}, Operator: rows(eye...)}, obs,
		s)
	must.Be(t, mat.Equal(a.X, b.X), "the identity as operator makes other draws")
}
