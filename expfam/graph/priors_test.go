package graph_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/gp"
	"github.com/expfam/lab/expfam/graph"
	"github.com/expfam/lab/expfam/law"
	"github.com/expfam/lab/internal/must"
)

// given returns the covariance of a family whose numbers are known.
func given(t testing.TB, f gp.Family, values ...float64) *mat.SymDense {
	t.Helper()
	_, cov := must.Get2(f.Given(values))(t)
	return cov
}

// TestStructure: within each component R S R is R over the scale, S has the constant vector in its null space, and the
// geometric mean of the variances is 1. The scales of Scotland are those that Stan's case study has computed with INLA,
// to four digits.
func TestStructure(t *testing.T) {
	s := readScotland(t)
	for name, scales := range map[string][]float64{"connected": {0.4853}, "components": {0.4504, 0.25, 0.3333},
		"islands": {0.4504}} {
		n := s.graph(t, name)
		structure := must.Get(n.Structure())(t)
		r := laplacian(n, 1)
		var rs, rsr mat.Dense
		rs.Mul(r, structure)
		rsr.Mul(&rs, r)
		k := 0
		for _, part := range n.Components() {
			if len(part) == 1 {
				must.Absolute(t, name+": variance of an island", structure.At(part[0], part[0]), 1, 0)
				continue
			}
			must.Absolute(t, name+": geometric mean", geometric(structure, part), 1, 1e-12)
			must.Absolute(t, name+": scale", r.At(part[0], part[0])/rsr.At(part[0], part[0]), scales[k], 5e-5)
			var sum float64
			for _, i := range part {
				sum += structure.At(part[0], i)
			}
			must.Absolute(t, name+": constant vector", sum, 0, 1e-12)
			k++
		}
	}
}

// TestPrecisions: the inverse of each proper covariance is the precision that its documentation states.
func TestPrecisions(t *testing.T) {
	n := readScotland(t).graph(t, "connected")
	islands := readScotland(t).graph(t, "islands")
	inverse := func(k *mat.SymDense) *mat.Dense {
		var q mat.Dense
		must.Do(t, q.Inverse(k))
		return &q
	}
	q := laplacian(n, 0.9)
	q.ScaleSym(1/0.49, q)
	near(t, "CAR", inverse(given(t, graph.CAR{Neighbours: n, SD: 0.7, Dependence: 0.9})), q)

	for i, v := range map[*graph.Neighbours]float64{n: 0.6, islands: 0.3} {
		q := laplacian(i, 1)
		q.ScaleSym(v/0.25, q)
		for k := range i.Len() {
			q.SetSym(k, k, q.At(k, k)+(1-v)/0.25)
		}
		near(t, "Leroux", inverse(given(t, graph.Leroux{Neighbours: i, SD: 0.5, Mixing: v})), q)
	}

	// (I − B)ᵀ F (I − B) of Datta et al. (2019), equation 6.
	const rho = 0.4
	lower, f := mat.NewDense(n.Len(), n.Len(), nil), mat.NewDiagDense(n.Len(), nil)
	for i, of := range n.Of {
		before := 0.0
		for _, j := range of {
			if j < i {
				before++
			}
		}
		lower.Set(i, i, 1)
		for _, j := range of {
			if j < i {
				lower.Set(i, j, -rho/(1+(before-1)*rho*rho))
			}
		}
		f.SetDiag(i, (1+(before-1)*rho*rho)/(1-rho*rho)/0.09)
	}
	var half, want mat.Dense
	half.Mul(lower.T(), f)
	want.Mul(&half, lower)
	near(t, "DAGAR", inverse(given(t, graph.DAGAR{Neighbours: n, SD: 0.3, Correlation: rho})), &want)

	structure := must.Get(islands.Structure())(t)
	bym := mat.NewSymDense(islands.Len(), nil)
	bym.ScaleSym(0.25*0.7, structure)
	for i := range islands.Len() {
		bym.SetSym(i, i, bym.At(i, i)+0.25*0.3)
	}
	near(t, "BYM2", given(t, graph.BYM2{Neighbours: islands, SD: 0.5, Mixing: 0.7}), bym)
	must.Absolute(t, "BYM2: variance of an island", bym.At(5, 5), 0.25, 1e-15)
}

