package keep

import (
	"sort"
	"unsafe"
)

// Unsafe says that code of cells uses package unsafe, so that a text may share its memory with other values. Such a
// text cannot be kept.
func (m *Memory) Unsafe() *Memory {
	m.unsafe = true
	return m
}

// shares reports whether the bytes of a text are in a block, or a block is in them.
func (e *encoder) shares(text string) bool {
	from := unsafe.Pointer(unsafe.StringData(text))
	i := sort.Search(len(e.blocks), func(i int) bool { return uintptr(e.blocks[i].p) >= uintptr(from) })
	return text != "" && (within(e.blocks, from) != nil ||
		i < len(e.blocks) && uintptr(e.blocks[i].p) < uintptr(from)+uintptr(len(text)))
}
