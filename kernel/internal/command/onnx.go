package command

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gomlx/compute-onnx/support/onnxruntime"
)

// onnxPart is ONNX Runtime, the engine that makes a CPU fast enough for the lessons. GoMLX opens it as a shared
// library. There is no other source than the package: GoMLX's own installer checks nothing of what it downloads.
var onnxPart = part{name: "ONNX Runtime", line: "engine onnx", pin: onnxPackage, without: slowdown, files: onnxFiles(),
	path: onnxPath, usable: onnxUsable, elsewhere: onnxElsewhere}

func init() { onnxPart.check = checkOnnx } // it names the part

const (
	onnxMinMinor = 26 // GoMLX asks for version 26 of the C interface, which is that of release 1.26
	onnxEnv      = "ONNXRUNTIME_SHARED_LIBRARY_PATH"
)

// slowdown says what the lack of ONNX Runtime costs; measured on two cores.
const slowdown = "the pure-Go engine will be used: about 8 times slower on dense networks, 80 times on convolutions"

// onnxPath returns where GoMLX looks for the library by itself.
func onnxPath() (string, error) {
	dir, err := onnxruntime.GetInstallPath()
	if err != nil {
		return "", err
	}
	name, err := onnxruntime.GetLibFilename()
	return filepath.Join(dir, name), err
}

// onnxUsable returns the version of the library in the file, or the reason why GoMLX can't use it. The version is that
// of the library's symbols, so the library need not be loaded.
func onnxUsable(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		var notELF *elf.FormatError
		if runtime.GOOS != "linux" && errors.As(err, &notELF) {
			return "", nil // another kind of file, which only loading it could tell
		}
		return "", err
	}
	defer f.Close()
	versions, err := f.DynamicVersions()
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	for _, v := range versions {
		version, ok := strings.CutPrefix(v.Name, "VERS_")
		if !ok {
			continue
		}
		parts := strings.Split(version, ".")
		if minor, err := strconv.Atoi(parts[min(1, len(parts)-1)]); err == nil && minor < onnxMinMinor {
			return version, fmt.Errorf("%s is ONNX Runtime %s, but 1.%d or later is needed", path, version,
				onnxMinMinor)
		}
		return version, nil
	}
	return "", fmt.Errorf("%s is not ONNX Runtime", path)
}

// onnxElsewhere returns the path of a usable library that somebody else put on this machine; "" if there is none.
func onnxElsewhere() string {
	candidates := []string{os.Getenv(onnxEnv)}
	dirs := append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), "/usr/local/lib", "/usr/lib", "/usr/lib64",
		"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/opt/homebrew/lib")
	for _, dir := range dirs {
		for _, name := range []string{"libonnxruntime.so", "libonnxruntime.so.1", "libonnxruntime.dylib"} {
			candidates = append(candidates, filepath.Join(dir, name))
		}
	}
	for _, path := range candidates {
		if path == "" {
			continue
		}
		if _, err := onnxUsable(path); err == nil {
			return path
		}
	}
	return ""
}

// onnxFiles returns the library in the package, under the name by which GoMLX looks for it.
func onnxFiles() []member {
	as, err := onnxruntime.GetLibFilename()
	if _, ok := pinned(onnxPackage, system); !ok || err != nil {
		return nil
	}
	return []member{{onnxLibrary(system), as}}
}

// onnxLibrary returns the name of the library in the package for a system.
func onnxLibrary(system string) string {
	if strings.HasPrefix(system, "darwin/") {
		return "libonnxruntime." + pinnedVersion(onnxPackage) + ".dylib"
	}
	return "libonnxruntime.so." + pinnedVersion(onnxPackage)
}
