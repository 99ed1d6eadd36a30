package grayscale

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"

	"golang.org/x/sync/semaphore"
)

const (
	// maxDecoding bounds the memory, in bytes, in which images are decoded and made grey. It suffices for 150 million
	// pixels of a baseline JPEG, or 90 million of a PNG with 16 bits per channel.
	maxDecoding = 1 << 30
	// An image that takes more than smallDecoding bytes may be at most maxRatio times as large as its file. A
	// photograph that is enlarged eight times and saved at the lowest quality of JPEG is 155 times as large as its
	// file. A blank image is 1030 times as large under deflate.
	smallDecoding = 1 << 25
	maxRatio      = 500
)

// decoders is the memory in which all goroutines together decode images.
var decoders = semaphore.NewWeighted(maxDecoding)

// decode decodes an image. It refuses one whose header promises more than the limits
// above. It waits until there is memory for the image.
func decode(r io.ReadSeeker) (g Image, err error) {
	config, format, err := image.DecodeConfig(bufio.NewReader(r))
	if errors.Is(err, image.ErrFormat) {
		return Image{}, errors.New("it is no PNG, JPEG or GIF; save it as one, or import the package that decodes " +
			"it, such as golang.org/x/image/webp")
	}
	if err != nil {
		return Image{}, err
	}
	if config.Width < 1 || config.Height < 1 || config.Width > MaxPixels/config.Height {
		return Image{}, fmt.Errorf("%s of %d by %d pixels; at least one and at most %d are read", format, config.Width,
			config.Height, MaxPixels)
	}
	bytes, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return Image{}, err
	}
	progressive := false
	if format == "jpeg" {
		if progressive, err = isProgressive(r); err != nil {
			return Image{}, err
		}
	}
	pixels := int64(config.Width) * int64(config.Height)
	decoded := pixels * perPixel(config.ColorModel, progressive)
	need := decoded + 4*pixels // the grey values in float32
	if need > maxDecoding {
		return Image{}, fmt.Errorf("%s of %d by %d pixels; decoding it takes %.1f GB and may take %.1f; make it "+
			"smaller first", format, config.Width, config.Height, float64(need)/1e9, float64(maxDecoding)/1e9)
	}
	if decoded > smallDecoding && decoded > maxRatio*bytes {
		return Image{}, fmt.Errorf("%s of %d by %d pixels in %d bytes; no photograph is packed so well: it is blank "+
			"or made to fill the memory", format, config.Width, config.Height, bytes)
	}
	if err := decoders.Acquire(context.Background(), need); err != nil {
		return Image{}, err
	}
	defer decoders.Release(need)
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Image{}, err
	}
	img, _, err := image.Decode(bufio.NewReader(r))
	if err != nil {
		return Image{}, err
	}
	turn, err := orientation(r, format)
	if err != nil {
		return Image{}, err
	}
	g, err = greyOf(img)
	return g.turned(turn), err
}

// perPixel returns how many bytes a pixel takes while its image is decoded. The decoder of
// a progressive JPEG keeps the coefficients of all channels, each in 32 bits.
func perPixel(model color.Model, progressive bool) int64 {
	if _, ok := model.(color.Palette); ok { // a slice, which is not comparable
		return 1
	}
	bytes, channels := int64(8), int64(4)
	switch model {
	case color.GrayModel:
		bytes, channels = 1, 1
	case color.Gray16Model:
		bytes, channels = 2, 1
	case color.YCbCrModel:
		bytes, channels = 3, 3
	case color.RGBAModel, color.NRGBAModel, color.NYCbCrAModel:
		bytes = 4
	}
	if progressive {
		bytes += 4 * channels
	}
	return bytes
}

// isProgressive reports whether a JPEG is progressive. It looks for the start of the
// frame, whose marker tells how the image is coded (ITU-T T.81, table B.1).
func isProgressive(r io.ReadSeeker) (bool, error) {
	if _, err := r.Seek(2, io.SeekStart); err != nil { // after the start of the image
		return false, err
	}
	in := bufio.NewReader(r)
	for {
		marker, err := in.ReadByte()
		for err == nil && marker == 0xff { // begins a marker, and may be repeated as padding
			marker, err = in.ReadByte()
		}
		if err != nil {
			return false, err
		}
		switch {
		case marker == 0xc2:
			return true, nil
		case marker == 0xc0 || marker == 0xc1:
			return false, nil
		case marker == 0 || marker >= 0xd0 && marker <= 0xd9:
			continue // such markers have no length
		}
		var length [2]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return false, err
		}
		if _, err := in.Discard(max(0, int(binary.BigEndian.Uint16(length[:]))-2)); err != nil {
			return false, err
		}
	}
}
