package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/internal/version"
)

// vendor executes the verb vendor: it fetches all packages that an installation needs, and says how to install them.
func vendor(ctx context.Context, args []string) error {
	flags := newFlags("vendor")
	python := flags.String("python", "", "the Python that will install, such as 3.12, if it is another than this one's")
	args, err := parseMixed(flags, args)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return fmt.Errorf("vendor takes the folder to write, got %q", args)
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if len(entries) > 0 {
		return fmt.Errorf("%s is there already, with %s in it: choose a new folder", dir, entries[0].Name())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) { // such as a file
		return fmt.Errorf("%w: choose a new folder", err)
	}
	number, program := version.Version, "python3"
	if e, ofPip, err := here(); err != nil {
		return err
	} else if ofPip {
		number, program = packed, e.python()
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	temp, remove, err := safefile.Folder(filepath.Dir(dir), ".vendor")
	if err != nil {
		return err
	}
	defer remove()
	files := filepath.Join(temp, "packages")
	if err := os.Mkdir(files, 0o755); err != nil {
		return err
	}
	if packed == "" { // a clone makes what is perhaps not published
		if err := wheels(ctx, []string{"-out", files}); err != nil {
			return err
		}
	}
	download := []string{"-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary", ":all:",
		"--find-links", files, "-d", files, "expfam[lab]==" + number}
	if *python != "" {
		download = append(download, "--python-version", *python)
		for _, platform := range platformTags[runtime.GOOS+"/"+runtime.GOARCH] {
			download = append(download, "--platform", platform)
		}
	}
	cmd := exec.CommandContext(ctx, program, download...)
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("pip cannot fetch expfam[lab] %s: %s: %w", number, lines[len(lines)-1],
			errors.Join(ctx.Err(), err))
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) { // an empty folder
		return err
	}
	if err := os.Rename(files, dir); err != nil {
		return err
	}
	fmt.Printf("%s has all packages; on the other machine: pip install --no-index --find-links %s 'expfam[lab]'\n", dir,
		shellWord(filepath.Base(dir)))
	return nil
}

// platformTags are the platforms of wheels that run on a system, the newest first, as pip has to be told them for
// another Python than its own.
var platformTags = map[string][]string{
	"linux/amd64": {"manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_12_x86_64",
		"manylinux2010_x86_64", "manylinux_2_5_x86_64", "manylinux1_x86_64"},
	"linux/arm64": {"manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"},
}
