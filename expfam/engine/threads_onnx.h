// engineLimit is a copy of ONNX Runtime's table of functions whose sessions have at most so many threads and run beside each other.
void *engineLimit(void *table, int most);

// engineSetAlone says whether the sessions that this thread creates have one thread.
void engineSetAlone(int on);
