/* Copies memory that may be unmapped meanwhile. Any thread. */
#ifndef TD_HOST_CLIENT_PLATFORM_SAFE_COPY_H
#define TD_HOST_CLIENT_PLATFORM_SAFE_COPY_H
#include <stddef.h>
#include <stdint.h>

/* 1: the bytes were there. */
int td_safe_copy(uint64_t address, void *to, size_t bytes);
/* A text up to its NUL, `room` or unreadable memory; returns the bytes. */
size_t td_safe_copy_text(uint64_t address, char *to, size_t room);
#endif
