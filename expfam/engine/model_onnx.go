//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

package engine

// #include "threads_onnx.h"
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// taking holds the threads of which [Engine.Model] wants the models.
var taking sync.Map // of *[]byte

// take copies a model that this thread loads, if somebody wants it.
func take(model []byte) {
	if to, wanted := taking.Load(C.expfamThread()); wanted {
		*to.(*[]byte) = slices.Clone(model)
	}
}

// Model returns the last graph that compile compiles, as an ONNX model without the nodes on which no output depends.
// The engine must be ONNX Runtime.
func (e *Engine) Model(compile func() error) ([]byte, error) {
	if !strings.HasPrefix(e.spec, "onnx") {
		return nil, fmt.Errorf("engine: a model is written by ONNX Runtime, not by %s; open the engine onnx", e.spec)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var model []byte
	taking.Store(C.expfamThread(), &model)
	defer taking.Delete(C.expfamThread())
	if err := compile(); err != nil {
		return nil, err
	}
	if model == nil {
		return nil, fmt.Errorf("engine: nothing was compiled; call the graph for the first time in compile")
	}
	return model, nil
}
