#include "textflag.h"

// The kernels keep sums Σ a[i, j] b[j, ·] over j in Y0 to Y7, two for each row of five to eight columns, and one for each
// row of at most four. Y8 and Y9 have a row of b, and Y12 the mask of the columns of the last of them.

#define ARGUMENTS \
	MOVQ c+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX \
	MOVQ n+24(FP), CX \
	MOVQ aRow+32(FP), R8 \
	MOVQ aCol+40(FP), R9 \
	MOVQ bRow+48(FP), R10 \
	MOVQ cRow+56(FP), R11 \
	VBROADCASTSD alpha+64(FP), Y15 \
	MOVQ mask+72(FP), AX \
	VMOVUPD (AX), Y12 \
	LEAQ (SI)(R8*2), R12

#define ZERO4 \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y4, Y4, Y4 \
	VXORPD Y6, Y6, Y6

#define ZERO8 \
	ZERO4 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y3, Y3, Y3 \
	VXORPD Y5, Y5, Y5 \
	VXORPD Y7, Y7, Y7

#define LOAD \
	VMOVUPD (DX), Y8 \
	VMASKMOVPD 32(DX), Y12, Y9

#define LOADSOME VMASKMOVPD (DX), Y12, Y8

#define ROW1 \
	VBROADCASTSD (SI), Y10 \
	VFMADD231PD Y8, Y10, Y0 \
	VFMADD231PD Y9, Y10, Y1

#define ROWS4 \
	ROW1 \
	VBROADCASTSD (SI)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y2 \
	VFMADD231PD Y9, Y11, Y3 \
	VBROADCASTSD (R12), Y10 \
	VFMADD231PD Y8, Y10, Y4 \
	VFMADD231PD Y9, Y10, Y5 \
	VBROADCASTSD (R12)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y6 \
	VFMADD231PD Y9, Y11, Y7

#define SOME1 \
	VBROADCASTSD (SI), Y10 \
	VFMADD231PD Y8, Y10, Y0

#define SOME4 \
	SOME1 \
	VBROADCASTSD (SI)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y2 \
	VBROADCASTSD (R12), Y10 \
	VFMADD231PD Y8, Y10, Y4 \
	VBROADCASTSD (R12)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y6

#define SOME8 \
	SOME4 \
	VBROADCASTSD (R13), Y10 \
	VFMADD231PD Y8, Y10, Y1 \
	VBROADCASTSD (R13)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y3 \
	VBROADCASTSD (BX), Y10 \
	VFMADD231PD Y8, Y10, Y5 \
	VBROADCASTSD (BX)(R8*1), Y11 \
	VFMADD231PD Y8, Y11, Y7

#define NEXT \
	ADDQ R9, SI \
	ADDQ R9, R12 \
	ADDQ R10, DX \
	DECQ CX

#define STORE(low, high) \
	VMOVUPD (DI), Y8 \
	VMASKMOVPD 32(DI), Y12, Y9 \
	VFMADD231PD low, Y15, Y8 \
	VFMADD231PD high, Y15, Y9 \
	VMOVUPD Y8, (DI) \
	VMASKMOVPD Y9, Y12, 32(DI) \
	ADDQ R11, DI

#define STORESOME(low) \
	VMASKMOVPD (DI), Y12, Y8 \
	VFMADD231PD low, Y15, Y8 \
	VMASKMOVPD Y8, Y12, (DI) \
	ADDQ R11, DI

// func many4(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
TEXT ·many4(SB), NOSPLIT, $0-80
	ARGUMENTS
	ZERO8
loop:
	LOAD
	ROWS4
	NEXT
	JNZ loop
	STORE(Y0, Y1)
	STORE(Y2, Y3)
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	VZEROUPPER
	RET

// func many1(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
TEXT ·many1(SB), NOSPLIT, $0-80
	ARGUMENTS
	ZERO8
loop:
	LOAD
	ROW1
	NEXT
	JNZ loop
	STORE(Y0, Y1)
	VZEROUPPER
	RET

// func some8(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
TEXT ·some8(SB), NOSPLIT, $0-80
	ARGUMENTS
	LEAQ (SI)(R8*4), R13
	LEAQ (R12)(R8*4), BX
	ZERO8
loop:
	LOADSOME
	SOME8
	ADDQ R9, R13
	ADDQ R9, BX
	NEXT
	JNZ loop
	STORESOME(Y0)
	STORESOME(Y2)
	STORESOME(Y4)
	STORESOME(Y6)
	STORESOME(Y1)
	STORESOME(Y3)
	STORESOME(Y5)
	STORESOME(Y7)
	VZEROUPPER
	RET

// func some4(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
TEXT ·some4(SB), NOSPLIT, $0-80
	ARGUMENTS
	ZERO4
loop:
	LOADSOME
	SOME4
	NEXT
	JNZ loop
	STORESOME(Y0)
	STORESOME(Y2)
	STORESOME(Y4)
	STORESOME(Y6)
	VZEROUPPER
	RET

// func some1(c, a, b *float64, n, aRow, aCol, bRow, cRow int, alpha float64, mask *int64)
TEXT ·some1(SB), NOSPLIT, $0-80
	ARGUMENTS
	ZERO4
loop:
	LOADSOME
	SOME1
	NEXT
	JNZ loop
	STORESOME(Y0)
	VZEROUPPER
	RET
