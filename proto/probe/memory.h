/* Declares memcpy and memset, also where there is no C library. */
#pragma once
#if __STDC_HOSTED__
#include <string.h>
#else
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
#endif
