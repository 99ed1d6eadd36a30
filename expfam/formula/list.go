package formula

// List evaluates expressions of one variable together, so that what several of them contain is evaluated once. Each
// value has the bits of [Expr.Eval]. It is safe for concurrent use.
type List struct {
	evals []evaluation
	size  int
}

// Together returns the list of expressions.
func Together(exprs ...Expr) *List {
	c := &compiler{uses: map[string]int{}, at: map[string]int{}, from: len(exprs)}
	for _, e := range exprs {
		c.count(e.n)
	}
	l := &List{}
	for _, e := range exprs {
		l.evals = append(l.evals, c.compile(e.n))
	}
	l.size = len(exprs) + len(c.at)
	return l
}

// count counts how often nodes occur. What is inside a node counts once, because it is evaluated once. Numbers, the
// variable and its multiples cost less than memory does.
func (c *compiler) count(n node) {
	switch m := n.(type) {
	case *sum:
		if _, ok := m.terms[0].n.(variable); ok && len(m.terms) == 1 {
			return
		}
	case *product, *call:
	default:
		return
	}
	if c.uses[n.key()]++; c.uses[n.key()] > 1 {
		return
	}
	switch n := n.(type) {
	case *sum:
		for _, t := range n.terms {
			c.count(t.n)
		}
	case *product:
		for _, f := range n.factors {
			c.count(f.base)
		}
	case *call:
		c.count(n.arg)
	}
}

// Work returns work space for [List.Eval].
func (l *List) Work() []float64 { return make([]float64, l.size) }

// Eval evaluates the expressions at v. The result is the beginning of work, which is overwritten.
func (l *List) Eval(v float64, work []float64) []float64 {
	for i, f := range l.evals {
		work[i] = f(v, work)
	}
	return work[:len(l.evals)]
}
