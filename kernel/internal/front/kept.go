package front

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/expfam/lab/kernel/ipynb"
)

// keptList is what the go command said about the library, in a file beside the kernel's program. The next kernel reads it in
// milliseconds, where the go command takes half a second of a processor.
type keptList struct {
	Key   string              // of all that the list depends on
	Files map[string]string   // as in [packages]
	Names map[string][]string // as in [packages]
}

// key names what the list of packages depends on: the files of the library by size and time, the modules, the go command and
// what it is told by its environment.
func (p *packages) key() string {
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
	for _, name := range []string{"GOROOT", "GOTOOLCHAIN", "GOPATH", "GOMODCACHE", "GOCACHE", "GOFLAGS", "GOOS", "GOARCH", "GOEXPERIMENT", "GOENV", "GOWORK", "CGO_ENABLED", "HOME"} {
		fmt.Fprintf(h, "%s=%q\n", name, os.Getenv(name))
	}
	if dir, err := os.UserConfigDir(); err == nil { // what `go env -w` has written
		data, _ := os.ReadFile(filepath.Join(dir, "go", "env"))
		fmt.Fprintf(h, "%q\n", data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// recall reads a list with the key from a file, if all that it names is still there: Go removes files of its cache that were not
// used for days.
func recall(path, key string) (list keptList, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &list) != nil || list.Key != key || len(list.Files) == 0 {
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

// write keeps the list where a file can be written; where not, as in the image of a container, each kernel asks the go command.
func (l keptList) write(path string) {
	if path == "" {
		return
	}
	if data, err := json.Marshal(l); err == nil {
		ipynb.WriteFile(path, data)
	}
}
