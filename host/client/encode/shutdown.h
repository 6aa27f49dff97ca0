/* The last items of a session: losses, a crash, the end. Used by the session's thread, except
 * td_shutdown_crashed(). */
#pragma once
#include "host/client/crash/report.h"
#include "host/client/encode/encoder.h"

#include <stddef.h>
#include <stdint.h>

/* 0, or negative: sending failed. */
int td_shutdown_put(struct td_encoder *encoder);       /* losses and the crash */
int td_shutdown_terminate(struct td_encoder *encoder); /* the last item */
/* For signal handlers: registers the crash, which must not change any more. */
void td_shutdown_crashed(const struct td_crash_report *why);
