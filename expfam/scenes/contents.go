package scenes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/expfam/lab/expfam/internal/grayscale"
	"github.com/expfam/lab/expfam/internal/parallel"
	"github.com/expfam/lab/expfam/store"
)

// Fingerprint returns a text with the options and a hash of the names and contents of all files. Therefore a folder
// whose files were replaced by others of the same names and sizes is another prior. All files are read, which takes
// minutes for many gigabytes. The hash is stored until a file changes. See [store.Fingerprinter].
func (m *Images) Fingerprint() string { return m.String() + " contents " + m.contents() }

// contents returns the hash of the names and contents of all files.
func (m *Images) contents() string {
	hash := func() (string, error) {
		sums := make([]string, len(m.files))
		parallel.For(len(m.files), parallel.Heavy, func(i int) { sums[i] = sumOf(filepath.Join(m.root, m.files[i])) })
		all := sha256.New()
		for i, name := range m.files {
			fmt.Fprintf(all, "%q %s\n", filepath.ToSlash(name), sums[i])
		}
		return hex.EncodeToString(all.Sum(nil)), nil
	}
	stamps, settled := m.stamps()
	if !settled {
		sum, _ := hash()
		return sum
	}
	sum, _ := store.Once("contents", store.Key("image folder, turned", stamps), store.JSON[string](), hash)
	return sum
}

// sumOf returns the hash of a file, and whether it is turned by its EXIF data: earlier versions drew such
// photographs as they are stored, and results of these are no results of the photographs. It is empty for a file that
// can't be read, because no draw is made of such a file.
func sumOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return ""
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	if _, err := f.Seek(0, io.SeekStart); err == nil && grayscale.IsTurned(f) {
		sum += " turned"
	}
	return sum
}

// settling is the age that the last change of a file must have before its stamp is trusted.
// A further change within the same tick of the clock would leave the stamp as it is, and the
// coarsest clocks of file systems tick every two seconds.
var settling = 3 * time.Second

// stamps returns a hash of what the file system notes of every file: device, inode, size, and the times of the last
// change of its contents and of its inode. No program can set the time of the inode. So a file that was replaced or
// edited has another stamp, whatever its size and date. settled is false if a file changed a moment ago, or if the
// system has no such times.
func (m *Images) stamps() (hash string, settled bool) {
	all, now := sha256.New(), time.Now()
	for _, name := range m.files {
		info, err := os.Stat(filepath.Join(m.root, name))
		if err != nil {
			fmt.Fprintf(all, "%q can't be read\n", filepath.ToSlash(name))
			continue
		}
		stamp, changed, ok := stampOf(info)
		if !ok || now.Sub(changed) < settling {
			return "", false
		}
		fmt.Fprintf(all, "%q %s\n", filepath.ToSlash(name), stamp)
	}
	return hex.EncodeToString(all.Sum(nil)), true
}
