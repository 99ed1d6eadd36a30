package columns

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/expfam/lab/internal/must"
)

func noise(n int) []float64 {
	rng, x := rand.New(rand.NewPCG(1, uint64(n))), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// close checks numbers up to the rounding errors of a sum of n products.
func checkClose(t *testing.T, got, want []float64, n int) {
	t.Helper()
	for i := range want {
		must.Be(t, math.Abs(got[i]-want[i]) < 1e-14*float64(n+10)*(1+math.Abs(want[i])), "entry %d: %g, not %g", i,
			got[i], want[i])
	}
}

// TestMulAdd compares products of all shapes with sums, and looks at the numbers beside the result.
func TestMulAdd(t *testing.T) {
	for _, m := range []int{1, 2, 3, 4, 5, 9} {
		for _, n := range []int{1, 3, 17, deep + 5} {
			for k := 1; k <= 18; k++ {
				for _, turned := range []bool{false, true} {
					a := Rows(noise(m*n), n)
					if turned {
						a = Rows(noise(m*n), m).T()
					}
					b, c := Rows(noise(n*(k+1)), k+1), Rows(noise(m*(k+2)), k+2)
					want := slices.Clone(c.Data)
					for i := range m {
						for j := range n {
							for col := range k {
								want[i*c.Row+col] -= 0.5 * a.Data[i*a.Row+j*a.Col] * b.Data[j*b.Row+col]
							}
						}
					}
					MulAdd(-0.5, c, a, b, m, n, k)
					checkClose(t, c.Data, want, n)
				}
			}
		}
	}
}

// TestColumnsAreIndependent checks that a column has the same bits alone and in a block.
func TestColumnsAreIndependent(t *testing.T) {
	const m, n, k = 7, 300, 13
	a, b, c := Rows(noise(m*n), n), noise(n*k), make([]float64, m*k)
	MulAdd(1, Rows(c, k), a, Rows(b, k), m, n, k)
	for col := range k {
		own, out := make([]float64, n), make([]float64, m)
		for j := range own {
			own[j] = b[j*k+col]
		}
		MulAdd(1, Rows(out, 1), a, Rows(own, 1), m, n, 1)
		for i, v := range out {
			must.Equal(t, c[i*k+col], v, "row", i, "column", col)
		}
	}
}

func TestSolve(t *testing.T) {
	for _, n := range []int{1, 2, 4, 5, 31} {
		for _, k := range []int{1, 3, 8, 11} {
			l := noise(n * n)
			for i := range n {
				l[i*n+i] = 2 + math.Abs(l[i*n+i])
				for j := range n {
					if j != i {
						l[i*n+j] /= float64(n)
					}
				}
			}
			clear := func(keep func(i, j int) bool) Matrix {
				out := make([]float64, n*n)
				for i := range n {
					for j := range n {
						if keep(i, j) {
							out[i*n+j] = l[i*n+j]
						}
					}
				}
				return Rows(out, n)
			}
			lower := clear(func(i, j int) bool { return j <= i })
			upper := clear(func(i, j int) bool { return j >= i })
			for name, solve := range map[string]struct {
				by func(x []float64)
				a  Matrix
			}{
				"lower":      {func(x []float64) { SolveLower(Rows(l, n), x, n, k) }, lower},
				"lower of U": {func(x []float64) { SolveLower(Rows(l, n).T(), x, n, k) }, upper.T()},
				"upper":      {func(x []float64) { SolveUpper(Rows(l, n), x, n, k) }, upper},
				"upper of L": {func(x []float64) { SolveUpper(Rows(l, n).T(), x, n, k) }, lower.T()},
			} {
				t.Run(fmt.Sprint(name, n, k), func(t *testing.T) {
					want, x := noise(n*k), make([]float64, n*k)
					MulAdd(1, Rows(x, k), solve.a, Rows(want, k), n, n, k)
					solve.by(x)
					checkClose(t, x, want, n)
				})
			}
		}
	}
}

func BenchmarkMulAdd(b *testing.B) {
	for _, k := range []int{1, 4, 8, 16} {
		for _, turned := range []bool{false, true} {
			b.Run(fmt.Sprint(k, turned), func(b *testing.B) {
				const m, n = 200, 200
				a, x, c := Rows(noise(m*n), n), Rows(noise(n*k), k), Rows(make([]float64, m*k), k)
				if turned {
					a = a.T()
				}
				for b.Loop() {
					MulAdd(1, c, a, x, m, n, k)
				}
				b.ReportMetric(float64(2*m*n*k)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GFlop/s")
			})
		}
	}
}
