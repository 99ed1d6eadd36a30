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

// Version identifies the build of the code that runs an engine's graphs: the Go toolchain with its architecture and
// experiments, the modules of GoMLX in the program, and the file of the runtime, if there is one. Engines with equal
// [Engine.String] and equal Version give the same bits on one processor. Test programs do not record their modules, so
// their Version lacks them.
func (e *Engine) Version() string { return linked() + e.library }

// linked returns the part of Version that describes the program: toolchain, architecture and modules.
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

// The file of a runtime has 50 to 500 MB, and only these parts of it are hashed.
const (
	parts    = 64
	partSize = 1 << 14 // bytes
)

// libraryVersion returns a hash of the size of a file and of 1 MB of its contents, spread evenly from its first to
// its last byte. Two builds of a library differ in many places, so the hash tells them apart: in the offsets of their
// sections, in their code, and in the identifier of the build.
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
