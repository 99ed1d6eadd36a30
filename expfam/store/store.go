// Package store keeps results that are expensive to compute. [Read] and [Write] handle
// files of tensors; a damaged file is refused. [Store] is a directory of such files. Each
// file has a key, which is a hash of everything that determines the result ([Key]).
//
//	s, err := store.Open("")
//	key := store.Key("score network", config, prior, seed)
//	f, found, err := s.Get("network", key)
//	if err == nil && !found {
//		f = train(config, prior, seed)
//		err = s.Put("network", key, f)
//	}
//
// [Once] does all of this in one call, and logs to slog.Default(); [OnceContext] logs to the logger of a context
// (expfam.WithLogger), and so does [UseContext], which is for work that must not fail if the store fails.
//
// A store holds 20 GB, or the size in $EXPFAM_STORE_MAX, such as 50GB; 0 means no bound. Above this bound the entries
// that were unused for longest are removed, with a line in the log. Remains of killed processes are removed too:
// temporary files, and unfinished work that was not continued for a month. `expfam doctor` prints the size of the store
// and `expfam clean` makes it smaller.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"time"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/internal/storedir"
)

// Store is a directory of files under kind and key. Several processes may use one at the same time: an entry appears
// whole or not at all, and the last of two writers of one key wins.
type Store struct {
	dir string
	log *slog.Logger // slog.Default() if nil
}

// logger returns the logger for the warnings of the store.
func (s *Store) logger() *slog.Logger {
	if s == nil || s.log == nil {
		return slog.Default()
	}
	return s.log
}

// Open opens the store in dir, and makes the directory if needed. The empty dir stands for the directory in
// $EXPFAM_STORE. If that is empty too, it stands for expfam in the user's cache directory.
func Open(dir string) (*Store, error) {
	if dir == "" {
		var err error
		if dir, err = storedir.Dir(); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("store: %w; set EXPFAM_STORE to a directory that can be written", err)
	}
	return &Store{dir: dir}, nil
}

// Path returns the path of the file of an entry, whether the file exists or not.
func (s *Store) Path(kind, key string) (string, error) {
	path, err := storedir.Path(s.dir, kind, key)
	if err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	return path, nil
}

// Get returns the entry, and whether there is one. A corrupt entry is reported by a warning in the log and counts as
// absent, so that the caller makes it anew and [Store.Put] replaces it. The same holds for the file of another entry,
// which was put in the place of this one, and for anything that is no file. An entry of a version that did not write
// its kind and key into the file counts as absent too. The error is for a directory that cannot be read.
func (s *Store) Get(kind, key string) (*File, bool, error) {
	path, err := s.Path(kind, key)
	if err != nil {
		return nil, false, err
	}
	raw, err := safefile.Read(path, math.MaxInt64)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, safefile.ErrNotRegular):
		s.ignore(kind, path, err.Error())
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("store: %w", err)
	}
	f, entry, err := decode(raw)
	switch {
	case err != nil:
		s.ignore(kind, path, err.Error())
	case entry == "":
		s.logger().Info("store: the entry of an earlier version has no kind and key, and will be made again", "kind",
			kind, "file", path)
	case entry != name(kind, key):
		s.ignore(kind, path, "it is the entry "+entry+", which was put in the place of another")
	default:
		// The time tells tidy which entries were unused for longest. A read-only store keeps no times.
		now := time.Now()
		_ = os.Chtimes(path, now, now)
		return f, true, nil
	}
	return nil, false, nil
}

// name returns the name of an entry that its file contains.
func name(kind, key string) string { return kind + "/" + key }

// ignore warns of an entry that counts as absent.
func (s *Store) ignore(kind, path, reason string) {
	s.logger().Warn("store: corrupt entry ignored; it will be made again", "kind", kind, "file", path, "reason", reason)
}

// Put stores f. It replaces an entry with the same kind and key. If something stands there that is no file, such as a
// pipe, Put leaves it alone and returns an error.
func (s *Store) Put(kind, key string, f *File) error {
	path, err := s.Path(kind, key)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("store: %s is no file; remove it", path) // a pipe would keep the writer waiting
	}
	return write(path, f, name(kind, key))
}

// Remove removes an entry. It is no error if there is none.
func (s *Store) Remove(kind, key string) error {
	path, err := s.Path(kind, key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
