package learn

import (
	"errors"
	"testing"

	"github.com/expfam/lab/expfam/internal/enginetest"
	"github.com/expfam/lab/internal/must"
)

// TestFullMemory: the error of XLA where the memory of a GPU is full, as an H100 gave it, names the way out.
func TestFullMemory(t *testing.T) {
	r := &trainer{Training: Training{Batch: 32, Engine: enginetest.Open(t, "go")}}
	full := errors.New("PJRT error (code=8): Out of memory while trying to allocate 62.25GiB with allocator GPU_0_bfc")
	must.Err(t, r.failed(full), "batches of 32 draws; set a smaller Batch")
	must.Err(t, r.failed(errors.New("no such operation")), "train: step 0: no such operation")
}
