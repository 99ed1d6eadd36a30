package grid

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// bomb is a black PNG of any size, in as few bytes as deflate has. Bits and kind
// are the header's depth and colour type. Only so many rows are in it.
func bomb(t *testing.T, w, h, rows int, bits, kind byte) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		binary.Write(&b, binary.BigEndian, uint32(len(data)))
		body := append([]byte(name), data...)
		b.Write(body)
		binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(w))
	header = binary.BigEndian.AppendUint32(header, uint32(h))
	chunk("IHDR", append(header, bits, kind, 0, 0, 0))
	var data bytes.Buffer
	pack, err := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	channels := map[byte]int{0: 1, 2: 3, 6: 4}[kind]
	row := make([]byte, 1+(w*channels*int(bits)+7)/8)
	for range rows {
		if _, err := pack.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}

// A folder with decompression bombs gives the images that it has, and says of
// the bombs what they are without decoding them.
func TestDecompressionBombs(t *testing.T) {
	files := map[string][]byte{
		"good.png":  pngOf(t, photo(40, 30, 3)),
		"blank.png": bomb(t, 10000, 10000, 10000, 8, 0), // 100 MB in 0.1
		"deep.png":  bomb(t, 12000, 9000, 0, 16, 6),     // 1.3 GB
		"wide.png":  bomb(t, 60000, 60000, 0, 1, 0),
		"thin.png":  bomb(t, 1<<30, 1, 0, 1, 0),
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := folder(t, ImageFolder{Rows: 16, Cols: 16}, files)
	x := make([]float64, m.Dim())
	for i := range 3 * len(files) {
		if err := m.Item(1, i, x); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	// Fifteen images of 1200 pixels and their files; the least bomb takes 500 MB.
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		t.Errorf("%d MB were allocated", took>>20)
	}
	r := m.Report()
	want := []struct{ path, says string }{
		{"blank.png", "png of 10000 by 10000 pixels in "}, {"deep.png", "decoding it takes 1.3 GB and may take 1.1"},
		{"thin.png", "at most 134217728 are read"}, {"wide.png", "at most 134217728 are read"},
	}
	if len(r.Skipped) != len(want) {
		t.Fatalf("%v", r)
	}
	for i, w := range want {
		if s := r.Skipped[i]; s.Path != w.path || !strings.Contains(s.Reason, w.says) {
			t.Errorf("skipped %q: %q; want %s, %s", s.Path, s.Reason, w.path, w.says)
		}
	}
}

// What is small is decoded however well it is packed, and what is large is if its
// file is.
func TestWhatIsNoBomb(t *testing.T) {
	large := image.NewGray(image.Rect(0, 0, 6000, 6000))
	for i := range large.Pix {
		large.Pix[i] = uint8(i * i)
	}
	var plain bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&plain, large); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"a blank page of 4 megapixels": bomb(t, 2000, 2000, 2000, 1, 0),
		"an image of 36 megapixels":    plain.Bytes(),
		"a JPEG in colour": jpegOf(t,
			paint(image.NewRGBA(image.Rect(0, 0, 300, 200)),
				func(x, y int) color.Color { return color.RGBA{uint8(x), uint8(y), 7, 255} })),
		"a JPEG with four channels, Adobe": cmykJPEG(),
	} {
		if _, err := decodeGrey(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Images wait until there is memory for them.
func TestDecodingWaitsForMemory(t *testing.T) {
	data := pngOf(t, photo(40, 30, 3))
	if err := decoders.Acquire(context.Background(), maxDecoding); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := decodeGrey(bytes.NewReader(data))
		done <- err
	}()
	select {
	case err := <-done:
		t.Errorf("decoded without memory: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	decoders.Release(maxDecoding)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !decoders.TryAcquire(maxDecoding) {
		t.Fatal("memory was not given back")
	}
	decoders.Release(maxDecoding)
}

func TestProgressiveJPEGsAreFound(t *testing.T) {
	baseline := jpegOf(t, photo(20, 20, 3))
	at := bytes.Index(baseline, []byte{0xff, 0xc0})
	progressive := slices.Clone(baseline)
	progressive[at+1] = 0xc2
	padded := slices.Insert(slices.Clone(progressive), at, 0xff, 0xff)
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{"baseline": {baseline, false}, "progressive": {progressive, true}, "filled up": {padded, true},
		"four channels": {cmykJPEG(), false}} {
		if got, err := isProgressive(bytes.NewReader(c.data)); err != nil || got != c.want {
			t.Errorf("%s: %v, want %v; %v", name, got, c.want, err)
		}
	}
	if _, err := isProgressive(bytes.NewReader(baseline[:at])); err != io.EOF && err != io.ErrUnexpectedEOF {
		t.Errorf("cut: error %v", err)
	}
	for _, c := range []struct {
		model       color.Model
		progressive bool
		want        int64
	}{{color.Palette{color.Black}, false, 1}, {color.GrayModel, true, 5}, {color.YCbCrModel, true, 15},
		{color.CMYKModel, true, 24}, {color.NRGBA64Model, false, 8}} {
		if got := perPixel(c.model, c.progressive); got != c.want {
			t.Errorf("%T: %d bytes a pixel, want %d", c.model, got, c.want)
		}
	}
}
