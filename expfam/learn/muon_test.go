package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/nn"
	"github.com/expfam/lab/internal/must"
)

// matrix returns the rows of a matrix.
func matrix(m mat.Matrix) [][]float64 {
	rows, _ := m.Dims()
	all := make([][]float64, rows)
	for i := range all {
		all[i] = mat.Row(nil, i, m)
	}
	return all
}

// orthogonal keeps the singular vectors and applies the polynomial of each iteration to the singular values, for wide,
// square and tall matrices, and for one of rank 1.
func TestOrthogonalKeepsSingularVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		for _, size := range [][2]int{{16, 40}, {20, 20}, {40, 16}, {17, 16}} {
			for _, rank := range []int{1, min(size[0], size[1])} {
				left, right := mat.NewDense(size[0], rank, nil), mat.NewDense(rank, size[1], nil)
				for _, m := range []*mat.Dense{left, right} {
					m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
				}
				x := new(mat.Dense)
				x.Mul(left, right)
				var svd mat.SVD
				must.Need(t, svd.Factorize(x, mat.SVDThin), "no singular values")
				var u, v, want mat.Dense
				svd.UTo(&u)
				svd.VTo(&v)
				s, norm := svd.Values(nil), mat.Norm(x, 2)
				for i := range s {
					s[i] /= norm
					seen := s[i] > 0.005
					for range 5 {
						s[i] = 3.4445*s[i] - 4.7750*math.Pow(s[i], 3) + 2.0315*math.Pow(s[i], 5)
					}
					if seen && (s[i] < 0.65 || s[i] > 1.25) {
						t.Errorf("%v of rank %d: singular value %g", size, rank, s[i])
					}
				}
				want.Product(&u, mat.NewDiagDense(len(s), s), v.T())
				got := enginetest.Call(t, e, func(x *Node) []*Node { return []*Node{orthogonal(x)} }, matrix(x))[0]
				for i, g := range got {
					w := want.At(i/size[1], i%size[1])
					// Rounding in float32 grows by 3.4 in each of five iterations where a singular value is 0.
					must.Need(t, math.Abs(g-w) <= 1e-4, "%v of rank %d: entry %d is %g, want %g", size, rank, i, g, w)
				}
			}
		}
	})
}

// A step of Muon moves small parameters, biases and matrices that begin at 0 as Adam does. It moves the entries of a
// matrix by the rate times Scale, and keeps the mean gradient as first moment.
func TestMuonMoves(t *testing.T) {
	const rate, scale = 0.01, 0.5
	params := []nn.Param{{Name: "bias", Shape: []int{1, 20}}, {Name: "kernel", Shape: []int{16, 4, 3, 3}, SD: 1},
		{Name: "narrow", Shape: []int{15, 40}, SD: 1},
		{Name: "matrix", Shape: []int{32, 16}, SD: 1}, {Name: "gate", Shape: []int{32, 16}},
		{Name: "last", Shape: []int{1}}}
	rng := rand.New(rand.NewPCG(3, 4))
	gradient, mean := make([]float64, nn.Count(params)), make([]float64, nn.Count(params))
	for i := range gradient {
		gradient[i], mean[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	enginetest.On(t, func(t *testing.T, e *engine.Engine) {
		numbers := func(o Optimizer) [][]float64 {
			s := o.Scalars(9, rate)
			row := make([]float64, len(s))
			for i, v := range s {
				row[i] = float64(v)
			}
			return enginetest.Call(t, e, func(g, m, s *Node) []*Node {
				flat := func(x *Node) *Node { return Reshape(x, x.Shape().Size()) }
				move, first, second := o.Move(Descent{Params: params, Gradient: flat(g), First: flat(m),
					Second: ZerosLike(flat(m)), scalars: flat(s)})
				return []*Node{move, first, second}
			}, [][]float64{gradient}, [][]float64{mean}, [][]float64{row})
		}
		adam, muon := numbers(Adam{}), numbers(Muon{Scale: scale})
		at := 0
		for _, p := range params {
			n := p.Size()
			if p.Name != "kernel" && p.Name != "matrix" {
				for k := range adam {
					must.Equal(t, muon[k][at:at+n], adam[k][at:at+n], p.Name, "is not moved as by Adam")
				}
				at += n
				continue
			}
			var square float64
			for i := at; i < at+n; i++ {
				square += muon[0][i] * muon[0][i] / float64(n)
				if want := 0.95*mean[i] + 0.05*gradient[i]; math.Abs(muon[1][i]-want) > 1e-5 {
					t.Fatalf("%s: mean gradient %g, want %g", p.Name, muon[1][i], want)
				}
			}
			// The singular values of five iterations are from 0.7 to 1.2.
			got := math.Sqrt(square) / (rate * scale)
			must.Be(t, got >= 0.7 && got <= 1.2, "%s: entries move by %.3f of the rate times Scale", p.Name, got)
			at += n
		}
	})
}

func TestMuonIsRefused(t *testing.T) {
	for _, scale := range []float64{-1, math.NaN(), math.Inf(1)} {
		_, err := (Training{Optimizer: Muon{Scale: scale}}).orDefault()
		must.Be(t, err != nil, "Scale %g: no error", scale)
	}
	a, b := fmt.Sprint(Muon{}), fmt.Sprint(Muon{Scale: 0.9})
	must.Be(t, a != b, "two scales have the name %s", a)
}
