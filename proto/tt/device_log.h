/* tt-metal's device log, profile_log_device.csv: one row a marker of a core.
 *
 * Line 1 has facts of the chip, "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64"; the last
 * fact is missing before 2026. Line 2 has the names of the columns, with spaces after the commas. Then
 * there is a row for each marker, without quotes. A reader finds a column by its trimmed name, because
 * each era has other columns. Rows of one core are not in order of time: the firmware's markers come
 * first. */
#pragma once

#define TD_TT_DEVICE_LOG      "profile_log_device.csv"
#define TD_TT_LOG_ARCH        "ARCH"
#define TD_TT_LOG_FREQUENCY   "CHIP_FREQ[MHz]"
#define TD_TT_LOG_MAX_CORES   "Max Compute Cores"
#define TD_TT_LOG_2023_CLOCK  "Chip clock is at " /* "... 1.2 GHz": all of line 1 before 2024 */
#define TD_TT_LOG_COLUMNS_MAX 64                  /* more columns are not a device log */

/* X(NAME, number of columns, what): the eras of the file, oldest first. */
#define TD_TT_LOG_ERAS(X)                                                                                    \
    X(2023, 6, "timer ids without names")                                                                    \
    X(2024A, 12, "names of zones, phases begin and end")                                                     \
    X(2024B, 13, "run ID and run host ID")                                                                   \
    X(2025A, 13, "types, meta data")                                                                         \
    X(2025B, 14, "run ID comes back")                                                                        \
    X(2025C, 15, "trace id and its counter")                                                                 \
    X(STREAMING, 17, "logical places")

enum td_tt_log_era {
#define TD_X(name, columns, what) TD_TT_LOG_ERA_##name,
    TD_TT_LOG_ERAS(TD_X)
#undef TD_X
        TD_TT_LOG_ERA_COUNT
};

/* The eras that have a column, for the table below. */
#define TD_TT_ERA(name)   (1u << TD_TT_LOG_ERA_##name)
#define TD_TT_ALL_ERAS    ((1u << TD_TT_LOG_ERA_COUNT) - 1)
#define TD_TT_SINCE(name) (TD_TT_ALL_ERAS & ~(TD_TT_ERA(name) - 1))

/* X(NAME, eras, name in eras from 2025 on, name before): the columns, in the order of all eras. A third
 * name of the column RUN_ID, in 2023, is "Program ID". Upper and lower case do not matter. */
/* clang-format off */
#define TD_TT_LOG_COLUMNS(X) \
    X(CHIP, TD_TT_ALL_ERAS, "PCIe slot", "PCIe slot") \
    X(CORE_X, TD_TT_ALL_ERAS, "core_x", "core_x") \
    X(CORE_Y, TD_TT_ALL_ERAS, "core_y", "core_y") \
    X(RISC, TD_TT_ALL_ERAS, "RISC processor type", "RISC processor type") \
    X(TIMER_ID, TD_TT_ALL_ERAS, "timer_id", "timer_id") \
    X(TIME, TD_TT_ALL_ERAS, "time[cycles since reset]", "time[cycles since reset]") \
    X(DATA, TD_TT_SINCE(2024A), "data", "stat value") \
    X(RUN_ID, TD_TT_ERA(2024A) | TD_TT_ERA(2024B) | TD_TT_ERA(2025B), "run ID", "Run ID") \
    X(RUN_HOST_ID, TD_TT_SINCE(2024B), "run host ID", "run host ID") \
    X(TRACE_ID, TD_TT_SINCE(2025C), "trace id", "trace id") \
    X(TRACE_COUNT, TD_TT_SINCE(2025C), "trace id counter", "trace id counter") \
    X(ZONE, TD_TT_SINCE(2024A), "zone name", "zone name") \
    X(TYPE, TD_TT_SINCE(2024A), "type", "zone phase") \
    X(LINE, TD_TT_SINCE(2024A), "source line", "source line") \
    X(FILE, TD_TT_SINCE(2024A), "source file", "source file") \
    X(META, TD_TT_SINCE(2025A), "meta data", "meta data") \
    X(LOGICAL_X, TD_TT_ERA(STREAMING), "logical_x", "logical_x") \
    X(LOGICAL_Y, TD_TT_ERA(STREAMING), "logical_y", "logical_y")
/* clang-format on */
#define TD_TT_LOG_RUN_ID_2023 "Program ID"

enum td_tt_log_column {
#define TD_X(name, eras, now, before) TD_TT_LOG_##name,
    TD_TT_LOG_COLUMNS(TD_X)
#undef TD_X
        TD_TT_LOG_COLUMN_COUNT
};

/* X(NAME, name before 2025): what a marker is. The numbers are those of the packets on the chip. */
#define TD_TT_MARKERS(X)                                                                                     \
    X(ZONE_START, "begin")                                                                                   \
    X(ZONE_END, "end")                                                                                       \
    X(ZONE_TOTAL, "") /* data = cycles of all zones of the name; the time is that of the launch's end */     \
    X(TS_DATA, "")    /* data = a value */                                                                   \
    X(TS_EVENT, "")   /* the timer id is the event's number */                                               \
    X(TS_DATA_16B, "")

