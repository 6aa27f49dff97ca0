/* What the program registered with the client. Called by the thread of the session. */
#ifndef TD_HOST_CLIENT_ENCODE_CALLBACKS_H
#define TD_HOST_CLIENT_ENCODE_CALLBACKS_H
#include <stddef.h>
#include <stdint.h>

void td_call_parameter(uint32_t idx, int32_t value);
char *td_call_source(const char *filename, size_t *size); /* NULL; else td_pool_free() it */
#endif
