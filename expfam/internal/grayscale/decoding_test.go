package grayscale

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/internal/must"
)

// What is small is decoded however well it is packed, and what is large is if its file is.
func TestWhatIsNoBomb(t *testing.T) {
	large := image.NewGray(image.Rect(0, 0, 6000, 6000))
	for i := range large.Pix {
		large.Pix[i] = uint8(i * i)
	}
	var plain bytes.Buffer
	must.Do(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&plain, large))
	for name, data := range map[string][]byte{
		"a blank page of 4 megapixels": imagetest.Bomb(t, 2000, 2000, 2000, 1, 0),
		"an image of 36 megapixels":    plain.Bytes(),
		"a JPEG in colour": imagetest.JPEG(t,
			imagetest.Paint(image.NewRGBA(image.Rect(0, 0, 300, 200)),
				func(x, y int) color.Color { return color.RGBA{uint8(x), uint8(y), 7, 255} })),
		"a JPEG with four channels, Adobe": imagetest.CMYK(),
	} {
		must.Get(Decode(bytes.NewReader(data)))(t, name)
	}
}

// Images wait until there is memory for them.
func TestDecodingWaitsForMemory(t *testing.T) {
	data := imagetest.PNG(t, imagetest.Photo(40, 30, 3))
	must.Do(t, decoders.Acquire(context.Background(), maxDecoding))
	done := make(chan error, 1)
	go func() {
		_, err := Decode(bytes.NewReader(data))
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("decoded without memory: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	decoders.Release(maxDecoding)
	err := <-done
	must.Be(t, err == nil, "%v", err)
	must.Need(t, decoders.TryAcquire(maxDecoding), "memory was not given back")
	decoders.Release(maxDecoding)
}

func TestProgressiveJPEGsAreFound(t *testing.T) {
	baseline := imagetest.JPEG(t, imagetest.Photo(20, 20, 3))
	at := bytes.Index(baseline, []byte{0xff, 0xc0})
	progressive := slices.Clone(baseline)
	progressive[at+1] = 0xc2
	padded := slices.Insert(slices.Clone(progressive), at, 0xff, 0xff)
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{"baseline": {baseline, false}, "progressive": {progressive, true}, "filled up": {padded, true},
		"four channels": {imagetest.CMYK(), false}} {
		got, err := isProgressive(bytes.NewReader(c.data))
		must.Be(t, err == nil && got == c.want, "%s: %v, want %v; %v", name, got, c.want, err)
	}
	_, err := isProgressive(bytes.NewReader(baseline[:at]))
	must.Be(t, err == io.EOF || err == io.ErrUnexpectedEOF, "cut: error %v", err)
	for _, c := range []struct {
		model       color.Model
		progressive bool
		want        int64
	}{{color.Palette{color.Black}, false, 1}, {color.GrayModel, true, 5}, {color.YCbCrModel, true, 15},
		{color.CMYKModel, true, 24}, {color.NRGBA64Model, false, 8}} {
		got := perPixel(c.model, c.progressive)
		must.Be(t, got == c.want, "%T: %d bytes a pixel, want %d", c.model, got, c.want)
	}
}
