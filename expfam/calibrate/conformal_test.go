package calibrate_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/calibrate"
	"github.com/expfam/lab/expfam/internal/densetest"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// Maps of which the model has the wrong prior, too stiff and too narrow, and the wrong family: a binomial
// for people who are alike. Numbers examined differ by a factor of 30. The model's own intervals hold about 0.80 of
// data that were held out, and conformal intervals hold 0.95.
func TestConformalOfAWrongModel(t *testing.T) {
	const side = 18
	maps := fulltest.N(3, 200)
	truth := densetest.New(t, densetest.Field{Rows: side, Cols: side, Level: -1, SD: 1, Length: 3})
	wrong := densetest.New(t, densetest.Field{Rows: side, Cols: side, Level: -1, SD: 0.5, Length: 3.5})
	scatter := expfam.BetaBinomial{Correlation: 0.01}
	model := expfam.Likelihood{Family: expfam.Binomial{}}
	var own, ours, ownWidth, width []float64
	small := [2][]float64{}
	for m := range uint64(maps) {
		rng := expfam.Stream(m, "conformal")
		x := make([]float64, side*side)
		truth.Draw(rng, x)
		seen, held, test := make(expfam.Observations, len(x)), make(expfam.Observations, len(x)),
			make(expfam.Observations, len(x))
		group := make([]int, len(x))
		for j := range x {
			p := expfam.SigmoidLink.At(x[j])
			n := math.Round(10 * math.Exp(3.4*rng.Float64()))
			y := scatter.Rand(p, expfam.Given(n), rng)
			to := []expfam.Observations{seen, held, held, test}[rng.IntN(4)]
			to[j] = must.Get(model.Family.Reduce(y, expfam.Given(n)))(t)
			if n >= 50 {
				group[j] = 1
			}
		}
		post := wrong.Sample(t, model, seen, 200, m)
		f := must.Get(calibrate.Conformal{Group: group, Seed: m}.Calibrate(post, held))(t)
		rows := must.Get(f.Compare(post, test))(t)
		own, ours = append(own, rows[0].Own.Mean), append(ours, rows[0].Conformal.Mean)
		ownWidth, width = append(ownWidth, rows[0].OwnWidth), append(width, rows[0].Width)
		for g := range 2 {
			small[g] = append(small[g], rows[1+g].Conformal.Mean)
		}
	}
	a, sa := stat.MeanStdDev(own, nil)
	b, sb := stat.MeanStdDev(ours, nil)
	n := math.Sqrt(float64(maps))
	t.Logf("%d maps: own 95%% intervals hold %.3f ± %.3f and are %.3f wide; conformal %.3f ± %.3f, %.3f wide; "+
		"by group %.3f and %.3f", maps, a, sa/n, stat.Mean(ownWidth, nil), b, sb/n, stat.Mean(width, nil),
		stat.Mean(small[0], nil), stat.Mean(small[1], nil))
	must.Be(t, a <= b-0.07 && (maps != 200 || math.Abs(a-0.8) <= 0.03),
		"the wrong model holds %.3f; the case should be wrong", a)
	if math.Abs(b-0.95) > 0.015+3*sb/n*float64(1-fulltest.N(0, 1)) { // few maps have a standard error
		t.Errorf("conformal intervals hold %.4f; want 0.95 within 0.015", b)
	}
}

// The quantile is a whole rank: of 39 exchangeable scores, a further one is below the 38th with probability 38/40.
func TestConformalRank(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	const d = 60
	post := &expfam.Posterior{X: normalDraws(2000, d), Likelihood: like}
	held := make(expfam.Observations, d)
	for j := range 39 {
		held[j] = must.Get(like.Family.Reduce(float64(j+1), expfam.Given(0.5)))(t)
	}
	f := must.Get(calibrate.Conformal{}.Calibrate(post, held))(t)
	// Replicates have mean 0 and variance 1 + 0.25, so the 38th score is near 38/√1.25; 2000 draws have an sd to 2%,
	// and in one cell a mean to 0.03.
	q := f.Scale[0]
	must.Be(t, f.N[0] == 39 && math.Abs(q/(38/math.Sqrt(1.25))-1) <= 0.08, "q = %g of %d data", q, f.N[0])
	block := make([]int, d)
	for j := range block {
		block[j] = j / 3
	}
	must.Refuse(calibrate.Conformal{Block: block}.Calibrate(post, held))(t, "39 calibration data in 13 blocks",
		"at least 19 blocks")
	must.Refuse(calibrate.Conformal{Group: block[1:]}.Calibrate(post, held))(t, "59 cells of Group for 60")
	must.Refuse(calibrate.Conformal{Level: 1}.Calibrate(post, held))(t, "level 1")
	far := make(expfam.Observations, d)
	far[50] = must.Get(like.Family.Reduce(0, expfam.Given(0.01)))(t)
	cells := f.Beyond(post, far)
	must.Be(t, fmt.Sprint(cells) == "[50]", "a datum of another size is not beyond: %v", cells)
}

