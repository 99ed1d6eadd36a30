package store

import (
	"sync"
	"sync/atomic"

	"github.com/expfam/lab/internal/storedir"
)

// untidied holds, for each folder, how many bytes may still be written into it before it
// is tidied again.
var untidied sync.Map // string -> *atomic.Int64

// tidy removes entries if the folder is above its bound. More is the number of bytes that were just written. The
// folder is looked at when a process begins to use it, and then after each twentieth of the bound that the process
// writes.
func (s *Store) tidy(more int64) {
	fresh := new(atomic.Int64)
	left, used := untidied.LoadOrStore(s.dir, fresh)
	until := left.(*atomic.Int64)
	if used && (more == 0 || until.Add(-more) > 0) {
		return
	}
	max, err := storedir.Max()
	if err != nil {
		warn(s.logger(), s.dir, err, "the bound of the store is not understood", "bound", max)
	}
	if until.Store(int64(max / 20)); max == 0 {
		until.Store(unknown)
	}
	gone, err := storedir.Tidy(s.dir, max)
	if err != nil {
		warn(s.logger(), s.dir, err, "the store can't be tidied")
	}
	var leftovers, results []storedir.Entry
	for _, e := range gone {
		if e.Leftover {
			leftovers = append(leftovers, e)
		} else {
			results = append(results, e)
		}
	}
	if len(leftovers) > 0 {
		s.logger().Info("store: removed files that interrupted runs left", "store", s.dir, "files", len(leftovers),
			"size", storedir.Total(leftovers))
	}
	if len(results) > 0 {
		s.logger().Warn("store: the store was above its bound, so the results unused for longest were removed", "store",
			s.dir, "bound", max,
			"results", len(results), "size", storedir.Total(results), "last used before", results[len(results)-1].Used,
			"set", storedir.MaxEnv)
	}
}

// bytes returns about the size of the file on disk.
func (f *File) bytes() (n int64) {
	for _, t := range f.Tensors {
		switch data := t.Data.(type) {
		case []float32:
			n += 4 * int64(len(data))
		case []float64:
			n += 8 * int64(len(data))
		}
	}
	return n + block
}
