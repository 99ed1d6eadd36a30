package grayscale

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"io"
)

// orientation returns the orientation that a photograph has in its EXIF data, 1 to 8, and 1 if it has none. Browsers
// and viewers turn the pixels by it. They are found in a JPEG's segment APP1, a PNG's chunk eXIf, the chunk EXIF of
// WebP, and the tags of a TIFF.
func orientation(r io.ReadSeeker, format string) (int, error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	in := bufio.NewReader(r)
	var exif []byte
	switch format {
	case "jpeg":
		exif = jpegEXIF(in)
	case "png":
		var err error
		if exif, err = pngEXIF(in); err != nil {
			return 0, err
		}
	case "webp":
		exif = webpEXIF(in)
	case "gif":
		return 1, stillGIF(in)
	case "tiff":
		exif, _ = io.ReadAll(io.LimitReader(in, 1<<26))
	}
	return ofEXIF(bytes.TrimPrefix(exif, []byte("Exif\x00\x00"))), nil
}

// IsTurned reports whether an image has an orientation by which its pixels are turned or mirrored.
func IsTurned(r io.ReadSeeker) bool {
	_, format, err := image.DecodeConfig(bufio.NewReader(r))
	if err != nil {
		return false
	}
	o, err := orientation(r, format)
	return err == nil && o > 1
}

// ofEXIF returns tag 274 of the first directory of a TIFF, which EXIF data are.
func ofEXIF(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(b[4:]))
	if at < 8 || at > len(b)-2 {
		return 1
	}
	entries := b[at+2:]
	for range order.Uint16(b[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == 274 {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
		}
		entries = entries[12:]
	}
	return 1
}

func jpegEXIF(in *bufio.Reader) []byte {
	in.Discard(2)
	for {
		marker, err := in.ReadByte()
		for err == nil && marker == 0xff {
			marker, err = in.ReadByte()
		}
		var length [2]byte
		if err != nil || marker == 0xda || marker == 0xd9 { // the pixels, the end
			return nil
		}
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return nil
		}
		n := int(binary.BigEndian.Uint16(length[:])) - 2
		if n < 0 {
			return nil
		}
		segment := make([]byte, n)
		if _, err := io.ReadFull(in, segment); err != nil {
			return nil
		}
		if marker == 0xe1 && bytes.HasPrefix(segment, []byte("Exif\x00\x00")) {
			return segment
		}
	}
}

var errAnimated = errors.New("it is an animation; save the picture that you mean")

// pngEXIF refuses animations.
func pngEXIF(in *bufio.Reader) (exif []byte, err error) {
	in.Discard(8)
	for {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return exif, nil
		}
		size := int(binary.BigEndian.Uint32(head[:4]))
		switch name := string(head[4:]); {
		case name == "acTL":
			return nil, errAnimated
		case name == "IEND" || size < 0:
			return exif, nil
		case name == "eXIf" && size < 1<<20:
			exif = make([]byte, size)
			if _, err := io.ReadFull(in, exif); err != nil {
				return nil, nil
			}
			size = 0
		}
		if _, err := in.Discard(size + 4); err != nil {
			return exif, nil
		}
	}
}

func webpEXIF(in *bufio.Reader) []byte {
	in.Discard(12)
	for {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return nil
		}
		size := int(binary.LittleEndian.Uint32(head[4:]))
		if string(head[:4]) == "EXIF" && size < 1<<20 {
			exif := make([]byte, size)
			io.ReadFull(in, exif)
			return exif
		}
		if _, err := in.Discard(size + size%2); err != nil {
			return nil
		}
	}
}

// stillGIF refuses a GIF of several pictures, of which a decoder would return the first.
func stillGIF(in *bufio.Reader) error {
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil
	}
	palette := func(flags byte) {
		if flags&0x80 != 0 {
			in.Discard(3 << (flags&7 + 1))
		}
	}
	blocks := func() {
		for n, err := in.ReadByte(); err == nil && n > 0; n, err = in.ReadByte() {
			in.Discard(int(n))
		}
	}
	palette(head[10])
	for pictures := 0; ; {
		kind, err := in.ReadByte()
		switch {
		case err != nil || kind == 0x3b:
			return nil
		case kind == 0x21:
			in.Discard(1)
			blocks()
		case kind == 0x2c:
			if pictures++; pictures > 1 {
				return errAnimated
			}
			var picture [9]byte
			if _, err := io.ReadFull(in, picture[:]); err != nil {
				return nil
			}
			palette(picture[8])
			in.Discard(1)
			blocks()
		default:
			return nil
		}
	}
}

// turned returns the image as its orientation says that it is looked at.
func (g Image) turned(orientation int) Image {
	if orientation == 1 {
		return g
	}
	out := Image{W: g.W, H: g.H, Pix: make([]float32, len(g.Pix)), Turned: true}
	if orientation >= 5 {
		out.W, out.H = g.H, g.W
	}
	for y := range out.H {
		for x := range out.W {
			a, b := x, y // the pixel of g
			if orientation >= 5 {
				a, b = y, x
			}
			if orientation == 2 || orientation == 3 || orientation >= 7 {
				a = g.W - 1 - a
			}
			if orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7 {
				b = g.H - 1 - b
			}
			out.Pix[y*out.W+x] = g.Pix[b*g.W+a]
		}
	}
	return out
}
