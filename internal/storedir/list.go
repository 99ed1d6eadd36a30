package storedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/expfam/lab/internal/safefile"
)

// Entry is a file of a store.
type Entry struct {
	Kind string
	Path string
	Size Size
	// Used is when it was read or written last.
	Used time.Time
	// Leftover says that nobody needs it: a temporary file of a process that was
	// killed, or unfinished work that nobody went on with for a month.
	Leftover bool
}

// Abandoned is how long unfinished work waits for somebody to go on with it.
const Abandoned = 30 * 24 * time.Hour

// Unfinished says that the entry serves work that has not ended.
func (e Entry) Unfinished() bool { return e.Kind == Draws || e.Kind == Training }

// List has the entries of a store and what killed processes left in it, least
// recently used first. Files of other names are none of it. A folder that is
// not there has no entries.
func List(dir string) ([]Entry, error) {
	folders, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, folder := range folders {
		if !folder.IsDir() || !kinds.MatchString(folder.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if e, ok := entry(dir, folder.Name(), f); ok {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.Used.Compare(b.Used) })
	return all, nil
}

func entry(dir, kind string, f fs.DirEntry) (e Entry, ok bool) {
	key, whole := strings.CutSuffix(f.Name(), extension)
	whole = whole && keys.MatchString(key) && f.Type().IsRegular()
	stale := safefile.Stale(filepath.Join(dir, kind), f)
	info, err := f.Info()
	if err != nil || !whole && !stale {
		return e, false // gone meanwhile, being written, or somebody else's
	}
	e = Entry{Kind: kind, Path: filepath.Join(dir, kind, f.Name()), Size: Size(info.Size()), Used: info.ModTime()}
	e.Leftover = stale || e.Unfinished() && time.Since(e.Used) > Abandoned
	return e, true
}

// Total is the size of all entries.
func Total(entries []Entry) (sum Size) {
	for _, e := range entries {
		sum += e.Size
	}
	return sum
}
