package imagetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/expfam/lab/internal/must"
)

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
