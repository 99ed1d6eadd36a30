package viz

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// shapes returns the outlines of the regions of a map as they are painted into a box.
func (t *tile) shapes(box draw.Canvas) *shapes {
	return t.regions.at(t.part, box.Size().X, box.Size().Y)
}

// outline returns the path of a region. A path outside of the box is a point, so that every region has a path.
func (t *tile) outline(box draw.Canvas, rings [][]corner) (path vg.Path) {
	size := box.Size()
	add := func(p []vg.Point) {
		for k, at := range p {
			if at = tenth(at); k == 0 {
				path.Move(at)
			} else {
				path.Line(at)
			}
		}
		path.Close()
	}
	for _, ring := range rings {
		p, inside := make([]vg.Point, len(ring)-1), true
		for k, c := range ring[:len(ring)-1] {
			x, y := vg.Length(c.x)/grain, vg.Length(c.y)/grain
			inside = inside && x >= 0 && y >= 0 && x <= size.X && y <= size.Y
			p[k] = vg.Point{X: box.Min.X + x, Y: box.Min.Y + y}
		}
		if !inside {
			p = box.ClipPolygonXY(p)
		}
		if len(p) > 2 {
			add(p)
		}
	}
	if path == nil {
		path.Move(tenth(box.Min))
		path.Close()
	}
	return path
}

// manyRegions is the number of regions from which on a map is drawn without lines between them, which would hide it.
const manyRegions = 600

// border is the line between regions. It is the same in all themes, because svg writes it as an attribute.
var borderLine = color.NRGBA{0x70, 0x70, 0x70, 0xFF}

// fill paints the regions. In an SVG they stand in a group that maps.js finds by its transform, and svg adds the lines
// around them.
func (t *tile) fill(box draw.Canvas) {
	img, s := t.picture(), t.shapes(box)
	_, svg := box.Canvas.(*vgsvg.Canvas)
	box.Push()
	box.Rotate(0)
	lines := draw.LineStyle{Width: px(0.5)}
	for j, rings := range s.rings {
		path, fill := t.outline(box, rings), img.Palette[img.Pix[j]].(color.NRGBA)
		if !svg {
			fill = mix(canvas, color.NRGBA{fill.R, fill.G, fill.B, 0xFF}, float64(fill.A)/0xFF)
		}
		box.SetColor(fill)
		box.Fill(path)
		if !svg {
			if lines.Color = fill; len(s.rings) <= manyRegions {
				lines.Color = mix(fill, borderLine, 0.7)
			}
			box.SetLineStyle(lines)
			box.Stroke(path)
		}
	}
	box.Pop()
	if t.frames == nil {
		return
	}
	place := t.placer(box)
	box.SetLineStyle(draw.LineStyle{Color: frame, Width: px(0.75)})
	for _, f := range t.frames {
		box.Stroke(vg.Rectangle{Min: place(f.XMin, f.YMin), Max: place(f.XMax, f.YMax)}.Path())
	}
}

// strokes returns parallel lines from lower left to upper right through the regions that are in, 6 px apart.
func (t *tile) strokes(box draw.Canvas, in func(j int) bool) (path vg.Path) {
	const apart = 45 // x − y of neighbouring lines, in the grid of corners
	wide, high := grain*float64(box.Size().X), grain*float64(box.Size().Y)
	for j, rings := range t.shapes(box).rings {
		if !in(j) {
			continue
		}
		first, last := math.Inf(1), math.Inf(-1)
		for _, ring := range rings {
			for _, c := range ring {
				first, last = min(first, float64(c.x-c.y)), max(last, float64(c.x-c.y))
			}
		}
		first, last = max(first, -high), min(last, wide) // no other line meets the box
		for at := math.Ceil(first/apart) * apart; at < last; at += apart {
			var cuts []float64 // x + y, where the line crosses the outline
			for _, ring := range rings {
				for k := 1; k < len(ring); k++ {
					a, b := ring[k-1], ring[k]
					u, v := float64(a.x-a.y), float64(b.x-b.y)
					if (u > at) != (v > at) {
						f := (at - u) / (v - u)
						cuts = append(cuts, float64(a.x+a.y)+f*float64(b.x+b.y-a.x-a.y))
					}
				}
			}
			slices.Sort(cuts)
			place := func(v float64) vg.Point {
				x, y := vg.Length((v+at)/2/grain), vg.Length((v-at)/2/grain)
				return tenth(box.Min.Add(vg.Point{X: x, Y: y}))
			}
			for k := 1; k < len(cuts); k += 2 {
				from, to := max(cuts[k-1], math.Abs(at)), min(cuts[k], 2*wide-at, 2*high+at) // what is in the box
				if from < to {
					path.Move(place(from))
					path.Line(place(to))
				}
			}
		}
	}
	return path
}

// side is an edge of a region, whichever way it goes.
type side [2]corner

func sideOf(a, b corner) side {
	if b.before(a) {
		a, b = b, a
	}
	return side{a, b}
}

// limits returns the borders between the regions that are in and all else. Edges that continue each other are joined.
func (t *tile) limits(box draw.Canvas, in func(j int) bool) (path vg.Path) {
	s := t.shapes(box)
	twice := map[side]bool{} // an edge of two regions that are in lies within them
	for j, rings := range s.rings {
		if !in(j) {
			continue
		}
		for _, ring := range rings {
			for k := 1; k < len(ring); k++ {
				e := sideOf(ring[k-1], ring[k])
				_, there := twice[e]
				twice[e] = there
			}
		}
	}
	for j, rings := range s.rings {
		if !in(j) {
			continue
		}
		for _, ring := range rings {
			var line []vg.Point
			end := func() {
				for _, part := range box.ClipLinesXY(line) {
					for k, p := range part {
						if p = tenth(p); k == 0 {
							path.Move(p)
						} else {
							path.Line(p)
						}
					}
				}
				line = nil
			}
			for k := 1; k < len(ring); k++ {
				if twice[sideOf(ring[k-1], ring[k])] {
					end()
					continue
				}
				for _, c := range ring[k-1 : k+1] {
					p := vg.Point{X: box.Min.X + vg.Length(c.x)/grain, Y: box.Min.Y + vg.Length(c.y)/grain}
					if len(line) == 0 || line[len(line)-1] != p {
						line = append(line, p)
					}
				}
			}
			end()
		}
	}
	return path
}
