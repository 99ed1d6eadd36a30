package sparse_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/sparse"
	"github.com/expfam/lab/internal/must"
)

// dense returns a as a dense matrix.
func dense(a *sparse.Symmetric) *mat.SymDense {
	d := mat.NewSymDense(a.N, nil)
	for j := range a.N {
		for e := a.Start[j]; e < a.Start[j+1]; e++ {
			d.SetSym(a.Row[e], j, a.Value[e])
		}
	}
	return d
}

// random returns a positive definite matrix with the given pairs and random values.
func random(rng *rand.Rand, n int, pairs [][2]int) *sparse.Symmetric {
	a := sparse.New(n, pairs)
	for j := range n {
		for e := a.Start[j] + 1; e < a.Start[j+1]; e++ {
			v := rng.NormFloat64()
			a.Value[e] = v
			a.Value[a.Start[j]] += math.Abs(v)
			a.Value[a.Start[a.Row[e]]] += math.Abs(v)
		}
	}
	for j := range n {
		a.Value[a.Start[j]] += 0.1 + rng.Float64()
	}
	return a
}

// scattered returns random pairs.
func scattered(rng *rand.Rand, n, count int) (pairs [][2]int) {
	for range count {
		pairs = append(pairs, [2]int{rng.IntN(n), rng.IntN(n)})
	}
	return pairs
}

// star joins the last row with all others.
func star(n int) (pairs [][2]int) {
	for i := range n - 1 {
		pairs = append(pairs, [2]int{i, n - 1})
	}
	return pairs
}

