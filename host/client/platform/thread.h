/* The id of the calling thread (td_client_thread_id() in tendril/client.h). */
#ifndef TD_HOST_CLIENT_PLATFORM_THREAD_H
#define TD_HOST_CLIENT_PLATFORM_THREAD_H
#include <stddef.h>
#include <stdint.h>

void td_thread_forked(void); /* in the child: it is another one now */
#endif
