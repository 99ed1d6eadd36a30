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
	// Used is the time when the entry was last read or written.
	Used time.Time
	// Leftover says that nobody needs the entry. It is a temporary file of a process that was
	// killed, or unfinished work that was not continued for a month.
	Leftover bool
}

// Abandoned is the time without use after which unfinished work is a leftover.
const Abandoned = 30 * 24 * time.Hour

// Unfinished reports whether the entry holds the state of unfinished work.
func (e Entry) Unfinished() bool { return e.Kind == Draws || e.Kind == Training }

// List returns the entries of a store, and the temporary files that killed processes left in it, the least
// recently used first. Files with other names are left out. A folder that does not exist has no entries.
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

// entry returns the entry of a file, if the file belongs to the store.
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

// Total returns the size of all entries together.
func Total(entries []Entry) (sum Size) {
	for _, e := range entries {
		sum += e.Size
	}
	return sum
}
