package scenes

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/expfam/lab/expfam"
	"github.com/expfam/lab/expfam/internal/fingerprint"
	"github.com/expfam/lab/expfam/internal/imagetest"
	"github.com/expfam/lab/expfam/internal/storetest"
	"github.com/expfam/lab/internal/must"
)

// Files that are replaced by others of their size and date are another prior, also of
// a folder whose contents are known to the store.
func TestFoldersAreToldApartByContents(t *testing.T) {
	t.Setenv("EXPFAM_STORE", t.TempDir())
	defer func(d time.Duration) { settling = d }(settling)
	settling = 200 * time.Millisecond // far more than the clocks of this system's files count
	m := folder(t, ImageFolder{Rows: 8, Cols: 8}, map[string][]byte{"a.png": plain(t, 1), "b.png": plain(t, 2),
		"c/c.png": plain(t, 3), "bad.png": []byte("no image")})
	now := func() string {
		t.Helper()
		again := must.Get(ImageFolder{Path: m.root, Rows: 8, Cols: 8}.Open())(t)
		must.Need(t, again.String() == m.String(), "%v was %v", again, m)
		return must.Get(fingerprint.Simulator(again, expfam.Stream))(t)
	}
	first := now()
	// The files are settled after a while, and then read once.
	path := filepath.Join(m.root, "c", "c.png")
	time.Sleep(settling + 50*time.Millisecond)
	if _, settled := m.stamps(); !settled {
		t.Skip("this system has no times that programs cannot set")
	}
	must.Be(t, !storetest.Loads(t, func() { now() }), "the contents are not stored")
	must.Be(t, storetest.Loads(t, func() { must.Equal(t, now(), first, "the same files have two keys") }),
		"the files are read again")
	old := must.Get(os.Stat(path))(t)
	seen := map[string]string{first: "as it was"}
	for name, edit := range map[string]func() error{
		"written into": func() error { return os.WriteFile(path, plain(t, 4), 0o600) },
		"replaced": func() error {
			if err := os.WriteFile(path+"~", plain(t, 5), 0o600); err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
		"unusable": func() error { return os.WriteFile(filepath.Join(m.root, "bad.png"), []byte("no pixel"), 0o600) },
	} {
		must.Do(t, edit())
		must.Do(t, os.Chtimes(path, old.ModTime(), old.ModTime()))
		key := now()
		other, twice := seen[key]
		must.Be(t, !twice, "%s: the key is that of the files %s", name, other)
		seen[key] = name
	}
	time.Sleep(settling + 50*time.Millisecond)
	key := now()
	must.Be(t, seen[key] != "" && key != first, "settled files have another key")
}

// plain is an image of 8×8 pixels without compression, of one size whatever is on it.
func plain(t *testing.T, slope int) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, imagetest.Photo(8, 8, slope)))
	return b.Bytes()
}

// TestTurnedFilesHaveAnotherSum: a photograph that is turned has not the key that earlier versions gave to what they
// drew of it, and others keep theirs.
func TestTurnedFilesHaveAnotherSum(t *testing.T) {
	still := plain(t, 1) // a PNG; a chunk eXIf follows the first chunk, of 25 bytes
	exif := []byte("eXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" +
		"\x00\x06\x00\x00\x00\x00\x00\x00")
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(exif)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, exif...), crc32.ChecksumIEEE(exif))
	for name, data := range map[string][]byte{"still": still, "turned": slices.Concat(still[:33], chunk, still[33:])} {
		path := filepath.Join(t.TempDir(), "a.png")
		must.Do(t, os.WriteFile(path, data, 0o600))
		want := fmt.Sprintf("%x", sha256.Sum256(data))
		if name == "turned" {
			want += " turned"
		}
		must.Equal(t, sumOf(path), want, name)
	}
}
