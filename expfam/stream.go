package expfam

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns a stream of random numbers for a seed and a name, such as Stream(1,
// "hmc/chain-2"). It is a PCG generator seeded by a hash of both. Equal arguments give equal
// bits on every machine. Different names give streams that are independent for all
// practical purposes, whatever the order in which they are used.
func Stream(seed uint64, name string) *rand.Rand {
	var head [8]byte
	binary.LittleEndian.PutUint64(head[:], seed)
	sum := sha256.Sum256(append(head[:], name...))
	return rand.New(rand.NewPCG(
		binary.LittleEndian.Uint64(sum[:8]),
		binary.LittleEndian.Uint64(sum[8:16])))
}
