package graph_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/hmc"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/joint"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// TestWalkAtPlaces: differences of a walk of first order have variances in proportion to the distance, as Brownian
// motion has them. Walks are orthogonal to the constant, and in second order to the line. Equal places change nothing.
func TestWalkAtPlaces(t *testing.T) {
	at := []float64{-2, -1.5, 0, 0.2, 4, 5, 5.5}
	k := given(t, graph.Walk{Cells: len(at), At: at, SD: 1})
	variance := func(i, j int) float64 { return k.At(i, i) + k.At(j, j) - 2*k.At(i, j) }
	for i := range at {
		for j := range i {
			must.Relative(t, fmt.Sprint(i, j), variance(i, j)/variance(6, 0), (at[i]-at[j])/7.5, 1e-10)
		}
	}
	second := given(t, graph.Walk{Cells: len(at), Order: 2, At: at, SD: 1})
	for i := range at {
		var sum, line float64
		for j, v := range at {
			sum, line = sum+second.At(i, j), line+v*second.At(i, j)
		}
		must.Absolute(t, "constant", sum, 0, 1e-10)
		must.Absolute(t, "line", line, 0, 1e-10)
	}
	for order := range 2 {
		near(t, "equal places", given(t, graph.Walk{Cells: 5, Order: order + 1, At: []float64{2, 5, 8, 11, 14}, SD: 2}),
			given(t, graph.Walk{Cells: 5, Order: order + 1, SD: 2}))
	}
}

// TestSum: the posterior of villages, a curve, a slope and a level under normal data is the closed form, integrated by
// quadrature over both unknown standard deviations. So are those of η, and of each block by its name.
func TestSum(t *testing.T) {
	const rows, draws = 60, 2000
	rng := expfam.Stream(5, "sum")
	var villages []string
	var age, rain, y []float64
	for k := range rows {
		villages = append(villages, fmt.Sprint("v", k%7))
		age = append(age, float64(1+(5*k)%12))
		rain = append(rain, math.Floor(4*rng.Float64()))
		y = append(y, 1+0.4*float64(k%7)-0.3*rain[k]+math.Sin(age[k]/2)+0.7*rng.NormFloat64())
	}
	sum := &graph.Sum{LevelSD: 5, Terms: []graph.Term{
		graph.Group{Name: "village", Of: villages}, graph.Smooth{Name: "age", Of: age, SlopeSD: 3},
		graph.Linear{Name: "rain", Of: rain, SD: 2}}}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.7}, Operator: sum}
	obs := must.Get(like.Observe1(y...))(t)
	prior := gp.Unknown{Of: sum}
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)

	d := sum.Dim()
	var logs []float64
	var parts []*gp.Conditional
	var scores [][]float64
	for a := -4.0; a <= 4; a += 0.4 {
		for b := -4.0; b <= 4; b += 0.4 {
			mean, cov := must.Get2(sum.Given(law.Values(prior.Parameters(), []float64{a, b})))(t)
			c := must.Get(gp.Exact(must.Get(gp.New(mean, cov))(t), like, obs))(t)
			parts, logs = append(parts, c), append(logs, c.LogEvidence-(a*a+b*b)/2)
			scores = append(scores, []float64{a, b})
		}
	}
	// The quantities are the parameters' scores, the cells, and η of the first rows.
	quantities := func(scores, cells []float64) []float64 {
		all := append(append([]float64(nil), scores...), cells...)
		for k := range 5 {
			var eta float64
			sum.Row(k, func(j int, w float64) { eta += w * cells[j] })
			all = append(all, eta)
		}
		return all
	}
	want, square := make([]float64, 2+d+5), make([]float64, 2+d+5)
	total := floats.LogSumExp(logs)
	for i, l := range logs {
		w := math.Exp(l - total)
		for q, v := range quantities(scores[i], parts[i].Mean) {
			want[q] += w * v
			square[q] += w * v * v
		}
		for j := range d {
			square[2+j] += w * parts[i].Cov.At(j, j)
		}
		for k := range 5 {
			sum.Row(k, func(j int, v float64) {
				sum.Row(k, func(l int, u float64) { square[2+d+k] += w * v * u * parts[i].Cov.At(j, l) })
			})
		}
	}
	got := make([][]float64, len(want))
	for i := range draws {
		var own []float64
		for k, p := range post.Parameters {
			own = append(own, law.Score(prior.Parameters()[k].Law, p.Draws[i]))
		}
		for q, v := range quantities(own, post.X.RawRowView(i)) {
			got[q] = append(got[q], v)
		}
	}
	for q := range want {
		sd := math.Sqrt(square[q] - want[q]*want[q])
		mean, width := stat.MeanStdDev(got[q], nil)
		// Five standard errors of 2000 draws, whose effective number is at least half.
		if off := math.Abs(mean-want[q]) / sd; off > 0.16 || math.Abs(width/sd-1) > 0.13 {
			t.Errorf("quantity %d: %.3f sd off, width %.3f", q, off, width/sd)
		}
	}

	village := must.Get(sum.Part(post, "village"))(t)
	_, cells := village.Dims()
	must.Be(t, cells == 7 && village.CellNames()[3] == "v3" && village.X.At(5, 3) == post.X.At(5, 3),
		"the part of the villages has %d cells with the names %v", cells, village.CellNames())
	must.Be(t, post.Parameters[0].Name == "village sd" && post.Parameters[1].Name == "age sd", "the parameters are %v",
		post.Parameters)
}

