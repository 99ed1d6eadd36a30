#include "textflag.h"

// func start()
TEXT ·start(SB), NOSPLIT|NOFRAME, $0
	SUB $16, RSP
	MOVD $163, R8 // getrlimit
	MOVD $9, R0   // RLIMIT_AS
	MOVD RSP, R1
	SVC
	MOVD 0(RSP), R2
	ADD $16, RSP
	CBNZ R0, fits
	MOVD $1572864000, R3
	CMP R3, R2
	BHS fits
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD ·refusal(SB), R1
	MOVD ·refusal+8(SB), R2
	SVC
	MOVD $94, R8 // exit_group
	MOVD $1, R0
	SVC

fits:
	JMP _rt0_arm64_linux(SB)
