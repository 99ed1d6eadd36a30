package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/internal/must"
)

// With every one of n + 1 values in turn as the truth and the others as draws, the mean is the level, to rounding:
// nothing else is exchangeability. Ties change nothing.
func TestCoverageIsExact(t *testing.T) {
	for _, n := range []int{39, 40, 64, 101, 500} {
		for _, level := range []float64{0.5, 0.8, 0.95} {
			for name, value := range map[string]func(i int) float64{
				"continuous": func(i int) float64 { return math.Exp(float64(i) / 10) },
				"counts":     func(i int) float64 { return float64(i * i / 400) },
				"constant":   func(int) float64 { return 3 },
			} {
				t.Run(fmt.Sprintf("%s/%d/%g", name, n, level), func(t *testing.T) {
					// Cell j has value j as its truth.
					d := table(n, n+1, func(i, j int) float64 {
						if i >= j {
							i++
						}
						return value(i)
					})
					got := must.Get(Coverage{Level: level}.Latent(d, vector(n+1, value)))(t)
					near(t, "coverage", got.Mean().Mean, level, 1e-12)
				})
			}
		}
	}
}

// The reason for ranks: 64 draws, on a skewed distribution.
func TestCoverageOfFewDraws(t *testing.T) {
	const n, cells = 64, 20000
	rng := rand.New(rand.NewPCG(4, 0))
	d := table(n, cells, func(_, _ int) float64 { return rng.ExpFloat64() })
	truth := vector(cells, func(int) float64 { return rng.ExpFloat64() })
	within4(t, "coverage by ranks", must.Get(Coverage{}.Latent(d, truth))(t), 0.95)
	type7 := must.Get(d.Coverage(truth, 0.95))(t)
	// Binomial error of a share; 0.9208 is 0.95·63/65, which interpolation in the upper tail raises by less than 0.002.
	near(t, "coverage by quantiles of type 7", type7, 0.95*63/65, 4*math.Sqrt(0.92*0.08/cells)+0.002)
	low, high := must.Get2(Intervals(d, 0.95, nil))(t)
	inside := make(Scores, cells)
	for j, y := range truth {
		if low[j] <= y && y <= high[j] {
			inside[j] = 1
		}
	}
	// Ranks 1.625 and 63.375 are interpolated.
	e := inside.Mean()
	near(t, "coverage by intervals", e.Mean, 0.95, 4*e.SE+0.002)
}

func TestIntervalsAtWholeRanks(t *testing.T) {
	d := table(79, 1, func(i, _ int) float64 { return float64((i*37)%79) + 1 }) // 1 … 79
	low, high := must.Get2(Intervals(d, 0.95, nil))(t)
	near(t, "low", low[0], 2, 1e-12) // 80·0.025
	near(t, "high", high[0], 78, 1e-12)
}

// betaBinomial is the exact posterior of 4000 independent prevalences, of which
// 10 were examined, and new data of n each.
func betaBinomial(t *testing.T, n float64) (post *expfam.Posterior, obs expfam.Observations, theta []float64) {
	const cells, draws, a, b = 4000, 79, 2.0, 3.0
	src := rand.NewPCG(5, uint64(n))
	like := expfam.Likelihood{Family: expfam.Binomial{}}
	prior := distuv.Beta{Alpha: a, Beta: b, Src: src}
	theta = vector(cells, func(int) float64 { return prior.Rand() })
	x, y := mat.NewDense(draws, cells, nil), make([]float64, cells)
	for j, p := range theta {
		seen := distuv.Binomial{N: 10, P: p, Src: src}.Rand()
		beta := distuv.Beta{Alpha: a + seen, Beta: b + 10 - seen, Src: src}
		for i := range draws {
			q := beta.Rand()
			x.Set(i, j, math.Log(q/(1-q)))
		}
		y[j] = distuv.Binomial{N: n, P: p, Src: src}.Rand()
	}
	obs = must.Get(like.Observe(expfam.Data{Y: [][]float64{y},
		Known: [][]float64{vector(cells, func(int) float64 { return n })}}))(t)
	return &expfam.Posterior{X: x, Likelihood: like}, obs, theta
}

