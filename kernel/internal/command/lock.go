package command

import (
	"os"
	"path/filepath"
)

// lock makes the installer's folder, and waits until no other process puts things into it: two at once must not build
// over each other.
func (in *installer) lock() (unlock func(), err error) {
	if err := os.MkdirAll(in.dir, 0o755); err != nil {
		return nil, err
	}
	return lock(filepath.Join(in.dir, ".lock"))
}
