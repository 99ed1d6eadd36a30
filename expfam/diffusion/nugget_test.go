package diffusion_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
	. "github.com/expfam/lab/expfam/diffusion"
	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/internal/traits"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

const tau = 0.3

// raised is N(μ, K + τ² I).
func raised(p *gp.Gaussian) *gp.Gaussian {
	k := mat.NewSymDense(p.Dim(), nil)
	k.CopySym(p.Cov())
	for j := range p.Dim() {
		k.SetSym(j, j, k.At(j, j)+tau*tau)
	}
	return expfam.Must(gp.New(p.Mean(), k))
}

// Moments under a nugget, products with the covariance by the gradient of the mean, and products with K are those of
// the Gaussian prior with the covariance K + τ² I. The coupling is between that of this prior and that of K.
func TestNuggetOfAGaussian(t *testing.T) {
	_, _, whole := twoParts(t)
	p, want := expfam.Nugget(whole, tau), raised(whole)
	must.Do(t, traits.Check(p))
	sameMoments(t, p, want)
	for _, sigma := range []float64{0.01, 0.1, 1, 10, 100} {
		got, least, most := p.(expfam.Coupled).Coupling(sigma), want.Coupling(sigma),
			whole.Coupling(math.Hypot(sigma, tau))
		must.Be(t, got >= least-1e-9 && got <= most+1e-9,
			"coupling %g at sigma %g, want %g to %g", got, sigma, least, most)
	}
}

// Draws of a posterior under a nugget are those under the Gaussian with it, up to rounding, whatever the guidance.
func TestPosteriorUnderANugget(t *testing.T) {
	obs := make(expfam.Observations, 6)
	for j := range 5 { // the last cell is missing
		obs[j] = expfam.Must(expfam.Poisson{}.Reduce(float64(j), expfam.Given(1)))
	}
	plain := expfam.Must(gp.New(few.Mean(), few.Cov()))
	for _, guidance := range []Guidance{Quadrature{}, Delta{}, DPS{Weight: 0.5}} {
		t.Run(guidance.String(), func(t *testing.T) {
			s := Sampler{Draws: 4, Seed: 3, Engine: enginetest.Open(t, "go"), DType: dtypes.Float64,
				Method: Multistep{N: 12}, Guidance: guidance, Fresh: true}
			got, want := expfam.Must(Sample(expfam.Nugget(plain, tau), poisson, obs, s)),
				expfam.Must(Sample(raised(plain), poisson, obs, s))
			sameDraws(t, guidance, got.X, want.X, 1e-8) // twelve steps, whose moments differ by 1e-11
		})
	}
}

// With a Normal likelihood draws by steps with the covariance have the exact posterior's moments.
func TestNuggetDrawnSteps(t *testing.T) {
	plain, like := expfam.Must(gp.New(few.Mean(), few.Cov())), expfam.Likelihood{Family: expfam.Normal{SD: 0.4}}
	obs := expfam.Must(like.Observe1(1, -0.5, 0.2, 0.8, -1, 0.3))
	const draws = 4000
	s := Sampler{Draws: draws, Seed: 1, Engine: enginetest.Open(t, "go"), Method: CovarianceSteps{}, Fresh: true}
	post, exact := expfam.Must(Sample(expfam.Nugget(plain, tau), like, obs, s)),
		expfam.Must(gp.Exact(raised(plain), like, obs))
	// Five standard errors.
	agrees(t, "nugget", post, exact.Mean, exact.Cov, 5/math.Sqrt(draws), 5/math.Sqrt(2*draws))
}

// A nugget has the methods that its prior has.
func TestNuggetHasWhatItsPriorHas(t *testing.T) {
	_, beta, _ := twoParts(t)
	hasWhatItsPartHas(t, func(of expfam.Prior) expfam.Prior { return expfam.Nugget(of, tau) })
	poor := levelled{beta, -1, 1, 0.5, 40}
	low, high := expfam.Nugget(poor, tau).(expfam.Ranged).Range()
	if low != 0.4 || math.Abs(high-math.Sqrt(40*40-tau*tau)) > 1e-12 { // 0.3² + 0.4² = 0.5²
		t.Errorf("range %g to %g", low, high)
	}
	if low, high = expfam.Nugget(beta, tau).(expfam.Ranged).Range(); low != 0 || !math.IsInf(high, 1) {
		t.Errorf("without a range %g to %g", low, high)
	}
	rows, cols := expfam.Nugget(gp.RBF{Cells: 5}, tau).(expfam.Lattice).Lattice()
	must.Be(t, rows == 1 && cols == 5, "lattice %d × %d", rows, cols)
}