// Of several groups that deserve a warning or an error the first is named, in each run.
func TestConformalGroups(t *testing.T) {
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	const d = 80
	post := &expfam.Posterior{X: normalDraws(200, d), Likelihood: like}
	held, group := make(expfam.Observations, d), make([]int, d)
	for j := range held {
		group[j] = j % 4
		held[j] = must.Get(like.Family.Reduce(float64(j+9), expfam.Given(1/float64(j+9))))(t)
	}
	for range 20 {
		f := must.Get(calibrate.Conformal{Level: 0.5, Group: group}.Calibrate(post, held))(t)
		must.Be(t, strings.HasPrefix(f.Warning, "in group 0 the misses are larger"), "%q", f.Warning)
		must.Refuse(calibrate.Conformal{Level: 0.99, Group: group}.Calibrate(post, held))(t, "group 0 has 20")
	}
}

// The scale is a score of the calibration data, so the intervals of these data hold at least the level of them,
// whatever the bounds of a family's data. Failures before a success have no upper bound.
func TestConformalBounds(t *testing.T) {
	for _, c := range []struct {
		family expfam.Family
		most   int
	}{{expfam.Geometric{}, 10}, {expfam.NegativeBinomial{Successes: 3}, 20}, {expfam.Binomial{Trials: 5}, 5},
		{expfam.Bernoulli{}, 1}, {expfam.Poisson{}, 9}} {
		like := expfam.Likelihood{Family: c.family}
		post := &expfam.Posterior{X: normalDraws(200, 40), Likelihood: like}
		y := make([]float64, 40)
		for j := range y {
			y[j] = float64(j % (c.most + 1))
		}
		obs := must.Get(like.Observe1(y...))(t)
		f := must.Get(calibrate.Conformal{}.Calibrate(post, obs))(t)
		rows := must.Get(f.Compare(post, obs))(t)
		must.Be(t, rows[0].Conformal.Mean >= 0.95, "%v: of the calibration data %v are held", c.family,
			rows[0].Conformal)
	}
}

// Data of one block are alike: the level holds for a datum of a further block if the blocks are exchangeable. The mean
// share of a further block that is covered is between the level and the level plus 1/(B+1) for B blocks.
func TestConformalOfBlocks(t *testing.T) {
	const blocks, cells, times = 39, 200, 600
	like := expfam.Likelihood{Family: expfam.Normal{}, Link: expfam.IdentityLink}
	post := &expfam.Posterior{X: normalDraws(100, cells), Likelihood: like}
	rng := expfam.Stream(1, "blocks")
	var shares []float64
	for range times {
		block, held, test := make([]int, cells), make(expfam.Observations, cells), make(expfam.Observations, cells)
		j, members := 0, 0
		for b := range blocks + 1 {
			effect := 3 * rng.NormFloat64()
			for members = 1 + rng.IntN(5); members > 0 && j < cells; members-- {
				to := held
				if b == blocks {
					to = test
				}
				to[j] = must.Get(like.Family.Reduce(effect+0.5*rng.NormFloat64(), expfam.Given(0.5)))(t)
				block[j] = b
				j++
			}
		}
		f := must.Get(calibrate.Conformal{Block: block}.Calibrate(post, held))(t)
		rows := must.Get(f.Compare(post, test))(t)
		shares = append(shares, rows[0].Conformal.Mean)
	}
	mean, sd := stat.MeanStdDev(shares, nil)
	se := sd / math.Sqrt(times)
	must.Be(t, mean >= 0.95-3*se && mean <= 0.95+1.0/(blocks+1)+3*se,
		"intervals hold %.3f ± %.3f of a further block, want 0.95 to %.3f", mean, se, 0.95+1.0/(blocks+1))
}
