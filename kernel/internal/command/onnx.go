package command

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gomlx/compute-onnx/support/onnxruntime"

	"github.com/expfam/lab/internal/safefile"
)

// onnxPackage is the package of ONNX Runtime, the engine that makes a CPU fast enough for the lessons. GoMLX opens it
// as a shared library.
//
// It comes from an npm package because that carries the plain shared library for every system.
var onnxPackage = npmPackage{
	name: "onnxruntime-node", version: "1.30.0",
	integrity: "sha512-twhs1C2C/BFkz1yc5OY0KIU2GUq6DURO7hD4bx5Q2Qy3nAMJwRXW8xU3NVczE29VA9lolLOYepoD8fjTGOfIqw==",
}

// onnxMember names the library for a system (operating system and architecture, as Go names them) in the package.
var onnxMember = map[string]string{
	"linux/amd64": "package/bin/napi-v6/linux/x64/libonnxruntime.so.1",
	"linux/arm64": "package/bin/napi-v6/linux/arm64/libonnxruntime.so.1",

	"darwin/arm64": "package/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib",
}

const (
	onnxMinMinor = 26 // GoMLX asks for version 26 of the C interface, which is that of release 1.26
	onnxEnv      = "ONNXRUNTIME_SHARED_LIBRARY_PATH"
	noInstallEnv = "GOMLX_NO_AUTO_INSTALL"
)

// slowdown says what the lack of ONNX Runtime costs; measured on two cores.
const slowdown = "the pure-Go engine will be used: about 8 times slower on dense networks, 200 times on convolutions"

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

// putOnnx puts a usable library where GoMLX looks, and says where it came from. It asks the network only for what isn't
// on the machine. Nothing is replaced that lies there already.
func putOnnx(ctx context.Context) (source string, err error) {
	target, err := onnxPath()
	if err != nil {
		return "", err
	}
	if _, err := onnxUsable(target); err == nil {
		return "already there", nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: remove it and run this again", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	if path := onnxElsewhere(); path != "" {
		if path, err = filepath.Abs(path); err != nil {
			return "", err
		}
		if _, err := os.Lstat(target); err == nil { // a link that leads nowhere
			os.Remove(target)
		}
		return "link to " + path, os.Symlink(path, target)
	}
	if os.Getenv(noInstallEnv) != "" {
		return "", fmt.Errorf("not on this machine, and %s forbids fetching it", noInstallEnv)
	}
	// There is no other source: GoMLX's own installer checks nothing of what it downloads.
	if err := fetchOnnx(ctx, target); err != nil {
		os.Remove(filepath.Dir(target)) // if it is empty
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", err
	}
	return "npm package " + onnxPackage.name + " " + onnxPackage.version, nil
}

// fetchOnnx puts the library of the npm package at target.
func fetchOnnx(ctx context.Context, target string) error {
	member, ok := onnxMember[runtime.GOOS+"/"+runtime.GOARCH]
	if !ok {
		return fmt.Errorf("npm package %s has no library for %s/%s: put one there and name it in %s", onnxPackage.name,
			runtime.GOOS, runtime.GOARCH, onnxEnv)
	}
	dir, remove, err := safefile.Folder(filepath.Dir(target), ".fetch")
	if err != nil {
		return err
	}
	defer remove()
	lib := filepath.Join(dir, "lib")
	if err := onnxPackage.fetch(ctx, dir, map[string]string{member: lib}); err != nil {
		return err
	}
	if _, err := onnxUsable(lib); err != nil {
		return err
	}
	return os.Rename(lib, target)
}
