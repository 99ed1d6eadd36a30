// Package store keeps what is expensive to make: tensor files that are whole
// or refused ([Read], [Write]), and a directory of them under the hash of
// everything that determines them ([Store], [Key]).
//
//	s, err := store.Open("")
//	key := store.Key("score network", config, prior, seed)
//	f, found, err := s.Get("network", key)
//	if err == nil && !found {
//		f = train(config, prior, seed)
//		err = s.Put("network", key, f)
//	}
package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
)

// Store is a directory of files under kind and key. Several processes may
// use one at the same time: an entry appears whole or not at all, and the
// last of two writers of one key wins.
type Store struct{ dir string }

// Open opens the store in dir, and makes the directory if needed. The empty
// dir stands for $EXPFAM_STORE, else expfam in the user's cache directory.
func Open(dir string) (*Store, error) {
	if dir == "" {
		dir = os.Getenv("EXPFAM_STORE")
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("store: no cache directory (%w); set EXPFAM_STORE", err)
		}
		dir = filepath.Join(cache, "expfam")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("store: %w; set EXPFAM_STORE to a directory that can be written", err)
	}
	return &Store{dir}, nil
}

// Dir is the directory of the store.
func (s *Store) Dir() string { return s.dir }

// kinds are the names that are safe as a directory on every system.
var kinds = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Path is the file of an entry, there or not.
func (s *Store) Path(kind, key string) (string, error) {
	if !kinds.MatchString(kind) {
		return "", fmt.Errorf("store: kind %q: want lower-case letters, digits, - and _", kind)
	}
	if raw, err := hex.DecodeString(key); err != nil || len(raw) < 8 {
		return "", fmt.Errorf("store: key %q: want what store.Key returns", key)
	}
	return filepath.Join(s.dir, kind, key+".safetensors"), nil
}

// Get returns the entry, and whether there is one. A corrupt entry is
// reported by a warning in the log and counts as absent, so that the caller
// makes it anew and [Store.Put] replaces it. The error is for a directory
// that cannot be read.
func (s *Store) Get(kind, key string) (*File, bool, error) {
	path, err := s.Path(kind, key)
	if err != nil {
		return nil, false, err
	}
	f, err := Read(path)
	var corrupt *CorruptError
	switch {
	case err == nil:
		return f, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case errors.As(err, &corrupt):
		slog.Warn("store: corrupt entry ignored; it will be made again",
			"kind", kind, "file", corrupt.Path, "reason", corrupt.Reason)
		return nil, false, nil
	}
	return nil, false, err
}

// Put stores f, in place of an entry that is there.
func (s *Store) Put(kind, key string, f *File) error {
	path, err := s.Path(kind, key)
	if err != nil {
		return err
	}
	return Write(path, f)
}

// Remove drops an entry, there or not.
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
