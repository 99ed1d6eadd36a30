package joint

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam"
)

// TestDesign: the draws of a design have the density that it says.
func TestDesign(t *testing.T) {
	l := &lattice{centre: []float64{0.5}, basis: mat.NewDense(1, 1, []float64{1}), logs: map[[8]int]float64{}}
	evidence := func(points [][]float64) (values []float64) { // normal, with other sds on both sides
		for _, p := range points {
			off := p[0] - 0.5
			if off > 0 {
				off /= 1.6
			}
			values = append(values, -off*off/2)
		}
		return values
	}
	if err := l.design(0, evidence); err != nil {
		t.Fatal(err)
	}
	for s, want := range []float64{1, 1.6} {
		if math.Abs(l.split[0][s]-want) > 1e-9 {
			t.Errorf("the sd on side %d is %g, and not %g", s, l.split[0][s], want)
		}
	}
	p, rng := newProposal(l), expfam.Stream(1, "design")
	const draws, width = 200_000, 0.5
	count, density, total := map[int]float64{}, map[int]float64{}, 0.0
	for range draws {
		count[int(math.Floor(p.place([]float64{rng.Float64(), 0})[0]/width))]++
	}
	const fine = 50
	for k := -40 * fine; k < 40*fine; k++ {
		v := math.Exp(p.log([]float64{(float64(k) + 0.5) * width / fine}))
		density[int(math.Floor((float64(k)+0.5)/fine))] += v
		total += v
	}
	for k, v := range density {
		want := v / total
		if se := math.Sqrt(want / draws); math.Abs(count[k]/draws-want) > 5*se+1e-5 {
			t.Errorf("bin %d has the share %.4f, and not %.4f", k, count[k]/draws, want)
		}
	}
}
