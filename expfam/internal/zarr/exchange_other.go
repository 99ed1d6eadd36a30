//go:build !linux

package zarr

// exchange swaps two folders.
func exchange(from, to string) error { return inTwoSteps(from, to) }
