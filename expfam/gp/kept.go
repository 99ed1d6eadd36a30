package gp

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// keptBytes bounds the memory of the eigendecompositions in [factored]. The keptAlways that were used last stay beyond
// the bound, because a prior of many cells that was forgotten between two draws would be factorised at each of them.
const (
	keptAlways = 2
	keptBytes  = 32 << 20
)

// kept holds eigendecompositions by kernel, and forgets the ones that were unused for longest. Many goroutines may use
// it at once.
type kept struct {
	all   sync.Map // RBF -> *keptGaussian
	clock atomic.Int64

	mu    sync.Mutex // guards the numbers below
	count int        // eigendecompositions in all
	bytes int        // memory of all of them
}

// keptGaussian is an eigendecomposition with the time of its last use.
type keptGaussian struct {
	*Gaussian
	used atomic.Int64
}

// load returns the eigendecomposition of a kernel, or nil if there is none.
func (c *kept) load(k RBF) *Gaussian {
	v, ok := c.all.Load(k)
	if !ok {
		return nil
	}
	g := v.(*keptGaussian)
	g.used.Store(c.clock.Add(1))
	return g.Gaussian
}

// store keeps an eigendecomposition. If there are then too many, it forgets others until a quarter of the room is free.
func (c *kept) store(k RBF, g *Gaussian) {
	c.mu.Lock()
	defer c.mu.Unlock()
	added := &keptGaussian{Gaussian: g}
	added.used.Store(c.clock.Add(1))
	if _, stored := c.all.Swap(k, added); stored {
		return
	}
	c.count++
	c.bytes += g.bytes()
	if c.count <= keptAlways || c.bytes <= keptBytes {
		return
	}
	type entry struct {
		key  RBF
		g    *Gaussian
		used int64
	}
	var list []entry
	c.all.Range(func(key, v any) bool {
		g := v.(*keptGaussian)
		list = append(list, entry{key.(RBF), g.Gaussian, g.used.Load()})
		return true
	})
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.used, b.used) })
	for _, e := range list[:len(list)-keptAlways] {
		if c.bytes <= keptBytes*3/4 {
			return
		}
		c.all.Delete(e.key)
		c.count--
		c.bytes -= e.g.bytes()
	}
}

// bytes returns the memory of the matrices of an eigendecomposition: of the covariance, of its basis and of the modes
// of its root.
func (g *Gaussian) bytes() int {
	n := len(g.mean) + len(g.values)
	if g.cov != nil {
		n += len(g.cov.RawSymmetric().Data)
	}
	if g.basis != nil {
		n += len(g.basis.RawMatrix().Data)
	}
	for _, mode := range g.root {
		n += len(mode)
	}
	return 8 * n
}
