/* Reports of operations, as tt-metal's tools write and read them: from a trace, or from a folder of
 * tt-metal's logs.
 *
 * OUT/.logs has the logs, OUT/reports/[NAME/]DATE the reports. A file appears under its name when it is
 * complete. */
#pragma once
#include "host/report/ops/op.h"
#include "host/trace/trace.h"

/* X(NAME, word of --only, what) */
#define TD_REPORT_FILES(X)                                                                                   \
    X(OPS, "ops", "ops_perf_results_*.csv")                                                                  \
    X(OP_TO_OP, "op-to-op", "per_core_op_to_op_times_*.csv")                                                 \
    X(PERF, "perf", "cpp_device_perf_report.csv")                                                            \
    X(LOG, "device-log", "profile_log_device.csv")                                                           \
    X(ZONES, "zones", "zone_src_locations.log")                                                              \
    X(NOC, "noc", "noc_trace_*.json")                                                                        \
    X(SYNC, "sync", "sync_device_info.csv")

enum td_report_file {
#define TD_X(name, word, what) TD_REPORT_##name,
    TD_REPORT_FILES(TD_X)
#undef TD_X
        TD_REPORT_FILE_COUNT
};
#define TD_REPORT_BIT(file) (1u << TD_REPORT_##file)

#define TD_REPORT_PATH   4096
#define TD_REPORT_FOLDER 3600

struct td_report_options {
    const char *out;          /* the folder that has .logs and reports; it is made if it is missing */
    const char *name;         /* part of names of reports and their folder; NULL: none */
    const char *date;         /* "2026_11_23_07_30_00" */
    unsigned files;           /* bits 1 << enum td_report_file */
    int log_columns;          /* 13 or 15 */
    const char *const *calls; /* names of host functions that are summed for each operation (traces) */
    size_t call_count;
    /* Gets each operation as it is complete, after the files did, under its label (op_label.h). May be NULL. */
    int (*take)(void *self, const struct td_op_sum *op, struct td_err *err);
    void *self;
};

struct td_report_result {
    uint64_t operations; /* of devices */
    uint64_t open;       /* of them, with launches that have not ended */
    uint64_t doubted;    /* of them, whose times cannot be right (op_doubt.h) */
    uint64_t overlaps;   /* of them, that ran while one before them on their device ran */
    char first_doubted[160];
    uint64_t host_operations, signposts;
    uint64_t unmatched;  /* of devices, without a message of the host, which announced others */
    uint64_t zones;      /* of cores, that were read from a trace */
    uint64_t log_rows;   /* of a device log, read or written */
    uint64_t no_op_rows; /* of a device log that was read: with the run host id 0, so in no operation */
    uint64_t cut;        /* messages that Tracy cut */
    bool log_cut;        /* the device log ends inside of a row */
    unsigned written;    /* bits of the files */
    uint64_t noc_traces; /* files */
    char reports[TD_REPORT_FOLDER], logs[TD_REPORT_FOLDER];
};

/* Sets `date` to a time, in the form of the names of tt-metal's reports. */
#define TD_REPORT_DATE 24
void td_report_date(char date[TD_REPORT_DATE], int64_t unix_seconds);

/* A finished trace. */
int td_report_trace(const struct td_trace *trace, const struct td_report_options *options,
                    struct td_report_result *result, struct td_err *err);
/* A folder with profile_log_device.csv in it or in its .logs, or the path of such a file. */
int td_report_logs(const char *path, const struct td_report_options *options, struct td_report_result *result,
                   struct td_err *err);
