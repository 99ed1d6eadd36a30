package cell

import "go/ast"

// leaves reports whether the functions of a program start goroutines by go statements.
func (k *checked) leaves(reached map[*chunk]bool) (is bool) {
	ast.Inspect(k.file, func(n ast.Node) bool {
		if g, found := n.(*ast.GoStmt); found {
			c := k.chunkAt(k.offset(g.Pos()))
			is = is || c != nil && reached[c]
		}
		return !is
	})
	return is
}

// leaver returns the source of main_left, which says at the end of a program that goroutines end with it. A goroutine
// that is about to end has a moment for that.
func leaver() string {
	return `func main_left() {
	left := 0
	for range 20 {
		stacks := [1 << 16]byte{}
		text := string(stacks[:main_runtime.Stack(stacks[:], true)])
		if left = main_strings.Count(text, "\ncreated by main."); left == 0 {
			return
		}
		main_time.Sleep(main_time.Millisecond)
	}
	main_fmt.Fprintf(main_os.Stderr, "goroutines that end with the cell, before they are done: %d; wait for them, "+
		"as with a sync.WaitGroup\n", left)
}

`
}
