package live

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// start runs a session on a wire that loses nothing, and returns how it ends.
func start(p Panel, patience patience) (w *lossy, stop chan struct{}, ended chan error) {
	w = &lossy{rng: rand.New(rand.NewPCG(1, 1))}
	s := &session{Panel: p, wire: w, patience: patience, id: "live-test"}
	stop, ended = make(chan struct{}, 1), make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				ended <- errors.New(r.(string))
			}
		}()
		ended <- s.run(picture{fig: sheet("first"), svg: "svg:first"}, stop)
	}()
	return w, stop, ended
}

// await waits for what takes milliseconds.
func await(t *testing.T, w *lossy, what string, done func() bool) {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		ok, last := done(), w.last
		w.mu.Unlock()
		if ok {
			return
		}
		must.Need(t, time.Since(begin) <= time.Minute, "%s: the state is %+v", what, last)
	}
}

func (w *lossy) saved() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pages[len(w.pages)-1][protocol.MIMETextHTML].(string)
}

// brief are times for what should come soon; the others stay far.
func brief(change func(*patience)) patience {
	p := quick
	p.connect, p.silence = time.Minute, time.Minute
	change(&p)
	return p
}

func TestEnds(t *testing.T) {
	draw := func(a *Slider) func() (viz.Figure, error) {
		return func() (viz.Figure, error) { return sheet(number(a.Value)), nil }
	}
	panel := func() Panel {
		a := &Slider{Label: "a", Max: 8, Frames: 3}
		return Panel{Controls: []Control{a}, Draw: draw(a)}
	}
	finish := func(t *testing.T, ended chan error) {
		t.Helper()
		select {
		case err := <-ended:
			must.Be(t, err == nil, "%v", err)
		case <-time.After(time.Minute):
			t.Fatal("it goes on")
		}
	}
	t.Run("no front end answers", func(t *testing.T) {
		w, _, ended := start(panel(), brief(func(p *patience) { p.connect = 5 * time.Millisecond }))
		finish(t, ended)
		if page := w.saved(); !strings.Contains(page, endNobody) || !strings.Contains(page, "html:first") ||
			!strings.Contains(page, `"values":[0,4,8]`) {
			t.Errorf("left %s", page)
		}
	})
	t.Run("the front end goes away", func(t *testing.T) {
		w, _, ended := start(panel(), brief(func(p *patience) { p.silence = 20 * time.Millisecond }))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{Seq: 1, Values: []any{2.}})
		finish(t, ended)
		page := w.saved()
		must.Be(t, strings.Contains(page, "html:2") && !strings.Contains(page, endNobody), "left %s", page)
	})
	t.Run("interrupt", func(t *testing.T) {
		w, stop, ended := start(panel(), brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		stop <- struct{}{}
		finish(t, ended)
		page := w.saved()
		must.Be(t, strings.Contains(page, `"values":[0,4,8]`), "left %s", page)
	})
	t.Run("interrupt of a draw that takes long", func(t *testing.T) {
		a := &Slider{Label: "a", Max: 8, Value: 1, Frames: -1}
		begun, release := make(chan bool), make(chan bool)
		w, stop, ended := start(Panel{Controls: []Control{a}, Draw: func() (viz.Figure, error) {
			begun <- true
			<-release
			return sheet("late"), nil
		}}, brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{Seq: 1, Values: []any{2.}})
		<-begun
		stop <- struct{}{}
		await(t, w, "a display before the draw is over", func() bool { return len(w.pages) == 2 })
		page := w.saved()
		must.Be(t, strings.Contains(page, "<b>1</b>") && strings.Contains(page, `"value":1`), "left %s", page)
		close(release)
		finish(t, ended)
		page = w.saved()
		must.Be(t, strings.Contains(page, "html:late"), "left %s", page)
	})
	t.Run("interrupt of the settings that are drawn at the end", func(t *testing.T) {
		a := &Slider{Label: "a", Max: 8, Value: 4, Frames: 3}
		begun, release := make(chan bool, 8), make(chan bool)
		w, stop, ended := start(Panel{Controls: []Control{a}, Draw: func() (viz.Figure, error) {
			begun <- true
			<-release
			return sheet(number(a.Value)), nil
		}}, brief(func(p *patience) { p.frames, p.hurry = time.Hour, 5*time.Millisecond }))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{End: "done"})
		<-begun
		stop <- struct{}{}
		await(t, w, "a display before the draw is over", func() bool { return len(w.pages) == 2 })
		page := w.saved()
		must.Be(t, strings.Contains(page, "<b>4</b>") && strings.Contains(page, `"live":false`), "left %s", page)
		close(release)
		finish(t, ended)
	})
	t.Run("another cell waits, with the first word", func(t *testing.T) {
		w, _, ended := start(panel(), brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{End: "queued"})
		finish(t, ended)
	})
	t.Run("values that come with the end are drawn", func(t *testing.T) {
		w, _, ended := start(panel(), brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{Seq: 1, Values: []any{7.}, End: "done"})
		finish(t, ended)
		page := w.saved()
		must.Be(t, strings.Contains(page, "html:7"), "left %s", page)
	})
	t.Run("values without a figure", func(t *testing.T) {
		a, b, c := &Slider{Label: "a", Max: 8}, &Button{Label: "b"}, &Range{Label: "c", Max: 1}
		w, _, ended := start(Panel{Controls: []Control{a, b, c}, Draw: func() (viz.Figure, error) {
			if a.Value == 5 {
				return nil, errors.New("no figure at 5")
			}
			return sheet(number(a.Value)), nil
		}}, brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{Seq: 1, Values: []any{3., 1., []any{0.25, 0.5}}})
		await(t, w, "a figure", func() bool { return w.last.Drawn == 1 })
		w.say(request{Seq: 2, Values: []any{5., 2., []any{0.5, 1.}}, End: "done"})
		finish(t, ended)
		for _, want := range []string{"html:3", "<b>3</b>", "<b>0.25 to 0.5</b>", "no figure: no figure at 5"} {
			must.Be(t, strings.Contains(w.saved(), want), "no %q in %s", want, w.saved())
		}
		must.Be(t, a.Value == 5 && b.Pressed == 2 && c.Low == 0.5, "the last values are lost: %v %v %v", a, b, c)
	})
	t.Run("panic", func(t *testing.T) {
		a := &Slider{Label: "a", Max: 8}
		w, _, ended := start(Panel{Controls: []Control{a}, Draw: func() (viz.Figure, error) { panic("boom") }},
			brief(func(*patience) {}))
		await(t, w, "listening", func() bool { return w.f != nil })
		w.say(request{Seq: 1, Values: []any{2.}})
		err := <-ended
		must.Be(t, err != nil && err.Error() == "boom", "ended with %v, want the panic", err)
		page := w.saved()
		must.Be(t, strings.Contains(page, "html:first"), "left %s", page)
	})
}

