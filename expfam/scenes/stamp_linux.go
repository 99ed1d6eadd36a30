package scenes

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// stampOf returns a stamp that tells a file from one that replaces it, and the time of its last change.
func stampOf(info fs.FileInfo) (stamp string, changed time.Time, ok bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}, false
	}
	changed = time.Unix(s.Ctim.Unix())
	return fmt.Sprint(s.Dev, s.Ino, s.Size, info.ModTime().UnixNano(), changed.UnixNano()), changed, true
}
