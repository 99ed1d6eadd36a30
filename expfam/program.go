package expfam

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"

	"github.com/expfam/lab/internal/speak"
)

// Must returns v, or panics with err: for lessons, where a cell has no caller to return an error to.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ErrInterrupted is the error of a run that was stopped. The draws that were finished are returned with it.
var ErrInterrupted = speak.ErrInterrupted

// WithLogger returns a context with a logger. Every function of the library that takes this context logs to the logger.
// Functions without a context log to [slog.Default], and so does the choice of an engine, which a process makes once.
// The library logs only warnings (a store that fails, a run that may need more memory than there is) and plans (a run
// of several batches, a training of more than a minute). In a cell of a notebook a bar shows the plans.
func WithLogger(ctx context.Context, logger *slog.Logger) context.Context {
	return speak.WithLogger(ctx, logger)
}

// Stream returns a stream of random numbers for a seed and a name, such as Stream(1, "hmc/chain-2"). It is a PCG
// generator seeded by a hash of both. Equal arguments give equal bits on every machine. Different names give streams
// that are independent for all practical purposes, whatever the order in which they are used.
func Stream(seed uint64, name string) *rand.Rand {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], seed)
	sum := sha256.Sum256(append(head[:], name...))
	return rand.New(rand.NewPCG(
		binary.LittleEndian.Uint64(sum[:8]),
		binary.LittleEndian.Uint64(sum[8:16])))
}