// TestClosedForms: on a path DAGAR is the autoregression of order 1 and ICAR the random walk of order 1, and on a cycle
// the covariance of ICAR is a quadratic of the distance.
func TestClosedForms(t *testing.T) {
	const n = 9
	near(t, "DAGAR of a path", given(t, graph.DAGAR{Neighbours: line(t, n), SD: 2, Correlation: 0.6}),
		given(t, graph.AR1{Cells: n, SD: 2, Correlation: 0.6}))
	near(t, "ICAR of a path", given(t, graph.ICAR{Neighbours: line(t, n), SD: 2, Level: 3, LevelSD: 1}),
		given(t, graph.Walk{Cells: n, SD: 2, LevelSD: 1}))
	cycle := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			d := float64(j - i)
			cycle.SetSym(i, j, 1-6*d*(n-d)/(n*n-1)) // the generalised inverse by its diagonal, (n²−1)/(12n)
		}
	}
	near(t, "ICAR of a cycle", given(t, graph.ICAR{Neighbours: ring(t, n), SD: 1}), cycle)
}

// TestWalk: the differences of a walk are independent with one variance, SD is the geometric mean, and the level and
// the line are there.
func TestWalk(t *testing.T) {
	const n = 11
	for order, d := range map[int][]float64{1: {-1, 1}, 2: {1, -2, 1}} {
		cov := given(t, graph.Walk{Cells: n, Order: order, SD: 0.5, Level: 1, LevelSD: 2})
		f := mat.NewDense(n-order, n, nil)
		for i := range n - order {
			copy(f.RawRowView(i)[i:], d)
		}
		var half, got mat.Dense
		half.Mul(f, cov)
		got.Mul(&half, f.T())
		want := mat.NewDense(n-order, n-order, nil)
		for i := range n - order {
			want.Set(i, i, got.At(0, 0))
		}
		near(t, "differences", &got, want)
		must.Absolute(t, "the mean", mat.Sum(cov)/(n*n), 4, 1e-9)
		scaled := given(t, graph.Walk{Cells: n, Order: order, SD: 1})
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		must.Absolute(t, "geometric mean", geometric(scaled, all), 1, 1e-12)
	}
	line := given(t, graph.Walk{Cells: n, Order: 2, SD: 1e-9, SlopeSD: 3})
	must.Absolute(t, "the rise", line.At(n-1, n-1)+line.At(0, 0)-2*line.At(0, n-1), 9, 1e-9)
}

// TestSeasonal: sums over a period of the change are independent with one variance, and without a change every cell
// equals the cell a period later.
func TestSeasonal(t *testing.T) {
	const n, period = 14, 4
	f := mat.NewDense(n-period+1, n, nil)
	for i := range n - period + 1 {
		for k := range period {
			f.Set(i, i+k, 1)
		}
	}
	var half, sums mat.Dense
	half.Mul(f, given(t, graph.Seasonal{Cells: n, Period: period, SD: 2}))
	sums.Mul(&half, f.T())
	want := mat.NewDense(n-period+1, n-period+1, nil)
	for i := range n - period + 1 {
		want.Set(i, i, sums.At(0, 0))
	}
	near(t, "sums", &sums, want)
	fixed := given(t, graph.Seasonal{Cells: n, Period: period, SD: 1e-9})
	for i := range n - period {
		must.Absolute(t, "a period later", fixed.At(i, i)+fixed.At(i+period, i+period)-2*fixed.At(i, i+period), 0,
			1e-9)
		must.Absolute(t, "variance", fixed.At(i, i), 1, 1e-9)
	}
}

