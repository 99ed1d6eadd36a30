package ipynb

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"github.com/expfam/lab/internal/safefile"
)

// largest is the largest number of bytes of a notebook.
const largest = 1 << 30

// Read reads the notebook in a file. A pipe and a device are refused, which could keep the reader waiting for ever.
func Read(path string) (*Notebook, error) {
	data, err := safefile.Read(path, largest)
	if err != nil {
		return nil, fmt.Errorf("ipynb: %w", err)
	}
	nb, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return nb, nil
}

// Write puts the notebook into a file, see WriteFile.
func (nb *Notebook) Write(path string, of ...fs.FileInfo) error {
	data, err := nb.Bytes()
	if err != nil {
		return err
	}
	return WriteFile(path, data, of...)
}

// WriteFile writes a file as all packages do, see safefile.Write: whatever happens, the file holds either the old or
// the new content, whole. It is never more readable than the files that it is made of. A file that has this content
// already is left alone.
func WriteFile(path string, data []byte, of ...fs.FileInfo) error {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && safefile.Within(info, of...) &&
		!safefile.Streams(path) {
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
			return nil
		}
	}
	if err := safefile.WriteFile(path, data, of...); err != nil {
		return fmt.Errorf("ipynb: %w", err)
	}
	return nil
}
