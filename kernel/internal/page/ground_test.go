package page

import (
	"bytes"
	"encoding/base64"
	pixels "image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// A picture of a palette is on white what it was, and on a card its greys let the card through; its colours do not.
func TestGroundless(t *testing.T) {
	palette := color.Palette{color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}, color.NRGBA{0x22, 0x22, 0x22, 0xFF},
		color.NRGBA{0x99, 0x99, 0x9A, 0xFF}, color.NRGBA{0x44, 0x01, 0x54, 0xFF}, color.NRGBA{0xFD, 0xE7, 0x25, 0xFF}}
	was := pixels.NewPaletted(pixels.Rect(0, 0, len(palette), 1), palette)
	for i := range palette {
		was.Pix[i] = uint8(i)
	}
	text := encoded(t, was)
	card := color.RGBA{0xC9, 0xCE, 0xD4, 0xFF}
	day, night := over(t, groundless(text), color.White), over(t, groundless(text), card)
	for i, c := range palette {
		want, got := color.RGBAModel.Convert(c).(color.RGBA), day.RGBAAt(i, 0)
		for _, d := range []int{int(want.R) - int(got.R), int(want.G) - int(got.G), int(want.B) - int(got.B)} {
			must.Be(t, -1 <= d && d <= 1, "colour %d on white: %v, want %v", i, got, want)
		}
		if i > 2 {
			must.Equal(t, night.RGBAAt(i, 0), want, "a colour on the card")
		}
	}
	must.Equal(t, night.RGBAAt(0, 0), card, "the ground on the card")
	must.Be(t, night.RGBAAt(1, 0).R < 0x22, "letters on the card: %v", night.RGBAAt(1, 0))

	photograph := pixels.NewRGBA(pixels.Rect(0, 0, 2, 2))
	for _, as := range []string{encoded(t, photograph), "QUJD", "no base64"} {
		must.Equal(t, groundless(as), as, "what has no palette")
	}
}

func encoded(t *testing.T, img pixels.Image) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, img))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// over returns a picture as it looks on a ground.
func over(t *testing.T, text string, ground color.Color) *pixels.RGBA {
	t.Helper()
	img := must.Get(png.Decode(bytes.NewReader(must.Get(base64.StdEncoding.DecodeString(text))(t))))(t)
	out := pixels.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), pixels.NewUniform(ground), pixels.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, pixels.Point{}, draw.Over)
	return out
}