// The nugget of a product is a product, and a draw is that of the prior with noise.
func TestNuggetOfAProduct(t *testing.T) {
	cells, beta, _ := twoParts(t)
	p := expfam.Nugget(expfam.Product(cells, beta), tau)
	parts := p.(interface{ Parts() []expfam.Prior }).Parts()
	must.Be(t, len(parts) == 2 && parts[0].String() == expfam.Nugget(cells, tau).String() &&
		parts[1].String() == expfam.Nugget(beta, tau).String(),
		"parts %v", parts)
	got, want := make([]float64, 2), make([]float64, 2)
	parts[1].(expfam.Simulator).Draw(expfam.Stream(2, "draw"), got)
	rng := expfam.Stream(2, "draw")
	beta.(expfam.Simulator).Draw(rng, want)
	for j := range want {
		want[j] += tau * rng.NormFloat64()
	}
	must.Be(t, slices.Equal(got, want), "a draw is %v, want %v", got, want)
}

// The mean of a bounded prior stays within its bounds, whatever x_t; the nugget goes beyond.
func TestNuggetKeepsBounds(t *testing.T) {
	prior, at := narrow{gp.RBF{Cells: 3, Variance: 400}}, level.At(0.4)
	got := enginetest.Call(t, enginetest.Open(t, "go"), func(x, a, v *graph.Node) []*graph.Node {
		mean, _ := expfam.Nugget(prior, tau).Moments(x, level.Nodes{SqrtAlpha: a, V: v})
		return []*graph.Node{mean}
	}, [][]float64{{100, 100, 100}}, [][]float64{{at.SqrtAlpha}}, [][]float64{{at.V}})[0]
	for j, v := range got {
		// (σ² 0.5 + τ² r)/σ′² with r = 100/√α.
		want := (0.16*0.5 + 0.09*100/at.SqrtAlpha) / 0.25
		must.Be(t, math.Abs(v-want) <= 1e-9, "cell %d: %g, want %g", j, v, want)
	}
}

// A nugget of nearly nothing makes nearly no difference, also where data that no draw explains take estimates to the
// bounds of the prior; and estimates are at most four nuggets beyond the bounds, alone and as a part of a product.
func TestEstimatesUnderANuggetAreBounded(t *testing.T) {
	prior := narrow{gp.RBF{Cells: 3, Variance: 0.04}}
	obs := expfam.Must(normal.Observe1(90, 0.1, -90))
	sampled := func(p expfam.Prior, obs expfam.Observations) *mat.Dense {
		return sample(t, p, normal, obs, Sampler{Draws: 20, Engine: enginetest.Open(t, "go"), DType: dtypes.Float64,
			Method: Multistep{N: 12}}).X
	}
	want, got := sampled(prior, obs), sampled(expfam.Nugget(prior, 1e-6), obs)
	atBounds := mat.Max(want)
	must.Need(t, atBounds == 0.5, "the largest value is %g, and the data should take it to the bound", atBounds)
	must.Be(t, mat.EqualApprox(got, want, 1e-4),
		"the first draw under a nugget of 1e-6 is %v, without it %v", got.RawRowView(0), want.RawRowView(0))
	for _, x := range []*mat.Dense{sampled(expfam.Nugget(prior, 0.2), obs),
		sampled(expfam.Product(expfam.Nugget(prior, 0.2), gp.RBF{Cells: 1}),
			append(slices.Clone(obs), expfam.Term{}))} {
		if most := mat.Max(x.Slice(0, 20, 0, 3)); !(most > 0.5 && most <= 0.5+4*0.2+1e-9) {
			t.Errorf("draws reach %g; want from 0.5 to four nuggets of 0.2 beyond", most)
		}
	}
}

func TestNuggetRefuses(t *testing.T) {
	for want, p := range map[string]expfam.Prior{
		"there is no prior":              expfam.Nugget(nil, 1),
		"the standard deviation is -1":   expfam.Nugget(few, -1),
		"the standard deviation is NaN":  expfam.Nugget(few, math.NaN()),
		"the standard deviation is +Inf": expfam.Nugget(few, math.Inf(1)),
		"RBF has -1 Cells":               expfam.Nugget(gp.RBF{Cells: -1}, 1),
	} {
		must.Err(t, traits.Check(p), want)
	}
}
