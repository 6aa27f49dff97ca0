/* Copies memory of this process that may be unmapped: source locations and texts of unloaded libraries,
 * code that a peer asks for. Thread-safe; usable in signal handlers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all bytes could be read. If not, what *to holds is undefined. */
bool td_safe_copy(uint64_t address, void *to, size_t bytes);
/* Copies a text up to its NUL, to `room` bytes or to unreadable memory, without a NUL. Returns its bytes. */
size_t td_safe_copy_text(uint64_t address, char *to, size_t room);
