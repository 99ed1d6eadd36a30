// Package keep carries the variables of a notebook from one cell's program to the next, as one image of memory.
// Programs of cells import it; nobody else needs it.
//
// A program names the variables that it mentions ([Memory.Load]) and those that its cell defines ([Memory.Define]). At
// its end [Memory.End] walks from these through everything that they lead to: pointers, slices, maps, interfaces,
// unexported fields. Each piece of memory that is reached is a region: a pointer's target, the whole array behind a
// slice, a variable. Regions that overlap are joined, so that an element and its array, or two windows of an array, are
// one [block]. A block has a number that it keeps for as long as something leads to it, and a pointer is written as the
// number of a block and an offset. So a change by any name is there under every other name in each later program,
// whichever of the names that program mentions.
//
// Blocks that are reached from the same variables stand in one file, a group. A program reads the groups of the
// variables that it mentions and no others. Files have the hashes of their contents as names, so what did not change is
// not written again. The [Manifest] says which groups there are. A program replaces it in one step when everything
// else is written, so a program that ends early leaves the image as it was.
//
// Before the manifest is replaced, what was written is read into fresh memory, and both graphs are walked in step
// (verify.go). Channels, functions with variables of their own, open files and the like cannot be kept. A variable that
// leads to one has a reason in the manifest in place of a value.
package keep