// TestSumCounts: under counts the posterior is that of chains of Hamiltonian Monte Carlo over cells and numbers, which
// take the dense covariance.
func TestSumCounts(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("chains take a minute; run with -full")
	}
	var villages []string
	var age, y []float64
	rng := expfam.Stream(8, "sum of counts")
	for k := range 50 {
		villages, age = append(villages, fmt.Sprint("v", k%6)), append(age, float64(1+(3*k)%8))
		y = append(y, math.Floor(6*rng.Float64()*(1+math.Sin(age[k]/2))+float64(k%6)/2))
	}
	sum := &graph.Sum{LevelSD: 2, Terms: []graph.Term{
		graph.Group{Name: "village", Of: villages}, graph.Smooth{Name: "age", Of: age, SlopeSD: 2}}}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: sum}
	obs := must.Get(like.Observe1(y...))(t)
	prior := gp.Unknown{Of: sum}
	const draws = 4000
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: draws, Seed: 1, Fresh: true}))(t)
	chain := must.Get(hmc.Joint(prior, like, obs, hmc.Options{Warmup: 1000, Draws: 3000, Seed: 2, Fresh: true}))(t)
	t.Log(post.Info.Seconds, chain.Info.Seconds, post.Alarm())
	// Five standard errors. Chains are taken to have a thousand effective draws.
	tolerance := 5 * math.Sqrt(1./draws+1./1000)
	check := func(what string, got, want []float64) {
		m, s := stat.MeanStdDev(got, nil)
		mean, sd := stat.MeanStdDev(want, nil)
		t.Logf("%s: %.3f sd off, width %.3f", what, (m-mean)/sd, s/sd)
		must.Be(t, math.Abs(m-mean)/sd < tolerance && math.Abs(s/sd-1) < tolerance, "%s: %.3f sd off, width %.3f", what,
			(m-mean)/sd, s/sd)
	}
	for k, p := range post.Parameters {
		check(p.Name, p.Draws, chain.Parameters[k].Draws)
	}
	for j := range sum.Dim() {
		check(fmt.Sprint("cell ", j), mat.Col(nil, j, post.X), mat.Col(nil, j, chain.X))
	}
}

