package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/viz"
	"github.com/janpfeifer/gonb/gonbui"
)

// Panel is a figure with controls.
type Panel struct {
	Title    string
	Controls []Control
	// Draw makes the figure from the values of the controls. It must not depend on anything else that changes, because
	// it also draws the settings for readers without a kernel. If it returns an error, the error is shown and the
	// previous figure stays. A panic ends the cell.
	Draw func() (viz.Figure, error)
	// Steps takes the place of Draw where a figure takes seconds. It passes preliminary figures to show, from the quick
	// to the accurate, and returns the last figure. Its context ends when newer values wait. Before that, at least one
	// figure is passed to show, so that a person who keeps moving a control sees something. Steps then returns the
	// context's error, and is called again with the newest values. show drops figures that come less than a quarter of
	// a second after another.
	Steps func(ctx context.Context, show func(viz.Figure)) (viz.Figure, error)
	// Code is a Go program that makes the figure for the present values of the controls.
	// A reader can copy it. Nil, or an empty text, if there is none.
	Code    func() string
	Seconds float64 // expected duration of a press of the Run button of OnButton controls; 0: not shown
}

// Show shows a figure with controls until the person presses Done. It panics if Panel.Display returns an error.
func Show(draw func() (viz.Figure, error), controls ...Control) {
	Panel{Draw: draw, Controls: controls}.Show()
}

// ShowSteps does what Show does, for figures that take seconds. See Panel.Steps.
func ShowSteps(steps func(ctx context.Context, show func(viz.Figure)) (viz.Figure, error), controls ...Control) {
	Panel{Steps: steps, Controls: controls}.Show()
}

// Show calls Display and panics with its error, so that the cell fails.
func (p Panel) Show() {
	if err := p.Display(); err != nil {
		panic(err)
	}
}

// Display shows the panel and returns when the panel is closed; the controls then hold the last values. It is an error
// if the first figure cannot be drawn, a control has impossible fields, or the notebook fails. Outside a notebook it
// prints the figure's text.
func (p Panel) Display() error {
	if err := p.prepare(); err != nil {
		return err
	}
	first, err := p.first()
	if err != nil {
		return err
	}
	if w := reader(); w != nil {
		s := &session{Panel: p, wire: w, patience: endless, id: "live-page", unmet: true}
		return s.run(first, nil)
	}
	if !gonbui.IsNotebook {
		return p.print(os.Stdout, first)
	}
	if os.Getenv(liveEnv) == "off" {
		b, err := p.bundle(first, time.Time{}, "")
		if err != nil {
			return err
		}
		return kernel{}.show(b)
	}
	ctx, stop := speak.Interruptible()
	defer stop()
	id := "live-" + gonbui.UniqueId()
	s := &session{Panel: p, wire: kernel{id}, patience: usual, id: id}
	return s.run(first, ctx.Done())
}

// liveEnv is the environment variable that tells panels that nobody can move their controls. `expfam run` sets it to
// off.
const liveEnv = "EXPFAM_LIVE"

// prepare checks the panel.
func (p Panel) prepare() error {
	if p.Draw == nil && p.Steps == nil {
		return errors.New("live: no Draw; give the function that makes the figure")
	}
	if p.Draw != nil && p.Steps != nil {
		return errors.New("live: both Draw and Steps; give one of them")
	}
	labels := map[string]bool{}
	for i, c := range p.Controls {
		if c == nil {
			return fmt.Errorf("live: control %d is nil", i)
		}
		if err := c.prepare(); err != nil {
			return err
		}
		label := c.spec().Label
		if labels[label] {
			return fmt.Errorf("live: two controls are labelled %q; give each its own label", label)
		}
		labels[label] = true
	}
	return nil
}

// first makes the first figure. An interrupt ends the drawing.
func (p Panel) first() (picture, error) {
	ctx := context.Background()
	if p.Steps != nil { // a Draw listens by itself
		var stop func()
		ctx, stop = speak.Interruptible()
		defer stop()
	}
	return p.draw(ctx, func(viz.Figure) {})
}

// draw returns the picture of the figure. It passes show to Steps, for the preliminary figures.
func (p Panel) draw(ctx context.Context, show func(viz.Figure)) (picture, error) {
	steps := p.Steps
	if steps == nil {
		steps = func(context.Context, func(viz.Figure)) (viz.Figure, error) { return p.Draw() }
	}
	fig, err := steps(ctx, show)
	if err != nil {
		return picture{}, err
	}
	if fig == nil {
		return picture{}, errors.New("live: Draw returned no figure")
	}
	pic, err := newPicture(fig)
	if err == nil && p.Code != nil {
		pic.code = p.Code()
	}
	return pic, err
}
