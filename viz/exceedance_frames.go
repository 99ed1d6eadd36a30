package viz

import (
	"encoding/base64"
	"image/color"
	"math"
	"strings"
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

func (v Exceedance) frames(s *atlas, shares [][]float64, titles []string, at int) *mapFrames {
	t := s.tiles[0]
	f := &mapFrames{Name: "threshold", At: at, High: 1, Steps: probabilitySteps,
		Sure: int(math.Ceil(v.Sure*probabilitySteps - 1e-9))}
	var values []byte
	for k, share := range shares {
		f.Labels = append(f.Labels, v.threshold(k))
		// The texts are shortened as in the painted figure.
		f.Bars = append(f.Bars, fit(printable(v.label(k)), style(12, false, ink), s.bars[0].labelRoom()))
		f.Titles = append(f.Titles, fit(printable(titles[k]), style(12, false, ink), px(t.width)))
		cols, _ := v.Map.Field.Dims()
		for r := range t.rows {
			for c := range t.cols {
				if t.blank(r*t.cols + c) {
					continue
				}
				p := share[(r+t.from[1])*cols+c+t.from[0]]
				b := byte(255)
				if !math.IsNaN(p) {
					// rounded down, so that no cell below Sure reaches it
					b = byte(math.Floor(p*probabilitySteps + 1e-9))
				}
				values = append(values, b)
			}
		}
	}
	f.Values = base64.StdEncoding.EncodeToString(values)
	var colors strings.Builder
	add := func(c color.NRGBA) {
		rgb, _ := hex(c)
		colors.WriteString(rgb[1:])
	}
	for i := range probabilitySteps + 1 {
		add(t.colours.Palette(t.colours.tone(float64(i) / probabilitySteps)))
	}
	f.Colors = colors.String()
	return f
}
