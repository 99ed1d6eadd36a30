package gp

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// keptAlways and keptNumbers bound the eigendecompositions in [factored]: beyond keptAlways of them, the covariances
// together have at most keptNumbers numbers, which is 32 MB.
const (
	keptAlways  = 16
	keptNumbers = 1 << 22
)

// kept holds eigendecompositions by kernel, and forgets the ones that were unused for longest. Many goroutines may use
// it at once.
type kept struct {
	all   sync.Map // RBF -> *keptGaussian
	clock atomic.Int64

	mu      sync.Mutex // guards the numbers below
	count   int        // eigendecompositions in all
	numbers int        // numbers in their covariances
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
	c.numbers += k.Cells * k.Cells
	if c.count <= keptAlways || c.numbers <= keptNumbers {
		return
	}
	type entry struct {
		key  RBF
		used int64
	}
	var list []entry
	c.all.Range(func(key, v any) bool {
		list = append(list, entry{key.(RBF), v.(*keptGaussian).used.Load()})
		return true
	})
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.used, b.used) })
	for _, e := range list[:len(list)-keptAlways] {
		if c.numbers <= keptNumbers*3/4 {
			return
		}
		c.all.Delete(e.key)
		c.count--
		c.numbers -= e.key.Cells * e.key.Cells
	}
}
