package viz

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// quantize reduces an opaque drawing to at most 256 colours. Every other colour becomes the nearest of these. A
// drawing has few colours besides the shades along its edges, so that nothing visible changes while the PNG shrinks
// to less than half.
func quantize(rgba *image.RGBA) *image.Paletted {
	count := map[uint32]int{}
	runs(rgba, func(c uint32, from, to int) { count[c] += to - from })
	colors := make([]uint32, 0, len(count))
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b uint32) int {
		// Ties have a fixed order, so that the same figure is the same file.
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	picked := distinct(colors)
	palette := make(color.Palette, len(picked))
	index := make(map[uint32]uint8, len(colors))
	for i, c := range picked {
		palette[i], index[c] = opaque(c), uint8(i)
	}
	for _, c := range colors {
		if _, is := index[c]; !is {
			index[c] = uint8(palette.Index(opaque(c)))
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

// distinct picks at most 256 of the colours, which are given from the most to the least frequent. The most frequent
// are all picked: they are the shades of a map. A rarer colour is picked if its distance from all picked colours is
// above a threshold, which is raised until at most 256 colours are picked. A colour that is rare but like no other
// stays therefore as well.
func distinct(colors []uint32) []uint32 {
	const most, frequent = 256, 216
	if len(colors) <= most {
		return colors
	}
	for near := 0; ; near += 2 {
		picked := slices.Clone(colors[:frequent])
		for _, c := range colors[frequent:] {
			if !slices.ContainsFunc(picked, func(p uint32) bool { return distance(p, c) <= near }) {
				if picked = append(picked, c); len(picked) > most {
					break
				}
			}
		}
		if len(picked) <= most {
			return picked
		}
	}
}

// distance returns the largest difference between two colours in a channel.
func distance(a, b uint32) int {
	gap := func(shift int) int { return int(a>>shift&0xFF) - int(b>>shift&0xFF) }
	r, g, bl := gap(16), gap(8), gap(0)
	return max(r, -r, g, -g, bl, -bl)
}

func opaque(c uint32) color.RGBA { return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xFF} }

// runs calls f for each run of pixels of one colour 0xRRGGBB. Pixels are numbered row by row. Most of a drawing is
// long runs of white, so that f, which looks colours up in maps, is seldom called.
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