// crossed joins each of the rows from at on with each before.
func crossed(at, n int) (pairs [][2]int) {
	for i := at; i < n; i++ {
		for j := range at {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// lattice joins the cells that are at most width away in the sum of rows and columns.
func lattice(rows, cols, width int) (pairs [][2]int) {
	for r := range rows {
		for c := range cols {
			for dr := 0; dr <= width; dr++ {
				for dc := -width + dr; dc <= width-dr; dc++ {
					if r+dr < rows && c+dc >= 0 && c+dc < cols {
						pairs = append(pairs, [2]int{r*cols + c, (r+dr)*cols + c + dc})
					}
				}
			}
		}
	}
	return pairs
}

// weekly is the pattern of a field of side² areas by weeks: each cell beside the same area a week before, its area, its
// week and the level. Weeks and the level have dense rows.
func weekly(side, weeks int) (n int, pairs [][2]int) {
	areas := side * side
	area, week := areas*weeks, areas*(weeks+1)
	level := week + weeks
	for w := range weeks {
		for a := range areas {
			i := w*areas + a
			if w > 0 {
				pairs = append(pairs, [2]int{i, i - areas})
			}
			pairs = append(pairs, [2]int{area + a, i}, [2]int{week + w, i}, [2]int{level, i},
				[2]int{week + w, area + a})
		}
		pairs = append(pairs, [2]int{level, week + w})
	}
	for _, p := range lattice(side, side, 1) {
		pairs = append(pairs, [2]int{area + p[0], area + p[1]})
	}
	return level + 1, pairs
}

// Dense rows come last, and count for the order of the others: an order that is blind for them makes 214,329 entries of
// this pattern, and one that eliminates them like others, in thirty times the time, 128,073.
func TestDenseRows(t *testing.T) {
	n, pairs := weekly(25, 12)
	a := sparse.New(n, pairs)
	order := sparse.MinimumDegree(a)
	must.Be(t, slices.Min(order[n-13:]) >= n-13, "the last rows are %v", order[n-13:])
	entries := sparse.Analyse(a, order).Entries()
	must.Be(t, entries < 150000, "%d entries", entries)
}

// check compares everything that a factor has with dense matrices.
func check(t *testing.T, a *sparse.Symmetric, order []int) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(order))
	for i, v := range sorted {
		if v != i || len(sorted) != a.N {
			t.Fatalf("the order %v is no permutation of %d rows", order, a.N)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(dense(a)) {
		t.Fatal("not positive definite")
	}
	f := sparse.Analyse(a, order).Factor()
	for range 2 { // the second time in used memory
		if err := f.Refactor(a.Value); err != nil {
			t.Fatal(err)
		}
	}
	// Matrices of some hundred rows that are well conditioned lose some digits of float64.
	const tolerance = 1e-9
	if d := f.LogDet() - chol.LogDet(); math.Abs(d) > tolerance*float64(a.N) {
		t.Errorf("log determinant off by %g", d)
	}
	b, x, want := make([]float64, a.N), make([]float64, a.N), mat.NewVecDense(a.N, nil)
	for i := range b {
		b[i] = math.Sin(float64(3*i + 1))
	}
	copy(x, b)
	work := make([]float64, a.N)
	f.Solve(x, work, 1)
	if err := chol.SolveVecTo(want, mat.NewVecDense(a.N, b)); err != nil {
		t.Fatal(err)
	}
	for i := range x {
		if math.Abs(x[i]-want.AtVec(i)) > tolerance*(1+math.Abs(x[i])) {
			t.Fatalf("row %d of the solution is %g, and %g in the dense one", i, x[i], want.AtVec(i))
		}
	}
	// Forward and Backward: b'A⁻¹b = |L⁻¹Pb|², and the second undoes what is left of A⁻¹.
	f.Forward(work, b, 1)
	if got, want := mat.Dot(mat.NewVecDense(a.N, work), mat.NewVecDense(a.N, work)),
		mat.Dot(mat.NewVecDense(a.N, b), want); math.Abs(got-want) > tolerance*(1+want) {
		t.Errorf("|L⁻¹Pb|² is %g, and b'A⁻¹b %g", got, want)
	}
	f.Backward(x, work, 1)
	for i := range x {
		if math.Abs(x[i]-want.AtVec(i)) > tolerance*(1+math.Abs(x[i])) {
			t.Fatalf("row %d of Backward after Forward is %g, and %g solved", i, x[i], want.AtVec(i))
		}
	}
	inverse, all := make([]float64, len(a.Value)), mat.NewSymDense(a.N, nil)
	f.Inverse(inverse)
	if err := chol.InverseTo(all); err != nil {
		t.Fatal(err)
	}
	for j := range a.N {
		for e := a.Start[j]; e < a.Start[j+1]; e++ {
			if want := all.At(a.Row[e], j); math.Abs(inverse[e]-want) > tolerance*(1+math.Abs(want)) {
				t.Fatalf("entry (%d, %d) of the inverse is %g, and %g in the dense one", a.Row[e], j, inverse[e], want)
			}
		}
	}
}

func TestFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		n     int
		pairs [][2]int
	}{
		{"one", 1, nil}, {"diagonal", 20, nil}, {"star", 50, star(50)}, {"line", 60, lattice(1, 60, 1)},
		{"two lines", 60, slices.Concat(lattice(1, 30, 1), [][2]int{{40, 41}, {41, 42}})},
		{"lattice", 240, lattice(12, 20, 1)}, {"wide lattice", 400, lattice(20, 20, 2)},
		{"full", 70, scattered(rng, 70, 20000)}, {"scattered", 300, scattered(rng, 300, 500)},
		{"dense rows", 400, slices.Concat(lattice(10, 33, 1), crossed(330, 400))}, // more than there are bits for
		{"with a star", 201, slices.Concat(lattice(10, 20, 1), star(201))},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := random(rng, c.n, c.pairs)
			check(t, a, sparse.MinimumDegree(a))
			check(t, a, rng.Perm(c.n))
		})
	}
}

func FuzzFactor(f *testing.F) {
	f.Add(uint64(1), uint16(30), uint16(50))
	f.Add(uint64(2), uint16(1), uint16(0))
	f.Fuzz(func(t *testing.T, seed uint64, n, pairs uint16) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows := 1 + int(n)%150
		a := random(rng, rows, scattered(rng, rows, int(pairs)%600))
		check(t, a, sparse.MinimumDegree(a))
	})
}

