package gp

import "sync"

// keptBytes bounds the memory of the eigendecompositions in [factored], and of those in [mixtures]. The keptAlways that
// were used last stay beyond the bound, because a prior of many cells that was forgotten between two draws would be
// factorised at each of them.
const (
	keptAlways = 2
	keptBytes  = 32 << 20
)

// kept holds values that take long to make, and forgets the ones that were unused for longest. Many goroutines may use
// it at once.
type kept[K comparable, V interface{ bytes() int }] struct {
	mu    sync.Mutex
	all   map[K]*keptValue[V]
	clock int // uses so far
	bytes int // memory of all values
}

// keptValue is a value with the time of its last use.
type keptValue[V any] struct {
	value V
	used  int
}

// load returns the value of a key, if there is one.
func (c *kept[K, V]) load(k K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.all[k]
	if !ok {
		return value, false
	}
	c.clock++
	v.used = c.clock
	return v.value, true
}

// store keeps a value. If there are then too many, it forgets others.
func (c *kept[K, V]) store(k K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[K]*keptValue[V]{}
	}
	if v, stored := c.all[k]; stored {
		c.bytes -= v.value.bytes()
	}
	c.clock++
	c.all[k] = &keptValue[V]{value, c.clock}
	c.bytes += value.bytes()
	for c.bytes > keptBytes && len(c.all) > keptAlways {
		oldest := k
		for other, v := range c.all {
			if v.used < c.all[oldest].used {
				oldest = other
			}
		}
		c.bytes -= c.all[oldest].value.bytes()
		delete(c.all, oldest)
	}
}

// bytes returns the memory of the matrices of an eigendecomposition: of the covariance, of its basis and of the modes
// of its root.
func (g *Gaussian) bytes() int {
	n := len(g.mean) + len(g.values) + len(g.cov.RawSymmetric().Data) + len(g.basis.RawMatrix().Data)
	for _, mode := range g.root {
		n += len(mode)
	}
	return 8 * n
}

// bytes returns the memory of the parts.
func (m *Mixture) bytes() (n int) {
	for _, p := range m.Parts {
		n += p.bytes()
	}
	return n
}
