package zarr

import "golang.org/x/sys/unix"

// exchange swaps two folders in one step, or in two steps if the file system can't do it in one.
func exchange(from, to string) error {
	if unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE) == nil {
		return nil
	}
	return inTwoSteps(from, to)
}
