/* Whether the resolver's thread is inside the dynamic loader. Its calls wait for other threads that load
 * or unload libraries, which must be avoided when the client's own library is unloaded. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* True: the resolver may call the loader, then td_loader_leave(); false: it is closed. */
bool td_loader_enter(void);
void td_loader_leave(void);
bool td_loader_close(void); /* no further calls; 1: the thread is inside one */
