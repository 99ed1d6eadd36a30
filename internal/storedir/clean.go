package storedir

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Excess is what has to go so that at most max bytes stay: leftovers, and then
// the entries that were not used for longest, but none that keep wants. Entries
// are in the order of [List].
func Excess(entries []Entry, max Size, keep func(Entry) bool) []Entry {
	left := Total(entries)
	var gone []Entry
	for _, e := range entries {
		if e.Leftover {
			gone, left = append(gone, e), left-e.Size
		}
	}
	for _, e := range entries {
		if left <= max {
			break
		}
		if !e.Leftover && (keep == nil || !keep(e)) {
			gone, left = append(gone, e), left-e.Size
		}
	}
	return gone
}

// Fresh are entries that a process which runs may still want: results of the last
// hour, unfinished work of the last day.
func Fresh(e Entry) bool {
	age := time.Hour
	if e.Unfinished() {
		age = 24 * time.Hour
	}
	return time.Since(e.Used) < age
}

// Remove deletes entries, but for those that were used since they were listed,
// and returns what it deleted.
func Remove(entries []Entry) (gone []Entry, err error) {
	for _, e := range entries {
		if info, err := os.Lstat(e.Path); err != nil || !info.ModTime().Equal(e.Used) {
			continue
		}
		switch errRemove := os.Remove(e.Path); {
		case errRemove == nil:
			gone = append(gone, e)
		case !errors.Is(errRemove, fs.ErrNotExist):
			err = errors.Join(err, errRemove)
		}
	}
	return gone, err
}

// Tidy removes leftovers and what is beyond the bound, 0 being none, down to nine
// tenths of it, and returns what it removed.
func Tidy(dir string, max Size) ([]Entry, error) {
	entries, err := List(dir)
	if err != nil {
		return nil, err
	}
	down := max - max/10
	if max == 0 || Total(entries) <= max {
		down = Total(entries) // leftovers alone
	}
	return Remove(Excess(entries, down, Fresh))
}
