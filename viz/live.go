package viz

import (
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Live is one output of a notebook whose figure is replaced, as while a network
// trains. Outside a notebook it shows nothing.
type Live struct{ id string }

// Show replaces the figure by a new one, which stays when the cell ends.
func (l *Live) Show(fig Figure) error { return l.show(fig, bundle) }

// Sketch replaces the figure by one that the next soon replaces: its static
// picture only, which is quick and does not flicker.
func (l *Live) Sketch(fig Figure) error { return l.show(fig, sketch) }

func sketch(fig Figure) (*protocol.DisplayData, error) {
	svg, err := fig.Encode(SVG)
	if err != nil {
		return nil, err
	}
	return &protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: `<div style="max-width:800px">` + picture(svg, "") + "</div>"}}, nil
}

func (l *Live) show(fig Figure, render func(Figure) (*protocol.DisplayData, error)) error {
	if !gonbui.IsNotebook {
		return nil
	}
	b, err := render(fig)
	if err != nil {
		return err
	}
	if l.id == "" {
		l.id = "viz-" + gonbui.UniqueId()
	}
	b.DisplayID = l.id
	return send(b)
}

// LiveCurve returns a function with the signature of Progress that draws the
// training curve while it grows, at most once a second, over a progress bar.
// Options such as LogY come from style, whose losses are ignored. Outside a
// notebook only the progress is shown.
func LiveCurve(label string, style Curve) func(step, total int, loss float64) {
	return (&liveCurve{style: style, progress: Progress(label, "loss"), now: time.Now}).step
}

// liveCurve is the state behind LiveCurve.
type liveCurve struct {
	style    Curve
	progress func(step, total int, loss float64)
	now      func() time.Time

	mu    sync.Mutex
	live  Live
	last  time.Time
	steps []float64
	loss  []float64
}

func (c *liveCurve) step(step, total int, loss float64) {
	c.progress(step, total, loss)
	if !gonbui.IsNotebook {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.steps); n > 0 && float64(step) <= c.steps[n-1] {
		c.steps, c.loss = nil, nil // training began anew
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) || c.style.LogY && loss <= 0 {
		return // the progress bar shows it; the training itself reports it
	}
	c.steps, c.loss = append(c.steps, float64(step)), append(c.loss, loss)
	if len(c.loss) < 2 || step < total && c.now().Sub(c.last) < time.Second {
		return
	}
	fig := c.style
	fig.Steps, fig.Train, fig.HeldOut = c.steps, c.loss, nil
	show := c.live.Sketch
	if step >= total {
		show = c.live.Show
	}
	if err := show(fig); err != nil {
		// Drawing must not stop the training that it watches.
		slog.Warn("viz: the curve of a training is not drawn", "reason", err)
	}
	// Counted from the end of drawing, so that it never takes most of the time.
	c.last = c.now()
}
