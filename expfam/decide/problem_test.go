package decide_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/decide"
	"github.com/expfam/lab/internal/must"
)

// districts makes draws of prevalences that go together.
func districts(draws, n int, rng *rand.Rand) *expfam.Draws {
	x := mat.NewDense(draws, n, nil)
	for i := range draws {
		common := rng.NormFloat64()
		for k := range n {
			x.Set(i, k, 1/(1+math.Exp(1.2-0.15*float64(k)-0.6*common-0.7*rng.NormFloat64())))
		}
	}
	return &expfam.Draws{X: x}
}

// loss of a set by its definition.
func loss(p decide.Problem, act []bool, theta []float64) (sum float64) {
	for k, in := range act {
		a, l := p.Loss.Of(theta[k])
		if in {
			sum += p.People[k] * a
		} else {
			sum += p.People[k] * l
		}
	}
	return sum
}

// averted is a loss in proportion to θ, of which an intervention at a price averts three fifths.
type averted struct{}

func (averted) String() string { return "averted" }
func (averted) Check() error   { return nil }
func (averted) Of(theta float64) (act, leave float64) {
	return 0.1 + 0.4*theta, theta
}

// Every one of the 2¹² sets is tried, with and without a budget: for the choice, the value of perfect information, and
// the regret.
func TestChoiceIsTheBestOfAllSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, draws = 12, 40
	for trial := range 6 {
		d := districts(draws, n, rng)
		p := decide.Problem{Loss: decide.Threshold{At: 0.3, Missed: 4, False: 1}}
		if trial%2 == 1 {
			p.Loss = averted{}
		}
		for range n {
			p.People, p.Costs = append(p.People, 100+900*rng.Float64()), append(p.Costs, 1+4*rng.Float64())
		}
		if trial > 1 {
			p.Budget = 6 + 8*rng.Float64()
		}
		c := must.Get(p.Choose(d))(t)
		theta := d.X.RawRowView(3)
		best, perfect, least := math.Inf(1), slices.Repeat([]float64{math.Inf(1)}, draws), math.Inf(1)
		var bestAct []bool
		for set := range 1 << n {
			act, cost, expected := make([]bool, n), 0.0, 0.0
			for k := range n {
				if act[k] = set>>k&1 == 1; act[k] {
					cost += p.Costs[k]
				}
			}
			if p.Budget > 0 && cost > p.Budget {
				continue
			}
			for i := range draws {
				v := loss(p, act, d.X.RawRowView(i))
				expected += v / draws
				perfect[i] = min(perfect[i], v)
			}
			if expected < best {
				best, bestAct = expected, act
			}
			least = min(least, loss(p, act, theta))
		}
		known := 0.0
		for _, v := range perfect {
			known += v / draws
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) } // rounding of sums
		regret := must.Get(p.Regret(c.Act, theta))(t)
		must.Be(t, slices.Equal(c.Act, bestAct) && near(c.Loss, best) && near(c.Perfect, best-known) &&
			near(regret, loss(p, c.Act, theta)-least),
			"trial %d: %v of loss %g, perfect information %g, regret %g; brute force has %v, %g, %g, %g", trial,
			c.Act, c.Loss, c.Perfect, regret, bestAct, best, best-known, loss(p, c.Act, theta)-least)
		spent := 0.0
		for _, k := range c.Districts() {
			spent += p.Costs[k]
		}
		must.Be(t, near(spent, c.Cost), "trial %d: the districts cost %g, and the choice %g", trial, spent, c.Cost)
		must.Be(t, p.Budget <= 0 || c.Cost <= p.Budget,
			"trial %d: cost %g beyond the budget %g", trial, c.Cost, p.Budget)
	}
}

// Without a budget it is best to act where P(θ > u) > False/(Missed + False).
func TestThresholdOfProbability(t *testing.T) {
	d := districts(300, 20, rand.New(rand.NewPCG(3, 4)))
	c := must.Get(decide.Problem{Loss: decide.Threshold{At: 0.3, Missed: 3, False: 1}}.Choose(d))(t)
	for k, p := range d.Above(0.3) {
		must.Equal(t, c.Act[k], (p > 0.25), "district", k, "P =", p, "and act =")
		// The value of knowing θ of the district: the smaller of the two expected losses.
		if want := min(3*p, 1-p); math.Abs(c.PerfectOf[k]-want) > 1e-12 {
			t.Errorf("district %d: knowing it is worth %g; want %g", k, c.PerfectOf[k], want)
		}
	}
}

func TestProblemRefuses(t *testing.T) {
	d := districts(5, 3, rand.New(rand.NewPCG(1, 1)))
	l := decide.Threshold{At: 0.2, Missed: 1, False: 1}
	must.Refuse(decide.Problem{}.Choose(d))(t, "there is no Loss")
	must.Refuse(decide.Problem{Loss: decide.Threshold{Missed: -1, False: 1}}.Choose(d))(t, "at least 0")
	must.Refuse(decide.Problem{Loss: l, People: []float64{1}}.Choose(d))(t, "1 People for 3 districts")
	must.Refuse(decide.Problem{Loss: l, Costs: []float64{1, -1, 1}, Names: []string{"a", "b", "c"}}.Choose(d))(t,
		`Costs of district "b" is -1`)
	must.Refuse(decide.Problem{Loss: l, Budget: -1}.Choose(d))(t, "budget of -1")
	must.Refuse(decide.Problem{Loss: l}.Regret([]bool{true}, []float64{1, 2}))(t, "a choice of 1 districts")
}
