//go:build cgo && !noonnx && ((linux && (amd64 || arm64)) || darwin || (windows && amd64))

#include "threads_onnx.h"
#include "_cgo_export.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Places in ONNX Runtime's table of functions. Versions only append to it.
enum { createSession = 8, runSession = 9, createSessionOptions = 10, setIntraOpNumThreads = 24, functions = 419 };

typedef void *(*load)(const void *environment, const void *model, size_t size, const void *options, void **session);
typedef void *(*create)(void **options);
typedef void *(*setThreads)(void *options, int threads);
typedef void *(*run)(void *session, const void *options, const char *const *inputs, const void *const *values, size_t given,
                     const char *const *outputs, size_t wanted, void **results);

static void **original, *limited[functions];

static void *loadPruned(const void *environment, const void *model, size_t size, const void *options, void **session) {
	size_t left;
	void *pruned = expfamPrune((void *)model, size, &left);
	load next = (load)original[createSession];
	if (pruned == NULL) return next(environment, model, size, options, session);
	void *status = next(environment, pruned, left, options, session);
	free(pruned);
	return status;
}

static void *createLimited(void **options) {
	void *status = ((create)original[createSessionOptions])(options);
	if (status == NULL) status = ((setThreads)original[setIntraOpNumThreads])(*options, expfamThreads());
	return status;
}

static void *runBeside(void *session, const void *options, const char *const *inputs, const void *const *values, size_t given,
                       const char *const *outputs, size_t wanted, void **results) {
	expfamUnlockRun();
	void *status = ((run)original[runSession])(session, options, inputs, values, given, outputs, wanted, results);
	expfamLockRun();
	return status;
}

void *expfamLimit(void *table) {
	if (table == limited) return table;
	original = table;
	memcpy(limited, table, sizeof limited);
	limited[createSession] = loadPruned;
	limited[createSessionOptions] = createLimited;
	limited[runSession] = runBeside;
	return limited;
}

// Not a variable of the thread, which Go's own linker cannot place.
uintptr_t expfamThread(void) { return (uintptr_t)pthread_self(); }