// TestCholmod compares with numbers of CHOLMOD in testdata/cholmod.json, which testdata/cholmod.py has made.
func TestCholmod(t *testing.T) {
	var all []struct {
		Name                      string
		Rows, Cols, Width         int
		LogDet                    float64
		Solution, InverseDiagonal []float64 // the first 20 entries
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/cholmod.json"))(t), &all))
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			n := c.Rows * c.Cols
			a := sparse.New(n, lattice(c.Rows, c.Cols, c.Width))
			for j := range n { // the rule of the script
				for e := a.Start[j] + 1; e < a.Start[j+1]; e++ {
					v := -1 / float64(1+(j+a.Row[e])%5)
					a.Value[e] = v
					a.Value[a.Start[j]] -= v
					a.Value[a.Start[a.Row[e]]] -= v
				}
			}
			for j := range n {
				a.Value[a.Start[j]] += 0.01
			}
			f := sparse.Analyse(a, sparse.MinimumDegree(a)).Factor()
			must.Do(t, f.Refactor(a.Value))
			x, work, inverse := make([]float64, n), make([]float64, n), make([]float64, len(a.Value))
			for i := range x {
				x[i] = float64(i%7) - 3
			}
			f.Solve(x, work, 1)
			f.Inverse(inverse)
			// Both have the rounding errors of a condition of some thousand.
			near := func(name string, got, want float64) {
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s is %.15g, and %.15g by CHOLMOD", name, got, want)
				}
			}
			near("log determinant", f.LogDet(), c.LogDet)
			for i, want := range c.Solution {
				near("solution", x[i], want)
				near("variance", inverse[a.Start[i]], c.InverseDiagonal[i])
			}
		})
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	a := sparse.New(40, lattice(1, 40, 1)) // a walk, whose precision is singular
	for j := range 39 {
		a.Value[a.Start[j]]++
		a.Value[a.Start[j]+1]--
		a.Value[a.Start[j+1]]++
	}
	f := sparse.Analyse(a, sparse.MinimumDegree(a)).Factor()
	a.Value[0] -= 1e-3
	if err := f.Refactor(a.Value); err == nil {
		t.Error("an indefinite matrix has a factor")
	}
	a.Value[0] = math.NaN()
	if err := f.Refactor(a.Value); err == nil {
		t.Error("a matrix with a NaN has a factor")
	}
}

func TestRefactorDoesNotAllocate(t *testing.T) {
	a := random(rand.New(rand.NewPCG(3, 4)), 900, lattice(30, 30, 1))
	f := sparse.Analyse(a, sparse.MinimumDegree(a)).Factor()
	x, work := make([]float64, a.N), make([]float64, a.N)
	if n := testing.AllocsPerRun(5, func() {
		if err := f.Refactor(a.Value); err != nil {
			t.Fatal(err)
		}
		f.Solve(x, work, 1)
	}); n > 5 { // the list of children grows, and solutions have work space
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkLattice(b *testing.B) {
	for _, side := range []int{16, 32, 64, 128, 256} {
		a := random(rand.New(rand.NewPCG(3, 4)), side*side, lattice(side, side, 2))
		b.Run(fmt.Sprintf("analyse/%d", side), func(b *testing.B) {
			for range b.N {
				sparse.Analyse(a, sparse.MinimumDegree(a))
			}
		})
		f := sparse.Analyse(a, sparse.MinimumDegree(a)).Factor()
		b.Run(fmt.Sprintf("factor/%d", side), func(b *testing.B) {
			for range b.N {
				if err := f.Refactor(a.Value); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(f.Entries()), "entries")
		})
		x, work := make([]float64, a.N), make([]float64, a.N)
		for _, k := range []int{1, 8} {
			x, work = make([]float64, k*a.N), make([]float64, k*a.N)
			b.Run(fmt.Sprintf("solve/%d/%d", side, k), func(b *testing.B) {
				for range b.N {
					f.Solve(x, work, k)
				}
			})
		}
		value := make([]float64, len(a.Value))
		b.Run(fmt.Sprintf("inverse/%d", side), func(b *testing.B) {
			for range b.N {
				f.Inverse(value)
			}
		})
	}
}
