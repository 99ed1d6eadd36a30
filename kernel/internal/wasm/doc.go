// Package wasm makes one WebAssembly program of the live cells of a notebook, which a page runs without a kernel: what the cells before
// a live one declare, and the live one, as the kernel would compile them.
package wasm
