package live

import (
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// session is a panel that is live.
type session struct {
	Panel
	wire
	patience
	id    string
	unmet bool          // the front end does not have the first figure
	wake  chan struct{} // holds a token when a field below has changed

	mu     sync.Mutex
	state  state
	figure string    // the figure of state.Version
	todo   request   // the newest request whose values are not drawn; without values if there is none
	hover  bool      // the pointer is over the figure
	width  int       // px of the figure's place; 0 until the front end says it
	fitted int       // the width for which the figure was drawn
	owed   bool      // an answer to values is due
	end    string    // why the session should end
	heard  time.Time // when the front end last sent a message; zero before its first message
	sent   time.Time // when the figure was last sent
	busy   bool      // a drawing is under way
	shown  picture   // the last picture that was drawn without an error
	of     []spec    // the controls for which shown was drawn
	steps  steps     // steps of the drawing under way

	left    bool // the last display follows
	dropped bool // the drawing of the present values was cancelled
}

// Reasons to end that no front end sends.
const (
	endNobody    = "no front end answered"
	endSilence   = "the front end went away"
	endInterrupt = "interrupted"
)

// run runs a live panel from its first figure to its last. stop is closed by an interrupt, or by the caller after run.
func (s *session) run(first picture, stop <-chan struct{}) (err error) {
	s.wake = make(chan struct{}, 1)
	s.state.Version, s.shown = 1, first
	if s.unmet {
		s.state.Version++
	}
	s.of = s.specs()
	s.state.Values = values(s.of)
	s.figure, s.state.Rich = first.wired(0)
	s.state.Code = first.code
	page, err := s.page(s.id, true, s.of, first.still(), first.code, nil, "")
	if err != nil {
		return err
	}
	if err := s.show(map[protocol.MIMEType]any{protocol.MIMETextHTML: page}); err != nil {
		return err
	}
	go s.watch(stop)
	s.listen(s.receive)  // after the display, because GoNB waits for the page to answer
	wait := -time.Second // after a panic, no settings are drawn beforehand
	end := ""
	defer func() {
		if e := s.leave(time.Now().Add(wait), end); err == nil {
			err = e
		}
	}()
	end = s.follow()
	wait = s.patience.frames
	if end == endInterrupt {
		wait = s.hurry
	}
	return nil
}

// watch ends the session after an interrupt. GoNB kills a program after 5 s, so watch shows the last figure if Draw is
// busy, or if the settings that are drawn at the end take long.
func (s *session) watch(stop <-chan struct{}) {
	<-stop
	s.mu.Lock()
	defer s.mu.Unlock() // after the display, so that it cannot arrive after the last one
	s.end = endInterrupt
	s.poke()
	if s.busy {
		s.steps.cancel()
	} else {
		s.mu.Unlock()
		time.Sleep(s.hurry)
		s.mu.Lock()
	}
	page, err := s.page(s.id, false, s.of, s.shown.still(), s.shown.code, nil, "")
	if err == nil && !s.left {
		s.show(map[protocol.MIMEType]any{protocol.MIMETextHTML: page})
	}
}

// leave shows the panel in its last state, and tells the front end that the session is over. If the last values gave no
// figure, the state is that of the values before, and the controls have the last values again at the end.
func (s *session) leave(deadline time.Time, end string) error {
	why := ""
	if end == endNobody {
		why = "not live, because " + end + ": `expfam install` puts it in place, then reload this page"
	} else if s.state.Error != "" {
		why = "the last values gave no figure: " + s.state.Error
	}
	defer s.put(s.put(s.of))
	b, err := s.bundle(s.shown, deadline, why)
	s.mu.Lock()
	s.left = true
	s.mu.Unlock()
	if err == nil {
		err = s.show(b)
	}
	s.mu.Lock()
	s.state.Over, s.heard = true, time.Now()
	s.mu.Unlock()
	s.post(false)
	s.part()
	return err
}

// part waits until the front end sends no more messages, because GoNB can crash on a message for a program that has
// just ended.
func (s *session) part() {
	for begin := time.Now(); time.Since(begin) < s.farewell; {
		s.mu.Lock()
		left := time.Until(s.heard.Add(s.farewell / 4))
		s.mu.Unlock()
		if left <= 0 {
			return
		}
		time.Sleep(left)
	}
}

// follow draws what the front end asks for until the session should end, and returns the reason. Draw runs only here,
// apart from the first figure and the settings drawn at the end.
func (s *session) follow() string {
	begin := time.Now()
	drawn, rich := begin, false
	for {
		todo, end, heard, hover, resized := s.next()
		switch {
		case todo.Values != nil:
			s.redraw(todo)
			drawn, rich = time.Now(), false
			continue
		case end != "":
			return end
		case resized:
			s.reshape()
			continue
		case hover && !rich && time.Since(drawn) >= s.settle:
			s.enrich()
			rich = true
			continue
		}
		limit, why := heard.Add(s.silence), endSilence
		if heard.IsZero() {
			limit, why = begin.Add(s.connect), endNobody
		}
		if time.Now().After(limit) {
			return why
		}
		left := time.Until(limit)
		if hover && !rich {
			left = min(left, time.Until(drawn.Add(s.settle)))
		}
		timer := time.NewTimer(left)
		select {
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// next returns the state that follow acts on, and takes the waiting request out of the session.
func (s *session) next() (todo request, end string, heard time.Time, hover, resized bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != endInterrupt {
		todo, s.todo = s.todo, request{}
	}
	return todo, s.end, s.heard, s.hover, s.resized()
}

// redraw sets the controls, and draws the figure if one of them changed or if the last drawing was cancelled.
func (s *session) redraw(todo request) {
	changed, refused := false, map[int]string{}
	for i, c := range s.Controls[:min(len(s.Controls), len(todo.Values))] {
		is, err := c.set(todo.Values[i])
		changed = changed || is
		if err != nil {
			refused[i] = err.Error()
		}
	}
	var pic picture
	var err error
	if changed = changed || s.dropped; changed {
		ctx := s.begin()
		pic, err = s.draw(ctx, s.preview)
		s.dropped = err != nil && ctx.Err() != nil
		s.finish()
		if s.dropped { // newer values wait, or an interrupt ends the session
			return
		}
	}
	drawn, width := changed && err == nil, s.place()
	var figure string
	var rich bool
	if drawn {
		figure, rich = pic.wired(width)
	}
	of := s.specs()
	s.mu.Lock()
	s.state.Drawn, s.state.Refused, s.state.Values = todo.Seq, refused, values(of)
	if changed {
		s.state.Version++
		s.state.Error = ""
	}
	if err != nil {
		s.state.Error = err.Error()
	} else if drawn {
		s.state.Code = pic.code
		s.shown, s.of, s.figure, s.state.Rich, s.fitted = pic, of, figure, rich, width
	}
	s.mu.Unlock()
	s.post(changed)
}

// enrich replaces a drawing whose controls do not move by the interactive figure.
func (s *session) enrich() {
	html, err := s.shown.full()
	s.mu.Lock()
	same := err != nil || s.state.Rich || s.state.Error != "" || s.todo.Values != nil
	if !same {
		s.figure, s.state.Rich = html, true
		s.state.Version++
	}
	s.mu.Unlock()
	if !same {
		s.post(true)
	}
}
