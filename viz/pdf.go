//go:build !js

package viz

import (
	"bytes"
	"fmt"
	"image"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdf returns what paint draws, as a PDF of one page.
func (r rendering) pdf() ([]byte, error) {
	c := outlined{vgpdf.New(px(r.width), px(r.height)), new(missingGlyphs)}
	r.paint(draw.New(c))
	if err := c.err(r.kind); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("%s: %w", r.kind, err)
	}
	return b.Bytes(), nil
}

// outlined is a PDF canvas that fills the outlines of letters. vgpdf's own text is limited to code page 1252, which has
// no θ and no superscripts, and fails on bold type.
type outlined struct {
	*vgpdf.Canvas
	*missingGlyphs
}

// DrawImage implements vg.Canvas. The y axis of vgpdf's canvas points up, and vgpdf does not undo this for images.
// DrawImage therefore passes images upside down.
func (c outlined) DrawImage(box vg.Rectangle, img image.Image) {
	src := img.(*image.Paletted)
	flipped := image.NewPaletted(src.Rect, src.Palette)
	for y, n := 0, src.Rect.Dy(); y < n; y++ {
		copy(flipped.Pix[y*src.Stride:(y+1)*src.Stride], src.Pix[(n-1-y)*src.Stride:])
	}
	c.Canvas.DrawImage(box, flipped)
}

// FillString implements vg.Canvas.
func (c outlined) FillString(f font.Face, at vg.Point, s string) {
	var buf sfnt.Buffer
	// Outlines are in 64ths of a thousandth of the type size, so their rounding does not show.
	const em = 1000
	unit := float64(f.Font.Size) / em / 64
	x := float64(at.X)
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: vg.Length(x + unit*float64(p.X)), Y: at.Y - vg.Length(unit*float64(p.Y))}
	}
	var path vg.Path
	for _, r := range c.take(f, s) {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // a damaged entry of the font; index 0, the empty box, is not an error
		}
		segments, err := f.Face.LoadGlyph(&buf, glyph, fixed.I(em), nil)
		if err != nil {
			continue
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(place(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(s.Args[0]), place(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
			}
		}
		if adv, err := f.Face.GlyphAdvance(&buf, glyph, fixed.I(em), xfont.HintingNone); err == nil {
			x += unit * float64(adv)
		}
	}
	if len(path) > 0 {
		path.Close()
		c.Fill(path)
	}
}
