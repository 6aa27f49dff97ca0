/* Starts the client: at the program's start, or with the first marker (TRACY_DELAYED_INIT). Thread-safe. */
#pragma once
#include "host/base/export.h"

#include <stddef.h>
#include <stdint.h>

/* Once a process; later calls return at once. A process may have several copies of the client: the program's and
 * those of libraries. They call the exported functions of the first copy that exports them, so only that one
 * starts. */
TD_CLIENT_API void td_client_start(void);
