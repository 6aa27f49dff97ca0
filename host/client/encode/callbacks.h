/* Calls the callbacks that the program registered (tendril/client.h). Used by the session's thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>

void td_call_parameter(uint32_t idx, int32_t value);
/* The text of a source file, of *size bytes; the caller frees it with td_pool_free(). NULL: the program
 * has none. */
char *td_call_source(const char *filename, size_t *size);
