package expfam

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/gomlx/compute/dtypes"
	g "github.com/gomlx/gomlx/core/graph"

	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/interrupt"
)

// Live samples again and again in one process, for figures that follow a control. Its
// graphs stay compiled, and the named constants of a link are inputs of the graphs.
// Changing s in sigmoid(s*x) compiles nothing; a new formula is compiled. Nothing is
// stored on disk.
//
// Draws agree with those of [Sample] up to rounding. One goroutine at a time may use a
// Live.
type Live struct {
	Prior   Prior
	Sampler Sampler
	// Keep is how many formulas stay compiled. They are the ones used last. Default 8.
	Keep int

	kept []kept // in the order of use, the one used last at the end
}

// graphKey tells compiled graphs apart, together with the strategies. The two hold all of a configuration except
// the seed and the values of the link's named constants.
type graphKey struct {
	link         string
	function     *funcLink // the link if it is no formula: its identity tells it apart
	rest         float64
	draws, batch int
	dtype        dtypes.DType
	engine       *engine.Engine
}

// strategies are the prior, the family, the operator, the likelihoods of several data sets, the guidance and
// the method. Their texts would not tell all of them apart. Within one process their types and fields do.
type strategies [6]any

type kept struct {
	key        graphKey
	strategies strategies
	compiled   *Compiled
}

// Sample draws from the posterior, with Sampler.Seed. Info.Compile of the result is 0
// unless this call compiled. It handles an interrupt as the function [Sample] does.
func (l *Live) Sample(like Likelihood, obs Observations) (*Posterior, error) {
	ctx, stop := interrupt.Context()
	defer stop()
	return l.SampleContext(ctx, like, obs)
}

// SampleContext is [Live.Sample] that ends with ctx; see the function [SampleContext].
func (l *Live) SampleContext(ctx context.Context, like Likelihood, obs Observations) (*Posterior, error) {
	s, err := l.Sampler.orDefault(l.Prior)
	if err != nil {
		return nil, err
	}
	c, fresh, err := l.compiled(ctx, like, s)
	if err != nil {
		return nil, err
	}
	post, err := c.Sample(ctx, obs, s.Seed)
	if post != nil && !fresh {
		post.Info.Compile = 0
	}
	return post, err
}

// compiled returns the sampler for a likelihood. fresh reports whether this call compiled it.
func (l *Live) compiled(ctx context.Context, like Likelihood, s Sampler) (c *Compiled, fresh bool, err error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, false, err
	}
	key := graphKey{
		link: terms.openLink(), rest: terms.rest,
		draws: s.Draws, batch: s.Batch, dtype: s.DType, engine: s.Engine,
	}
	if terms.formula == nil {
		key.function = terms.f
	}
	if terms.Cellwise() != nil { // with an operator or several data sets the constants are compiled in
		key.link = terms.String()
	}
	own := strategies{l.Prior, terms.Family, terms.Operator, terms.parts, s.Guidance, s.Method}
	if i := slices.IndexFunc(l.kept, func(k kept) bool { return k.key == key && reflect.DeepEqual(k.strategies, own) }); i >= 0 {
		k := l.kept[i]
		l.kept = append(slices.Delete(l.kept, i, i+1), k)
		c = k.compiled
		c.sampler.Progress, c.sampler.Watch = s.Progress, s.Watch
		if c.forward.plain() {
			c.terms = terms
			_, c.values = terms.constants()
		}
		return c, false, nil
	}
	if c, err = prepare(l.Prior, terms, s); err != nil {
		return nil, false, err
	}
	if c.forward.plain() {
		c.constants, c.values = terms.constants()
	}
	if err := c.compile(ctx); err != nil {
		return nil, false, err
	}
	keep := l.Keep
	if keep == 0 {
		keep = 8
	}
	for len(l.kept) > max(keep-1, 0) {
		l.kept[0].compiled.Close()
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	l.kept = append(l.kept, kept{key, own, c})
	return c, true, nil
}

// Close frees the compiled graphs. The next Sample compiles again.
func (l *Live) Close() {
	for _, k := range l.kept {
		k.compiled.Close()
	}
	l.kept = nil
}

// constants returns the names and the values of the link's named constants.
func (t *Terms) constants() (names []string, values []float64) {
	if f, ok := t.Link.(*formulaLink); ok {
		names = f.open.Constants()
		for _, name := range names {
			values = append(values, f.values[name])
		}
	}
	return names, values
}

// openLink returns the text of the link with its constants by name.
func (t *Terms) openLink() string {
	if f, ok := t.Link.(*formulaLink); ok {
		return f.open.String()
	}
	return t.Link.String()
}

// feed returns the likelihood with nodes for the constants of its link. The result is for use in the graph of
// these nodes alone.
func (t *Terms) feed(values map[string]*g.Node) *Terms {
	f, ok := t.Link.(*formulaLink)
	if !ok {
		panic(errors.New("a link that is not a formula has no constants"))
	}
	fed := *t
	e := f.open.Feed(values)
	fed.Link, fed.formula = &formulaLink{expr: e, open: e}, &e
	fed.compose()
	return &fed
}
