package viz

import "image/color"

// Method is one posterior of several in a figure.
type Method struct {
	Name  string
	Draws Draws
	// Color keeps a method's colour where it stands in another place or figure.
	// The zero value goes by place.
	Color color.NRGBA
}

// color is that of a method at place k.
func (m Method) color(k int) color.NRGBA {
	if m.Color != (color.NRGBA{}) {
		return m.Color
	}
	return methodColor(k)
}
