//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

package engine

// #include "threads_onnx.h"
import "C"

import (
	"runtime"
	"sync"
	"unsafe"
)

// This file works around two limits of the binding: it has no option for threads, and it lets only one session of a
// process run at a time. ONNX Runtime itself promises that sessions can run at the same time. See docs/workarounds.md.

// ortAPI is the table of functions through which the binding calls ONNX Runtime.
//
//go:linkname ortAPI github.com/gomlx/compute-onnx/internal/ort.ortApi
var ortAPI unsafe.Pointer

// runMu is the mutex that the binding holds while a session runs. The function that expfamLimit puts into the table
// releases it during the run.
//
//go:linkname runMu github.com/gomlx/compute-onnx/internal/ort.runMu
var runMu sync.Mutex

//export expfamUnlockRun
func expfamUnlockRun() { runMu.Unlock() }

//export expfamLockRun
func expfamLockRun() { runMu.Lock() }

// limitThreads gives sessions as many threads as Go has. This number follows affinity and the
// quota of a cgroup. By default ONNX Runtime takes one thread for each core of the host.
func limitThreads() { ortAPI = C.expfamLimit(ortAPI) }

// alone holds the threads on which onOneThread is running. Sessions that they create have one thread.
var alone sync.Map

//export expfamThreads
func expfamThreads() C.int {
	if _, found := alone.Load(C.expfamThread()); found {
		return 1
	}
	return C.int(runtime.GOMAXPROCS(0))
}

// onOneThread calls compile. Sessions that compile creates have one thread, the thread of their caller.
func onOneThread(compile func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	thread := C.expfamThread()
	if _, nested := alone.LoadOrStore(thread, true); !nested {
		defer alone.Delete(thread)
	}
	return compile()
}
