//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute-onnx"
	"github.com/gomlx/compute-onnx/support/onnxruntime"
)

// libraryEnv names the shared library of ONNX Runtime to use.
const libraryEnv = "ONNXRUNTIME_SHARED_LIBRARY_PATH"

// telemetryEnv set to 1 before ONNX Runtime is opened forbids it what releases from 1.29 on do: to keep an identifier
// of the machine in the user's caches, and to send events to its makers.
const telemetryEnv = "ORT_DISABLE_TELEMETRY"

func init() {
	drivers["onnx"] = driver{
		name:    "onnx",
		aliases: []string{"onnxruntime"},
		find:    findONNX,
		open: func(location, config string) (compute.Backend, error) {
			// The binding downloads a runtime if it finds none. It does not if the variable
			// names the file that was found.
			if err := os.Setenv(libraryEnv, location); err != nil {
				return nil, err
			}
			if os.Getenv(telemetryEnv) == "" {
				if err := os.Setenv(telemetryEnv, "1"); err != nil {
					return nil, err
				}
			}
			config = cmp.Or(config, "cpu")
			backend, err := compute.NewWithConfig(join("onnx", config))
			if err == nil {
				limitThreads()
			}
			return backend, err
		},
		auto:  []string{""},
		alone: onOneThread,
	}
}

// findONNX returns the path of the shared library of ONNX Runtime. It looks at the file that the variable names.
// Without the variable it looks in the folder where GoMLX's installer and `expfam install` put the library, in
// LD_LIBRARY_PATH, and in the folders of distributions.
func findONNX(string) (string, error) {
	if path := os.Getenv(libraryEnv); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("engine: %s can't be read: %w; correct or unset the variable", libraryEnv, err)
		}
		return path, nil
	}
	var dirs []string
	if dir, err := onnxruntime.GetInstallPath(); err == nil {
		dirs = append(dirs, dir)
	}
	dirs = append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	dirs = append(dirs, "/usr/local/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
		"/usr/lib", "/opt/homebrew/lib")
	file, err := onnxruntime.GetLibFilename()
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		for _, pattern := range []string{file, file + ".*"} {
			if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
				return found[0], nil
			}
		}
	}
	return "", fmt.Errorf("engine: ONNX Runtime is not on this machine; run `expfam install`")
}
