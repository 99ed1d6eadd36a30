package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/expfam/lab/internal/safefile"
	"github.com/expfam/lab/kernel/internal/jupyter"
)

const (
	// runtimeEnv names the folder in which Jupyter's servers have the connection files and the sockets of kernels.
	runtimeEnv = "JUPYTER_RUNTIME_DIR"
	// transportFlag says how they talk with kernels.
	transportFlag = "--KernelManager.transport"
	// socketName is how they name a socket, at the longest.
	socketName = "/kernel-01234567-89ab-cdef-0123-456789abcdef-ipc-10"
)

// socketFolder returns the folder in which the kernels of a server have their sockets, and what removes it at the end.
// Nobody else may enter it. That is Jupyter's own folder for this, unless its path is too long for sockets or it cannot
// be made private. Then it is a temporary folder, and other programs do not find the kernels.
func socketFolder() (dir string, remove func(), err error) {
	own := os.Getenv(runtimeEnv)
	if own == "" {
		data, err := dataDir()
		if err != nil {
			return "", nil, err
		}
		own = filepath.Join(data, "runtime")
	}
	if err = private(own); err == nil {
		return own, func() {}, nil
	}
	for _, in := range []string{"", "/tmp"} {
		if dir, remove, errTemp := safefile.Folder(in, "expfam-run-"); errTemp == nil {
			if private(dir) == nil {
				return dir, remove, nil
			}
			remove()
		}
	}
	return "", nil, fmt.Errorf("no private folder for the sockets of kernels: %w: name one in %s", err, runtimeEnv)
}

// private makes a folder unless it is there, and closes it to others.
func private(dir string) error {
	if n := len(dir) + len(socketName); n > jupyter.MaxSocketPath {
		return fmt.Errorf("the path of a socket in %s has %d bytes, %d at most", dir, n, jupyter.MaxSocketPath)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	return errors.Join(err, safefile.Try(dir, 1))
}
