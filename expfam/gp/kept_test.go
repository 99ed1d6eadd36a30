package gp

import (
	"math"
	"runtime"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"gonum.org/v1/gonum/mat"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/expfam/level"
	"github.com/expfam/lab/internal/must"
)

// Many kernels keep a bounded amount of memory, and the ones that were used last are kept.
func TestFactorisationsAreBounded(t *testing.T) {
	var c kept[RBF, *Gaussian]
	kernel := func(cells, i int) RBF { return RBF{Cells: cells, Variance: 1, Length: float64(i + 1)} }
	bytes := func() (sum int) {
		for _, v := range c.all {
			sum += v.value.bytes()
		}
		return sum
	}
	has := func(k RBF) bool { _, ok := c.load(k); return ok }
	of := func(bytes int) *Gaussian {
		return &Gaussian{mean: make([]float64, bytes/8), cov: new(mat.SymDense), basis: new(mat.Dense)}
	}
	small, large := of(1<<20), of(keptBytes/2+8)
	for i := range 1000 {
		if c.store(kernel(128, i), small); !has(kernel(128, 0)) {
			t.Fatalf("the first kernel was used last, and is forgotten after %d others", i)
		}
	}
	must.Be(t, bytes() <= keptBytes && bytes() >= keptBytes/2 && c.bytes == bytes(),
		"%d kernels of %d bytes, want at most %d; they are counted as %d", len(c.all), bytes(), keptBytes, c.bytes)
	for i := range 100 {
		c.store(kernel(3000, i), large)
	}
	must.Equal(t, len(c.all), keptAlways, "large kernels are kept")
	must.Be(t, has(kernel(3000, 99)) && !has(kernel(3000, 0)),
		"the last large kernel is not kept, or the first is")
}

// The mixtures of many priors keep a bounded amount of memory.
func TestMixturesAreBounded(t *testing.T) {
	for i := range 8 { // each of five matrices of 1.5 MB
		u := Unknown{Of: RBF{Cells: 250, Length: 0.1 + float64(i)/100}}
		enginetest.Call(t, enginetest.Open(t, "go"), func(x *graph.Node) []*graph.Node {
			one := graph.Reshape(graph.Scalar(x.Graph(), x.DType(), 0.5), 1, 1)
			mean, _ := u.Moments(x, level.Nodes{SqrtAlpha: one, V: one})
			return []*graph.Node{mean}
		}, [][]float32{make([]float32, 250)})
	}
	must.Be(t, mixtures.bytes <= keptBytes && len(mixtures.all) >= 2, "%d mixtures of %d bytes are kept",
		len(mixtures.all), mixtures.bytes)
}

// What is counted is what a kernel keeps. The reference is the heap before and after.
func TestFactorisationsAreCounted(t *testing.T) {
	for _, length := range []float64{0.1, 0.001} { // a root of few modes, and one of all
		heap := func() int {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // what other tests left to finalizers
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		factored = kept[RBF, *Gaussian]{}
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
	factored = kept[RBF, *Gaussian]{}
	second := k.Gaussian()
	must.Need(t, first != second, "the kernel was not factorised again")
	a, _ := first.Multiply([]float64{1, 2, 3, 4, 5})
	b, _ := second.Multiply([]float64{1, 2, 3, 4, 5})
	for j := range a {
		must.Equal(t, math.Float64bits(a[j]), math.Float64bits(b[j]), "cell", j, a[j], b[j])
	}
}
