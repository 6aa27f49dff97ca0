/* Marks the memory that Python's allocators give to the program, as pools: "python" (objects and other memory
 * of the interpreter) and "python raw" (memory that is used without the GIL). As with tracemalloc, what was
 * allocated before is unknown. */
#pragma once
#include <stdbool.h>

/* From now on allocations are marked. Call both with the GIL. */
void td_py_memory_begin(void);
/* New allocations are not marked any more; ends of marked ones are. */
void td_py_memory_end(void);
