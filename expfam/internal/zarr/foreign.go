package zarr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// maxForeign is the largest number of values of an array that [ReadArray] reads.
const maxForeign = 1 << 30

// ReadArray reads one array of a tree as other programs write it, such as zarr-python for ArviZ: float32, float64 or
// string, in regular chunks of any shape, compressed by zstd or not. Numbers become float64. Without such an array the
// error is fs.ErrNotExist.
func ReadArray(dir string, path ...string) (a Array, err error) {
	r, at := &reader{dir: dir}, strings.Join(path, "/")
	n, err := r.node(at)
	if err != nil {
		return a, err
	}
	a = Array{Name: filepath.Base(at), Dims: n.Dimensions, Shape: n.Shape, Attributes: n.Attributes}
	chunk, err := n.chunks()
	if err != nil {
		return a, fmt.Errorf("array %s: %w", at, err)
	}
	count := 1
	for _, s := range n.Shape {
		if s < 1 || s > maxForeign/count {
			return a, fmt.Errorf("array %s: the shape %s is impossible", at, brief(n.Shape))
		}
		count *= s
	}
	values, texts := make([]float64, 0), []string(nil)
	if n.DataType == text {
		texts = make([]string, count)
	} else {
		values = slices.Grow(values, count)[:count]
	}
	index := make([]int, len(chunk))
	for {
		if err := r.chunk(at, n, chunk, index, values, texts); err != nil {
			return a, fmt.Errorf("array %s, chunk %v: %w", at, index, err)
		}
		k := len(index) - 1
		for ; k >= 0; k-- {
			if index[k]++; index[k]*chunk[k] < n.Shape[k] {
				break
			}
			index[k] = 0
		}
		if k < 0 {
			break
		}
	}
	if a.Data = values; texts != nil {
		a.Data = texts
	}
	return a, nil
}

// chunks returns the shape of a chunk, and refuses arrays of other kinds.
func (n node) chunks() ([]int, error) {
	if n.Type != "array" || n.ChunkGrid == nil || n.ChunkGrid.Name != "regular" || len(n.Transformers) > 0 ||
		n.ChunkKey == nil || n.ChunkKey.Name != "default" || len(n.Shape) > 32 {
		return nil, errors.New("it is no array in regular chunks")
	}
	raw, _ := n.ChunkGrid.Configuration["chunk_shape"].([]any)
	if len(raw) != len(n.Shape) {
		return nil, errors.New("its chunks have another number of dimensions")
	}
	chunk, size := make([]int, len(raw)), 1
	for i, v := range raw {
		f, _ := v.(float64)
		if !(f >= 1 && f <= float64(maxForeign/size)) {
			return nil, fmt.Errorf("its chunks have the impossible shape %s", brief(raw))
		}
		chunk[i] = int(f)
		size *= chunk[i]
	}
	switch n.DataType {
	case "float32", float, text:
		return chunk, nil
	}
	return nil, fmt.Errorf("the data type %q is not read; write float64", n.DataType)
}

// chunk reads one chunk into the values, or the texts, of the whole array. A chunk that is not there has the value NaN.
func (r *reader) chunk(at string, n node, chunk, index []int, values []float64, texts []string) error {
	separator, _ := n.ChunkKey.Configuration["separator"].(string)
	name := "c"
	for _, i := range index {
		if separator == "." {
			name += "." + strconv.Itoa(i)
		} else {
			name = filepath.Join(name, strconv.Itoa(i))
		}
	}
	size := 1
	for _, c := range chunk {
		size *= c
	}
	raw, err := r.file(filepath.Join(at, name), 1<<33)
	part := Array{Data: []string(nil)}
	numbers := func(int) float64 { return math.NaN() }
	switch {
	case errors.Is(err, fs.ErrNotExist):
		part.Data = make([]string, size)
	case err != nil:
		return err
	default:
		width := map[string]int{"float32": 4, float: 8}[n.DataType]
		if raw, err = n.decompress(raw, size*width); err != nil {
			return err
		}
		if texts != nil {
			if err := part.decode(raw, size); err != nil {
				return err
			}
			break
		}
		if len(raw) != size*width {
			return fmt.Errorf("%d bytes for %d values; the file is cut off", len(raw), size)
		}
		order := binary.LittleEndian
		numbers = func(i int) float64 { return math.Float64frombits(order.Uint64(raw[8*i:])) }
		if width == 4 {
			numbers = func(i int) float64 { return float64(math.Float32frombits(order.Uint32(raw[4*i:]))) }
		}
	}
	within := make([]int, len(chunk))
	for i := range size {
		rest, to, inside := i, 0, true
		for k := len(chunk) - 1; k >= 0; k-- {
			within[k] = rest%chunk[k] + index[k]*chunk[k]
			rest /= chunk[k]
			inside = inside && within[k] < n.Shape[k]
		}
		if !inside {
			continue
		}
		for k, w := range within {
			to = to*n.Shape[k] + w
		}
		if texts != nil {
			texts[to] = part.Data.([]string)[i]
		} else {
			values[to] = numbers(i)
		}
	}
	return nil
}

// decompress undoes the codecs of bytes, the last first. Numbers have at most this many bytes.
func (n node) decompress(raw []byte, most int) (_ []byte, err error) {
	if n.DataType == text {
		most = 1 << 28
	}
	for i, c := range slices.Backward(n.Codecs) {
		switch {
		case c.Name == crc32c:
			raw, err = unseal(raw)
		case c.Name == "zstd":
			var d *zstd.Decoder
			if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(uint64(max(most, 1<<10)))); err == nil {
				raw, err = d.DecodeAll(raw, nil)
				d.Close()
			}
		case i == 0 && (c.Name == "bytes" && c.Configuration["endian"] == "little" || c.Name == "vlen-utf8"):
		default:
			err = fmt.Errorf("the codec %s is not read; write it with zarr's default compressor, or none, and "+
				"without shards", c.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	return raw, nil
}
