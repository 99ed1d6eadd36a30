#include <stdint.h>

// expfamLimit is a copy of ONNX Runtime's table of functions whose sessions have expfamThreads() threads and run beside each other.
void *expfamLimit(void *table);

// expfamThread tells threads apart.
uintptr_t expfamThread(void);
