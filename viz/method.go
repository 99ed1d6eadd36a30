package viz

import "image/color"

// Method is one posterior of several in a figure.
type Method struct {
	Name  string
	Draws Draws
	// Color gives a method the same colour in several figures. The zero value chooses the
	// colour by the method's place.
	Color color.NRGBA
}

// color returns the colour of a method at place k.
func (m Method) color(k int) color.NRGBA {
	if m.Color != (color.NRGBA{}) {
		return m.Color
	}
	return methodColor(k)
}
