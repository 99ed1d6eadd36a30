package gp

import (
	"math"
	"testing"
)

// Many kernels keep a bounded number of covariances, and the ones that were used last are kept.
func TestFactorisationsAreBounded(t *testing.T) {
	var c kept
	kernel := func(cells, i int) RBF { return RBF{Cells: cells, Variance: 1, Length: float64(i + 1)} }
	count := func() (n, numbers int) {
		c.all.Range(func(key, _ any) bool {
			n++
			numbers += key.(RBF).Cells * key.(RBF).Cells
			return true
		})
		return n, numbers
	}
	g := new(Gaussian)
	for i := range 1000 {
		if c.store(kernel(128, i), g); c.load(kernel(128, 0)) == nil {
			t.Fatalf("the first kernel was used last, and is forgotten after %d others", i)
		}
	}
	if n, numbers := count(); numbers > keptNumbers || numbers < keptNumbers/2 || c.count != n || c.numbers != numbers {
		t.Errorf("%d kernels with %d numbers, want at most %d numbers; they are counted as %d with %d", n, numbers, keptNumbers, c.count, c.numbers)
	}
	for i := range 100 {
		c.store(kernel(3000, i), g)
	}
	if n, _ := count(); n != keptAlways {
		t.Errorf("%d large kernels are kept, want %d", n, keptAlways)
	}
	if c.load(kernel(3000, 99)) == nil || c.load(kernel(3000, 0)) != nil {
		t.Error("the last large kernel is not kept, or the first is")
	}
}

// A kernel that was forgotten is factorised again, to the same bits.
func TestAForgottenKernelIsTheSame(t *testing.T) {
	k := RBF{Cells: 5, Variance: 1, Length: 0.37}
	first := k.Gaussian()
	factored = kept{}
	second := k.Gaussian()
	if first == second {
		t.Fatal("the kernel was not factorised again")
	}
	a, b := first.Multiply([]float64{1, 2, 3, 4, 5}), second.Multiply([]float64{1, 2, 3, 4, 5})
	for j := range a {
		if math.Float64bits(a[j]) != math.Float64bits(b[j]) {
			t.Errorf("cell %d: %v and %v", j, a[j], b[j])
		}
	}
}
