/* Around calls of the dynamic loader by the resolver's thread, which wait as long as somebody loads
 * or unloads a library. 0: not any more. */
#ifndef TD_HOST_CLIENT_SYMBOLS_LOADER_H
#define TD_HOST_CLIENT_SYMBOLS_LOADER_H
#include <stdint.h>

int td_loader_enter(void);
void td_loader_leave(void);
int td_loader_close(void); /* nobody enters from now on; 1: the thread is inside */
#endif
