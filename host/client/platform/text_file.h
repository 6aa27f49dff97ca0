/* Small files of the system, read without malloc(). */
#ifndef TD_HOST_CLIENT_PLATFORM_TEXT_FILE_H
#define TD_HOST_CLIENT_PLATFORM_TEXT_FILE_H
#include <stddef.h>
#include <stdint.h>

/* The text of a small file: 1; 0 if there is none. */
int td_client_read_text(const char *path, char *text, size_t room);
#endif