// TestSumRefuses: what is wrong is said in one sentence.
func TestSumRefuses(t *testing.T) {
	group := graph.Group{Name: "village", Of: []string{"a", "b", "a"}}
	for want, s := range map[string]*graph.Sum{
		"no Terms":             {},
		"term 0 of Sum is nil": {Terms: []graph.Term{nil}},
		`lacks a Name`:         {Terms: []graph.Term{graph.Block{}}},
		"no LevelSD":           {Level: 1, Terms: []graph.Term{group}},
		`"c" of the group "v" has no data`: {Terms: []graph.Term{graph.Group{Name: "v", Of: []string{"a"},
			Names: []string{"a", "c"}}}},
		`row 1 of the group "v" is "aa"`: {Terms: []graph.Term{graph.Group{Name: "v", Of: []string{"a", "aa"},
			Names: []string{"a", "c"}}}},
		`terms 0 and 1 both have the name "village"`: {Terms: []graph.Term{group, group}},
		`has 2 data`: {Terms: []graph.Term{group, graph.Linear{Name: "rain", Of: []float64{1, 2}}}},
		`row 1 of the covariate "rain" is NaN`: {Terms: []graph.Term{group,
			graph.Linear{Name: "rain", Of: []float64{1, math.NaN(), 0}}}},
		`"age" has 2 different values`: {Terms: []graph.Term{graph.Smooth{Name: "age", Of: []float64{1, 1, 2}}}},
		`has 1 Knots`:                  {Terms: []graph.Term{graph.Smooth{Name: "age", Of: []float64{1, 3, 2}, Knots: 1}}},
		`looks at 4 cells`: {Terms: []graph.Term{graph.Block{Name: "b", Of: graph.Groups{Names: []string{"a"}},
			At: &operator.Select{Cells: 4}}}},
	} {
		err := traits.Check(s)
		must.Be(t, err != nil && strings.Contains(err.Error(), want),
			"the error is %v, and not %q", err, want)
	}
	for want, p := range map[string]graph.Walk{
		"2 places At and 3 Cells": {Cells: 3, At: []float64{1, 2}},
		"must ascend":             {Cells: 3, At: []float64{1, 2, 2}},
	} {
		err := p.Check()
		must.Be(t, err != nil && strings.Contains(err.Error(), want), "the error is %v, and not %q", err, want)
	}
}

// A count of each row is the sum of a level, an effect of its village, and a smooth effect of the age.
func ExampleSum() {
	var villages []string
	var age []float64
	for k := range 120 {
		villages = append(villages, []string{"Ahero", "Bondo", "Siaya"}[k%3])
		age = append(age, float64(1+k%40))
	}
	effects := &graph.Sum{LevelSD: 10, Terms: []graph.Term{
		graph.Group{Name: "village", Of: villages},
		graph.Smooth{Name: "age", Of: age},
	}}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: effects}
	y, rng := make([]float64, 120), expfam.Stream(1, "example")
	for k := range y {
		rate := math.Exp(1 + 0.5*float64(k%3) - math.Pow(age[k]/20-1, 2))
		y[k] = math.Floor(rate + math.Sqrt(rate)*rng.NormFloat64() + 0.5)
		y[k] = max(0, y[k])
	}
	obs := expfam.Must(like.Observe1(y...))
	post := expfam.Must(joint.Sample(gp.Unknown{Of: effects}, like, obs, joint.Options{Draws: 200}))
	curve := expfam.Must(effects.Part(post, "age"))
	mean := curve.Latent().Mean()
	fmt.Println("unknown:", post.Parameters[0].Name, "and", post.Parameters[1].Name)
	fmt.Println("the curve at 1 and 40 is below that at 20:", mean[0] < mean[19] && mean[39] < mean[19])
	// Output:
	// unknown: village sd and age sd
	// the curve at 1 and 40 is below that at 20: true
}

