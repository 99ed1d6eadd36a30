package front

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/expfam/lab/kernel/internal/ipynb"
)

// keptList is what the go command says about the library. It is kept in a file beside the kernel's program, so that the
// next kernel reads it in milliseconds. The go command takes half a second of a processor.
type keptList struct {
	Key   string              // hash of everything that the list depends on
	Files map[string]string   // as in [packages]
	Names map[string][]string // as in [packages]
	Tools string              // as in [packages]
	Info  string              // as in [packages]
}

// state returns a hash of what the list of packages depends on: the files of the library by size and time, the modules,
// the go command and the environment that it reads.
func (p *packages) state() string {
	h := sha256.New()
	p.sources(func(path string, info fs.FileInfo) {
		fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
	})
	for _, name := range []string{"go.mod", "go.sum"} {
		data, _ := os.ReadFile(filepath.Join(p.checkout, name))
		fmt.Fprintf(h, "%s %q\n", name, data)
	}
	if program, err := exec.LookPath("go"); err == nil {
		if info, err := os.Stat(program); err == nil {
			fmt.Fprintln(h, program, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, name := range []string{"GOROOT", "GOTOOLCHAIN", "GOPATH", "GOMODCACHE", "GOCACHE", "GOFLAGS", "GOOS",
		"GOARCH", "GOEXPERIMENT", "GOENV", "GOWORK", "CGO_ENABLED", "HOME"} {
		fmt.Fprintf(h, "%s=%q\n", name, os.Getenv(name))
	}
	if dir, err := os.UserConfigDir(); err == nil { // what `go env -w` has written
		data, _ := os.ReadFile(filepath.Join(dir, "go", "env"))
		fmt.Fprintf(h, "%q\n", data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// recall reads a list from a file. ok reports whether the list has the key and the files that it names are still there:
// Go removes files from its cache that were not used for days.
func recall(path, key string) (list keptList, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &list) != nil || list.Key != key || len(list.Files) == 0 || list.Tools == "" {
		return keptList{}, false
	}
	for _, file := range list.Files {
		if file == "" { // package unsafe has none
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return keptList{}, false
		}
	}
	return list, true
}

// alone waits until no other kernel compiles the library for the list of a file, because kernels that start together
// would each compile all of it. It waits for a quarter of an hour at most. done lets the next one go on.
func alone(path string) (done func()) {
	lock := flock.New(path + ".lock")
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	if path == "" {
		return func() {}
	}
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil { // a folder that nobody can write to
		return func() {}
	}
	return func() { lock.Close() }
}

// write writes the list into a file. Where that is not possible, as in the image of a container, each kernel asks the
// go command.
func (l keptList) write(path string) {
	if path == "" {
		return
	}
	if data, err := json.Marshal(l); err == nil {
		ipynb.WriteFile(path, data)
	}
}
