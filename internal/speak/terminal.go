package speak

import (
	"io"
	"os"
)

// IsTerminal reports whether out is a character device that a person may watch, and on which a line can be written over.
func IsTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
