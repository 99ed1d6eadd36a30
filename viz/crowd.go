package viz

import (
	"fmt"
	"math"
	"slices"
)

// crowded is a mark that can have more places than a picture shows. crowd returns the mark with no more than these, for
// a frame in which at puts data into px, of a width in px.
type crowded interface {
	crowd(at func(x, y float64) (px, py float64), width float64) mark
}

// mostDots is the largest number of signs of a mark that are drawn, and mostTold of signs with a text.
const mostDots, mostTold = 6000, 2000

// thin takes from marks what a picture of this size does not show, and notes how many points were left out.
func (d *drawing) thin() {
	wide, high := d.Width-80, d.Height-80 // the frame, about
	along := func(v, lo, hi float64, log bool) float64 {
		if log {
			return math.Log(v/lo) / math.Log(hi/lo)
		}
		return (v - lo) / (hi - lo)
	}
	at := func(x, y float64) (float64, float64) {
		return wide * along(x, d.xmin, d.xmax, d.X.Log), high * along(y, d.ymin, d.ymax, d.Y.Log)
	}
	drawn, all := 0, 0
	defer d.thinLines()
	for k, m := range d.marks {
		c, ok := m.(crowded)
		if !ok {
			continue
		}
		d.marks[k] = c.crowd(at, wide)
		if p, ok := m.(pointMark); ok && len(d.marks[k].(pointMark).x) < len(p.x) {
			drawn, all = drawn+len(d.marks[k].(pointMark).x), all+len(p.x)
		}
	}
	if all > 0 {
		d.remark(fmt.Sprintf("%d of %d points are drawn; the others lie beside these.", drawn, all))
	}
}

// mostStroked is the largest number of points of all lines of a figure, of which HTML takes some 34 bytes each.
const mostStroked = 56_000

// thinLines draws of the lines of a figure with too many points every second one, or third one and so on, and says so.
// Up to 24 lines have points at equal steps instead.
func (d *drawing) thinLines() {
	lines, points := 0, 0
	for _, m := range d.marks {
		if l, ok := m.(lineMark); ok {
			lines, points = lines+1, points+len(l.x)
		}
	}
	if points <= mostStroked {
		return
	}
	step, seen, drawn := (points-1)/mostStroked+1, 0, 0
	d.marks = slices.DeleteFunc(slices.Clone(d.marks), func(m mark) bool {
		if _, ok := m.(lineMark); !ok || lines <= 24 {
			return false
		}
		seen++
		drop := (seen-1)%step != 0
		if !drop {
			drawn++
		}
		return drop
	})
	for k, m := range d.marks {
		if l, ok := m.(lineMark); ok && lines <= 24 {
			d.marks[k] = l.steps(mostStroked / lines)
		}
	}
	if drawn > 0 {
		d.remark(fmt.Sprintf("%d of %d lines are drawn.", drawn, lines))
	}
}

// remark adds a sentence to the note.
func (d *drawing) remark(text string) {
	if d.Note != "" {
		text = " " + text
	}
	d.Note += text
}

// crowd keeps one sign for each square of the frame, of a side at which no more than mostDots or mostTold are left.
func (m pointMark) crowd(at func(x, y float64) (px, py float64), _ float64) mark {
	most := mostDots
	if m.texts != nil {
		most = mostTold
	}
	if len(m.x) <= most {
		return m
	}
	for side := m.Radius / 2; ; side *= 1.25 {
		seen := map[[2]int32]bool{}
		var keep []int
		for i := range m.x {
			x, y := at(m.x[i], m.y[i])
			place := [2]int32{int32(x / side), int32(y / side)}
			if !seen[place] {
				if seen[place] = true; len(keep) == most {
					keep = nil
					break
				}
				keep = append(keep, i)
			}
		}
		if keep != nil {
			m.x, m.y, m.texts = pick(m.x, keep), pick(m.y, keep), pick(m.texts, keep)
			return m
		}
	}
}

// crowd leaves out points of a line within a third of a px of the last one, and of a line that still has very many,
// such as a scribble, all but some at equal steps.
func (m lineMark) crowd(at func(x, y float64) (px, py float64), _ float64) mark {
	if len(m.x) <= mostPoints {
		return m
	}
	var keep []int
	lx, ly := math.Inf(1), math.Inf(1)
	for i := range m.x {
		x, y := at(m.x[i], m.y[i])
		if near := math.Abs(x-lx) + math.Abs(y-ly); near < 1./3 && i < len(m.x)-1 {
			continue
		}
		keep, lx, ly = append(keep, i), x, y
	}
	m.x, m.y = pick(m.x, keep), pick(m.y, keep)
	if !slices.IsSorted(m.x) { // a scribble
		return m.steps(2 * mostPoints)
	}
	return m.steps(4 * mostPoints)
}

// steps returns the line with the points at equal steps, at most as many.
func (m lineMark) steps(most int) lineMark {
	if n := len(m.x); n > most {
		some := make([]int, most)
		for k := range some {
			some[k] = k * (n - 1) / (most - 1)
		}
		m.x, m.y = pick(m.x, some), pick(m.y, some)
	}
	return m
}

// columns returns the lowest low and the highest high of each half px of the frame, for x that increase. Gaps part
// columns.
func columns(x, low, high []float64, at func(x, y float64) (px, py float64)) (cx, cl, ch []float64) {
	last := math.NaN()
	for i := range x {
		p, _ := at(x[i], high[i])
		column := math.Floor(2 * p)
		if n := len(cx) - 1; column == last && !math.IsNaN(high[i]) && !math.IsNaN(ch[n]) {
			cl[n], ch[n] = min(cl[n], low[i]), max(ch[n], high[i])
			continue
		}
		last = column
		cx, cl, ch = append(cx, x[i]), append(cl, low[i]), append(ch, high[i])
	}
	return cx, cl, ch
}

func (m bandMark) crowd(at func(x, y float64) (px, py float64), width float64) mark {
	if float64(len(m.x)) > 2*width && slices.IsSorted(m.x) {
		m.x, m.low, m.high = columns(m.x, m.low, m.high, at)
	}
	return m
}

func (m barMark) crowd(at func(x, y float64) (px, py float64), width float64) mark {
	if float64(len(m.x)) > 2*width && slices.IsSorted(m.x) {
		m.x, m.low, m.high = columns(m.x, m.low, m.high, at)
	}
	return m
}
