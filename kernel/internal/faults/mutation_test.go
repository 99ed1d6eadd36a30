package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/expfam/lab/internal/must"
)

// format is a kind of file with valid examples of it.
type format struct {
	name  string
	files [][]byte
	// read gives the content in a form that can be compared, and an error if the file was
	// refused or what is wrong with what was read.
	read func(path string) (content string, err error)
	// sealed content has a checksum: what is read is what was written.
	sealed bool
	ending string
	bytes  uint64 // that reading may allocate, see [area]
	// mend makes checksums of a header right again, so that its numbers are believed.
	mend func(data []byte)
}

// mutation changes bytes as broken disks, cut downloads and careless edits do.
func mutation(rng *rand.Rand, data []byte) (changed []byte, how string) {
	b := bytes.Clone(data)
	at := func() int { return rng.IntN(len(b)) }
	if rng.IntN(2) == 0 { // most faults that matter are in the first bytes
		at = func() int { return rng.IntN(min(len(b), 256)) }
	}
	for range 1 + rng.IntN(3) {
		if len(b) == 0 {
			break
		}
		i := at()
		switch rng.IntN(8) {
		case 0:
			b[i] ^= 1 << rng.IntN(8)
			how += fmt.Sprintf("bit of %d ", i)
		case 1:
			b = b[:i]
			how += fmt.Sprintf("cut at %d ", i)
		case 2:
			n := min(1+rng.IntN(64), len(b)-i)
			b = append(b[:i+n:i+n], b[i:]...)
			how += fmt.Sprintf("%d bytes twice at %d ", n, i)
		case 3:
			n := min(1+rng.IntN(64), len(b)-i)
			b = append(b[:i:i], b[i+n:]...)
			how += fmt.Sprintf("%d bytes gone at %d ", n, i)
		case 4:
			n := min(pick(rng, 1, 2, 4, 8), len(b)-i)
			fill := pick[byte](rng, 0, 0xff, 0x7f, '9')
			for k := range n {
				b[i+k] = fill
			}
			how += fmt.Sprintf("%d bytes %x at %d ", n, fill, i)
		case 5:
			if i+4 <= len(b) {
				v := pick[uint32](rng, 0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 1<<20, 65535, uint32(len(b)))
				pick[binary.ByteOrder](rng, binary.LittleEndian, binary.BigEndian).PutUint32(b[i:], v)
				how += fmt.Sprintf("number %d at %d ", v, i)
			}
		case 6:
			if found := digits.FindAllIndex(b, -1); len(found) > 0 {
				d := found[rng.IntN(min(len(found), 40))]
				text := pick(rng, "0", "-1", "1e999", "NaN", "inf", "99999999999999999999", "2147483647", "1000000", "",
					"1.5", "x")
				b = append(b[:d[0]:d[0]], append([]byte(text), b[d[1]:]...)...)
				how += fmt.Sprintf("%q for a number at %d ", text, d[0])
			}
		default:
			b = append(b[:i:i], append([]byte(pick(rng, "\n", ",", ";", "\"", "\x00", "\xff\xfe", "\ufeff", " ", "\r")),
				b[i:]...)...)
			how += fmt.Sprintf("a character at %d ", i)
		}
	}
	return b, how
}

var digits = regexp.MustCompile(`-?[0-9][0-9.]*`)

// testFormat mutates valid files n times.
func testFormat(t *testing.T, a *area, f format, n int) {
	dir := t.TempDir()
	var contents []string
	for i, data := range f.files {
		path := filepath.Join(dir, fmt.Sprintf("valid-%d%s", i, f.ending))
		must.Do(t, os.WriteFile(path, data, 0o600))
		content, err := f.read(path)
		must.Need(t, err == nil, "%s: a valid file: %v", f.name, err)
		contents = append(contents, content)
	}
	path := filepath.Join(dir, "mutated"+f.ending)
	for range n {
		k := a.rng.IntN(len(f.files))
		data, how := mutation(a.rng, f.files[k])
		if f.mend != nil {
			f.mend(data)
		}
		must.Do(t, os.WriteFile(path, data, 0o600))
		a.bytes = f.bytes
		a.try(t, fmt.Sprintf("%s %d, %s", f.name, k, how), func() error {
			content, err := f.read(path)
			if err != nil {
				return err
			}
			if f.sealed && content != contents[k] {
				return wrong("what was read is not what was written")
			}
			return nil
		})
	}
}
