//go:build !linux

package safefile

import (
	"errors"
	"io/fs"
	"os"
)

// nameless and link do nothing: this system has no files without a name.
func nameless(string, fs.FileMode) *os.File { return nil }
func link(*os.File, string) error           { return errors.ErrUnsupported }
