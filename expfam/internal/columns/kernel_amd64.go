package columns

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// masks has −1 for k numbers from number 4−k on, and then zeros.
var masks = [8]int64{-1, -1, -1, -1}

// kernel adds alpha A B to C for some of m rows, and for at most eight columns. It returns how many rows it was.
func kernel(alpha float64, c, a, b Matrix, m, n, k int) (rows int) {
	if !fast {
		plain(alpha, c, a, b, n, k)
		return 1
	}
	by, mask := many1, &masks[3&-k]
	switch rows = 1; {
	case k > 4 && m >= 4:
		by, rows = many4, 4
	case k > 4:
	case m >= 8:
		by, rows = some8, 8
	case m >= 4:
		by, rows = some4, 4
	default:
		by = some1
	}
	by(&c.Data[0], &a.Data[0], &b.Data[0], n, 8*a.Row, 8*a.Col, 8*b.Row, 8*c.Row, alpha, mask)
	return rows
}

//go:noescape
func many4(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)

//go:noescape
func many1(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)

//go:noescape
func some8(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)

//go:noescape
func some4(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)

//go:noescape
func some1(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
