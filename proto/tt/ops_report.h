/* tt-metal's reports of operations: ops_perf_results_*.csv, with a row for each operation, replay and
 * signpost in order of host time; and cpp_device_perf_report.csv, with a row for each operation of a
 * device.
 *
 * Commas in values are semicolons. A reader finds a column by its trimmed name. A file lacks columns that
 * no row has. Columns of tensors are in the middle; columns of counters and of host functions come last. */
#pragma once

#define TD_TT_OPS_PREFIX "ops_perf_results_"

/* X(NAME, column, name before autumn 2025 or "", kind). Kinds:
 *   TEXT      any text                COUNT  an integer         CYCLES  a time of the device's clock
 *   HOST      a host time in ns       NS     a duration         REAL    a number with decimals
 * Columns of tensors are before column TD_TT_OPS_TENSORS. */
/* clang-format off */
#define TD_TT_OPS_COLUMNS_BEFORE_TENSORS(X) \
    X(OP_CODE, "OP CODE", "", TEXT) \
    X(OP_TYPE, "OP TYPE", "", TEXT) \
    X(CALL_COUNT, "GLOBAL CALL COUNT", "", COUNT) \
    X(DEVICE_ID, "DEVICE ID", "", COUNT) \
    X(DEVICE_ARCH, "DEVICE ARCH", "", TEXT) \
    X(ATTRIBUTES, "ATTRIBUTES", "", TEXT) \
    X(MATH_FIDELITY, "MATH FIDELITY", "", TEXT) \
    X(CORE_COUNT, "CORE COUNT", "", COUNT) \
    X(WORKER_COUNT, "AVAILABLE WORKER CORE COUNT", "", COUNT) \
    X(PARALLELIZATION, "PARALLELIZATION STRATEGY", "", TEXT) \
    X(HOST_START, "HOST START TS", "", HOST) \
    X(HOST_END, "HOST END TS", "", HOST) \
    X(HOST_DURATION, "HOST DURATION [ns]", "", NS) \
    X(FW_START, "DEVICE FW START CYCLE", "", CYCLES) \
    X(FW_END, "DEVICE FW END CYCLE", "", CYCLES) \
    X(OP_TO_OP, "OP TO OP LATENCY [ns]", "", NS) \
    X(OP_TO_OP_DM, "OP TO OP LATENCY BR/NRISC START [ns]", "", NS) \
    X(FW_DURATION, "DEVICE FW DURATION [ns]", "", NS) \
    X(KERNEL_DURATION, "DEVICE KERNEL DURATION [ns]", "", NS) \
    X(KERNEL_DM_START, "DEVICE KERNEL DURATION DM START [ns]", "", NS) \
    X(KERNEL_CORE_MIN, "DEVICE KERNEL DURATION PER CORE MIN [ns]", "", NS) \
    X(KERNEL_CORE_MAX, "DEVICE KERNEL DURATION PER CORE MAX [ns]", "", NS) \
    X(KERNEL_CORE_AVG, "DEVICE KERNEL DURATION PER CORE AVG [ns]", "", NS) \
    X(FIRST_TO_LAST_START, "DEVICE KERNEL FIRST TO LAST START [ns]", "", NS) \
    X(BRISC_DURATION, "DEVICE BRISC KERNEL DURATION [ns]", "", NS) \
    X(NCRISC_DURATION, "DEVICE NCRISC KERNEL DURATION [ns]", "", NS) \
    X(TRISC0_DURATION, "DEVICE TRISC0 KERNEL DURATION [ns]", "", NS) \
    X(TRISC1_DURATION, "DEVICE TRISC1 KERNEL DURATION [ns]", "", NS) \
    X(TRISC2_DURATION, "DEVICE TRISC2 KERNEL DURATION [ns]", "", NS) \
    X(ERISC_DURATION, "DEVICE ERISC KERNEL DURATION [ns]", "", NS) \
    X(CB_WAIT_FRONT, "DEVICE COMPUTE CB WAIT FRONT [ns]", "", NS) \
    X(CB_RESERVE_BACK, "DEVICE COMPUTE CB RESERVE BACK [ns]", "", NS) \
    X(DISPATCH_TOTAL, "DISPATCH TOTAL CQ CMD OP TIME [ns]", "", NS) \
    X(DISPATCH_GO_SEND, "DISPATCH GO SEND WAIT TIME [ns]", "", NS)
