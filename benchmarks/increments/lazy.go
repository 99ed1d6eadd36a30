package increments

import (
	"context"

	"github.com/expfam/lab/expfam/store"
)

// lazy is a method that is opened at its first use. If all its scores are stored, it is never compiled.
type lazy struct {
	ctx    context.Context
	m      Method
	p      *Problem
	draws  int
	opened Opened
}

func (l *lazy) get() (Opened, error) {
	if l.opened != nil {
		return l.opened, nil
	}
	var err error
	l.opened, err = l.m.Open(l.ctx, l.p, l.draws)
	return l.opened, err
}

func (l *lazy) close() {
	if l.opened != nil {
		l.opened.Close()
		l.opened = nil
	}
}

// key returns the key of a method's result on a signal. The name of a method holds its settings and its prior.
func (l *lazy) key(c Campaign, set string, k int) string {
	return store.Key(l.p.revision(), scoreRevision, l.p.String(), l.m.String(), set, k, l.draws, c.Gibbs)
}
