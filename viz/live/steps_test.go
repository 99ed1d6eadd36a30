package live

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/expfam/lab/internal/must"
	"github.com/expfam/lab/viz"
)

// A quick figure stands while the accurate one is made. Newer values end the steps of older ones as soon as
// those have shown a figure, and not before.
func TestStepsEndForNewerValues(t *testing.T) {
	w := &lossy{rng: rand.New(rand.NewPCG(1, 1))}
	slider := &Slider{Label: "a", Min: 0, Max: 10, Frames: -1}
	began, newer := make(chan float64, 4), make(chan bool)
	early := false
	s := &session{Panel: Panel{Controls: []Control{slider},
		Steps: func(ctx context.Context, show func(viz.Figure)) (viz.Figure, error) {
			began <- slider.Value
			if slider.Value == 1 {
				<-newer // values wait, and nothing was shown
				early = ctx.Err() != nil
			}
			show(sheet("quick " + number(slider.Value)))
			if slider.Value < 3 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return sheet("accurate"), nil
		}}, wire: w, patience: quick, id: "live-test"}
	ended := make(chan error)
	go func() { ended <- s.run(picture{fig: sheet("0"), svg: "svg:0"}, make(chan struct{})) }()
	// A minute is far above the milliseconds that each takes.
	until := func(what string, r request, done func() bool) {
		t.Helper()
		for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(time.Millisecond) {
			w.mu.Lock()
			ok := done()
			r.Version = w.seen
			w.mu.Unlock()
			if ok {
				return
			}
			w.say(r)
		}
		t.Fatalf("%s is not shown: %+v, %q", what, w.last, w.figure)
	}
	one, two, three := request{Seq: 1, Values: []any{1.0}}, request{Seq: 2, Values: []any{2.0}},
		request{Seq: 3, Values: []any{3.0}}
	until("nothing", one, func() bool { return len(began) == 1 })
	until("nothing", two, func() bool { return w.acked == 2 })
	close(newer)
	until("the quick figure", two, func() bool { return strings.HasSuffix(w.figure, ":quick 2") })
	w.mu.Lock()
	must.Be(t, !early && w.last.Drawn == 0 && w.last.Error == "", "ended before its figure: %t; %+v", early, w.last)
	w.mu.Unlock()
	until("the accurate figure", three, func() bool {
		return w.last.Drawn == 3 && strings.HasSuffix(w.figure, ":accurate")
	})
	until("the end", request{End: "done"}, func() bool { return w.over })
	err := <-ended
	must.Be(t, err == nil, "%v", err)
	close(began)
	var values []float64
	for v := range began {
		values = append(values, v)
	}
	must.Be(t, len(values) == 3 && values[0] == 1 && values[1] == 2 && values[2] == 3, "drawn were %v", values)
}

// Settings for readers without a kernel end at their deadline.
func TestStepsOfSettingsEnd(t *testing.T) {
	slider := &Slider{Label: "a", Min: 0, Max: 10, Value: 5, Frames: 3}
	p := Panel{Controls: []Control{slider}, Steps: func(ctx context.Context, show func(viz.Figure)) (viz.Figure,
		error) {
		show(sheet("quick"))
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	f, err := p.frames(time.Now().Add(time.Millisecond))
	must.Be(t, f == nil && err == nil, "%+v, %v", f, err)
}
