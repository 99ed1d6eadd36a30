package live

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/expfam/lab/viz"
	"github.com/expfam/lab/viz/program"
)

// axis holds the settings of a slider that were drawn beforehand.
type axis struct {
	Control int       `json:"control"` // index of the slider
	Values  []float64 `json:"values"`
	At      int       `json:"at"` // index of the setting of the figure itself
}

// frames holds the figures for the settings of one slider, or for the pairs of settings of two sliders.
type frames struct {
	axis
	Other *axis `json:"other,omitempty"`
	// HTML is a list of figures as base64 of the gzip of JSON. The figure of the panel itself is "". With Other, the
	// list has the figures of all settings of Other for the slider's first setting, then for its second, and so on.
	HTML string `json:"html"`
}

// framed returns the index of the slider that has frames, and the number of its settings. The index is −1 if no slider
// has frames.
func (p Panel) framed() (index, n int) {
	first := -1
	for i, c := range p.Controls {
		s, ok := c.(*Slider)
		if !ok {
			continue
		}
		if s.Frames > 0 {
			return i, s.Frames
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 || p.Controls[first].(*Slider).Frames < 0 {
		return -1, 0
	}
	return first, 9
}

// other returns the index of a second slider that asks for frames, and the number of its settings. The index is −1 if
// there is none.
func (p Panel) other(index int) (other, n int) {
	for i, c := range p.Controls {
		if s, ok := c.(*Slider); ok && i != index && s.Frames > 0 && p.Controls[index].(*Slider).Frames > 0 {
			return i, s.Frames
		}
	}
	return -1, 0
}

// frames draws the settings of the sliders from coarse to fine until the deadline, and puts the sliders back. A zero
// deadline means no deadline. A setting that cannot be drawn is left out.
func (p Panel) frames(deadline time.Time) (*frames, error) {
	index, n := p.framed()
	if index < 0 {
		return nil, nil
	}
	slider := p.Controls[index].(*Slider)
	last := slider.Value
	defer func() { slider.Value = last }()
	type frame struct {
		value float64
		html  string
	}
	drawn := []frame{{value: last}}
	for _, v := range coarse(slider.stops(n)) {
		if v == last {
			continue
		}
		if !deadline.IsZero() && time.Now().After(deadline) {
			break
		}
		slider.Value = v
		if pic, err := p.tryDraw(deadline); err == nil {
			drawn = append(drawn, frame{v, pic.still()})
		}
	}
	if len(drawn) < 2 {
		return nil, nil
	}
	slices.SortFunc(drawn, func(a, b frame) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	f := &frames{axis: axis{Control: index}}
	columns := [][]string{nil}
	for i, d := range drawn {
		if d.value == last {
			f.At = i
		}
		f.Values, columns[0] = append(f.Values, d.value), append(columns[0], d.html)
	}
	if other, n := p.other(index); other >= 0 {
		f.Other, columns = p.columns(f.axis, other, n, columns[0], deadline)
	}
	var html []string
	for row := range f.Values {
		for _, column := range columns {
			html = append(html, column[row])
		}
	}
	f.HTML = program.Pack(html)
	return f, nil
}

// columns draws the settings of a second slider at every setting of the first, from coarse to fine until the deadline,
// and puts both sliders back. It leaves out a setting that cannot be drawn at every setting of the first slider. If no
// setting is left besides the present one, it leaves out the second slider.
func (p Panel) columns(first axis, other, n int, own []string, deadline time.Time) (*axis, [][]string) {
	row, slider := p.Controls[first.Control].(*Slider), p.Controls[other].(*Slider)
	lastRow, last := row.Value, slider.Value
	defer func() { row.Value, slider.Value = lastRow, last }()
	drawn := map[float64][]string{last: own}
settings:
	for _, v := range coarse(slider.stops(n)) {
		if v == last {
			continue
		}
		slider.Value = v
		var column []string
		for _, row.Value = range first.Values {
			if !deadline.IsZero() && time.Now().After(deadline) {
				break settings
			}
			pic, err := p.tryDraw(deadline)
			if err != nil {
				continue settings
			}
			column = append(column, pic.still())
		}
		drawn[v] = column
	}
	if len(drawn) < 2 {
		return nil, [][]string{own}
	}
	a := &axis{Control: other, Values: slices.Sorted(maps.Keys(drawn))}
	a.At = slices.Index(a.Values, last)
	var columns [][]string
	for _, v := range a.Values {
		columns = append(columns, drawn[v])
	}
	return a, columns
}

// tryDraw is draw for a setting that nobody asked for. It returns a panic as an error. Steps end at the deadline, if
// there is one.
func (p Panel) tryDraw(deadline time.Time) (pic picture, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("live: %v", r)
		}
	}()
	ctx := context.Background()
	if !deadline.IsZero() {
		var cancel func()
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	return p.draw(ctx, func(viz.Figure) {})
}

// coarse orders settings so that the first ones span the scale, even if there is no time to draw the others: the ends,
// then halves, quarters and so on.
func coarse(values []float64) []float64 {
	var out []float64
	seen := map[int]bool{}
	n := len(values) - 1
	for step := 1; len(out) < len(values); step *= 2 {
		for i := range step + 1 {
			if at := i * n / step; !seen[at] {
				seen[at] = true
				out = append(out, values[at])
			}
		}
	}
	return out
}
