/* A NoC trace becomes items of lanes: zones of launches, and a message for each event. */
#pragma once
#include "host/agent/import/tt_lanes.h"

struct td_tt_noc_import;
/* `file` is the path, whose name may say chip and operation. It must outlive the import, as `lanes` must.
 * NULL: no memory. */
struct td_tt_noc_import *td_tt_noc_import_create(const char *file, struct td_tt_lanes *lanes,
                                                 struct td_dict *dict);
void td_tt_noc_import_destroy(struct td_tt_noc_import *noc); /* NULL is allowed */
int td_tt_noc_import_feed(struct td_tt_noc_import *noc, const void *bytes, size_t count, struct td_err *err);
/* Adds all objects to the lanes. If their times begin before the end of what the chip has already (each
 * newer trace begins at 0), they are moved after it, and *moved is set. */
int td_tt_noc_import_end_stream(struct td_tt_noc_import *noc, bool *cut, bool *moved, struct td_err *err);
uint64_t td_tt_noc_import_events(const struct td_tt_noc_import *noc); /* objects that are no zones */
