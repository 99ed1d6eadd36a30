// Package storedir handles the folder of the library's store from outside: where it is, which entries
// it has, how large it is and how large it may be. It does not read the contents of entries, so the
// kernel can show and clean a store without the library.
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

// The kinds of entries that hold the state of unfinished work. They are removed when the work
// ends, or after [Abandoned] if it is not continued.
const (
	Draws    = "draws"    // batches of a posterior
	Training = "training" // the state of a training
)

// Longest is the kind of entries that only name a posterior.
const Longest = "longest"

// extension ends the file name of every entry.
const extension = ".safetensors"

var (
	kinds = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) // safe as a folder on every system
	keys  = regexp.MustCompile(`^([0-9a-f]{2}){8,}$`)
)

// Dir returns the folder of the store: $EXPFAM_STORE, else expfam in the user's cache folder.
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

// Path returns the path of the file of an entry, whether the file exists or not.
func Path(dir, kind, key string) (string, error) {
	if !kinds.MatchString(kind) {
		return "", fmt.Errorf("kind %q: want lower-case letters, digits, - and _", kind)
	}
	if !keys.MatchString(key) {
		return "", fmt.Errorf("key %q: want what store.Key returns", key)
	}
	return filepath.Join(dir, kind, key+extension), nil
}
