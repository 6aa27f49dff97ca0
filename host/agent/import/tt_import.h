/* Imports tt-metal's files into the hub: device logs, reports of operations and NoC traces, several into
 * one trace.
 *
 *   create; for each file: begin_file, feed all bytes in any pieces, end_file; close; read the counts; destroy
 *
 * Clocks and reports should come first: they relate the chips' clocks to the host's. Bytes may be hostile. Errors are
 * one line with file and row. Not thread-safe. */
#pragma once
#include "host/agent/import/tt_lanes.h"
#include "host/agent/import/tt_ops_report.h"

enum td_tt_file_kind {
    TD_TT_FILE_NONE,
    TD_TT_FILE_REPORT,
    TD_TT_FILE_MESSAGES,
    TD_TT_FILE_LOG,
    TD_TT_FILE_NOC,
    TD_TT_FILE_CLOCKS
};
/* What a file that begins with these bytes may be. */
enum td_tt_file_kind td_tt_file_begins(const void *bytes, size_t count);

struct td_tt_import;
struct td_tt_import *td_tt_import_create(struct td_hub *hub); /* NULL: no memory */
void td_tt_import_destroy(struct td_tt_import *import);       /* NULL is allowed */
/* `file` is the path, for error lines; it must outlive the import. */
int td_tt_import_begin_file(struct td_tt_import *import, const char *file, enum td_tt_file_kind kind,
                            struct td_err *err);
int td_tt_import_feed(struct td_tt_import *import, const uint8_t *bytes, size_t count, struct td_err *err);
/* *cut: the file breaks off; what came before is kept. */
int td_tt_import_end_file(struct td_tt_import *import, bool *cut, struct td_err *err);
/* Pushes what still waits, and a note for each chip (proto/chip_text.h). */
int td_tt_import_close(struct td_tt_import *import, struct td_err *err);

struct td_tt_import_counts {
    struct td_tt_lane_counts lanes;
    struct td_tt_ops_counts ops;
    uint64_t rows;       /* of device logs */
    uint64_t messages;   /* of programs */
    uint64_t noc_events; /* of logs and NoC traces */
    uint64_t odd;        /* rows of types that are not known */
    uint32_t clocks;     /* devices with a clock in sync_device_info.csv */
    uint32_t moved;      /* NoC traces whose times were moved after those before */
};
struct td_tt_import_counts td_tt_import_get_counts(const struct td_tt_import *import);
