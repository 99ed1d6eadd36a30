package viz

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// piece is the number of segments that a canvas of pixels strokes at once. Its painter keeps the edges of a row in a
// list, so that the time for one long path grows with the square of its segments.
var piece = 48 // a variable for its test

// pieceLength is how long such a piece may be: the edges of a row are as many as the crossings of the row.
const pieceLength = 2000 // points

// dashing has the dashes of a canvas.
type dashing struct {
	lengths []vg.Length
	offset  vg.Length
}

// SetLineDash implements vg.Canvas.
func (c pixelled) SetLineDash(lengths []vg.Length, offset vg.Length) {
	*c.dash = dashing{lengths, offset}
	c.Canvas.SetLineDash(lengths, offset)
}

// Stroke implements vg.Canvas: it strokes a long path in pieces. Dashes go on from piece to piece.
func (c pixelled) Stroke(path vg.Path) {
	if len(path) <= piece {
		c.Canvas.Stroke(path)
		return
	}
	var part vg.Path
	length := vg.Length(0)
	flush := func() {
		c.Canvas.SetLineDash(c.dash.lengths, c.dash.offset+length)
		c.Canvas.Stroke(part)
		for k := 1; k < len(part); k++ {
			length += vg.Length(math.Hypot(float64(part[k].Pos.X-part[k-1].Pos.X),
				float64(part[k].Pos.Y-part[k-1].Pos.Y)))
		}
	}
	long := 0.0 // of the part
	var start vg.Point
	for _, p := range path {
		switch p.Type {
		case vg.MoveComp:
			if len(part) > 1 && (len(part) > piece || long > pieceLength) {
				flush()
				part = nil
			}
			if len(part) <= 1 {
				part, length, long = nil, 0, 0
			}
			start = p.Pos
			part = append(part, p)
		case vg.LineComp:
			if n := len(part); n > 0 {
				long += math.Hypot(float64(p.Pos.X-part[n-1].Pos.X), float64(p.Pos.Y-part[n-1].Pos.Y))
			}
			part = append(part, p)
			if len(part) > piece || long > pieceLength {
				flush()
				part, long = vg.Path{{Type: vg.MoveComp, Pos: p.Pos}}, 0
			}
		case vg.CloseComp:
			part = append(part, vg.PathComp{Type: vg.LineComp, Pos: start})
		default: // arcs and curves: signs
			part = append(part, p)
		}
	}
	if len(part) > 1 {
		flush()
	}
	c.Canvas.SetLineDash(c.dash.lengths, c.dash.offset)
}
