package viz

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
)

// Palette gives the colour of a number t in [0, 1]. Values outside are clamped, and NaN has the grey of missing cells.
type Palette func(t float64) color.NRGBA

// Viridis is a palette for magnitudes: perceptually uniform, and ordered in grey as well (Smith and van der Walt 2015,
// matplotlib). It interpolates between 33 colours of their table, to within 2/255.
func Viridis(t float64) color.NRGBA { return viridis.at(t) }

// Cividis is a palette for magnitudes that looks nearly the same to people who confuse
// red and green (Nuñez, Anderton and Renslow 2018; to within 6/255).
func Cividis(t float64) color.NRGBA { return cividis.at(t) }

// Vik is a palette for differences: blue below 1/2, red above, perceptually uniform on
// both sides (Crameri 2018, "Scientific colour maps"; to within 3/255).
func Vik(t float64) color.NRGBA { return vik.at(t) }

// Greys is a palette for photographs: black at 0, white at 1, linear in sRGB.
func Greys(t float64) color.NRGBA { return greys.at(t) }

var (
	viridis = knots("440154470d6048186a482374472d7b4536814240863f49893b528b375a8d33638d2f6a8e2c728e297a8e26818e23898e" +
		"21908c1f988b1f9f8821a68528ae8031b57b3ebc744cc26c5dc9636ece5882d34c96d83fabdc32c0df24d5e21aeae51afde725")
	cividis = knots("00224e00285b002e6a0433711a386f273e6e32436d3b496c434e6c4b546c52596d5a5f6e61656f686a716f7073757676" +
		"7c7b788481798b8778938d789b9376a39a75aba072b3a670bbad6cc3b469ccba64d4c15fddc958e6d051efd748f8df3cfee838")
	vik = knots("001261021f69022b710237790344810450890c5e921b6d9b2f7ca6478db1609dbc79adc792bdd2acccdcc5dbe5dce5e9" +
		"ece5e1eedacfe9cbb9e2bba4dcab8fd59c7bcf8e68c97f55c37243bc6331b3531fa5400e932e06832106741506660a07590008")
	greys = knots("000000ffffff")
)

// ramp is a palette's colours at equal steps of t.
type ramp []color.NRGBA

// knots reads colours of six hexadecimal digits each.
func knots(digits string) ramp {
	var r ramp
	for ; digits != ""; digits = digits[6:] {
		v, err := strconv.ParseUint(digits[:6], 16, 32)
		if err != nil {
			panic("viz: " + err.Error())
		}
		r = append(r, color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF})
	}
	return r
}

func (r ramp) at(t float64) color.NRGBA {
	if math.IsNaN(t) {
		return absent
	}
	u := float64(len(r)-1) * min(max(t, 0), 1)
	i := min(int(u), len(r)-2)
	return mix(r[i], r[i+1], u-float64(i))
}

// absent is the ground of cells that have no value.
var absent = color.NRGBA{0xD4, 0xD4, 0xD4, 0xFF}

// absentCell is transparent. It looks like absent on a white ground, and dark grey on a dark ground.
var absentCell = color.NRGBA{0x80, 0x80, 0x80, 0x56}

// OkabeIto holds seven colours that people with any common form of colour blindness can tell apart (Okabe and Ito 2008,
// "Color universal design"). The first colours also differ most in lightness. Yellow comes last because thin yellow
// lines vanish on white; black is left for the truth.
var OkabeIto = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, // blue
	{0xD5, 0x5E, 0x00, 0xFF}, // vermilion
	{0x00, 0x9E, 0x73, 0xFF}, // bluish green
	{0xCC, 0x79, 0xA7, 0xFF}, // reddish purple
	{0xE6, 0x9F, 0x00, 0xFF}, // orange
	{0x56, 0xB4, 0xE9, 0xFF}, // sky blue
	{0xF0, 0xE4, 0x42, 0xFF}, // yellow
}

// Ink is the colour of text, and of what is exact.
var Ink = color.NRGBA{0x22, 0x22, 0x22, 0xFF}

// methodColor returns the colour of method k. After the last colour of the palette it starts again with the first.
func methodColor(k int) color.NRGBA { return OkabeIto[k%len(OkabeIto)] }

// mix interpolates between two colours. t = 0 gives a, and t = 1 gives b.
func mix(a, b color.NRGBA, t float64) color.NRGBA {
	at := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.NRGBA{at(a.R, b.R), at(a.G, b.G), at(a.B, b.B), at(a.A, b.A)}
}

// fade makes a colour transparent by the factor alpha.
func fade(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(alpha * float64(c.A)))
	return c
}

// hex returns a colour as #rrggbb, and its opacity apart because SVG and ECharts take it so.
func hex(c color.NRGBA) (rgb string, opacity float64) {
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), float64(c.A) / 255
}

// Greys of text, axes and ground.
var (
	ink    = Ink                                 // text, truth
	soft   = color.NRGBA{0x55, 0x55, 0x55, 0xFF} // notes, tick labels
	frame  = color.NRGBA{0x99, 0x99, 0x99, 0xFF} // axes
	hair   = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF} // grid
	shade  = color.NRGBA{0xF5, 0xF5, 0xF5, 0xFF} // every second cell
	canvas = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF} // the ground; theme.js turns it and the greys around for dark themes
)

// Colours of lines over data. theme.js lists them, and no theme changes them.
var (
	overLight = color.NRGBA{0x23, 0x23, 0x23, 0xFF} // on light colours
	overDark  = color.NRGBA{0xFE, 0xFE, 0xFE, 0xFF} // on dark colours
)

// blankCell is the colour of cells that do not belong to a map. It is transparent, so that the ground shows through.
var blankCell = color.NRGBA{0xFF, 0xFF, 0xFF, 0x00}
