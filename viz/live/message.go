package live

import (
	"encoding/json"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// wire is the connection to the front end. In both directions messages may be lost, arrive twice or overtake each
// other.
type wire interface {
	// show displays the panel; a later call replaces it.
	show(map[protocol.MIMEType]any) error
	// listen calls f with every message that arrives, from any goroutine.
	listen(f func(message string))
	// send sends a state and, unless it is "", a figure.
	send(state, figure string)
}

// request is what the front end sends, again and again until it is answered.
type request struct {
	Seq     int    `json:"seq"`     // number of the values, which increases; 0 is a greeting without values
	Values  []any  `json:"values"`  // values of all controls
	Version int    `json:"version"` // version of the figure that the front end shows
	Hover   bool   `json:"hover"`   // the pointer is over the figure
	Width   int    `json:"width"`   // px of the figure's place; 0 if nobody sees it
	End     string `json:"end"`     // why the panel should end; "" while it should not end
}

// state is the answer to every request. It is also sent with every figure.
type state struct {
	Ack     int            `json:"ack"`            // number of the newest values that arrived
	Drawn   int            `json:"drawn"`          // number of the newest values that were drawn or refused
	Version int            `json:"version"`        // version of the figure
	Rich    bool           `json:"rich"`           // the figure is HTML, not SVG
	Error   string         `json:"error"`          // why the figure shows older values
	Refused map[int]string `json:"refused"`        // by index of a control: why the control keeps its older value
	Values  []any          `json:"values"`         // in answer to a greeting
	Over    bool           `json:"over"`           // the program does not listen any more
	Code    string         `json:"code,omitempty"` // the program that makes the figure
}

// receive takes a message. Newer values replace the values that wait. They are answered by their figure or, if it takes
// too long, by the state alone. Messages without newer values are answered at once.
func (s *session) receive(message string) {
	var r request
	if json.Unmarshal([]byte(message), &r) != nil {
		return // not a message of the front end
	}
	s.mu.Lock()
	s.heard = time.Now()
	if r.Width > 0 {
		s.width = r.Width
	}
	again := r.Version < s.state.Version && s.heard.Sub(s.sent) > s.resend && !s.resized()
	news := r.Values != nil && r.Seq > s.state.Ack
	if news {
		s.state.Ack, s.todo, s.owed = r.Seq, r, true
		if s.busy && !s.steps.last.IsZero() { // a figure of the older values was shown
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

// post sends the state. If figure is true, it also sends the figure.
func (s *session) post(figure bool) {
	s.mu.Lock()
	s.owed = false
	text, err := json.Marshal(s.state)
	fig := ""
	if figure {
		fig, s.sent = s.figure, time.Now()
	}
	s.mu.Unlock()
	if err == nil { // numbers and texts can fail only by NaN, which no control takes
		s.send(string(text), fig)
	}
}

// poke wakes the loop in follow.
func (s *session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// put gives the controls the values of specs, and returns those that they had.
func (s *session) put(specs []spec) (were []spec) {
	were = s.specs()
	text, err := json.Marshal(values(specs))
	var sent []any // as a front end would send them
	if err != nil || json.Unmarshal(text, &sent) != nil {
		return were
	}
	for i, c := range s.Controls {
		c.set(sent[i]) // they were the control's own
	}
	return were
}
