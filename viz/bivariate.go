package viz

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bivariate maps a value and its uncertainty in one colour, by a value-suppressing uncertainty palette (Correll, Moritz
// & Heer 2018, CHI, doi:10.1145/3173574.3174216). There are four levels of uncertainty. The lowest has eight colours
// and the highest has one, close to grey. Uncertain values therefore look alike, and a reader cannot mistake them for a
// pattern.
//
// Colours are viridis, mixed with grey; the legend has all fifteen.
type Bivariate struct {
	// Map has the values in its Field and the label of the value in its Scale, whose Min, Max and Palette hold as well.
	Map Map
	// Uncertainty is a number from 0 on for each cell, such as the width of its interval, in the order of [Map.Held].
	Uncertainty []float64
	Label       string  // name of the uncertainty; default "uncertainty"
	Most        float64 // upper end of the scale of uncertainty; 0 means the largest uncertainty
}

// bivariateLevels is the number of levels of uncertainty. The lowest level has 2³ colours.
const bivariateLevels = 4

// Encode implements Figure.
func (v Bivariate) Encode(format Format) ([]byte, error) { return format.of(v.layout()) }

func (v Bivariate) layout() (*atlas, error) {
	fail := func(text string, args ...any) (*atlas, error) { return nil, fmt.Errorf("bivariate: "+text, args...) }
	m, blank, err := v.Map.cells("bivariate")
	if err != nil {
		return nil, err
	}
	if len(v.Uncertainty) != len(m.z) {
		return fail("%d uncertainties for a map of %d cells", len(v.Uncertainty), len(m.z))
	}
	spread, most := pick(v.Uncertainty, m.index), v.Most
	for j, s := range spread {
		if math.IsNaN(m.z[j]) || blank != nil && blank[j] {
			continue
		}
		if !finite(s) || s < 0 {
			return fail("the uncertainty of cell %d is %g; give finite ones that are not negative", m.index[j], s)
		}
		if v.Most == 0 {
			most = max(most, s)
		}
	}
	if !(most > 0) || !finite(most) {
		return fail("uncertainties up to %g; Most must be positive and finite", most)
	}
	one, b, err := v.Map.coarse("bivariate", mostCells)
	if err != nil {
		return nil, err
	}
	if b != nil {
		v.Uncertainty = b.mean(spread)
	}
	scale := Scale{Label: "value"}
	if one.Scale != nil {
		scale = *one.Scale
	}
	if scale.Log || scale.Diverging {
		return fail("a scale that is logarithmic or diverging; give a linear one")
	}
	scale.NoBar = true
	one.Scale = &scale
	one.Tips = append([]Tip{{Name: cmp.Or(v.Label, "uncertainty"), Values: v.Uncertainty}}, one.Tips...)
	whole := one.alone()
	key := &bivariateKey{label: cmp.Or(v.Label, "uncertainty"), most: most}
	whole.key = key
	s, err := whole.layout("bivariate")
	if err != nil {
		return nil, err
	}
	t := s.tiles[0]
	key.colours = t.colours
	for _, t := range []*tile{t, t.inset} {
		if t != nil {
			t.own = key.picture(t, pick(v.Uncertainty, t.index))
		}
	}
	return s, nil
}

// bivariateKey is the two-dimensional legend.
type bivariateKey struct {
	*colours
	label string
	most  float64
}

// bin returns the level of an uncertainty, and the bin of a value among the 2^(3−level) bins of that level. The
// value is given as its share of the scale.
func (k *bivariateKey) bin(share, spread float64) (level, bin int) {
	level = int(clamp(math.Floor(spread/k.most*bivariateLevels), 0, bivariateLevels-1))
	n := 1 << (bivariateLevels - 1 - level)
	return level, int(clamp(math.Floor(share*float64(n)), 0, float64(n-1)))
}

// at returns the colour of a bin: the palette's colour at the bin's centre, mixed with grey according to the level.
func (k *bivariateKey) at(level, bin int) color.NRGBA {
	n := 1 << (bivariateLevels - 1 - level)
	return mix(k.Palette((float64(bin)+0.5)/float64(n)), uncertain, float64(level)/(bivariateLevels-1))
}

// uncertain is the grey of the highest level of uncertainty. It is paler than missing cells.
var uncertain = color.NRGBA{0xE3, 0xE3, 0xE3, 0xFF}

func (k *bivariateKey) picture(t *tile, spread []float64) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, t.cols, t.rows), color.Palette{absentCell, blankCell})
	place := map[[2]int]uint8{}
	for level := range bivariateLevels {
		for bin := range 1 << (bivariateLevels - 1 - level) {
			place[[2]int{level, bin}] = uint8(len(img.Palette))
			img.Palette = append(img.Palette, k.at(level, bin))
		}
	}
	for j, z := range t.z {
		switch {
		case t.blank(j):
			img.Pix[j] = 1
		case !math.IsNaN(z):
			level, bin := k.bin(k.share(z), spread[j])
			img.Pix[j] = place[[2]int{level, bin}]
		}
	}
	return img
}

// twoDecimals prints a number with two significant digits. From 100 on it prints whole numbers in full.
func twoDecimals(v float64) string {
	text := strconv.FormatFloat(v, 'g', 2, 64)
	if a := math.Abs(v); a >= 99.5 && a < 1e5 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return printable(minus(text))
}

// keyRoom is the width in px that the legend takes on the right.
const keyRoom = 210

// paint draws the legend: values to the right, uncertainty upwards.
func (k *bivariateKey) paint(c draw.Canvas, left, top float64) {
	const side, row = 136, 30
	st, line := style(11, false, soft), draw.LineStyle{Color: frame, Width: px(1)}
	box := area(c, left+40, top+24, side, row*bivariateLevels)
	for level := range bivariateLevels {
		n := 1 << (bivariateLevels - 1 - level)
		for bin := range n {
			part := area(c, left+40+side*float64(bin)/float64(n), top+24+row*float64(bivariateLevels-1-level),
				side/float64(n), row)
			// Painted as an image, because themes change the colours of areas, and these must stay the map's colours.
			one := image.NewPaletted(image.Rect(0, 0, 1, 1), color.Palette{k.at(level, bin)})
			raster(part, one)
			part.SetLineStyle(draw.LineStyle{Color: canvas, Width: px(0.6)})
			part.Stroke(part.Rectangle.Path())
		}
	}
	border(box)
	st.XAlign = text.XCenter
	for i := range 3 {
		at := float64(i) / 2
		x := box.Min.X + vg.Length(at)*box.Size().X
		c.StrokeLine2(line, x, box.Min.Y, x, box.Min.Y-px(3))
		c.FillText(st, vg.Point{X: x, Y: box.Min.Y - px(4)}, twoDecimals(k.lo+at*(k.hi-k.lo)))
	}
	st.XAlign, st.YAlign = text.XRight, text.YCenter
	for i := range bivariateLevels + 1 {
		y := box.Min.Y + px(row*float64(i))
		c.StrokeLine2(line, box.Min.X, y, box.Min.X-px(3), y)
		if i%2 == 0 {
			c.FillText(st, vg.Point{X: box.Min.X - px(5), Y: y}, twoDecimals(k.most*float64(i)/bivariateLevels))
		}
	}
	st = style(12, false, ink)
	plain := st
	c.FillText(st, vg.Point{X: c.Min.X + px(left), Y: c.Max.Y - px(top)}, fit(printable(k.label), plain, px(side+44)))
	st.XAlign = text.XCenter
	c.FillText(st, vg.Point{X: box.Center().X, Y: box.Min.Y - px(20)}, fit(printable(k.Label), plain, px(side+44)))
}
