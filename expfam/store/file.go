package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/expfam/lab/internal/safefile"
)

// File is a set of named tensors with metadata. On disk it has the layout of safetensors, so other tools can open it
// too. The layout is 8 bytes with the length of the header (little-endian), the header in JSON, and the raw
// little-endian data of the tensors one after another.
type File struct {
	// Meta holds text by name, such as the configuration of a training run
	// in JSON. The names "sha256", "format" and "entry" belong to this package.
	Meta    map[string]string
	Tensors []Tensor
}

// Tensor is a named array in row-major order; a scalar has an empty Shape.
type Tensor struct {
	Name  string
	Shape []int
	Data  any // []float32 or []float64
}

// Tensor returns the tensor with this name, and whether there is one.
func (f *File) Tensor(name string) (Tensor, bool) {
	for _, t := range f.Tensors {
		if t.Name == name {
			return t, true
		}
	}
	return Tensor{}, false
}

// CorruptError says that a file is not what [Write] wrote.
type CorruptError struct {
	Path, Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("store: %s is corrupt: %s; delete it and make it again", e.Path, e.Reason)
}

// format names the layout of the tensors' metadata; [Read] refuses others.
const format = "expfam/1"

// maxHeader is the largest size of the header in bytes, the same as in the safetensors format.
const maxHeader = 100 << 20

// entry describes one tensor in the header.
type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// Write writes f to path, through a temporary file. It adds the SHA-256 of everything
// in the file to the metadata, by which [Read] recognises a damaged file.
func Write(path string, f *File) error { return write(path, f, "") }

// write writes a file with the name of the entry of a store that it is; "" for none.
func write(path string, f *File, entry string) error {
	header, size, err := f.header()
	if err != nil {
		return err
	}
	meta, err := f.metadata()
	if err != nil {
		return err
	}
	if entry != "" {
		meta["entry"] = entry
	}
	header["__metadata__"] = meta
	data := f.data(size)
	unsigned, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("store: header: %w", err)
	}
	meta["sha256"] = checksum(unsigned, data)
	text, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("store: header: %w", err)
	}
	// The format wants the data to start at a multiple of 8 bytes.
	text = append(text, strings.Repeat(" ", (8-len(text)%8)%8)...)
	return WriteFile(path, func(w io.Writer) error {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		for _, part := range [][]byte{length[:], text, data} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// header returns an entry for each tensor, and the number of bytes of all tensors.
func (f *File) header() (header map[string]any, size int, err error) {
	header = map[string]any{}
	fail := func(format string, args ...any) (map[string]any, int, error) {
		return nil, 0, fmt.Errorf("store: "+format, args...)
	}
	offset := 0
	for i, t := range f.Tensors {
		width, dtype, n := 0, "", 0
		switch data := t.Data.(type) {
		case []float32:
			dtype, width, n = "F32", 4, len(data)
		case []float64:
			dtype, width, n = "F64", 8, len(data)
		default:
			return fail("tensor %q: data are %T, want []float32 or []float64", t.Name, t.Data)
		}
		if _, twice := header[t.Name]; twice || t.Name == "" || t.Name == "__metadata__" {
			return fail("tensor %d: the name %q is taken, reserved or empty", i, t.Name)
		}
		if want, ok := elements(t.Shape); !ok || want != n {
			return fail("tensor %q: %d numbers do not fill the shape %v", t.Name, n, t.Shape)
		}
		if !utf8.ValidString(t.Name) {
			return fail("tensor %d: the name %q is not UTF-8", i, t.Name)
		}
		shape := append([]int{}, t.Shape...) // [] and not null for a scalar
		header[t.Name] = entry{dtype, shape, [2]int{offset, offset + n*width}}
		offset += n * width
	}
	return header, offset, nil
}

// metadata returns Meta with the format added.
func (f *File) metadata() (map[string]string, error) {
	meta := map[string]string{"format": format}
	for name, text := range f.Meta {
		if name == "sha256" || name == "format" || name == "entry" {
			return nil, fmt.Errorf("store: the metadata name %q is reserved", name)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return nil, fmt.Errorf("store: metadata %q: not UTF-8", name)
		}
		meta[name] = text
	}
	return meta, nil
}

// data returns the numbers of all tensors, one after another; size is their number of bytes.
func (f *File) data(size int) []byte {
	data := bytes.NewBuffer(make([]byte, 0, size))
	for _, t := range f.Tensors {
		raw, _ := binary.Append(data.AvailableBuffer(), binary.LittleEndian, t.Data) // header has checked the type
		data.Write(raw)
	}
	return data.Bytes()
}

// Read reads a file that [Write] wrote and checks all of it: lengths, offsets, shapes and the SHA-256. It returns the
// whole file or an error. The error is a [*CorruptError] if the content is not as written. It satisfies errors.Is(err,
// fs.ErrNotExist) if there is no such file.
func Read(path string) (*File, error) {
	raw, err := safefile.Read(path, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	f, _, err := decode(raw)
	if err != nil {
		return nil, &CorruptError{path, err.Error()}
	}
	return f, nil
}

// decode checks the content of a file and returns its tensors and metadata, and the name of the entry that it is.
func decode(raw []byte) (f *File, entry string, err error) {
	meta, entries, data, err := parse(raw)
	if err != nil {
		return nil, "", err
	}
	entry = meta["entry"]
	delete(meta, "entry")
	delete(meta, "format")
	f = &File{Meta: meta}
	f.Tensors, err = tensors(entries, data)
	return f, entry, err
}

// parse checks the lengths and the SHA-256 of a file, and returns its metadata, what the header says of the tensors,
// and their data.
func parse(raw []byte) (meta map[string]string, entries map[string]entry, data []byte, err error) {
	fail := func(format string, args ...any) (map[string]string, map[string]entry, []byte, error) {
		return nil, nil, nil, fmt.Errorf(format, args...)
	}
	if len(raw) < 8 {
		return fail("it has %d bytes, and a header needs 8", len(raw))
	}
	length := binary.LittleEndian.Uint64(raw)
	if length > maxHeader || length > uint64(len(raw)-8) {
		return fail("its header of %d bytes goes beyond its end", length)
	}
	text, data := raw[8:8+length], raw[8+length:]
	header := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &header); err != nil {
		return fail("its header is not JSON (%v)", err)
	}
	meta = map[string]string{}
	if err := json.Unmarshal(header["__metadata__"], &meta); err != nil {
		return fail("its metadata are missing or damaged")
	}
	if meta["format"] != format {
		return fail("its format is %q, and this version reads %q", meta["format"], format)
	}
	stored := meta["sha256"]
	delete(meta, "sha256")
	delete(header, "__metadata__")

	entries = make(map[string]entry, len(header))
	signed := map[string]any{"__metadata__": meta}
	for name, message := range header {
		var e entry
		if err := json.Unmarshal(message, &e); err != nil {
			return fail("the header of tensor %q is damaged (%v)", name, err)
		}
		entries[name], signed[name] = e, e
	}
	unsigned, err := json.Marshal(signed)
	if err != nil {
		return nil, nil, nil, err
	}
	if checksum(unsigned, data) != stored {
		return fail("its SHA-256 does not agree with its content")
	}
	return meta, entries, data, nil
}

// checksum returns the SHA-256 of the header without the checksum itself, followed by the data.
func checksum(unsigned, data []byte) string {
	hash := sha256.New()
	hash.Write(unsigned)
	hash.Write(data)
	return hex.EncodeToString(hash.Sum(nil))
}
