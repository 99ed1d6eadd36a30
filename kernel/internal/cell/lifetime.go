package cell

import "go/ast"

// leaves reports whether the functions of a program start goroutines: by go statements, or by methods of other packages
// that have the name Go, such as that of sync.WaitGroup.
func (k *checked) leaves(reached map[*chunk]bool) (is bool) {
	ast.Inspect(k.file, func(n ast.Node) bool {
		_, starts := n.(*ast.GoStmt)
		if sel, calls := n.(*ast.SelectorExpr); calls && sel.Sel.Name == "Go" {
			f := k.info.Uses[sel.Sel]
			starts = f != nil && f.Pkg() != k.pkg
		}
		if starts {
			c := k.chunkAt(k.offset(n.Pos()))
			is = is || c != nil && reached[c]
		}
		return !is
	})
	return is
}

// leaver returns the source of main_left, which says at the end of a program that goroutines end with it. A goroutine
// that is about to end has a moment for that. A goroutine that a method Go started and that has not begun has no frame
// of the cell yet, so it is known by that method.
func leaver() string {
	return `func main_left() {
	left := 0
	for range 20 {
		stacks := [1 << 16]byte{}
		left = 0
		for _, of := range main_strings.Split(string(stacks[:main_runtime.Stack(stacks[:], true)]), "\n\n")[1:] {
			begins := main_strings.Contains(of, "[runnable]") && main_strings.Contains(of, ").Go in goroutine")
			if begins || main_strings.Contains(of, "\nmain.") || main_strings.Contains(of, "\ncreated by main.") {
				left++
			}
		}
		if left == 0 {
			return
		}
		main_time.Sleep(main_time.Millisecond)
	}
	main_fmt.Fprintf(main_os.Stderr, "goroutines that end with the cell, before they are done: %d; wait for them, "+
		"as with a sync.WaitGroup\n", left)
}

`
}
