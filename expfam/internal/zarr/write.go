package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/expfam/lab/internal/safefile"
)

// ErrExists is the error of a folder that exists and may not be replaced.
var ErrExists = errors.New("it is there")

// Write makes a folder with a tree, whole or not at all. The tree is written to a folder beside dir, whose temporary
// name begins with a dot. It is then flushed to the disk and renamed. Whoever opens dir, also after a kill, sees the
// old folder or the new one. With replace an existing tree is replaced. A folder that is no tree is never replaced.
func Write(dir string, t *Tree, replace bool) (err error) {
	if err := t.check(); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // a symbolic link stays a link
	}
	dir = filepath.Clean(dir)
	_, err = os.Lstat(dir)
	there := err == nil
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cause(err)
	case there && !replace:
		return ErrExists
	case there:
		if _, err := os.Stat(filepath.Join(dir, "zarr.json")); err != nil {
			return errors.New("what is there is no Zarr folder and is not replaced; choose another name")
		}
	}
	// The next write to dir removes what a killed one has left.
	holder, remove, err := safefile.Folder(filepath.Dir(dir), "."+filepath.Base(dir)+".")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s is not there; make it first", filepath.Dir(dir))
	} else if err != nil {
		return cause(err)
	}
	defer remove()
	temp := filepath.Join(holder, "tree")
	if err := os.Mkdir(temp, 0o777); err != nil {
		return cause(err)
	}
	if err := t.write(temp); err != nil {
		return fmt.Errorf("%w; nothing was written", cause(err))
	}
	if !there {
		// A folder that somebody made meanwhile is not replaced: rename fails unless the folder is empty.
		err = os.Rename(temp, dir)
	} else {
		err = exchange(temp, dir) // the old folder gets the temporary name and is removed
	}
	if err != nil {
		return fmt.Errorf("%w; nothing was written", cause(err))
	}
	flush(filepath.Dir(dir))
	return nil
}

// cause returns the error without the path, which is a temporary name.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// write writes all files of the tree into a folder.
func (t *Tree) write(dir string) error {
	nodes := map[string]node{}
	root := groupNode(t.Attributes)
	root.Consolidated = &consolidated{Kind: "inline", Metadata: nodes}
	var work errgroup.Group
	work.SetLimit(2 * runtime.GOMAXPROCS(0))
	var failed atomic.Bool
	var paths []string
	var mu sync.Mutex // guards all
	all := sums{}
	put := func(path string, content func() []byte) {
		paths = append(paths, filepath.Join(dir, path))
		work.Go(func() error {
			if failed.Load() {
				return nil
			}
			raw := content()
			err := create(filepath.Join(dir, path), raw)
			if err != nil {
				failed.Store(true)
			}
			sum := sumOf(raw)
			mu.Lock()
			defer mu.Unlock()
			all[filepath.ToSlash(path)] = sum
			return err
		})
	}
	for _, g := range t.Groups {
		nodes[g.Name] = groupNode(g.Attributes)
		for _, a := range g.Arrays {
			path := filepath.Join(g.Name, a.Name)
			nodes[g.Name+"/"+a.Name] = a.node()
			files, size := 1, 1
			for i, n := range a.Shape {
				if i < a.Split {
					files *= n
				} else {
					size *= n
				}
			}
			for k := range files {
				put(filepath.Join(path, a.file(k)), func() []byte { return a.encode(k*size, (k+1)*size) })
			}
		}
	}
	for path, n := range nodes {
		put(filepath.Join(path, "zarr.json"), func() []byte { return text8(n) })
	}
	put("zarr.json", func() []byte { return text8(root) })
	if err := work.Wait(); err != nil {
		return err
	}
	paths = append(paths, filepath.Join(dir, sumsFile))
	if err := create(paths[len(paths)-1], all.text()); err != nil {
		return err
	}
	return flushAll(paths)
}

// flushAll flushes files to the disk, many at the same time: file systems write their journal once
// for all flushes that wait.
func flushAll(paths []string) error {
	var work errgroup.Group
	work.SetLimit(64)
	for _, path := range paths {
		work.Go(func() error {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return errors.Join(f.Sync(), f.Close())
		})
	}
	return work.Wait()
}

// create writes a new file, and makes its folder if needed.
func create(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// text8 returns a node as UTF-8 JSON.
func text8(n node) []byte {
	out, err := json.MarshalIndent(n, "", " ")
	if err != nil {
		panic(err) // attributes are made by this module
	}
	return append(out, '\n')
}

// file returns the path of file number k of an array in the array's folder, such as "c/0/0".
func (a Array) file(k int) string {
	place := make([]int, len(a.Shape))
	for i := a.Split - 1; i >= 0; i-- {
		place[i], k = k%a.Shape[i], k/a.Shape[i]
	}
	name := "c"
	for _, p := range place {
		name = filepath.Join(name, strconv.Itoa(p))
	}
	return name
}

// flush flushes a folder, so that a rename in it survives a power cut. Not all file systems can do so.
func flush(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