// The exact posterior: latent and predictive coverage are the level for any number of trials, and the paper's is not.
func TestThreeCoverages(t *testing.T) {
	for _, c := range []struct {
		n           float64
		least, most float64 // of the paper's coverage
	}{
		{1, 0, 0.05},    // rates 0 and 1, which no interval of θ holds
		{10, 0.7, 0.85}, // the variance of the rate is about that of θ | y
		{1e6, 0.93, 0.97},
	} {
		t.Run(fmt.Sprint(c.n), func(t *testing.T) {
			post, obs, theta := betaBinomial(t, c.n)
			got := must.Get(Coverage{Seed: 1}.Compare(post, obs, theta))(t)
			t.Log(got)
			near(t, "latent", got.Latent.Mean, 0.95, 4*got.Latent.SE)
			near(t, "predictive", got.Predictive.Mean, 0.95, 4*got.Predictive.SE)
			if p := got.Paper.Mean; !(c.least <= p && p <= c.most) {
				t.Errorf("the paper's coverage is %v, want it in [%v, %v]", p, c.least, c.most)
			}
		})
	}
}

// A posterior with the right cells and no correlations: cells cannot tell, sums over blocks do. The truth of 16 cells
// of a block is the same, their sum has sd 16; draws that differ give 4, and 95% intervals hold it with 2Φ(1.96/4) − 1.
func TestCoverageOfBlocks(t *testing.T) {
	const n, size, blocks = 199, 16, 1500
	rng := rand.New(rand.NewPCG(6, 0))
	common := vector(blocks, func(int) float64 { return rng.NormFloat64() })
	block := make([]int, size*blocks+1)
	for j := range block {
		block[j] = j % blocks
	}
	block[len(block)-1] = -1 // in none
	truth := vector(len(block), func(j int) float64 { return common[j%blocks] })
	d := table(n, len(block), func(_, _ int) float64 { return rng.NormFloat64() })
	cells := must.Get(Coverage{}.Latent(d, truth))(t)
	var mean, square float64 // over blocks, whose cells depend on each other
	for b := range blocks {
		var of float64
		for k := range size {
			of += cells[k*blocks+b] / size
		}
		mean, square = mean+of/blocks, square+of*of/blocks
	}
	near(t, "coverage of cells", mean, 0.95, 4*math.Sqrt((square-mean*mean)/blocks))

	sum := Blocks(block)
	sums := must.Get(Map(d, sum))(t)
	// 199 draws spread the ends of an interval of sd 4 by 2%.
	want := 2*distuv.UnitNormal.CDF(1.96/4) - 1
	s := must.Get(Coverage{}.Latent(sums, sum(truth)))(t).Mean()
	near(t, "coverage of sums", s.Mean, want, 4*s.SE+0.01)
}

// Replicated data have the sizes of the data, whatever constant the family calls by that name.
func TestReplicate(t *testing.T) {
	for _, c := range []struct {
		family   expfam.Family
		y        [][]float64
		known    [][]float64
		x        float64
		mean, sd float64 // of the statistic given θ; sd for the error alone
		refuse   string
	}{
		{family: expfam.Poisson{}, y: [][]float64{{3}, {4}}, known: [][]float64{{2.5}}, x: math.Log(1.5), mean: 7.5,
			sd: 2.8},
		{family: expfam.Binomial{Trials: 30}, y: [][]float64{{3}, {4}}, mean: 30, sd: 3.9},
		{family: expfam.Bernoulli{}, y: [][]float64{{1}}, mean: 0.5, sd: 0.5},
		{family: expfam.Bernoulli{}, y: [][]float64{{1}, {0}, {1}}, refuse: "one by one"},
		{family: expfam.NegativeBinomial{}, y: [][]float64{{3}}, known: [][]float64{{4}}, mean: 4, sd: 2.9},
		{family: expfam.Normal{SD: 0.5}, y: [][]float64{{3}, {2}}, x: 2, mean: 16, sd: 2.9}, // Σ y/σ²
		{family: expfam.Exponential{}, y: [][]float64{{3}}, mean: 1, sd: 1},
	} {
		t.Run(c.family.String(), func(t *testing.T) {
			const n = 4000
			like := expfam.Likelihood{Family: c.family}
			obs := must.Get(like.Observe(expfam.Data{Y: c.y, Known: c.known}))(t)
			obs = append(make(expfam.Observations, 1), obs...) // a cell without data
			post := &expfam.Posterior{X: table(n, 2, func(int, int) float64 { return c.x }).X, Likelihood: like}
			y, stats, err := Replicate(post, obs, nil, 1)
			if c.refuse != "" {
				must.Err(t, err, c.refuse)
				return
			}
			must.Do(t, err)
			must.Equal(t, stats, []float64{obs[1].Stat}, "observed", obs[1].Stat)
			near(t, "mean", y.Mean()[0], c.mean*math.Copysign(1, obs[1].Stat), 4*c.sd/math.Sqrt(n))
		})
	}
}
