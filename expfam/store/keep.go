package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/internal/speak"
	"github.com/expfam/lab/internal/storedir"
)

// UseContext opens the default store for work that must not fail if the store fails. Load, Ready, Keep and Drop log
// faults of the store to the logger of the context as warnings, one for each cause in a process, and return no errors.
// A store that can't be opened is nil. The nil store is empty and keeps nothing.
func UseContext(ctx context.Context) *Store {
	log := speak.Logger(ctx)
	s, err := Open("")
	if err != nil {
		warn(log, "", err, "there is no store: nothing is loaded and nothing is kept", "mend", mend)
		return nil
	}
	s.log = log
	return s
}

// mend tells the user what to do about a store that fails.
const mend = "free space, or set EXPFAM_STORE to a folder that can be written"

// Load is [Store.Get], but a store that can't be read counts as empty, with a warning.
func (s *Store) Load(kind, key string) (*File, bool) {
	if s == nil {
		return nil, false
	}
	f, found, err := s.Get(kind, key)
	if err != nil {
		warn(s.logger(), s.dir, err, "the store can't be read: results are made again", "mend", mend)
	}
	return f, found
}

// Ready warns if the store cannot take entries of a kind with this total number of bytes. Call it before long work.
// It only writes a file and looks at the free space, so it does not find every fault.
func (s *Store) Ready(kind string, bytes int64) {
	if s == nil {
		return
	}
	s.tidy(0)
	if err := s.try(kind, bytes); err != nil {
		warn(s.logger(), s.dir, err, "the store may not take the results of this run, which goes on all the same",
			"mend", mend)
	}
}

// block and most are the least and the largest number of bytes that try writes.
const block, most = 4 << 10, 1 << 20

// try writes and removes a file, and compares the free space with the bytes that are needed.
func (s *Store) try(kind string, bytes int64) error {
	dir := filepath.Join(s.dir, kind)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := safefile.Try(dir, max(block, min(bytes, most))); err != nil {
		return err
	}
	if free := room(dir); bytes > free {
		return fmt.Errorf("%s has %.3g MB free, and about %.3g MB are needed: %w", dir, float64(free)/1e6,
			float64(bytes)/1e6, syscall.ENOSPC)
	}
	return nil
}

// Keep is [Store.Put], but a failure is only a warning. It reports whether the entry is stored.
func (s *Store) Keep(kind, key string, f *File) bool {
	if s == nil {
		return false
	}
	if err := s.Put(kind, key, f); err != nil {
		warn(s.logger(), s.dir, err, "the store can't be written: a result is not kept", "kind", kind, "mend", mend)
		return false
	}
	s.tidy(f.bytes())
	return true
}

// Drop is [Store.Remove], but a failure is only a warning.
func (s *Store) Drop(kind, key string) {
	if s == nil {
		return
	}
	if err := s.Remove(kind, key); err != nil {
		warn(s.logger(), s.dir, err, "an entry that is not needed any more can't be removed", "kind", kind)
	}
}

// warned holds the folders and causes that have been logged.
var warned sync.Map

// warn logs a fault of the store, once for each folder and cause. If the system reports an error number, the number is
// the cause. The text of an error would not do, because it names a file.
func warn(log *slog.Logger, dir string, err error, message string, more ...any) {
	cause := err.Error()
	var number syscall.Errno
	if errors.As(err, &number) {
		cause = number.Error()
	}
	if dir == "" {
		dir, _ = storedir.Dir()
	}
	if _, again := warned.LoadOrStore([2]string{dir, cause}, true); again {
		return
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		more = append(more, "file", path.Path)
	}
	log.Warn("store: "+message, append([]any{"store", dir, "reason", err}, more...)...)
}

// unknown is the free space where it cannot be found. It bounds nothing.
const unknown = math.MaxInt64

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
