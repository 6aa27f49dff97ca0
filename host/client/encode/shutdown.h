/* shutdown.c. What the end of a session has to say (losses, a crash), and its last item. 0, or -1. */
#ifndef TD_HOST_CLIENT_ENCODE_SHUTDOWN_H
#define TD_HOST_CLIENT_ENCODE_SHUTDOWN_H
#include "host/client/crash/report.h"
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

int td_shutdown_put(struct td_encoder *encoder);
int td_shutdown_terminate(struct td_encoder *encoder);
void td_shutdown_crashed(const struct td_crash_report *why);
#endif
