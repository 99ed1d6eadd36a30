package viz

import (
	"encoding/base64"
	"math"
)

// mapFrames holds the settings of a slider over a map, for maps.js.
type mapFrames struct {
	Name   string   `json:"name"`
	Labels []string `json:"labels"`
	Bars   []string `json:"bars"`   // the label of the colour bar at each setting
	Titles []string `json:"titles"` // the title of the map at each setting
	At     int      `json:"at"`     // the setting of the image
	Values string   `json:"values"` // base64: one byte for each cell that is not blank, setting after setting
	Steps  int      `json:"steps"`  // the byte of probability 1; byte 255 means no value
	Sure   int      `json:"sure"`   // the smallest byte that is outlined
	// colours of bytes 0 to Steps, six hexadecimal digits each; byte 255 has none
	Colors string  `json:"colors"`
	Low    float64 `json:"low"`             // the value of byte 0
	High   float64 `json:"high"`            // the value of byte Steps
	Pause  int     `json:"pause,omitempty"` // ms between settings that play one after the other; 0: they do not play
}

// probabilitySteps is the number of steps to which the slider rounds probabilities from 0 to 1.
const probabilitySteps = 250

// play returns a slider over the map, whose settings have these values by cell; cols is the number of columns of the
// field. texts returns the label, the title and the label of the colour bar of a setting, and round makes a byte of a
// value between 0 and Steps.
func (s *atlas) play(f mapFrames, values [][]float64, cols int, texts func(k int) (label, title, bar string),
	round func(x float64) float64) *mapFrames {
	t := s.tiles[0]
	f.Steps, f.Low, f.High = probabilitySteps, t.colours.lo, t.colours.hi
	var bytes []byte
	for k, z := range values {
		label, title, bar := texts(k)
		// The texts are shortened as in the painted figure.
		f.Labels, f.Titles = append(f.Labels, label), append(f.Titles, fit(printable(title), style(12, false, ink),
			px(t.width)))
		if len(s.bars) > 0 { // without a bar only the pointer shows its label
			bar = fit(printable(bar), style(12, false, ink), s.bars[0].labelRoom())
		}
		f.Bars = append(f.Bars, bar)
		for r := range t.rows {
			for c := range t.cols {
				if t.blank(r*t.cols + c) {
					continue
				}
				b := byte(255)
				if x := z[(r+t.from[1])*cols+c+t.from[0]]; !math.IsNaN(x) {
					b = byte(round(clamp((x-f.Low)/(f.High-f.Low), 0, 1) * probabilitySteps))
				}
				bytes = append(bytes, b)
			}
		}
	}
	f.Values = base64.StdEncoding.EncodeToString(bytes)
	for i := range probabilitySteps + 1 {
		at := f.Low + (f.High-f.Low)*float64(i)/probabilitySteps
		rgb, _ := hex(t.colours.Palette(t.colours.tone(clamp(t.colours.share(at), 0, 1))))
		f.Colors += rgb[1:]
	}
	return &f
}