// A sum of effects has no alarm about the cells of single effects, which the data bound only in their sum.
func TestSumAlarm(t *testing.T) {
	rows := make([]string, 60)
	y := make([]float64, len(rows))
	for k := range rows {
		rows[k], y[k] = fmt.Sprint("v", k%2), float64(20+k%5)
	}
	sum := &graph.Sum{LevelSD: 10, Terms: []graph.Term{graph.Group{Name: "village", Of: rows, SD: 10},
		graph.Linear{Name: "rain", Of: y, SD: 0.1}}}
	like := expfam.Likelihood{Family: expfam.Poisson{}, Link: expfam.ExpLink, Operator: sum}
	obs := must.Get(like.Observe1(y...))(t)
	post := must.Get(hmc.Sample(must.Get(sum.Gaussian())(t), like, obs, hmc.Options{Chains: 2, Draws: 200, Seed: 1}))(t)
	mean, high := post.Mean(), post.Quantile(0.975)
	must.Be(t, mean[0] > high[0], "the level and the villages are told apart: %g, %g", mean[0], high[0])
	must.Be(t, post.Alarm() == "", "the alarm is %q", post.Alarm())
}

// Rain falls on some days (Bernoulli), and then an amount (Gamma). Both see the same effects of stations and of the
// time of the year.
func ExampleSum_hurdle() {
	const days = 200
	rng := expfam.Stream(6, "rain")
	var stations []string
	var month, falls, amounts []float64
	var wet []int
	for k := range days {
		stations = append(stations, fmt.Sprint("station ", k%4))
		month = append(month, float64(k%12))
		eta := math.Cos(month[k]*math.Pi/6) + 0.3*float64(k%4-1)
		falls = append(falls, 0)
		if rng.Float64() < 1/(1+math.Exp(-eta)) {
			falls[k] = 1
			wet, amounts = append(wet, k), append(amounts, math.Exp(eta)*(0.5*rng.ExpFloat64()+0.5*rng.ExpFloat64()))
		}
	}
	effects := &graph.Sum{LevelSD: 5, Terms: []graph.Term{
		graph.Group{Name: "station", Of: stations}, graph.Smooth{Name: "month", Of: month}}}
	occurs := expfam.Likelihood{Family: expfam.Bernoulli{}, Operator: effects}
	amount := expfam.Likelihood{Family: expfam.Gamma{Shape: 2}, Link: expfam.MustLink("2*exp(-x)"),
		Operator: operator.Compose{&operator.Select{Cells: days, Keep: wet}, effects}}
	obs := slices.Concat(expfam.Must(occurs.Observe1(falls...)), expfam.Must(amount.Observe1(amounts...)))
	post := expfam.Must(joint.Sample(gp.Unknown{Of: effects}, expfam.Together(occurs, amount), obs,
		joint.Options{Draws: 200}))
	year := expfam.Must(effects.Part(post, "month")).Latent().Mean()
	fmt.Printf("rain is most in month 0 and least in month 6: %t\n", year[0] > year[3] && year[3] > year[6])
	// Output:
	// rain is most in month 0 and least in month 6: true
}

// TestSumOfProcess: a process without a sparse precision is a block too. Then the covariance is dense.
func TestSumOfProcess(t *testing.T) {
	villages, y := make([]string, 24), make([]float64, 24)
	for k := range y {
		villages[k], y[k] = fmt.Sprint(k%3), float64(k%3)+math.Sin(float64(k)/3)
	}
	sum := &graph.Sum{Terms: []graph.Term{graph.Group{Name: "village", Of: villages},
		graph.Block{Name: "time", Of: gp.RBF{Cells: 24, Variance: 1}, At: &operator.Select{Cells: 24}}}}
	like := expfam.Likelihood{Family: expfam.Normal{SD: 0.3}, Operator: sum}
	obs := must.Get(like.Observe1(y...))(t)
	prior := gp.Unknown{Of: sum, Laws: law.Laws{"time length scale": law.LogNormal{Median: 0.2, SD: 0.5}}}
	post := must.Get(joint.Sample(prior, like, obs, joint.Options{Draws: 100, Fresh: true}))(t)
	village := must.Get(sum.Part(post, "village"))(t).Latent().Mean()
	must.Be(t, village[0] < village[1] && village[1] < village[2], "the villages are %v", village)
	must.Be(t, post.Parameters[1].Name == "time length scale", "the parameters are %v", post.Parameters)
}
