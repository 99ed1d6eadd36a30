package page

import (
	"bytes"
	"encoding/base64"
	pixels "image" // image is the element of a page
	"image/color"
	"image/png"
)

// groundless returns a PNG, in base64, whose greys are black with the opacity that gives the same grey on white. The
// picture of a figure is then the same by day. At night its letters lie on any ground that the page gives it, and the
// colours of its maps stay. A picture without a palette, such as a photograph, returns as it is.
func groundless(data string) string {
	const most = 1 << 26 // pixels
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return data
	}
	config, err := png.DecodeConfig(bytes.NewReader(raw))
	if _, few := config.ColorModel.(color.Palette); err != nil || !few || config.Width > most/max(config.Height, 1) {
		return data
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return data
	}
	picture := img.(*pixels.Paletted) // as its colour model says
	for i, c := range picture.Palette {
		c := color.NRGBAModel.Convert(c).(color.NRGBA)
		if c.A == 0xFF && max(c.R, c.G, c.B)-min(c.R, c.G, c.B) <= 2 {
			picture.Palette[i] = color.NRGBA{A: 0xFF - c.G}
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture); err != nil {
		return data
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
