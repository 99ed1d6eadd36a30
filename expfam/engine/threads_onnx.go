//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

package engine

// #include "threads_onnx.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// What follows goes around the binding, which has no option for threads and lets one
// session run at a time in all of a process; docs/workarounds.md. ONNX Runtime itself
// promises that sessions run beside each other.

// ortAPI is the table of functions through which the binding calls ONNX Runtime.
//
//go:linkname ortAPI github.com/gomlx/compute-onnx/internal/ort.ortApi
var ortAPI unsafe.Pointer

// runMu is held by the binding while a session runs; the table's function gives it up.
//
//go:linkname runMu github.com/gomlx/compute-onnx/internal/ort.runMu
var runMu sync.Mutex

//export expfamUnlockRun
func expfamUnlockRun() { runMu.Unlock() }

//export expfamLockRun
func expfamLockRun() { runMu.Lock() }

// limitThreads gives sessions as many threads as Go has, which follow affinity and the
// quota of a cgroup. ONNX Runtime alone takes one for each core of the host.
func limitThreads() { ortAPI = C.expfamLimit(ortAPI) }

// alone are the threads whose sessions have no other.
var alone sync.Map

//export expfamThreads
func expfamThreads() C.int {
	if _, found := alone.Load(C.expfamThread()); found {
		return 1
	}
	return C.int(runtime.GOMAXPROCS(0))
}

// onOneThread calls compile, whose sessions have one thread: that of their caller.
func onOneThread(compile func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := C.expfamThread()
	if _, nested := alone.LoadOrStore(thread, true); !nested {
		defer alone.Delete(thread)
	}
	return compile()
}
