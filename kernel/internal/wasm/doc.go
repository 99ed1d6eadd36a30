// Package wasm makes one WebAssembly program of the live cells of a notebook, which a page runs without a kernel. For
// each live cell the program holds what the cell needs of the cells before it, and the cell itself, as the kernel would
// compile them.
package wasm
