//go:build !(cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64)))

package engine

import "errors"

// Model is not possible without ONNX Runtime.
func (e *Engine) Model(func() error) ([]byte, error) {
	return nil, errors.New("engine: this program was built without ONNX Runtime, which writes models; build it with " +
		"cgo and without the tag noonnx")
}
