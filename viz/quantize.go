package viz

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// quantize reduces a drawing to its 256 most frequent colours, the others
// taking the nearest of these. Drawings have few colours and the shades along
// their edges, so that nothing visible changes while the PNG shrinks to less
// than half.
func quantize(src image.Image) *image.Paletted {
	b := src.Bounds()
	count := map[color.NRGBA]int{}
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(src.At(x, y)).(color.NRGBA) }
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	colors := make([]color.NRGBA, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.NRGBA) int {
		// Ties in a fixed order: the same figure is the same file.
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(key(a), key(b)))
	})
	palette := make(color.Palette, min(256, len(colors)))
	for i := range palette {
		palette[i] = colors[i]
	}
	index := make(map[color.NRGBA]uint8, len(colors))
	for i, c := range colors {
		if i < len(palette) {
			index[c] = uint8(i)
		} else {
			index[c] = uint8(palette.Index(c))
		}
	}
	dst := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			dst.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return dst
}

func key(c color.NRGBA) uint32 {
	return uint32(c.R)<<24 | uint32(c.G)<<16 | uint32(c.B)<<8 | uint32(c.A)
}
