/* tracy_ops_data.csv, the messages of a program that uses tt-metal with their times: they become messages
 * of the host, and relate the chips' clocks to the host's. */
#pragma once
#include "host/agent/import/tt_lanes.h"
#include "host/agent/import/tt_op_tracks.h"

struct td_tt_ops_data;
bool td_tt_ops_data_begins(const void *bytes, size_t count);
/* `file` is the name for error lines, and must outlive the object. NULL: no memory. */
struct td_tt_ops_data *td_tt_ops_data_create(const char *file, struct td_dict *dict);
void td_tt_ops_data_destroy(struct td_tt_ops_data *data); /* NULL is allowed */
int td_tt_ops_data_feed(struct td_tt_ops_data *data, const void *bytes, size_t count, struct td_err *err);
int td_tt_ops_data_end_stream(struct td_tt_ops_data *data, bool *cut, struct td_err *err);
/* Relates a chip that has no zero to the host's clock, if there are messages of operations whose launches
 * are known: the one that began soonest after its message began at the same time as that. */
void td_tt_ops_data_relate(const struct td_tt_ops_data *data, const struct td_tt_lanes *lanes,
                           struct td_tt_chip *chip);
/* Pushes the messages, `shift_ns` later than in the file. */
int td_tt_ops_data_push(const struct td_tt_ops_data *data, struct td_tt_op_tracks *tracks, int64_t shift_ns,
                        struct td_err *err);
uint64_t td_tt_ops_data_messages(const struct td_tt_ops_data *data);
