package live

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"slices"
	"time"
)

// frames are settings of one slider, drawn beforehand.
type frames struct {
	Control int       `json:"control"` // index of the slider
	Values  []float64 `json:"values"`
	At      int       `json:"at"`   // the setting of the figure itself
	HTML    string    `json:"html"` // base64 of the gzip of a JSON list; "" at index At
}

// framed is the slider that has frames, and how many settings.
func (p Panel) framed() (index, n int) {
	first := -1
	for i, c := range p.Controls {
		s, ok := c.(*Slider)
		if !ok {
			continue
		}
		if s.Frames > 0 {
			return i, s.Frames
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 || p.Controls[first].(*Slider).Frames < 0 {
		return -1, 0
	}
	return first, 9
}

// frames draws the settings, from coarse to fine until the deadline (none if
// zero), and puts the slider back. A setting that cannot be drawn is left out.
func (p Panel) frames(deadline time.Time) (*frames, error) {
	index, n := p.framed()
	if index < 0 {
		return nil, nil
	}
	slider := p.Controls[index].(*Slider)
	last := slider.Value
	defer func() { slider.Value = last }()
	type frame struct {
		value float64
		html  string
	}
	drawn := []frame{{value: last}}
	for _, v := range coarse(slider.stops(n)) {
		if v == last {
			continue
		}
		if !deadline.IsZero() && time.Now().After(deadline) {
			break
		}
		slider.Value = v
		if pic, err := p.tryDraw(); err == nil {
			drawn = append(drawn, frame{v, pic.still()})
		}
	}
	if len(drawn) < 2 {
		return nil, nil
	}
	slices.SortFunc(drawn, func(a, b frame) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	f := &frames{Control: index}
	var html []string
	for i, d := range drawn {
		if d.value == last {
			f.At = i
		}
		f.Values, html = append(f.Values, d.value), append(html, d.html)
	}
	var err error
	f.HTML, err = pack(html)
	return f, err
}

// tryDraw is draw at a setting that nobody asked for: a panic is an error.
func (p Panel) tryDraw() (pic picture, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("live: %v", r)
		}
	}()
	return p.draw()
}

// coarse orders settings so that those drawn before time is up span the scale:
// the ends, then halves, quarters and so on.
func coarse(values []float64) []float64 {
	var out []float64
	seen := map[int]bool{}
	n := len(values) - 1
	for step := 1; len(out) < len(values); step *= 2 {
		for i := range step + 1 {
			if at := i * n / step; !seen[at] {
				seen[at] = true
				out = append(out, values[at])
			}
		}
	}
	return out
}

// pack compresses texts for a notebook: pictures of one figure are much alike.
func pack(texts []string) (string, error) {
	data, err := jsonText(texts)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write([]byte(data))
	}
	if err == nil {
		err = z.Close()
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), err
}
