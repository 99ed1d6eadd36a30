package diffusion

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/gomlx/compute/dtypes"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/engine"
	"github.com/expfam/lab/internal/speak"
)

// Live samples again and again in one process, for figures that follow a control. Its graphs stay compiled, and the
// named constants of a link are inputs of the graphs. Changing s in sigmoid(s*x) compiles nothing; a new formula is
// compiled. Nothing is stored on disk.
//
// Draws agree with those of [Sample] up to rounding, and Info has the certificate under a Gaussian prior. One goroutine
// at a time may use a Live. All of its fields, and the values in slices of a likelihood, may change between two calls.
// What a pointer points to, such as an operator or a prior, must not change.
type Live struct {
	Prior   expfam.Prior
	Sampler Sampler
	// Keep is how many formulas stay compiled. They are the ones used last. Default 8.
	Keep int

	kept []kept // in the order of use, the one used last at the end
}

// graphKey tells compiled graphs apart, together with the strategies. The two hold all of a configuration except
// the seed, the number of the first draw and the values of the link's named constants.
type graphKey struct {
	link         string
	draws, batch int
	dtype        dtypes.DType
	engine       *engine.Engine
}

// strategies are the prior, the guidance, the method, and the family and the operator of every data set. After the
// family and the operator of a data set comes the key of its link if the link is no formula. The texts of the
// strategies would not tell all of them apart. Within one process their types and fields do.
type strategies []any

// strategiesOf returns the strategies of a configuration.
func strategiesOf(prior expfam.Prior, t *expfam.Terms, s Sampler) strategies {
	all := strategies{prior, s.Guidance, s.Method}
	for _, part := range t.Parts() {
		all = append(all, part.Family, part.Operator)
		if _, written := part.Formula(); !written {
			all = append(all, part.LinkKey())
		}
	}
	return all
}

// deepCopy returns a copy of v that shares no slice with v: not the slice v itself, nor a slice in an exported field or
// in another slice. Pointers and maps are the same in both.
func deepCopy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface, reflect.Slice:
		if v.IsNil() {
			return v
		}
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Interface:
		out.Set(deepCopy(v.Elem()))
	case reflect.Slice:
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(deepCopy(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
	}
	return out
}

type kept struct {
	key        graphKey
	strategies strategies
	compiled   *Compiled
}

// Sample draws from the posterior, with Sampler.Seed. Info.Compile of the result is 0
// unless this call compiled. It handles an interrupt as the function [Sample] does.
func (l *Live) Sample(like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior, error) {
	ctx, stop := speak.Interruptible()
	defer stop()
	return l.SampleContext(ctx, like, obs)
}

// SampleContext is [Live.Sample] that ends with ctx; see the function [SampleContext].
func (l *Live) SampleContext(ctx context.Context, like expfam.Likelihood, obs expfam.Observations) (*expfam.Posterior,
	error) {
	if err := checkNoUnknowns(l.Prior, like, "Live"); err != nil {
		return nil, err
	}
	s, err := l.Sampler.orDefault(l.Prior)
	if err != nil {
		return nil, err
	}
	c, before, err := l.compiled(ctx, like, s)
	if err != nil {
		return nil, err
	}
	post, err := c.Sample(ctx, obs, s.Seed)
	if post != nil {
		post.Info.Compile -= before
	}
	return post, err
}

// compiled returns the sampler for a likelihood, and the seconds that calls before this one spent on compiling it.
func (l *Live) compiled(ctx context.Context, like expfam.Likelihood, s Sampler) (c *Compiled, before float64,
	err error) {
	terms, err := like.Terms()
	if err != nil {
		return nil, 0, err
	}
	key := graphKey{
		link:  terms.OpenLink(),
		draws: s.Draws, batch: s.Batch, dtype: s.DType, engine: s.Engine,
	}
	if terms.Cellwise() != nil { // with an operator or several data sets the constants are compiled in
		key.link = terms.String()
	}
	own := strategiesOf(l.Prior, terms, s)
	if i := slices.IndexFunc(l.kept, func(k kept) bool {
		return k.key == key && reflect.DeepEqual(k.strategies, own)
	}); i >= 0 {
		k := l.kept[i]
		l.kept = append(slices.Delete(l.kept, i, i+1), k)
		c = k.compiled
		c.sampler.Progress, c.sampler.Watch, c.sampler.Plan = s.Progress, s.Watch, s.Plan
		c.sampler.First, c.sampler.Moves = s.First, s.Moves
		return c, c.compiler.seconds, l.open(c, terms)
	}
	if c, err = prepare(ctx, l.Prior, terms, s); err != nil {
		return nil, 0, err
	}
	if err := l.open(c, terms); err != nil {
		return nil, 0, err
	}
	for len(l.kept) > max(cmp.Or(l.Keep, 8)-1, 0) {
		l.kept[0].compiled.Close()
		l.kept = slices.Delete(l.kept, 0, 1)
	}
	own = deepCopy(reflect.ValueOf(own)).Interface().(strategies) // the caller may change its slices
	l.kept = append(l.kept, kept{key, own, c})
	return c, 0, nil
}

// open makes the constants inputs where each datum depends on its own cell.
func (l *Live) open(c *Compiled, terms *expfam.Terms) error {
	if !c.forward.Plain() {
		return nil
	}
	return c.open(terms)
}

// Close frees the compiled graphs. The next Sample compiles again.
func (l *Live) Close() {
	for _, k := range l.kept {
		k.compiled.Close()
	}
	l.kept = nil
}