func TestRefusals(t *testing.T) {
	for form, width := range map[string]int{"svg:": 1280, "phone.svg:": 390} {
		t.Run(form, func(t *testing.T) { testRefusals(t, form, width) })
	}
}

func testRefusals(t *testing.T, form string, width int) {
	a := &Slider{Label: "a", Max: 8}
	x := &Text{Label: "link", Value: "exp(x)", Check: func(s string) error {
		if s == "log(" {
			return errors.New("link: missing )")
		}
		return nil
	}}
	draws := 0
	w, _, ended := start(Panel{Controls: []Control{a, x}, Draw: func() (viz.Figure, error) {
		draws++
		if a.Value == 5 {
			return nil, errors.New("draw: no figure at 5")
		}
		return sheet(x.Value), nil
	}}, brief(func(p *patience) { p.settle = time.Minute }))
	await(t, w, "listening", func() bool { return w.f != nil })
	step := func(what string, seq int, values ...any) {
		t.Helper()
		w.say(request{Seq: seq, Values: values, Version: w.seen, Width: width})
		await(t, w, what, func() bool { return w.last.Drawn == seq })
	}
	step("refused", 1, 0., "log(")
	must.Be(t, draws == 0 && w.last.Refused[1] == "link: missing )" && x.Value == "exp(x)",
		"%d draws, value %q, state %+v", draws, x.Value, w.last)
	step("the others go on", 2, 3., "log(")
	must.Be(t, draws == 1 && w.last.Refused[1] != "" && w.figure == form+"exp(x)",
		"%d draws, figure %q, state %+v", draws, w.figure, w.last)
	step("an error", 3, 5., "1/x")
	must.Be(t, w.last.Error == "draw: no figure at 5" && w.last.Refused[1] == "" && w.figure == form+"exp(x)",
		"figure %q, state %+v", w.figure, w.last)
	step("better again", 4, 6., "1/x")
	must.Be(t, w.last.Error == "" && w.figure == form+"1/x", "figure %q, state %+v", w.figure, w.last)
	step("not what a slider takes", 5, "<b>", "1/x")
	must.Be(t, w.last.Refused[0] != "" && a.Value == 6, "value %g, state %+v", a.Value, w.last)
	w.say(request{End: "done"})
	err := <-ended
	must.Be(t, err == nil, "%v", err)
}