// TestPCMixing: the distance of a quantile, computed by a determinant, is the quantile of an exponential distribution,
// cut where the mixing is 1 in float64.
func TestPCMixing(t *testing.T) {
	n := readScotland(t).graph(t, "islands")
	structure := must.Get(n.Structure())(t)
	distance := func(phi float64) float64 {
		c := mat.NewSymDense(n.Len(), nil)
		c.ScaleSym(phi, structure)
		for i := range n.Len() {
			c.SetSym(i, i, c.At(i, i)+1-phi)
		}
		det, _ := mat.LogDet(c)
		return math.Sqrt(mat.Trace(c) - float64(n.Len()) - det)
	}
	for _, at := range [][2]float64{{0.3, 0.6}, {0.5, 2. / 3}, {0.5, 0.01}} {
		l := graph.PCMixing{Neighbours: n, Below: at[0], Probability: at[1]}
		must.Do(t, law.Check(l))
		rate := -math.Log1p(-at[1]) / distance(at[0])
		// Near 1 the one eigenvalue 0 of the mainland gives d² the part −log(1−φ).
		far := distance(1 - 1e-6)
		kept := -math.Expm1(-rate * math.Sqrt(far*far+math.Log(1e-6)+math.Log1p(math.Exp(34))))
		for _, p := range []float64{1e-4, 0.05, 0.3, 0.5, 0.7} {
			// The determinant has rounding errors of 1e-14 of numbers near 1, whose square root is 1e-7.
			must.Absolute(t, "the distance", distance(l.Quantile(p)), -math.Log1p(-p*kept)/rate, 1e-5)
		}
	}
}

// TestPriorsRefused: impossible numbers, and areas of which a prior says nothing, are refused by name.
func TestPriorsRefused(t *testing.T) {
	islands := readScotland(t).graph(t, "islands")
	n := line(t, 4)
	for _, c := range []struct {
		prior interface{ Check() error }
		want  string
	}{
		{graph.ICAR{Neighbours: islands}, "ICAR is not defined for areas without neighbours: 5, 7, 10"},
		{graph.CAR{Neighbours: islands}, "CAR is not defined for areas without neighbours: 5, 7, 10"},
		{graph.BYM2{Neighbours: must.Get(graph.Edges(3, nil))(t)}, "none has a neighbour"},
		{graph.BYM2{}, "there are no areas"},
		{graph.BYM2{Neighbours: n, Mixing: 1}, "BYM2 has a Mixing of 1"},
		{graph.Leroux{Neighbours: n, SD: -1}, "Leroux has a SD of -1"},
		{graph.CAR{Neighbours: n, Dependence: 1.5}, "CAR has a Dependence of 1.5"},
		{graph.DAGAR{Neighbours: n, Correlation: math.NaN()}, "DAGAR has a Correlation of NaN"},
		{graph.DAGAR{Neighbours: n, LevelSD: -1}, "the sd -1"},
		{graph.Walk{Cells: 2, Order: 2}, "Walk of order 2 has 2 Cells"},
		{graph.Walk{Cells: 5, Order: 3}, "the Order 3"},
		{graph.Walk{Cells: 5, SlopeSD: 1}, "a SlopeSD of 1"},
		{graph.AR1{}, "AR1 has 0 Cells"},
		{graph.AR1{Cells: 3, Correlation: 1}, "a Correlation of 1"},
		{graph.Seasonal{Cells: 4, Period: 4}, "4 Cells and the Period 4"},
		{graph.PCMixing{Neighbours: n, Below: 1}, "both the limit and the probability"},
		{graph.PCMixing{}, "no Neighbours"},
		{graph.Kronecker{}, "needs a Time and an Area"},
		{graph.SpaceTime{Time: graph.AR1{Cells: 2}}, "needs a Time and an Area"},
		{graph.SpaceTime{Time: graph.AR1{Cells: 2}, Area: graph.ICAR{Neighbours: n}, Interaction: 5},
			"the Interaction 5"},
		{graph.SpaceTime{Time: graph.AR1{Cells: 2}, Area: gp.RBF{}, Interaction: graph.TypeIV}, "has no structure"},
		{graph.SpaceTime{Time: graph.AR1{Cells: 2}, Area: graph.ICAR{Neighbours: islands}}, "ICAR is not defined"},
	} {
		must.Err(t, c.prior.Check(), c.want)
	}
	must.Refuse(graph.BYM2{Neighbours: n, SD: 1}.Gaussian())(t, "the mixing of", "is not known")
	must.Refuse(graph.SpaceTime{Time: graph.AR1{Cells: 2}, Area: graph.ICAR{Neighbours: n}}.Field())(t,
		"unknown numbers")
}
