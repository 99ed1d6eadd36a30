package engine

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Version identifies the build of the code that runs an engine's graphs: the Go toolchain
// with its architecture and experiments, the modules of GoMLX in the program, and the
// file of the runtime, if there is one. Engines with equal [Engine.String] and equal
// Version give the same bits on one processor. Programs of tests do not record their
// modules, so Version lacks them there.
func (e *Engine) Version() string { return linked() + e.library }

// linked is what the program itself was built from.
var linked = sync.OnceValue(func() string {
	var b strings.Builder
	fmt.Fprint(&b, runtime.Version(), " ", runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b.String()
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOEXPERIMENT", "GOAMD64", "GOARM64":
			fmt.Fprintf(&b, " %s=%s", s.Key, s.Value)
		}
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/gomlx/") {
			if m.Replace != nil {
				m = m.Replace
			}
			fmt.Fprintf(&b, " %s@%s%s", m.Path, m.Version, m.Sum)
		}
	}
	return b.String()
})

// Of the file of a runtime, 50 to 500 MB, this many parts are hashed.
const (
	parts    = 64
	partSize = 1 << 14
)

// libraryVersion is a hash of a file's size and of 1 MB of its contents, its first
// and last bytes among them. Builds of a library differ in far more than that: in
// the offsets of their sections, in their code and in their build's own identifier.
func libraryVersion(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprint(hash, info.Size())
	buffer := make([]byte, partSize)
	for i := range int64(parts) {
		n, err := f.ReadAt(buffer, i*max(info.Size()-partSize, 0)/(parts-1))
		if err != nil && err != io.EOF {
			return "", err
		}
		hash.Write(buffer[:n])
	}
	return fmt.Sprintf(" library %x", hash.Sum(nil)[:8]), nil
}
