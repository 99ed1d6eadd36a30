package viz

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"slices"
)

// quantize reduces an opaque drawing to its 256 most frequent colours, the
// others taking the nearest of these. Drawings have few colours and the shades
// along their edges, so that nothing visible changes while the PNG shrinks to
// less than half.
func quantize(src image.Image) *image.Paletted {
	rgba, ok := src.(*image.RGBA)
	if !ok {
		rgba = image.NewRGBA(src.Bounds())
		draw.Draw(rgba, rgba.Bounds(), src, src.Bounds().Min, draw.Src)
	}
	count := map[uint32]int{}
	runs(rgba, func(c uint32, from, to int) { count[c] += to - from })
	colors := make([]uint32, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b uint32) int {
		// Ties in a fixed order: the same figure is the same file.
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	palette := make(color.Palette, min(256, len(colors)))
	index := make(map[uint32]uint8, len(colors))
	for i, c := range colors {
		rgb := color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xFF}
		if i < len(palette) {
			palette[i] = rgb
			index[c] = uint8(i)
		} else {
			index[c] = uint8(palette.Index(rgb))
		}
	}
	dst := image.NewPaletted(rgba.Bounds(), palette)
	runs(rgba, func(c uint32, from, to int) {
		i := index[c]
		for k := from; k < to; k++ {
			dst.Pix[k] = i
		}
	})
	return dst
}

// runs calls f for each run of pixels of one colour 0xRRGGBB, numbered row by
// row: most of a drawing is long runs of white, which make maps cheap.
func runs(m *image.RGBA, f func(c uint32, from, to int)) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for y := range h {
		row := m.Pix[y*m.Stride : y*m.Stride+4*w]
		at := func(x int) uint32 { return uint32(row[4*x])<<16 | uint32(row[4*x+1])<<8 | uint32(row[4*x+2]) }
		for from := 0; from < w; {
			c, to := at(from), from+1
			for to < w && at(to) == c {
				to++
			}
			f(c, y*w+from, y*w+to)
			from = to
		}
	}
}
