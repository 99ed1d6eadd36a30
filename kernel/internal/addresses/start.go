//go:build linux && (amd64 || arm64)

package addresses

// start is the entry of a program that is linked with Flag. It writes refusal and ends if the limit is below Least, and
// otherwise goes on to the entry of Go's runtime, with the stack as it was.
func start()

var _ = start
