// Package imagetest makes images for tests: paintings, encoded files, and files that only seem to be images.
package imagetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// Paint fills an image with a grey that is known for every pixel.
func Paint(img interface {
	image.Image
	Set(x, y int, c color.Color)
}, at func(x, y int) color.Color) image.Image {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			img.Set(x, y, at(x, y))
		}
	}
	return img
}

// PNG returns an image as a PNG file.
func PNG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, img))
	return b.Bytes()
}

// JPEG returns an image as a JPEG file.
func JPEG(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

// Photo is a ramp whose slope tells images apart.
func Photo(w, h, slope int) image.Image {
	return Paint(image.NewGray(image.Rect(0, 0, w, h)),
		func(x, y int) color.Color { return color.Gray{uint8((x*slope + y*7) % 251)} })
}

// CMYK is a baseline JPEG of 8 × 8 pixels in four components, all of them flat but the last, whose two halves differ by
// its first horizontal wave: the image package has no encoder for it. Every block is a difference of the DC coefficient
// and at most one AC coefficient, in Huffman codes of one symbol a table or two.
func CMYK() []byte {
	var b bytes.Buffer
	segment := func(marker byte, data ...byte) {
		b.Write([]byte{0xff, marker})
		binary.Write(&b, binary.BigEndian, uint16(len(data)+2))
		b.Write(data)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)                   // transform 0: CMYK, inverted
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{16}, 64)...)...)            // quantised by 16
	segment(0xc0, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0) // baseline, 8 by 8, 4 components
	// DC table: code 0 is size 0. AC table: 0 is the end of the block, 10 is a coefficient of 4 bits after no zeros.
	segment(0xc4, append(append([]byte{0x00, 1}, make([]byte, 15)...), 0)...)
	segment(0xc4, append(append([]byte{0x10, 1, 1}, make([]byte, 14)...), 0x00, 0x04)...)
	segment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)
	// Three blocks "0 0", then "0", "10" and 1111 (coefficient 15), "0"; ones fill up.
	b.Write([]byte{0b00000001, 0b01111011})
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

// Bomb is a black PNG of any size, in as few bytes as deflate has. Bits and kind
// are the header's depth and colour type. Only so many rows are in it.
func Bomb(t *testing.T, w, h, rows int, bits, kind byte) []byte {
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
	pack := must.Get(zlib.NewWriterLevel(&data, zlib.BestSpeed))(t)
	channels := map[byte]int{0: 1, 2: 3, 6: 4}[kind]
	row := make([]byte, 1+(w*channels*int(bits)+7)/8)
	for range rows {
		must.Get(pack.Write(row))(t)
	}
	must.Do(t, pack.Close())
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return b.Bytes()
}
