package viz

import (
	"fmt"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/expfam/lab/viz/program"
)

// Live is one output of a notebook whose figure is replaced again and again, for example
// during a training. Outside a notebook it shows nothing.
type Live struct{ id string }

// Show replaces the figure by a new one, which stays when the cell ends.
func (l *Live) Show(fig Figure) error { return l.show(fig, bundle) }

// Sketch replaces the figure by a preliminary one: its static picture only, which is quick and does not flicker.
func (l *Live) Sketch(fig Figure) error { return l.show(fig, sketch) }

func sketch(fig Figure) (*protocol.DisplayData, error) {
	svg, err := fig.Encode(SVG)
	if err != nil {
		return nil, err
	}
	id := identity(svg)
	return &protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: fmt.Sprintf(
		`<div id="%s" style="max-width:800px">%s</div>%s`,
		id, picture(svg, ""), program.Call(program.Sketch, `{"id":"`+id+`"}`))}}, nil
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

// LiveCurve returns a function for the field Watch of learn.Training. The function draws the losses during a training,
// at most once a second: the loss of the steps and the loss on held-out draws. Options such as LogY come from style;
// the losses of style are ignored. Outside a notebook it shows nothing.
func LiveCurve(style Curve) func(total int, steps, train, heldOut []float64) {
	return (&liveCurve{style: style, now: time.Now}).draw
}

// liveCurve is the state behind LiveCurve.
type liveCurve struct {
	style Curve
	now   func() time.Time

	mu   sync.Mutex
	live Live
	last time.Time
}

func (c *liveCurve) draw(total int, steps, train, heldOut []float64) {
	if !gonbui.IsNotebook {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fig, over := c.style, len(steps) > 0 && steps[len(steps)-1] >= float64(total)
	fig.Steps, fig.Train, fig.HeldOut, fig.HeldOutSteps = nil, nil, nil, nil
	for i, s := range steps {
		if !c.drawable(train[i]) {
			continue // the training itself reports such a loss
		}
		fig.Steps, fig.Train = append(fig.Steps, s), append(fig.Train, train[i])
		if c.drawable(heldOut[i]) {
			fig.HeldOutSteps, fig.HeldOut = append(fig.HeldOutSteps, s), append(fig.HeldOut, heldOut[i])
		}
	}
	if len(fig.Train) < 2 || !over && c.now().Sub(c.last) < time.Second {
		return
	}
	show := c.live.Sketch
	if over {
		show = c.live.Show
	}
	if err := show(fig); err != nil {
		// Drawing must not stop the training that it watches.
		slog.Warn("viz: the curve of a training is not drawn", "reason", err)
	}
	// The second is counted from the end of drawing, so that drawing never takes most of the time.
	c.last = c.now()
}

func (c *liveCurve) drawable(loss float64) bool {
	return !math.IsNaN(loss) && !math.IsInf(loss, 0) && (!c.style.LogY || loss > 0)
}
