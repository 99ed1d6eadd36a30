package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/expfam/lab/internal/safefile"
)

// WriteFile writes a file in the way of all packages of this module: a regular file is written whole or not at all; see
// [safefile.Write]. The folder is made if it is not there.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := safefile.Write(path, write); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
