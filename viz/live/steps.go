package live

import (
	"context"
	"time"

	"github.com/expfam/lab/viz"
)

// steps is the state of a drawing under way.
type steps struct {
	cancel func()
	last   time.Time // when a preliminary figure was last shown; zero before the first
}

// begin begins a drawing and returns its context. Newer values or an interrupt end the context.
func (s *session) begin() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.steps = true, steps{cancel: cancel}
	if s.end == endInterrupt {
		cancel()
	}
	return ctx
}

func (s *session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps.cancel()
	s.busy = false
}

// preview shows a preliminary figure. It ends the drawing if newer values wait.
func (s *session) preview(fig viz.Figure) {
	s.mu.Lock()
	width := s.width
	early := !s.busy || time.Since(s.steps.last) < s.quick
	s.mu.Unlock()
	if early || fig == nil {
		return
	}
	pic, err := newPicture(fig)
	if err != nil {
		return // the last figure says why
	}
	figure, rich := pic.wired(width)
	s.mu.Lock()
	pic.code = s.state.Code
	s.shown, s.of, s.steps.last = pic, s.specs(), time.Now()
	s.figure, s.state.Rich, s.fitted = figure, rich, width
	s.state.Version++
	s.state.Error = ""
	if s.todo.Values != nil {
		s.steps.cancel()
	}
	s.mu.Unlock()
	s.post(true)
}
