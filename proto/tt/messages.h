/* What programs that use tt-metal send to Tracy about operations: texts of messages, in back quotes.
 * tt-metal's scripts read them after the capture.
 *
 *   `TT_DNN_DEVICE_OP: "name", hash, device, [cache hit,] id ->   the first launch: JSON follows
 *   {...}`
 *   `TT_DNN_DEVICE_OP: "name", hash, device, [cache hit,] id`     a later launch of the same
 *   `TT_DNN_FALL_BACK_OP:...`                                     an operation on the host
 *   `TT_METAL_TRACE_BEGIN: device, trace`                         the same with END, REPLAY, RELEASE
 *   `TT_METAL_TRACE_ENQUEUE_PROGRAM: device, trace, id`           a program that is part of a trace
 *   `TT_SIGNPOST: header                                          the second line may be missing
 *   message` */
#pragma once

#define TD_TT_MESSAGE_QUOTE  "`"
#define TD_TT_MESSAGE_ARROW  " ->\n"
#define TD_TT_MESSAGE_BYTES  65534   /* Tracy cuts longer messages */
#define TD_TT_OP_ZONE_FORMAT "id:%u" /* text of an operation's zone in the host program */

/* X(NAME, word at the begin, form of the rest) */
#define TD_TT_MESSAGES(X)                                                                                    \
    X(DEVICE_OP, "TT_DNN_DEVICE_OP:", OP)                                                                    \
    X(FALL_BACK_OP, "TT_DNN_FALL_BACK_OP:", OP)                                                              \
    X(TRACE_BEGIN, "TT_METAL_TRACE_BEGIN:", TRACE)                                                           \
    X(TRACE_END, "TT_METAL_TRACE_END:", TRACE)                                                               \
    X(TRACE_REPLAY, "TT_METAL_TRACE_REPLAY:", TRACE)                                                         \
    X(TRACE_RELEASE, "TT_METAL_TRACE_RELEASE:", TRACE)                                                       \
    X(TRACE_ENQUEUE, "TT_METAL_TRACE_ENQUEUE_PROGRAM:", PROGRAM)                                             \
    X(SIGNPOST, "TT_SIGNPOST:", SIGNPOST)

enum td_tt_message_kind {
    TD_TT_MESSAGE_NONE, /* another message */
#define TD_X(name, word, form) TD_TT_MESSAGE_##name,
    TD_TT_MESSAGES(TD_X)
#undef TD_X
        TD_TT_MESSAGE_COUNT
};

/* X(NAME, key): members of an operation's JSON. An imported report's row is the member REPORT: an object
 * with each column of the row that is not empty, in the file's order, as the file has it: {"OP CODE":
 * "Matmul", ...}. The names of all columns of the file, also of the empty ones, are a message of the form
 * REPORT_COLUMNS. */
#define TD_TT_OP_JSON(X)                                                                                     \
    X(CALL_COUNT, "global_call_count")                                                                       \
    X(OP_CODE, "op_code")                                                                                    \
    X(OP_TYPE, "op_type")                                                                                    \
    X(DEVICE_ID, "device_id")                                                                                \
    X(ATTRIBUTES, "attributes")                                                                              \
    X(TRACE_ID, "metal_trace_id")                                                                            \
    X(REPORT, "report")

enum td_tt_op_json {
#define TD_X(name, key) TD_TT_JSON_##name,
    TD_TT_OP_JSON(TD_X)
#undef TD_X
        TD_TT_JSON_COUNT
};

/* The message with the columns of an imported report: this word, then a JSON list of names. */
#define TD_TT_REPORT_COLUMNS "TENDRIL_REPORT_COLUMNS: "

/* The files that the fork's csvexport makes of messages and zones. */
#define TD_TT_OPS_DATA_FILE   "tracy_ops_data.csv"
#define TD_TT_OPS_DATA_HEADER TD_TT_OPS_DATA_NAME ";total_ns"
#define TD_TT_OPS_DATA_NAME   "MessageName"
#define TD_TT_OPS_TIMES_FILE  "tracy_ops_times.csv"
