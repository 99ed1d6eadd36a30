#include "textflag.h"

// func start()
TEXT ·start(SB), NOSPLIT|NOFRAME, $0
	SUBQ $16, SP
	MOVL $97, AX // getrlimit
	MOVL $9, DI  // RLIMIT_AS
	MOVQ SP, SI
	SYSCALL
	MOVQ 0(SP), BX
	ADDQ $16, SP
	TESTQ AX, AX
	JNE fits
	CMPQ BX, $1572864000
	JCC fits
	MOVL $1, AX // write
	MOVL $2, DI
	MOVQ ·refusal(SB), SI
	MOVQ ·refusal+8(SB), DX
	SYSCALL
	MOVL $231, AX // exit_group
	MOVL $1, DI
	SYSCALL

fits:
	JMP _rt0_amd64_linux(SB)
