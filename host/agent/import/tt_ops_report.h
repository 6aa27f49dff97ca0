/* A report of operations becomes zones of the host and of each chip's operations, and the messages that
 * tt-metal's programs send about operations (proto/tt/messages.h), with all columns of the row. */
#pragma once
#include "host/agent/import/tt_lanes.h"
#include "host/agent/import/tt_op_tracks.h"

struct td_tt_ops_import;
/* `file` is the name for error lines, and must outlive the import, as `lanes` must. NULL: no memory. */
struct td_tt_ops_import *td_tt_ops_import_create(const char *file, struct td_hub *hub,
                                                 struct td_tt_lanes *lanes);
void td_tt_ops_import_destroy(struct td_tt_ops_import *ops); /* NULL is allowed */
int td_tt_ops_import_feed(struct td_tt_ops_import *ops, const void *bytes, size_t count, struct td_err *err);
int td_tt_ops_import_end_stream(struct td_tt_ops_import *ops, bool *cut, struct td_err *err);
/* Relates a chip that has no zero to the host's clock, if the report has operations of it: the operation
 * that began soonest after its begin on the host began at the same time as that. So no operation begins
 * before the host has begun it. Also sets the chip's mhz, if it is not known. */
void td_tt_ops_import_relate(const struct td_tt_ops_import *ops, struct td_tt_chip *chip);
/* Pushes the messages, and adds the zones to tracks that all reports share. To be called once the zeros of
 * all chips are known. */
int td_tt_ops_import_push(struct td_tt_ops_import *ops, struct td_tt_op_tracks *tracks, struct td_err *err);

struct td_tt_ops_counts {
    uint64_t device, host, signposts; /* rows */
};
const struct td_tt_ops_counts *td_tt_ops_import_get_counts(const struct td_tt_ops_import *ops);
