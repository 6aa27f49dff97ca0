/* Reads sync_device_info.csv, the clocks of devices (proto/tt/device_log.h).
 *
 *   create; feed all bytes in any pieces; end_stream; look up the clocks; destroy
 *
 * Bytes may be hostile. Not thread-safe. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether these bytes may begin such a file. */
bool td_tt_sync_begins(const void *bytes, size_t count);

struct td_tt_sync_info;
/* `file` is the name for error lines and must outlive the object. NULL: no memory. */
struct td_tt_sync_info *td_tt_sync_info_create(const char *file);
void td_tt_sync_info_destroy(struct td_tt_sync_info *sync); /* NULL is allowed */
int td_tt_sync_info_feed(struct td_tt_sync_info *sync, const void *bytes, size_t count, struct td_err *err);
/* *cut: the last row breaks off and is not used. */
int td_tt_sync_info_end_stream(struct td_tt_sync_info *sync, bool *cut, struct td_err *err);

/* The number of devices that have a clock in the file. */
size_t td_tt_sync_info_devices(const struct td_tt_sync_info *sync);
/* The host's time at a cycle of a device, in ns since the capture began. False: the file does not relate this
 * device to the host. */
bool td_tt_sync_host_ns(const struct td_tt_sync_info *sync, uint32_t device, int64_t cycle, double *host_ns);
