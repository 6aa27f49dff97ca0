/* Reads small files of the system without malloc(). Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads at most room - 1 bytes of the file and ends them with a NUL. 0: the file is empty or cannot be
 * read. */
bool td_client_read_text(const char *path, char *text, size_t room);