enum td_tt_marker {
#define TD_X(name, before) TD_TT_##name,
    TD_TT_MARKERS(TD_X)
#undef TD_X
        TD_TT_MARKER_COUNT,
    TD_TT_NO_MARKER = TD_TT_MARKER_COUNT /* a file without types, or a type that is not known */
};

/* Timer ids with a fixed meaning. */
#define TD_TT_TIMER_NOC       12345 /* TS_DATA: a NoC event (noc_trace.h) */
#define TD_TT_TIMER_NOC_DEBUG 23456
/* In files before 2025 the timer id of an end is that of its start and this number. */
#define TD_TT_TIMER_END 65536

/* X(number, name in the files, name of the core in a trace): the cores of a tile. Other names keep their
 * spelling, and get numbers from TD_TT_RISC_COUNT on. */
#define TD_TT_RISCS(X)                                                                                       \
    X(0, "BRISC", "BRISC")                                                                                   \
    X(1, "NCRISC", "NCRISC")                                                                                 \
    X(2, "TRISC_0", "TRISC0")                                                                                \
    X(3, "TRISC_1", "TRISC1")                                                                                \
    X(4, "TRISC_2", "TRISC2")                                                                                \
    X(5, "ERISC", "ERISC")
#define TD_TT_RISC_COUNT 6

/* A run host id is the number of an operation and its device. 0: no operation. */
#define TD_TT_OP_DEVICE_BITS 10
#define TD_TT_OP_NUMBER(id)  ((id) >> TD_TT_OP_DEVICE_BITS)
#define TD_TT_OP_DEVICE(id)  ((id) & ((1u << TD_TT_OP_DEVICE_BITS) - 1))

/* Fields of the JSON in `meta data`, in which every comma is a semicolon. */
#define TD_TT_META_WORKERS "workers_runtime_id"
#define TD_TT_META_COMMAND "dispatch_command_type"
#define TD_TT_META_COUNTER "counter type"
#define TD_TT_META_VALUE   "value"
#define TD_TT_META_REF     "ref cnt"

/* The text whose hash is the timer id of a zone: its name, file and line, then this. The compiler prints
 * it, and zone_src_locations.log has the compiler's lines. The hash is FNV-1a of 32 bits, whose halves are
 * combined. */
#define TD_TT_ZONE_FORMAT     "%s,%s,%u," TD_TT_ZONE_TAG
#define TD_TT_ZONE_TAG        "KERNEL_PROFILER"
#define TD_TT_ZONE_PRAGMA     "#pragma message: "
#define TD_TT_ZONE_LOG        "zone_src_locations.log"
#define TD_TT_NEW_ZONE_LOG    "new_zone_src_locations.log"
#define TD_TT_HASH_BASIS      2166136261u
#define TD_TT_HASH_PRIME      16777619u
#define TD_TT_HASH_FOLD(hash) (((hash) ^ (hash) >> 16) & 0xffffu)

/* Clocks: a row of sync_device_info.csv is one of two kinds. A host row is one exchange between the host and
 * a device; it has the fit over all exchanges so far. Host ticks are those of the host's counter, the device's
 * in cycles:
 *     device cycle = delay + (host tick - host_start) * tracy_ratio * frequency
 *     ns since the capture began = (host tick - tracy_base_time) * tracy_ratio
 * A device row relates the device's clock to that of the first device, and its columns between are empty:
 *     first device's cycle = device_shift + device's cycle * device_frequency_ratio
 * X(name, column), in the order of the file. */
#define TD_TT_SYNC_FILE "sync_device_info.csv"
#define TD_TT_SYNC_COLUMNS(X)                                                                                \
    X(DEVICE, "device id")                                                                                   \
    X(CORE_X, "core_x")                                                                                      \
    X(CORE_Y, "core_y")                                                                                      \
    X(CYCLE, "device")            /* of this exchange */                                                     \
    X(HOST_TICKS, "host_tracy")   /* of this exchange, since host_start */                                   \
    X(HOST_NS, "host_real")       /* the same in ns */                                                       \
    X(OVERHEAD, "write_overhead") /* ticks that the host's write took */                                     \
    X(HOST_START, "host_start")                                                                              \
    X(DELAY, "delay")                                                                                        \
    X(FREQUENCY, "frequency") /* cycles a nanosecond */                                                      \
    X(TICK_NS, "tracy_ratio")                                                                                \
    X(BASE, "tracy_base_time")                                                                               \
    X(RATIO, "device_frequency_ratio")                                                                       \
    X(SHIFT, "device_shift")
enum td_tt_sync_column {
#define TD_X(name, column) TD_TT_SYNC_##name,
    TD_TT_SYNC_COLUMNS(TD_X)
#undef TD_X
        TD_TT_SYNC_COLUMN_COUNT
};
