package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/expfam/lab/kernel/internal/addresses"
	"github.com/expfam/lab/kernel/internal/front"
)

// leastRoom is the number of bytes that a disk must have free for temporary files: the program of a cell has some 60 MB
// and is linked there.
const leastRoom = 128 << 20

// machine checks what a hardened machine takes away: a folder for temporary files in which programs run, room on its
// disk, addresses, a home, and Go's own modules. Each finding is one sentence that says what to do.
func machine() []finding {
	temp := os.TempDir()
	found := finding{name: "TMPDIR", detail: temp, needed: true}
	switch err := runsIn(temp); {
	case err != nil:
		found.remedy = fmt.Sprintf("%v: set TMPDIR to a folder in which programs may run, as by `mkdir -p ~/tmp && "+
			"export TMPDIR=~/tmp`", err)
	default:
		if free, known := room(temp); known && free < leastRoom {
			found.remedy = fmt.Sprintf("the disk of %s has %d MB left, and a cell's program needs %d: free some, or "+
				"set TMPDIR to a folder on another disk", temp, free>>20, leastRoom>>20)
		}
	}
	all := []finding{found}
	if err := memoryFits(); err != nil {
		all = append(all, finding{name: "ulimit -v", needed: true, remedy: err.Error()})
	}
	refuse := func(name, why string, of ...any) {
		all = append(all, finding{name: name, needed: true, remedy: fmt.Sprintf(name+" "+why, of...)})
	}
	for _, name := range folders {
		if dir := os.Getenv(name); dir != "" && !filepath.IsAbs(dir) {
			refuse(name, "is %q, which is no whole path, so that what is kept would be in another place in every "+
				"folder: set it to a path from the root on, as by `export %s=/home/NAME`", dir, name)
		}
	}
	if text := os.Getenv(front.MemoryEnv); text != "" {
		if _, err := strconv.ParseUint(text, 10, 64); err != nil {
			refuse(front.MemoryEnv, "is %q, which is no number of MiB: set it to one, such as 4096", text)
		}
	}
	const unset = ": unset it for this command, as by `env %s= ...`"
	if slices.ContainsFunc(strings.Fields(os.Getenv("GOFLAGS")), func(flag string) bool {
		return strings.TrimLeft(flag, "-") == "mod=vendor"
	}) {
		refuse("GOFLAGS", "has -mod=vendor, with which Go does not find the modules of this program"+unset, "GOFLAGS")
	}
	if os.Getenv("GO111MODULE") == "off" {
		refuse("GO111MODULE", "is off, with which Go does not find the modules of this program"+unset, "GO111MODULE")
	}
	for name, own := range map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH} {
		if set := os.Getenv(name); set != "" && set != own {
			refuse(name, "is %s, for which programs of cells are built and cannot run here"+unset, set, name)
		}
	}
	if root := os.Getenv("GOROOT"); root != "" {
		if _, err := os.Stat(filepath.Join(root, "bin")); err != nil {
			refuse("GOROOT", "is %s, where there is no Go: unset it, because Go knows where it is", root)
		}
	}
	return all
}

// folders are the variables of the environment that name a folder in which something is kept.
var folders = []string{"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "JUPYTER_DATA_DIR", "GOPATH", "GOCACHE", "GOMODCACHE"}

// memoryFits refuses a limit of addresses in which programs in Go end with a trace of the runtime.
func memoryFits() error {
	if limit, limited := addressLimit(); limited {
		return addresses.Fit(limit)
	}
	return nil
}

// fit returns the first fault of the machine as an error.
func fit() error {
	for _, f := range machine() {
		if f.remedy != "" {
			return errors.New(f.remedy)
		}
	}
	return nil
}

// runsIn writes a program into a folder and runs it.
func runsIn(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("the folder for temporary files is %q, which is no whole path", dir)
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return fmt.Errorf("the folder %s for temporary files is not there", dir)
	}
	file, err := os.CreateTemp(dir, "expfam-try-*.sh")
	if err != nil {
		return fmt.Errorf("no file can be made in %s (%w)", dir, errors.Unwrap(err))
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString("#!/bin/sh\nexit 0\n")
	if err = errors.Join(err, file.Chmod(0o700), file.Close()); err != nil {
		return fmt.Errorf("no file can be written in %s (%w)", dir, err)
	}
	if _, err := os.Stat("/bin/sh"); err != nil || runtime.GOOS == "windows" {
		return nil // there is no program to try
	}
	if err := exec.Command(file.Name()).Run(); errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("no program may run in %s, which is mounted with noexec", dir)
	}
	return nil
}
