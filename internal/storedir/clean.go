package storedir

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Excess returns the entries to remove so that at most max bytes are left. It returns all leftovers, and then the
// entries that were unused for longest, but no entry for which keep is true. Entries must be in the order of [List].
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

// Fresh reports whether a running process may still need an entry. These are results used in the last
// hour, and unfinished work of the last day.
func Fresh(e Entry) bool {
	age := time.Hour
	if e.Unfinished() {
		age = 24 * time.Hour
	}
	return time.Since(e.Used) < age
}

// Remove deletes entries, except those that were used after they were listed. It returns the entries that it deleted.
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

// Tidy removes leftovers. If the store is larger than max, it also removes entries until nine tenths of max are left. A
// max of 0 means no bound. Tidy returns the entries that it removed.
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
