/* Declares memcpy and memset, also where there is no C library. */
#ifndef TD_PROTO_PROBE_MEMORY_H
#define TD_PROTO_PROBE_MEMORY_H
#if __STDC_HOSTED__
#include <string.h>
#else
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
#endif
#endif
