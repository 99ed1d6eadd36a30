package grayscale

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"testing"

	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

// exif are EXIF data with an orientation.
func exif(orientation uint16, order binary.AppendByteOrder) []byte {
	b := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM")
	}
	b = order.AppendUint32(order.AppendUint16(b, 42), 8)
	for _, v := range []uint16{1, 274, 3} {
		b = order.AppendUint16(b, v)
	}
	return append(order.AppendUint16(order.AppendUint32(b, 1), orientation), 0, 0, 0, 0, 0, 0)
}

// withEXIF puts EXIF data into a JPEG or a PNG.
func withEXIF(data, exif []byte) []byte {
	if data[0] == 0xff {
		exif = append([]byte("Exif\x00\x00"), exif...)
		segment := append(binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2)), exif...)
		return bytes.Join([][]byte{data[:2], segment, data[2:]}, nil)
	}
	const head = 8 + 25 // the signature and the chunk IHDR
	body := append([]byte("eXIf"), exif...)
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(exif))), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	return bytes.Join([][]byte{data[:head], chunk, data[head:]}, nil)
}

// TestOrientation: pixels are where a browser shows them, in each of the eight orientations and in both formats.
func TestOrientation(t *testing.T) {
	// 16 × 8 blocks of 8 × 8 pixels, so that a JPEG has flat blocks: the corner at the top left is white, the one at
	// the top right is grey, and all else is black.
	picture := imagetest.Paint(image.NewGray(image.Rect(0, 0, 32, 16)), func(x, y int) color.Color {
		switch {
		case x < 8 && y < 8:
			return color.Gray{255}
		case x >= 24 && y < 8:
			return color.Gray{128}
		}
		return color.Gray{}
	})
	// The corners at the top left, top right, bottom left and bottom right.
	for o, want := range map[uint16]string{1: "32 16 w g b b", 2: "32 16 g w b b", 3: "32 16 b b g w", 4: "32 16 b " +
		"b w g",
		5: "16 32 w b g b", 6: "16 32 b w b g", 7: "16 32 b g b w", 8: "16 32 g b w b", 9: "32 16 w g b b"} {
		for name, data := range map[string][]byte{"JPEG": imagetest.JPEG(t, picture),
			"PNG": imagetest.PNG(t, picture)} {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				g := must.Get(Decode(bytes.NewReader(withEXIF(data, exif(o, order)))))(t, name)
				is := IsTurned(bytes.NewReader(withEXIF(data, exif(o, order))))
				must.Be(t, is == g.Turned, "%s, orientation %d: it is turned: %v", name, o, is)
				at := func(x, y int) string {
					switch v := g.Pix[y*g.W+x]; {
					case v > 0.9:
						return "w"
					case v > 0.4:
						return "g"
					}
					return "b"
				}
				got := fmt.Sprint(g.W, g.H, " ", at(3, 3), " ", at(g.W-4, 3), " ", at(3, g.H-4), " ", at(g.W-4, g.H-4))
				must.Be(t, got == want && g.Turned == (want != "32 16 w g b b"), "%s, orientation %d: %s, want "+
					"%s", name, o,
					got, want)
			}
		}
	}
}

// TestAnimations: of several pictures nobody says which is meant.
func TestAnimations(t *testing.T) {
	frame := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White})
	for n := range 4 {
		var out bytes.Buffer
		all := &gif.GIF{}
		for range n + 1 {
			all.Image, all.Delay = append(all.Image, frame), append(all.Delay, 1)
		}
		must.Do(t, gif.EncodeAll(&out, all))
		if _, err := Decode(bytes.NewReader(out.Bytes())); n == 0 {
			must.Be(t, err == nil, "%v", err)
		} else {
			must.Err(t, err, "it is an animation")
		}
	}
	still := imagetest.PNG(t, frame)
	body := append([]byte("acTL"), 0, 0, 0, 2, 0, 0, 0, 0)
	chunk := append(binary.BigEndian.AppendUint32(nil, 8), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	_, err := Decode(bytes.NewReader(bytes.Join([][]byte{still[:33], chunk, still[33:]}, nil)))
	must.Err(t, err, "it is an animation")
}
