/* Source files of a program that runs, or was built, on this machine. */
#ifndef TD_HOST_AGENT_CLIENT_FILES_H
#define TD_HOST_AGENT_CLIENT_FILES_H
#include <stddef.h>
#include <stdint.h>

/* The bytes of a regular file that was changed before `before_s` (Unix seconds) and is not too large,
 * malloc'ed; NULL: there is none. Names come from outside: nothing else is opened for long or read.
 * Thread-safe. */
void *td_client_local_file(const char *path, uint64_t before_s, size_t *bytes);
#endif
