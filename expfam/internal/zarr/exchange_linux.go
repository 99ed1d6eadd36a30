package zarr

import "golang.org/x/sys/unix"

// exchange swaps two folders in one step; file systems that can't do so swap them in two.
func exchange(from, to string) error {
	if unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE) == nil {
		return nil
	}
	return inTwoSteps(from, to)
}
