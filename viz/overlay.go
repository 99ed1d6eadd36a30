package viz

import (
	"cmp"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Outlines is a view of lines on a map, such as coasts and borders. Path k goes through
// the points (x[i], y[i]), in the coordinates of the map's Field.
type Outlines interface {
	Len() int
	Path(k int) (x, y []float64)
}

// Overlay draws lines over a map. Lines beyond the map are cut off.
type Overlay struct {
	Lines Outlines
	Color color.NRGBA // zero: dark grey
	Width float64     // px; 0 means 0.8
	// Fill is the colour of the areas within closed paths, such as lakes. Zero: none.
	Fill color.NRGBA
}

func (o Overlay) check(k int) error {
	if o.Lines == nil {
		return fmt.Errorf("overlay %d has no lines; give Lines", k+1)
	}
	if !(o.Width >= 0) || math.IsInf(o.Width, 0) {
		return fmt.Errorf("overlay %d is %g px wide; the width must not be negative", k+1, o.Width)
	}
	for i := range o.Lines.Len() {
		x, y := o.Lines.Path(i)
		if len(x) != len(y) {
			return fmt.Errorf("overlay %d: path %d has %d x and %d y", k+1, i, len(x), len(y))
		}
		for j := range x {
			if !finite(x[j]) || !finite(y[j]) {
				return fmt.Errorf("overlay %d: path %d: point %d is (%g, %g)", k+1, i, j, x[j], y[j])
			}
		}
	}
	return nil
}

// overlays paints the lines over a map: all fills, then all strokes.
func (t *tile) overlays(box draw.Canvas) {
	place := t.placer(box)
	for _, o := range t.Over {
		var path vg.Path
		for k := range o.Lines.Len() {
			x, y := o.Lines.Path(k)
			pts := make([]vg.Point, len(x))
			inside := false
			for i := range x {
				pts[i] = place(x[i], y[i])
				inside = inside || box.Contains(pts[i])
			}
			// A path that has no point on the map may still cross a corner.
			if !inside && !crosses(pts, box.Rectangle) {
				continue
			}
			pts = straighten(pts, px(0.35))
			if o.Fill != (color.NRGBA{}) {
				box.FillPolygon(o.Fill, box.ClipPolygonXY(pts))
			}
			for _, line := range box.ClipLinesXY(pts) {
				for i, p := range line {
					if p = tenth(p); i == 0 {
						path.Move(p)
					} else {
						path.Line(p)
					}
				}
			}
		}
		if o.Color == (color.NRGBA{}) {
			o.Color = color.NRGBA{0x44, 0x44, 0x44, 0xFF}
		}
		o.Width = cmp.Or(o.Width, 0.8)
		box.SetLineStyle(draw.LineStyle{Color: o.Color, Width: px(o.Width)})
		box.Stroke(path)
	}
}

// placer returns a function that turns coordinates of the map into points of the canvas.
func (t *tile) placer(box draw.Canvas) func(x, y float64) vg.Point {
	left, right, top, bottom := t.extent()
	size := box.Size()
	return func(x, y float64) vg.Point {
		return vg.Point{X: box.Min.X + vg.Length((x-left)/(right-left))*size.X,
			Y: box.Max.Y - vg.Length((y-top)/(bottom-top))*size.Y}
	}
}

// crosses reports whether the bounding rectangle of the points meets r.
func crosses(pts []vg.Point, r vg.Rectangle) bool {
	if len(pts) == 0 {
		return false
	}
	lo, hi := pts[0], pts[0]
	for _, p := range pts {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, p.X), min(lo.Y, p.Y), max(hi.X, p.X), max(hi.Y, p.Y)
	}
	return lo.X <= r.Max.X && hi.X >= r.Min.X && lo.Y <= r.Max.Y && hi.Y >= r.Min.Y
}

// straighten leaves out points that are no further than near from the line without them (Douglas & Peucker 1973). A
// picture does not show the difference.
func straighten(p []vg.Point, near vg.Length) []vg.Point {
	if len(p) < 3 {
		return p
	}
	keep := make([]bool, len(p))
	keep[0], keep[len(p)-1] = true, true
	todo := [][2]int{{0, len(p) - 1}}
	for len(todo) > 0 {
		a, b := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		far, at := near, -1
		for i := a + 1; i < b; i++ {
			if d := offLine(p[i], p[a], p[b]); d > far {
				far, at = d, i
			}
		}
		if at > 0 {
			keep[at] = true
			todo = append(todo, [2]int{a, at}, [2]int{at, b})
		}
	}
	out := p[:0:0]
	for i := range p {
		if keep[i] {
			out = append(out, p[i])
		}
	}
	return out
}

// offLine returns the distance of p from the segment a to b.
func offLine(p, a, b vg.Point) vg.Length {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	ex, ey := float64(p.X-a.X), float64(p.Y-a.Y)
	s := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		s = clamp((ex*dx+ey*dy)/l, 0, 1)
	}
	return vg.Length(math.Hypot(ex-s*dx, ey-s*dy))
}

// tenth rounds to a tenth of a point, which halves the digits in an SVG.
func tenth(p vg.Point) vg.Point {
	round := func(v vg.Length) vg.Length { return vg.Length(math.Round(float64(v)*10) / 10) }
	return vg.Point{X: round(p.X), Y: round(p.Y)}
}
