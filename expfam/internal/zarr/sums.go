package zarr

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/expfam/lab/internal/safefile"
)

// sumsFile is the name of a file beside the root's zarr.json. It has the SHA-256 of every other file of the tree, in
// the form that `sha256sum --check` reads. The checksums of the codec crc32c tell no files apart that were exchanged,
// and cover no zarr.json. Zarr itself does not know the file, so a copy that another program makes of the tree has
// none.
const sumsFile = "SHA256SUMS"

// maxSums is the largest sumsFile that is read, in bytes.
const maxSums = 16 << 20

// sums are the SHA-256 of files in hexadecimal, by their paths with slashes.
type sums map[string]string

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// text returns the content of the sumsFile.
func (s sums) text() []byte {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[path], path)
	}
	return []byte(b.String())
}

// readSums reads the sumsFile of a folder. It returns nil if there is none.
func readSums(dir string) (sums, error) {
	raw, err := safefile.Read(filepath.Join(dir, sumsFile), maxSums)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sumsFile, cause(err))
	}
	s := sums{}
	for i, line := range strings.SplitAfter(string(raw), "\n") {
		if line == "" && i > 0 {
			continue
		}
		sum, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || len(sum) != 2*sha256.Size || s[path] != "" || !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("line %d of %s is damaged", i+1, sumsFile)
		}
		s[path] = sum
	}
	return s, nil
}

// check compares a file with its sum, and forgets the sum. The path has slashes.
func (s sums) check(path string, content []byte) error {
	if s == nil {
		return nil
	}
	want, listed := s[path]
	delete(s, path)
	switch {
	case !listed:
		return fmt.Errorf("it is not in %s, so it was added later; remove it, or %s if the change is meant", sumsFile,
			sumsFile)
	case want != sumOf(content):
		return fmt.Errorf("its SHA-256 is not the one in %s, so it is damaged or was changed; take a copy, "+
			"or remove %s if the change is meant", sumsFile, sumsFile)
	}
	return nil
}

// rest is an error if files are left that were not read.
func (s sums) rest() error {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		return fmt.Errorf("%s is missing; take a copy of the folder, or remove %s if the change is meant", path,
			sumsFile)
	}
	return nil
}
