package gp

import (
	"math"
	"runtime"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Many kernels keep a bounded amount of memory, and the ones that were used last are kept.
func TestFactorisationsAreBounded(t *testing.T) {
	var c kept
	kernel := func(cells, i int) RBF { return RBF{Cells: cells, Variance: 1, Length: float64(i + 1)} }
	count := func() (n, bytes int) {
		c.all.Range(func(_, v any) bool {
			n++
			bytes += v.(*keptGaussian).bytes()
			return true
		})
		return n, bytes
	}
	of := func(bytes int) *Gaussian { return &Gaussian{mean: make([]float64, bytes/8)} }
	small, large := of(1<<20), of(keptBytes/2+8)
	for i := range 1000 {
		if c.store(kernel(128, i), small); c.load(kernel(128, 0)) == nil {
			t.Fatalf("the first kernel was used last, and is forgotten after %d others", i)
		}
	}
	if n, bytes := count(); bytes > keptBytes || bytes < keptBytes/2 || c.count != n || c.bytes != bytes {
		t.Errorf("%d kernels of %d bytes, want at most %d; they are counted as %d of %d", n, bytes, keptBytes, c.count,
			c.bytes)
	}
	for i := range 100 {
		c.store(kernel(3000, i), large)
	}
	n, _ := count()
	must.Be(t, n == keptAlways, "%d large kernels are kept, want %d", n, keptAlways)
	must.Be(t, c.load(kernel(3000, 99)) != nil && c.load(kernel(3000, 0)) == nil,
		"the last large kernel is not kept, or the first is")
}

// What is counted is what a kernel keeps. The reference is the heap before and after.
func TestFactorisationsAreCounted(t *testing.T) {
	for _, length := range []float64{0.1, 0.001} { // a root of few modes, and one of all
		heap := func() int {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		factored = kept{}
		before := heap()
		g := RBF{Cells: 300, Length: length}.Gaussian()
		after := heap()
		took := after - before
		must.Be(t, g.bytes() >= took*9/10-100_000 && g.bytes() <= took*11/10+100_000 && factored.bytes == g.bytes(),
			"length %g: %d bytes are counted of %d, and the heap grew by %d", length, factored.bytes, g.bytes(), took)
		runtime.KeepAlive(g)
	}
}

// A kernel that was forgotten is factorised again, to the same bits.
func TestAForgottenKernelIsTheSame(t *testing.T) {
	k := RBF{Cells: 5, Variance: 1, Length: 0.37}
	first := k.Gaussian()
	factored = kept{}
	second := k.Gaussian()
	must.Need(t, first != second, "the kernel was not factorised again")
	a, _ := first.Multiply([]float64{1, 2, 3, 4, 5})
	b, _ := second.Multiply([]float64{1, 2, 3, 4, 5})
	for j := range a {
		must.Equal(t, math.Float64bits(a[j]), math.Float64bits(b[j]), "cell", j, a[j], b[j])
	}
}