#define TD_TT_OPS_COLUMNS_AFTER_TENSORS(X) \
    X(TRACE_ID, "METAL TRACE ID", "", COUNT) \
    X(REPLAY, "METAL TRACE REPLAY SESSION ID", "", COUNT) \
    X(COMPUTE_SOURCE, "COMPUTE KERNEL SOURCE", "", TEXT) \
    X(COMPUTE_HASH, "COMPUTE KERNEL HASH", "", TEXT) \
    X(DM_SOURCE, "DATA MOVEMENT KERNEL SOURCE", "", TEXT) \
    X(DM_HASH, "DATA MOVEMENT KERNEL HASH", "", TEXT) \
    X(PROGRAM_HASH, "PROGRAM HASH", "", TEXT) \
    X(CACHE_HIT, "PROGRAM CACHE HIT", "", TEXT) \
    X(SIZE_DM0, "TENSIX DM 0 MAX KERNEL SIZE [B]", "BRISC MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_DM1, "TENSIX DM 1 MAX KERNEL SIZE [B]", "NCRISC MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_COMPUTE0, "TENSIX COMPUTE 0 MAX KERNEL SIZE [B]", "TRISC 0 MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_COMPUTE1, "TENSIX COMPUTE 1 MAX KERNEL SIZE [B]", "TRISC 1 MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_COMPUTE2, "TENSIX COMPUTE 2 MAX KERNEL SIZE [B]", "TRISC 2 MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_ETH_DM0, "ACTIVE ETH DM 0 MAX KERNEL SIZE [B]", "ERISC MAX KERNEL SIZE [B]", COUNT) \
    X(SIZE_ETH_DM1, "ACTIVE ETH DM 1 MAX KERNEL SIZE [B]", "", COUNT) \
    X(SIZE_IDLE_DM0, "IDLE ETH DM 0 MAX KERNEL SIZE [B]", "", COUNT) \
    X(SIZE_IDLE_DM1, "IDLE ETH DM 1 MAX KERNEL SIZE [B]", "", COUNT) \
    X(PM_IDEAL, "PM IDEAL [ns]", "", REAL) \
    X(PM_COMPUTE, "PM COMPUTE [ns]", "", REAL) \
    X(PM_BANDWIDTH, "PM BANDWIDTH [ns]", "", REAL) \
    X(PM_INPUT_BW, "PM REQ I BW", "", TEXT) \
    X(PM_OUTPUT_BW, "PM REQ O BW", "", TEXT) \
    X(PM_FPU, "PM FPU UTIL (%)", "", REAL) \
    X(NOC_UTIL, "NOC UTIL (%)", "", REAL) \
    X(MULTICAST_UTIL, "MULTICAST NOC UTIL (%)", "", REAL) \
    X(DRAM_UTIL, "DRAM BW UTIL (%)", "", REAL) \
    X(DRAM_CTRL_UTIL, "DRAM BW UTIL PER CTRL (%)", "", TEXT) \
    X(ETH_UTIL, "ETH BW UTIL (%)", "", TEXT) \
    X(NPE_CONG, "NPE CONG IMPACT (%)", "", REAL)
/* clang-format on */

#define TD_TT_OPS_COLUMNS(X) TD_TT_OPS_COLUMNS_BEFORE_TENSORS(X) TD_TT_OPS_COLUMNS_AFTER_TENSORS(X)

enum td_tt_ops_column {
#define TD_X(name, column, before, kind) TD_TT_OPS_##name,
    TD_TT_OPS_COLUMNS_BEFORE_TENSORS(TD_X)
#undef TD_X
        TD_TT_OPS_TENSORS,
    TD_TT_OPS_BEFORE_TENSORS = TD_TT_OPS_TENSORS - 1,
#define TD_X(name, column, before, kind) TD_TT_OPS_##name,
    TD_TT_OPS_COLUMNS_AFTER_TENSORS(TD_X)
#undef TD_X
        TD_TT_OPS_COLUMN_COUNT
};

/* Values of OP TYPE. */
#define TD_TT_OP_TYPE_DEVICE   "tt_dnn_device"
#define TD_TT_OP_TYPE_CPU      "tt_dnn_cpu"
#define TD_TT_OP_TYPE_FALLBACK "python_fallback"
#define TD_TT_OP_TYPE_SIGNPOST "signpost"

/* X(NAME, end of the column's name, end before autumn 2025): columns INPUT_<i>_... and OUTPUT_<i>_... of a
 * tensor, in this order. */
#define TD_TT_TENSOR_COLUMNS(X)                                                                              \
    X(SHAPE_W, "W_PAD[LOGICAL]", "W")                                                                        \
    X(SHAPE_Z, "Z_PAD[LOGICAL]", "Z")                                                                        \
    X(SHAPE_Y, "Y_PAD[LOGICAL]", "Y")                                                                        \
    X(SHAPE_X, "X_PAD[LOGICAL]", "X")                                                                        \
    X(LAYOUT, "LAYOUT", "")                                                                                  \
    X(DATATYPE, "DATATYPE", "")                                                                              \
    X(MEMORY, "MEMORY", "")
#define TD_TT_TENSOR_INPUT  "INPUT_"
#define TD_TT_TENSOR_OUTPUT "OUTPUT_"
#define TD_TT_HOST_FUNC     "_TT_HOST_FUNC [ns]" /* end of the names of columns of host functions */

enum td_tt_tensor_column {
#define TD_X(name, end, before) TD_TT_TENSOR_##name,
    TD_TT_TENSOR_COLUMNS(TD_X)
#undef TD_X
        TD_TT_TENSOR_COLUMN_COUNT
};

#define TD_TT_PERF_FILE "cpp_device_perf_report.csv"

/* X(NAME, column): the columns of cpp_device_perf_report.csv. Those from KERNEL_START on are missing
 * before 2026. */
#define TD_TT_PERF_COLUMNS(X)                                                                                \
    X(CALL_COUNT, "GLOBAL CALL COUNT")                                                                       \
    X(TRACE_ID, "METAL TRACE ID")                                                                            \
    X(REPLAY, "METAL TRACE REPLAY SESSION ID")                                                               \
    X(DEVICE_ID, "DEVICE ID")                                                                                \
    X(DEVICE_ARCH, "DEVICE ARCH")                                                                            \
    X(OP_NAME, "OP NAME")                                                                                    \
    X(CORE_COUNT, "CORE COUNT")                                                                              \
    X(WORKER_COUNT, "AVAILABLE WORKER CORE COUNT")                                                           \
    X(TRACE_FW_DURATION, "DEVICE TRACE FIRMWARE DURATION [ns]")                                              \
    X(TRACE_KERNEL_DURATION, "DEVICE TRACE KERNEL DURATION [ns]")                                            \
    X(FIRST_TO_LAST_START, "DEVICE KERNEL FIRST TO LAST START [ns]")                                         \
    X(FW_DURATION, "DEVICE FW DURATION [ns]")                                                                \
    X(FW_START, "DEVICE FW START CYCLE")                                                                     \
    X(FW_END, "DEVICE FW END CYCLE")                                                                         \
    X(KERNEL_DURATION, "DEVICE KERNEL DURATION [ns]")                                                        \
    X(KERNEL_DM_DURATION, "DEVICE KERNEL DURATION DM START [ns]")                                            \
    X(BRISC_DURATION, "DEVICE BRISC KERNEL DURATION [ns]")                                                   \
    X(NCRISC_DURATION, "DEVICE NCRISC KERNEL DURATION [ns]")                                                 \
    X(TRISC0_DURATION, "DEVICE TRISC0 KERNEL DURATION [ns]")                                                 \
    X(TRISC1_DURATION, "DEVICE TRISC1 KERNEL DURATION [ns]")                                                 \
    X(TRISC2_DURATION, "DEVICE TRISC2 KERNEL DURATION [ns]")                                                 \
    X(ERISC_DURATION, "DEVICE ERISC KERNEL DURATION [ns]")                                                   \
    X(KERNEL_START, "DEVICE KERNEL START CYCLE")                                                             \
    X(KERNEL_END, "DEVICE KERNEL END CYCLE")                                                                 \
    X(KERNEL_DM_START, "DEVICE KERNEL DM START CYCLE")                                                       \
    X(KERNEL_DM_END, "DEVICE KERNEL DM END CYCLE")                                                           \
    X(OP_TO_OP, "OP TO OP LATENCY [ns]")                                                                     \
    X(OP_TO_OP_DM, "OP TO OP LATENCY BR/NRISC START [ns]")

enum td_tt_perf_column {
#define TD_X(name, column) TD_TT_PERF_##name,
    TD_TT_PERF_COLUMNS(TD_X)
#undef TD_X
        TD_TT_PERF_COLUMN_COUNT
};
