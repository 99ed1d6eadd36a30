package expfam

import (
	"errors"
	"fmt"

	g "github.com/gomlx/gomlx/core/graph"
)

// Constants returns the names and the values of the link's named constants.
func (t *Terms) Constants() (names []string, values []float64) {
	if f, ok := t.Link.(*formulaLink); ok {
		names = f.open.Constants()
		for _, name := range names {
			values = append(values, f.values[name])
		}
	}
	return names, values
}

// OpenLink returns a text that tells apart the graphs of two likelihoods of one family whose links differ in more than
// the values of named constants: the link with its constants by name.
func (t *Terms) OpenLink() string {
	if f, ok := t.Link.(*formulaLink); ok {
		return fmt.Sprint(f.open, t.rest)
	}
	return fmt.Sprint(t.Link, t.rest)
}

// Feed returns the likelihood with nodes for the constants of its link. The result is for use in the graph of
// these nodes alone.
func (t *Terms) Feed(values map[string]*g.Node) *Terms {
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
