/* The tenstorrent transport: a card with the vendor's kernel driver. The driver hands out windows (noc.h),
 * maps them into this process and points them. The card's power state is not changed. */
#pragma once
#include "host/transport/transport.h"

/* "N", or the path of a device. Several processes may have it open. */
struct td_transport *td_tenstorrent_open(const char *where, int wait_ms, struct td_err *err);
