package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// noInstallEnv forbids fetching anything.
const noInstallEnv = "GOMLX_NO_AUTO_INSTALL"

// part is something that notebooks can do without, and that install fetches.
type part struct {
	name    string // of its step, and in the record
	line    string // in the doctor's list; default name
	pin     string // its package in packed.txt
	flag    string // of install, if that fetches the part only where it is asked to
	without string // what its lack costs
	after   string // what is said when it is in place
	// files are those of the package that are kept, the program first. Nil: there is no program for this system.
	files []member
	// path returns where the program is, or should be.
	path func() (string, error)
	// usable returns the version of the program, "" if the file does not say it, or why the program cannot be used.
	usable func(path string) (version string, err error)
	// elsewhere returns a program that somebody else put on this machine; "" if there is none. Nil: nobody does.
	elsewhere func() string
	// check returns the doctor's line. Default [part.finding].
	check func(ctx context.Context, in *installer) finding
}

// parts returns all parts. Each is a file and a line here.
func parts() []part { return []part{onnxPart, echartsPart, xlaPart} }

// state returns where the part is, and whether it is in place: a usable program lies there, of the pinned version if
// install put it there. A file that install did not put there is never replaced.
func (p part) state(rec record) (path, version string, done bool, err error) {
	if path, err = p.path(); err != nil {
		return path, "", false, err
	}
	was := rec.Parts[p.name]
	ours := was.Path == path
	version, err = p.usable(path)
	if err == nil {
		return path, version, !ours || was.Version == pinnedVersion(p.pin), nil
	}
	if ours || errors.Is(err, fs.ErrNotExist) {
		err = nil
	} else {
		err = fmt.Errorf("%w: remove it and run this again", err)
	}
	return path, "", false, err
}

// put puts the program at its path, and says where it comes from. It asks the network only for what is not on the
// machine.
func (p part) put(ctx context.Context, path string) (source string, err error) {
	if p.elsewhere != nil {
		if from := p.elsewhere(); from != "" {
			if from, err = filepath.Abs(from); err != nil {
				return "", err
			}
			os.Remove(path) // a link that leads nowhere
			return "link to " + from, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(from, path))
		}
	}
	if os.Getenv(noInstallEnv) != "" {
		return "", fmt.Errorf("not on this machine, and %s forbids fetching it", noInstallEnv)
	}
	from, ok := pinned(p.pin, system)
	if !ok || p.files == nil {
		return "", fmt.Errorf("%s has none for %s: put one at %s", p.pin, system, path)
	}
	err = from.put(ctx, filepath.Dir(path), p.files, func(path string) error { _, err := p.usable(path); return err })
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return from.String() + p.after, err
}

// begin starts to put a part in place, and returns the step that waits for it. A part that cannot be had is an error
// only if it was asked for.
func (in *installer) begin(ctx context.Context, p part, rec *record) (step func() error) {
	path, version, done, err := p.state(*rec)
	if !done && rec.Parts[p.name].Error != "" && !in.verbose {
		return func() error { return nil } // said before; `install` tries again
	}
	name, source, end := p.name, "", make(chan struct{})
	if done && version != "" {
		name += " " + version
	}
	if !done && err == nil {
		in.fetches.Go(func() {
			defer close(end)
			source, err = p.put(ctx, path)
		})
	} else {
		close(end)
	}
	return func() error {
		return in.step(name, done, func() (string, error) {
			if <-end; ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil && p.flag != "" {
				return "", err
			}
			if err != nil {
				rec.set(p.name, placed{Error: err.Error()})
				in.remember(*rec)
				return fmt.Sprintf("not in place, so %s (%v); %s tries again", p.without, err, quoted("install")), nil
			}
			rec.set(p.name, placed{Path: path, Version: pinnedVersion(p.pin)})
			return source, in.remember(*rec)
		})
	}
}

// finding returns the doctor's line about the program at a path, by its version or the error of asking for it.
func (p part) finding(in *installer, path, version string, err error) finding {
	f := finding{name: p.line, remedy: quoted("install"+p.flag) + ": until then " + p.without}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		f.remedy = fmt.Sprintf("%v: remove %s and %s", err, path, quoted("install"))
	default:
		if was := in.record().Parts[p.name]; version == "" && was.Path == path {
			version = was.Version
		}
		if f.detail, f.remedy = path, ""; version != "" {
			f.detail = version + "  " + path
		}
	}
	return f
}

// checkParts returns the doctor's lines about the parts.
func checkParts(ctx context.Context, in *installer) (all []finding) {
	for _, p := range parts() {
		if p.check != nil {
			all = append(all, p.check(ctx, in))
			continue
		}
		path, err := p.path()
		var version string
		if err == nil {
			version, err = p.usable(path)
		}
		all = append(all, p.finding(in, path, version, err))
	}
	return all
}

// remove removes what install put in place, and the folder if it is empty then.
func (p part) remove(rec record, out io.Writer) error {
	was := rec.Parts[p.name]
	if was.Path == "" {
		return nil
	}
	dir := filepath.Dir(was.Path)
	names := []string{filepath.Base(was.Path)}
	for _, f := range p.files {
		names = append(names, f.as)
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	os.Remove(dir)
	fmt.Fprintln(out, "removed", was.Path)
	return nil
}
