package command

import (
	"context"
	"debug/elf"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// xlaPackage is the package of PyPI with XLA's plugin for processors, as pip takes it: name, version and hash. It is
// for correctness, not for speed.
//
//go:embed xla.txt
var xlaPackage []byte

const (
	xlaPlugin  = "pjrt_c_api_cpu_plugin.so" // the plugin in the package, and its name where GoMLX looks
	pluginsEnv = "PJRT_PLUGIN_LIBRARY_PATH"
)

// xlaWheel returns the wheel that xla.txt pins.
func xlaWheel() wheel {
	f := pinned.FindSubmatch(xlaPackage)
	return wheel{name: string(f[1]), version: string(f[2]), sha256: string(f[3])}
}

// xlaPath returns where install puts the plugin: the first folder that the environment names, else where GoMLX looks by
// itself.
func xlaPath() (string, error) {
	if dirs := filepath.SplitList(os.Getenv(pluginsEnv)); len(dirs) > 0 {
		return filepath.Join(dirs[0], xlaPlugin), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "lib", "go-xla", xlaPlugin), err
}

// xlaUsable returns an error if the file is no plugin of PJRT. It does not load the file.
func xlaUsable(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool {
		return s.Name == "GetPjrtApi" && s.Section != elf.SHN_UNDEF
	}) {
		return fmt.Errorf("%s is no plugin of XLA: it has no GetPjrtApi", path)
	}
	return nil
}

// xla puts the plugin in place, in one step. A plugin that lies there already is not replaced, unless install put it
// there and another version is pinned now.
func (in *installer) xla(ctx context.Context) error {
	target, err := xlaPath()
	if err != nil {
		return err
	}
	unlock, err := in.lock()
	if err != nil {
		return err
	}
	defer unlock()
	rec, w := in.record(), xlaWheel()
	ours := rec.XLA == target
	err = xlaUsable(target)
	if err != nil && !errors.Is(err, os.ErrNotExist) && !ours {
		return fmt.Errorf("%w: remove it and run this again", err)
	}
	done := err == nil && (!ours || rec.XLAVersion == w.version)
	return in.step("XLA for processors", done, func() (string, error) {
		if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
			return "", fmt.Errorf("%s has a plugin for linux/amd64 alone, and this is %s/%s", w.name, runtime.GOOS,
				runtime.GOARCH)
		}
		if os.Getenv(noInstallEnv) != "" {
			return "", fmt.Errorf("not on this machine, and %s forbids fetching it", noInstallEnv)
		}
		if err := w.put(ctx, xlaPlugin, target, xlaUsable); err != nil {
			return "", err
		}
		rec.XLA, rec.XLAVersion = target, w.version
		return fmt.Sprintf("PyPI package %s %s; GOMLX_BACKEND=xla:cpu chooses it", w.name, w.version), in.remember(rec)
	})
}

// checkXLA returns the doctor's line about plugins of XLA.
func checkXLA(in *installer) finding {
	f := finding{what: "engine xla", mend: "no PJRT plugin found: " + quoted("install -xla") + " for processors, " +
		"`go run github.com/gomlx/go-xla/cmd/pjrt_installer@latest` for GPUs"}
	if in.pip != nil {
		f.mend = "`" + in.pip.python() + " -m pip install 'expfam[xla]'` brings it for processors, on Linux on x86-64"
	}
	rec, w := in.record(), xlaWheel()
	var found []string
	for _, plugin := range plugins() {
		text := plugin
		if plugin == rec.XLA {
			if rec.XLAVersion != w.version {
				f.mend = fmt.Sprintf("%s (%s is installed, %s is wanted)", quoted("install -xla"), rec.XLAVersion,
					w.version)
				return f
			}
			text = fmt.Sprintf("for processors, of %s %s  %s", w.name, w.version, plugin)
		}
		if err := xlaUsable(plugin); err != nil && strings.HasSuffix(plugin, ".so") {
			f.mend = fmt.Sprintf("%v: remove it", err)
			return f
		}
		found = append(found, text)
	}
	if len(found) > 0 {
		f.detail, f.mend = strings.Join(found, "  "), ""
	}
	return f
}
