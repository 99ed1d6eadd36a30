package decide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/expfam/internal/densetest"
	"github.com/expfam/lab/expfam/operator"
	"github.com/expfam/lab/internal/fulltest"
	"github.com/expfam/lab/internal/must"
)

// land is a simulated country of 10 × 10 cells with people in towns, and districts of 2 × 2 cells.
type land struct {
	prior  *densetest.Field
	like   expfam.Likelihood
	people []float64
	areas  *operator.Areas
	named  []float64 // people of districts
}

func newLand(t testing.TB) land {
	rng := rand.New(rand.NewPCG(11, 12))
	prior := densetest.New(t, densetest.Field{Rows: 10, Cols: 10, Level: -1.2, SD: 0.9, Length: 1.5})
	l := land{prior: prior, like: expfam.Likelihood{Family: expfam.Binomial{}}, people: make([]float64, 100),
		named: make([]float64, 25)}
	labels := make([]int, 100)
	for j := range labels {
		labels[j] = j/20*5 + j%10/2
		l.people[j] = math.Exp(5 + 1.2*rng.NormFloat64())
		l.named[labels[j]] += l.people[j]
	}
	l.areas = &operator.Areas{Labels: labels, Weights: l.people, Mean: true}
	return l
}

func (l land) survey(t testing.TB, theta []float64, obs expfam.Observations, cells []int, n float64, rng *rand.Rand) {
	for _, j := range cells {
		obs[j] = obs[j].Add(must.Get(l.like.Family.Reduce(l.like.Family.Rand(theta[j], expfam.Given(n), rng),
			expfam.Given(n)))(t))
	}
}

func (l land) mean(theta []float64) []float64 {
	out := make([]float64, 25)
	for k := range out {
		l.areas.Row(k, func(j int, w float64) { out[k] += w * theta[j] })
	}
	return out
}

// A second campaign of five surveys on simulated maps: what the decisions cost against the truth if the surveys are
// those of the least expected loss, random ones, and those of the largest variance.
func TestSecondCampaigns(t *testing.T) {
	if !*fulltest.Full {
		t.Skip("a measurement on 100 maps: run with -full")
	}
	const maps, seconds = 100, 8
	l := newLand(t)
	problem := decide.Problem{Loss: decide.Threshold{At: 0.25, Missed: 2, False: 1}, People: l.named}
	regrets := map[string][]float64{}
	for m := range uint64(maps) {
		rng := expfam.Stream(m, "campaign")
		x, theta := make([]float64, 100), make([]float64, 100)
		l.prior.Draw(rng, x)
		for j := range x {
			theta[j] = expfam.SigmoidLink.At(x[j])
		}
		first := make(expfam.Observations, 100)
		l.survey(t, theta, first, rng.Perm(100)[:15], 30, rng)
		fit := func(obs expfam.Observations) *expfam.Posterior {
			return l.prior.Sample(t, l.like, obs, 500, m)
		}
		choose := func(obs expfam.Observations) float64 {
			c := must.Get(problem.Choose(must.Get(fit(obs).Through(l.areas))(t)))(t)
			return must.Get(problem.Regret(c.Act, l.mean(theta)))(t)
		}
		post := fit(first)
		b := must.Get(decide.Survey{Size: 60, Value: decide.LossOf{Problem: problem, Through: l.areas}, Seed: m,
			Outcomes: 256}.Batch(post, 5, nil, 0))(t)
		order := make([]int, 100)
		floats.Argsort(post.SD(), order)
		slices.Reverse(order)
		regrets["first campaign alone"] = append(regrets["first campaign alone"], choose(first))
		for _, c := range []struct {
			name  string
			cells []int
		}{{"least expected loss", b.Cells()}, {"largest variance", order[:5]}, {"random", nil}} {
			sum := 0.0
			for s := range seconds {
				data := expfam.Stream(m, "second-"+string(rune('a'+s)))
				cells := c.cells
				if cells == nil {
					cells = data.Perm(100)[:5]
				}
				obs := slices.Clone(first)
				l.survey(t, theta, obs, cells, 60, data)
				sum += choose(obs) / seconds
			}
			regrets[c.name] = append(regrets[c.name], sum)
		}
	}
	best := regrets["least expected loss"]
	for _, name := range []string{"first campaign alone", "random", "largest variance"} {
		d := floats.SubTo(make([]float64, maps), regrets[name], best)
		mean, sd := stat.MeanStdDev(d, nil)
		se := sd / math.Sqrt(maps)
		t.Logf("%d maps: regret %.0f after surveys of the least expected loss; %s %.0f, more by %.0f ± %.0f (paired)",
			maps, stat.Mean(best, nil), name, stat.Mean(regrets[name], nil), mean, se)
		must.Be(t, mean >= 2*se, "%s is worse by %.0f ± %.0f only", name, mean, se)
	}
}
