package live

import (
	"encoding/json"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// wire is the way to the front end. Messages may be lost, doubled and overtake
// each other, in both directions.
type wire interface {
	// show displays the panel; a later call replaces it.
	show(map[protocol.MIMEType]any) error
	// listen has f called with what arrives, from any goroutine.
	listen(f func(message string))
	// send sends a state and, unless it is "", a figure.
	send(state, figure string)
}

// request is what the front end sends, again and again until it is answered.
type request struct {
	Seq     int    `json:"seq"`     // of the values, growing; 0 greets without values
	Values  []any  `json:"values"`  // of all controls
	Version int    `json:"version"` // of the figure that it shows
	Hover   bool   `json:"hover"`   // the pointer is over the figure
	End     string `json:"end"`     // why the panel should end, "" while it should not
}

// state is the answer to every request, and comes with every figure.
type state struct {
	Ack     int            `json:"ack"`            // newest values that arrived
	Drawn   int            `json:"drawn"`          // newest values that were drawn or refused
	Version int            `json:"version"`        // of the figure
	Rich    bool           `json:"rich"`           // the figure is HTML, not SVG
	Error   string         `json:"error"`          // why the figure shows older values
	Refused map[int]string `json:"refused"`        // by control: why it keeps its older value
	Values  []any          `json:"values"`         // in answer to a greeting
	Over    bool           `json:"over"`           // nobody listens any more
	Code    string         `json:"code,omitempty"` // the program that makes the figure
}

// receive takes a message: newer values replace those that wait. They are
// answered by their figure, unless that takes long; the rest is answered at once.
func (s *session) receive(message string) {
	var r request
	if json.Unmarshal([]byte(message), &r) != nil {
		return // not of our front end
	}
	s.mu.Lock()
	s.heard = time.Now()
	again := r.Version < s.state.Version && s.heard.Sub(s.sent) > s.resend
	news := r.Values != nil && r.Seq > s.state.Ack
	if news {
		s.state.Ack, s.todo, s.owed = r.Seq, r, true
		if s.busy && !s.steps.last.IsZero() { // its values have had a figure
			s.steps.cancel()
		}
	}
	if r.End != "" && s.end == "" {
		s.end = r.End
	}
	s.hover = r.Hover
	s.mu.Unlock()
	s.poke()
	if !news {
		s.post(again)
		return
	}
	time.AfterFunc(s.answer, func() {
		s.mu.Lock()
		owed := s.owed
		s.mu.Unlock()
		if owed {
			s.post(false)
		}
	})
}

// post sends the state, with the figure or without.
func (s *session) post(figure bool) {
	s.mu.Lock()
	s.owed = false
	text, err := json.Marshal(s.state)
	fig := ""
	if figure {
		fig, s.sent = s.figure, time.Now()
	}
	s.mu.Unlock()
	if err == nil { // of numbers and texts: JSON has all but NaN, which no control takes
		s.send(string(text), fig)
	}
}

// poke wakes follow.
func (s *session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// current are the values of all controls.
func (s *session) current() []any {
	out := []any{}
	for _, c := range s.Controls {
		out = append(out, c.spec().Value)
	}
	return out
}
