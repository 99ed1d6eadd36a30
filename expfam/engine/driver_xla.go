//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

func init() {
	xla.EnableAutoInstall(false)
	drivers["xla"] = driver{
		name:    "xla",
		aliases: []string{"stablehlo"},
		find:    findXLA,
		open: func(location, config string) (compute.Backend, error) {
			if _, options, found := strings.Cut(config, ","); found {
				location += "," + options
				if strings.Contains(options, "tf32=false") {
					// The binding's option is for products of matrices alone; NVIDIA's libraries read this for
					// convolutions too.
					os.Setenv("NVIDIA_TF32_OVERRIDE", "0")
				}
			}
			return compute.NewWithConfig("xla:" + location)
		},
		auto: []string{"cuda"},
	}
}

// findXLA returns the path of the PJRT plugin. It looks for the file name and does not load the plugin,
// because loading a CUDA plugin takes seconds and memory even without a GPU.
func findXLA(config string) (string, error) {
	name, _, _ := strings.Cut(config, ",")
	name = cmp.Or(name, "cuda")
	if filepath.IsAbs(name) {
		if _, err := os.Stat(name); err != nil {
			return "", fmt.Errorf("engine: the xla plugin can't be read: %w", err)
		}
		return name, nil
	}
	if name == "cuda" {
		if gpus, _ := filepath.Glob("/dev/nvidia[0-9]*"); len(gpus) == 0 {
			return "", fmt.Errorf("engine: xla:cuda needs an NVIDIA GPU and this machine shows none; use onnx or go")
		}
	}
	for _, dir := range pluginDirs() {
		for _, pattern := range []string{"pjrt_c_api_" + name + "_plugin.*", "pjrt-plugin-" + name + ".*",
			"pjrt_plugin_" + name + ".*"} {
			if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 {
				return found[0], nil
			}
		}
	}
	how := "set PJRT_PLUGIN_LIBRARY_PATH to its folder"
	if name == "cpu" {
		how = "run `expfam install -xla`, or " + how
	}
	return "", fmt.Errorf("engine: the PJRT plugin of xla:%s is not on this machine; %s", name, how)
}

// pluginDirs returns the folders in which PJRT plugins may be.
func pluginDirs() []string {
	if paths := os.Getenv("PJRT_PLUGIN_LIBRARY_PATH"); paths != "" {
		return filepath.SplitList(paths)
	}
	var dirs []string
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local/lib/go-xla"),
			filepath.Join(home, "Library/Application Support/go-xla"))
	}
	dirs = append(dirs, "/usr/local/lib/go-xla")
	return append(dirs, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
}
