package viz

import (
	"fmt"
	"image/color"
	"math"
)

// OkabeIto holds seven colours that people with any common form of colour blindness can
// tell apart (Okabe and Ito 2008, "Color universal design"). The first colours also
// differ most in lightness. Yellow comes last because thin yellow lines vanish on white;
// black is left for the truth.
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

// Colours of lines over data. theme.js knows them, and no theme changes them.
var (
	overLight = color.NRGBA{0x23, 0x23, 0x23, 0xFF} // on light colours
	overDark  = color.NRGBA{0xFE, 0xFE, 0xFE, 0xFF} // on dark colours
)

// blankCell is the colour of cells that do not belong to a map. It is transparent, so that the ground shows through.
var blankCell = color.NRGBA{0xFF, 0xFF, 0xFF, 0x00}
