// Package storedir knows the folder of the library's store from outside: where
// it is, what lies in it, how large it is and may be. It reads no entry, so that
// the kernel can show and clean a store without the library.
package storedir

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Environment variables of the store.
const (
	Env    = "EXPFAM_STORE"     // its folder
	MaxEnv = "EXPFAM_STORE_MAX" // its bound, such as 50GB; 0 for none
)

// Kinds of entries that serve unfinished work alone: they are removed when it
// ends, and after [Abandoned] where it never did.
const (
	Draws    = "draws"    // batches of a posterior
	Training = "training" // the state of a training
)

// Longest is the kind of entries that name a posterior and are none themselves.
const Longest = "longest"

// extension is that of all entries.
const extension = ".safetensors"

var (
	kinds = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) // safe as a folder on every system
	keys  = regexp.MustCompile(`^([0-9a-f]{2}){8,}$`)
)

// Dir is $EXPFAM_STORE, else expfam in the user's folder of caches.
func Dir() (string, error) {
	if dir := os.Getenv(Env); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory (%w); set %s", err, Env)
	}
	return filepath.Join(cache, "expfam"), nil
}

// Path is the file of an entry, there or not.
func Path(dir, kind, key string) (string, error) {
	if !kinds.MatchString(kind) {
		return "", fmt.Errorf("kind %q: want lower-case letters, digits, - and _", kind)
	}
	if !keys.MatchString(key) {
		return "", fmt.Errorf("key %q: want what store.Key returns", key)
	}
	return filepath.Join(dir, kind, key+extension), nil
}
