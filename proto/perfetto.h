/* Perfetto's traces (.pftrace): a message Trace of Protocol Buffers (protobuf.h), whose field 1 is repeated: the packets.
 * Fields that neither the writer nor the reader knows are not listed. A field's comment has its type: UINT, INT (a varint
 * of two's complement), BOOL, DOUBLE, FIXED64, TEXT, BYTES, or the name of a message. Repeated fields have an R before the
 * type; they may be packed.
 *
 * Packets of one writer have the same SEQUENCE. What is interned has numbers (IID), which later packets of the sequence
 * use, until SEQUENCE_FLAGS has TD_PF_CLEARED. Times are ns of CLOCK_BOOTTIME, or of TIMESTAMP_CLOCK. */
#pragma once

enum td_pf_trace {
    TD_PF_TRACE_PACKET = 1, /* RPACKET */
};

enum td_pf_packet {
    TD_PF_PACKET_FTRACE_EVENTS = 1,              /* FTRACE_BUNDLE */
    TD_PF_PACKET_PROCESS_TREE = 2,               /* PROCESS_TREE */
    TD_PF_PACKET_CLOCK_SNAPSHOT = 6,             /* CLOCK_SNAPSHOT */
    TD_PF_PACKET_TIMESTAMP = 8,                  /* UINT */
    TD_PF_PACKET_SEQUENCE = 10,                  /* UINT */
    TD_PF_PACKET_TRACK_EVENT = 11,               /* TRACK_EVENT */
    TD_PF_PACKET_INTERNED_DATA = 12,             /* INTERNED */
    TD_PF_PACKET_SEQUENCE_FLAGS = 13,            /* UINT */
    TD_PF_PACKET_SYNCHRONIZATION_MARKER = 36,    /* BYTES */
    TD_PF_PACKET_INCREMENTAL_STATE_CLEARED = 41, /* BOOL */
    TD_PF_PACKET_PREVIOUS_PACKET_DROPPED = 42,   /* UINT */
    TD_PF_PACKET_PROCESS_DESCRIPTOR = 43,        /* PROCESS */
    TD_PF_PACKET_THREAD_DESCRIPTOR = 44,         /* THREAD */
    TD_PF_PACKET_COMPRESSED_PACKETS = 50,        /* BYTES: deflate: a Trace */
    TD_PF_PACKET_STREAMING_PROFILE = 54,         /* STREAMING_PROFILE */
    TD_PF_PACKET_TIMESTAMP_CLOCK = 58,           /* UINT */
    TD_PF_PACKET_DEFAULTS = 59,                  /* PACKET_DEFAULTS */
    TD_PF_PACKET_TRACK_DESCRIPTOR = 60,          /* TRACK */
    TD_PF_PACKET_PERF_SAMPLE = 66,               /* PERF_SAMPLE */
    TD_PF_PACKET_FIRST_PACKET_ON_SEQUENCE = 87,  /* BOOL */
    TD_PF_PACKET_ZSTD_COMPRESSED_PACKETS = 133,  /* BYTES: the same by zstd */
    TD_PF_PACKET_STACK_SAMPLE = 135,             /* STACK_SAMPLE */
};

/* Bits of SEQUENCE_FLAGS. */
enum { TD_PF_CLEARED = 1, TD_PF_NEEDS_STATE = 2 };

enum td_pf_packet_defaults {
    TD_PF_PACKET_DEFAULTS_TRACK_EVENT = 11,     /* TRACK_EVENT */
    TD_PF_PACKET_DEFAULTS_TIMESTAMP_CLOCK = 58, /* UINT */
};

enum td_pf_clock_snapshot {
    TD_PF_CLOCK_SNAPSHOT_CLOCKS = 1,  /* RCLOCK */
    TD_PF_CLOCK_SNAPSHOT_PRIMARY = 2, /* UINT */
};

enum td_pf_clock {
    TD_PF_CLOCK_ID = 1,             /* UINT */
    TD_PF_CLOCK_TIMESTAMP = 2,      /* UINT */
    TD_PF_CLOCK_IS_INCREMENTAL = 3, /* BOOL */
    TD_PF_CLOCK_UNIT_NS = 4,        /* UINT */
};

/* Clocks below 64; those from 64 to 127 are of a sequence. */
enum { TD_PF_REALTIME = 1, TD_PF_MONOTONIC = 3, TD_PF_MONOTONIC_RAW = 5, TD_PF_BOOTTIME = 6 };

enum td_pf_track {
    TD_PF_TRACK_UUID = 1,         /* UINT */
    TD_PF_TRACK_NAME = 2,         /* TEXT */
    TD_PF_TRACK_PROCESS = 3,      /* PROCESS */
    TD_PF_TRACK_THREAD = 4,       /* THREAD */
    TD_PF_TRACK_PARENT = 5,       /* UINT */
    TD_PF_TRACK_COUNTER = 8,      /* COUNTER */
    TD_PF_TRACK_STATIC_NAME = 10, /* TEXT */
    TD_PF_TRACK_ATRACE_NAME = 13, /* TEXT */
};

enum td_pf_process {
    TD_PF_PROCESS_PID = 1,          /* INT */
    TD_PF_PROCESS_COMMAND_LINE = 2, /* RTEXT */
    TD_PF_PROCESS_NAME = 6,         /* TEXT */
};

enum td_pf_thread {
    TD_PF_THREAD_PID = 1,          /* INT */
    TD_PF_THREAD_TID = 2,          /* INT */
    TD_PF_THREAD_NAME = 5,         /* TEXT */
    TD_PF_THREAD_REFERENCE_US = 6, /* INT */
};

enum { TD_PF_UNIT_NS = 1, TD_PF_UNIT_COUNT = 2, TD_PF_UNIT_BYTES = 3 };

enum td_pf_counter {
    TD_PF_COUNTER_TYPE = 1,            /* UINT: 1: CPU time of a thread, 2: its instructions */
    TD_PF_COUNTER_UNIT = 3,            /* UINT: 1: ns, 2: a count, 3: bytes */
    TD_PF_COUNTER_UNIT_MULTIPLIER = 4, /* INT */
    TD_PF_COUNTER_IS_INCREMENTAL = 5,  /* BOOL */
    TD_PF_COUNTER_UNIT_NAME = 6,       /* TEXT */
};

enum td_pf_track_event {
    TD_PF_TRACK_EVENT_DELTA_US = 1,                     /* INT */
    TD_PF_TRACK_EVENT_CATEGORY_IIDS = 3,                /* RUINT */
    TD_PF_TRACK_EVENT_ANNOTATIONS = 4,                  /* RANNOTATION */
    TD_PF_TRACK_EVENT_LEGACY = 6,                       /* LEGACY_EVENT */
    TD_PF_TRACK_EVENT_TYPE = 9,                         /* UINT */
    TD_PF_TRACK_EVENT_NAME_IID = 10,                    /* UINT */
    TD_PF_TRACK_EVENT_TRACK_UUID = 11,                  /* UINT */
    TD_PF_TRACK_EVENT_EXTRA_COUNTER_VALUES = 12,        /* RINT */
    TD_PF_TRACK_EVENT_ABSOLUTE_US = 16,                 /* INT */
    TD_PF_TRACK_EVENT_CATEGORIES = 22,                  /* RTEXT */
    TD_PF_TRACK_EVENT_NAME = 23,                        /* TEXT */
    TD_PF_TRACK_EVENT_COUNTER_VALUE = 30,               /* INT */
    TD_PF_TRACK_EVENT_EXTRA_COUNTER_UUIDS = 31,         /* RUINT */
    TD_PF_TRACK_EVENT_SOURCE_LOCATION = 33,             /* SOURCE_LOCATION */
    TD_PF_TRACK_EVENT_SOURCE_LOCATION_IID = 34,         /* UINT */
    TD_PF_TRACK_EVENT_OLD_FLOW_IDS = 36,                /* RUINT */
    TD_PF_TRACK_EVENT_OLD_TERMINATING_FLOW_IDS = 42,    /* RUINT */
    TD_PF_TRACK_EVENT_DOUBLE_COUNTER_VALUE = 44,        /* DOUBLE */
    TD_PF_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_UUIDS = 45,  /* RUINT */
    TD_PF_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES = 46, /* RDOUBLE */
    TD_PF_TRACK_EVENT_FLOW_IDS = 47,                    /* RFIXED64 */
    TD_PF_TRACK_EVENT_TERMINATING_FLOW_IDS = 48,        /* RFIXED64 */
    TD_PF_TRACK_EVENT_LOG_MESSAGE = 21,                 /* LOG_MESSAGE */
    TD_PF_TRACK_EVENT_CALLSTACK = 55,                   /* INLINE_CALLSTACK */
    TD_PF_TRACK_EVENT_CALLSTACK_IID = 56,               /* UINT */
};

/* TYPE of a track event. */
enum { TD_PF_SLICE_BEGIN = 1, TD_PF_SLICE_END = 2, TD_PF_INSTANT = 3, TD_PF_COUNTER_VALUE = 4 };

enum td_pf_legacy_event {
    TD_PF_LEGACY_EVENT_NAME_IID = 1,           /* UINT */
    TD_PF_LEGACY_EVENT_PHASE = 2,              /* INT: a letter, as in traces of Chrome */
    TD_PF_LEGACY_EVENT_DURATION_US = 3,        /* INT */
    TD_PF_LEGACY_EVENT_UNSCOPED_ID = 6,        /* UINT */
    TD_PF_LEGACY_EVENT_ID_SCOPE = 7,           /* TEXT */
    TD_PF_LEGACY_EVENT_BIND_ID = 8,            /* UINT */
    TD_PF_LEGACY_EVENT_LOCAL_ID = 10,          /* UINT */
    TD_PF_LEGACY_EVENT_GLOBAL_ID = 11,         /* UINT */
    TD_PF_LEGACY_EVENT_BIND_TO_ENCLOSING = 12, /* BOOL */
    TD_PF_LEGACY_EVENT_FLOW_DIRECTION = 13,    /* UINT: 1 in, 2 out, 3 both */
    TD_PF_LEGACY_EVENT_PID_OVERRIDE = 18,      /* INT */
    TD_PF_LEGACY_EVENT_TID_OVERRIDE = 19,      /* INT */
};

enum td_pf_annotation {
    TD_PF_ANNOTATION_NAME_IID = 1,    /* UINT */
    TD_PF_ANNOTATION_BOOL = 2,        /* BOOL */
    TD_PF_ANNOTATION_UINT = 3,        /* UINT */
    TD_PF_ANNOTATION_INT = 4,         /* INT */
    TD_PF_ANNOTATION_DOUBLE = 5,      /* DOUBLE */
    TD_PF_ANNOTATION_TEXT = 6,        /* TEXT */
    TD_PF_ANNOTATION_POINTER = 7,     /* UINT */
    TD_PF_ANNOTATION_NESTED = 8,      /* NESTED */
    TD_PF_ANNOTATION_LEGACY_JSON = 9, /* TEXT */
    TD_PF_ANNOTATION_NAME = 10,       /* TEXT */
    TD_PF_ANNOTATION_ENTRIES = 11,    /* RANNOTATION: it is a dictionary */
    TD_PF_ANNOTATION_ELEMENTS = 12,   /* RANNOTATION: it is an array */
    TD_PF_ANNOTATION_MESSAGE = 14,    /* BYTES: a message of another kind */
    TD_PF_ANNOTATION_TEXT_IID = 17,   /* UINT */
};

/* Older dictionaries and arrays. */
enum td_pf_nested {
    TD_PF_NESTED_KEYS = 2,     /* RTEXT */
    TD_PF_NESTED_VALUES = 3,   /* RNESTED */
    TD_PF_NESTED_ELEMENTS = 4, /* RNESTED */
    TD_PF_NESTED_INT = 5,      /* INT */
    TD_PF_NESTED_DOUBLE = 6,   /* DOUBLE */
    TD_PF_NESTED_BOOL = 7,     /* BOOL */
    TD_PF_NESTED_TEXT = 8,     /* TEXT */
};

enum td_pf_log_message {
    TD_PF_LOG_MESSAGE_SOURCE_LOCATION_IID = 1, /* UINT */
    TD_PF_LOG_MESSAGE_BODY_IID = 2,            /* UINT */
};

enum td_pf_interned {
    TD_PF_INTERNED_EVENT_CATEGORIES = 1,  /* RNAMED */
    TD_PF_INTERNED_EVENT_NAMES = 2,       /* RNAMED */
    TD_PF_INTERNED_ANNOTATION_NAMES = 3,  /* RNAMED */
    TD_PF_INTERNED_SOURCE_LOCATIONS = 4,  /* RSOURCE_LOCATION */
    TD_PF_INTERNED_FUNCTION_NAMES = 5,    /* RNAMED */
    TD_PF_INTERNED_FRAMES = 6,            /* RFRAME */
    TD_PF_INTERNED_CALLSTACKS = 7,        /* RCALLSTACK */
    TD_PF_INTERNED_BUILD_IDS = 16,        /* RNAMED */
    TD_PF_INTERNED_MAPPING_PATHS = 17,    /* RNAMED */
    TD_PF_INTERNED_SOURCE_PATHS = 18,     /* RNAMED */
    TD_PF_INTERNED_MAPPINGS = 19,         /* RMAPPING */
    TD_PF_INTERNED_LOG_BODIES = 20,       /* RNAMED */
    TD_PF_INTERNED_ANNOTATION_TEXTS = 29, /* RNAMED */
    TD_PF_INTERNED_TASKS = 48,            /* RTASK */
};

/* Categories, names, strings. */
enum td_pf_named {
    TD_PF_NAMED_IID = 1,  /* UINT */
    TD_PF_NAMED_NAME = 2, /* TEXT */
};

enum td_pf_source_location {
    TD_PF_SOURCE_LOCATION_IID = 1,      /* UINT */
    TD_PF_SOURCE_LOCATION_FILE = 2,     /* TEXT */
    TD_PF_SOURCE_LOCATION_FUNCTION = 3, /* TEXT */
    TD_PF_SOURCE_LOCATION_LINE = 4,     /* UINT */
};

enum td_pf_mapping {
    TD_PF_MAPPING_IID = 1,       /* UINT */
    TD_PF_MAPPING_BUILD_ID = 2,  /* UINT */
    TD_PF_MAPPING_START = 4,     /* UINT */
    TD_PF_MAPPING_END = 5,       /* UINT */
    TD_PF_MAPPING_PATH_IIDS = 7, /* RUINT */
};

enum td_pf_frame {
    TD_PF_FRAME_IID = 1,             /* UINT */
    TD_PF_FRAME_FUNCTION_IID = 2,    /* UINT */
    TD_PF_FRAME_MAPPING_IID = 3,     /* UINT */
    TD_PF_FRAME_RELATIVE_PC = 4,     /* UINT */
    TD_PF_FRAME_SOURCE_PATH_IID = 5, /* UINT */
    TD_PF_FRAME_LINE = 6,            /* UINT */
};

/* The outermost frame comes first. */
enum td_pf_callstack {
    TD_PF_CALLSTACK_IID = 1,        /* UINT */
    TD_PF_CALLSTACK_FRAME_IIDS = 2, /* RUINT */
};

enum td_pf_perf_sample {
    TD_PF_PERF_SAMPLE_CPU = 1,                  /* UINT */
    TD_PF_PERF_SAMPLE_PID = 2,                  /* UINT */
    TD_PF_PERF_SAMPLE_TID = 3,                  /* UINT */
    TD_PF_PERF_SAMPLE_CALLSTACK_IID = 4,        /* UINT */
    TD_PF_PERF_SAMPLE_CPU_MODE = 5,             /* UINT */
    TD_PF_PERF_SAMPLE_KERNEL_RECORDS_LOST = 17, /* UINT */
    TD_PF_PERF_SAMPLE_SKIPPED_REASON = 18,      /* UINT */
};

enum td_pf_streaming_profile {
    TD_PF_STREAMING_PROFILE_CALLSTACK_IIDS = 1, /* RUINT */
    TD_PF_STREAMING_PROFILE_DELTA_US = 2,       /* RINT */
};

enum td_pf_inline_callstack {
    TD_PF_INLINE_CALLSTACK_FRAMES = 1, /* RINLINE_FRAME: the outermost comes first */
};

enum td_pf_inline_frame {
    TD_PF_INLINE_FRAME_FUNCTION = 1, /* TEXT */
    TD_PF_INLINE_FRAME_FILE = 2,     /* TEXT */
    TD_PF_INLINE_FRAME_LINE = 3,     /* UINT */
};

enum td_pf_stack_sample {
    TD_PF_STACK_SAMPLE_TASK = 1,          /* TASK */
    TD_PF_STACK_SAMPLE_TASK_IID = 2,      /* UINT */
    TD_PF_STACK_SAMPLE_CALLSTACK = 5,     /* INLINE_CALLSTACK */
    TD_PF_STACK_SAMPLE_CALLSTACK_IID = 6, /* UINT */
};

enum td_pf_task {
    TD_PF_TASK_IID = 1, /* UINT */
    TD_PF_TASK_PID = 2, /* UINT */
    TD_PF_TASK_TID = 3, /* UINT */
};

enum td_pf_process_tree {
    TD_PF_PROCESS_TREE_PROCESSES = 1, /* RTREE_PROCESS */
    TD_PF_PROCESS_TREE_THREADS = 2,   /* RTREE_THREAD */
};

enum td_pf_tree_process {
    TD_PF_TREE_PROCESS_PID = 1,          /* INT */
    TD_PF_TREE_PROCESS_COMMAND_LINE = 3, /* RTEXT */
};

enum td_pf_tree_thread {
    TD_PF_TREE_THREAD_TID = 1,  /* INT */
    TD_PF_TREE_THREAD_NAME = 2, /* TEXT */
    TD_PF_TREE_THREAD_PID = 3,  /* INT */
};

/* What the kernel told of one processor. */
enum td_pf_ftrace_bundle {
    TD_PF_FTRACE_BUNDLE_CPU = 1,           /* UINT */
    TD_PF_FTRACE_BUNDLE_EVENT = 2,         /* RFTRACE_EVENT */
    TD_PF_FTRACE_BUNDLE_LOST_EVENTS = 3,   /* BOOL */
    TD_PF_FTRACE_BUNDLE_COMPACT_SCHED = 4, /* COMPACT_SCHED */
    TD_PF_FTRACE_BUNDLE_CLOCK = 5,         /* UINT: not 0: its times are not those of CLOCK_BOOTTIME */
    TD_PF_FTRACE_BUNDLE_CLOCK_NS = 6,      /* INT: of that clock, at */
    TD_PF_FTRACE_BUNDLE_BOOT_NS = 7,       /* INT */
};

enum td_pf_ftrace_event {
    TD_PF_FTRACE_EVENT_TIMESTAMP = 1,      /* UINT */
    TD_PF_FTRACE_EVENT_TID = 2,            /* UINT */
    TD_PF_FTRACE_EVENT_PRINT = 3,          /* PRINT */
    TD_PF_FTRACE_EVENT_SCHED_SWITCH = 4,   /* SCHED_SWITCH */
    TD_PF_FTRACE_EVENT_CPU_FREQUENCY = 11, /* CPU_FREQUENCY */
    TD_PF_FTRACE_EVENT_SCHED_WAKEUP = 17,  /* SCHED_WAKING */
    TD_PF_FTRACE_EVENT_SCHED_WAKING = 20,  /* SCHED_WAKING */
    TD_PF_FTRACE_EVENT_WAKEUP_NEW = 114,   /* SCHED_WAKING */
};

enum td_pf_print {
    TD_PF_PRINT_TEXT = 2, /* TEXT */
};

enum td_pf_cpu_frequency {
    TD_PF_CPU_FREQUENCY_KHZ = 1, /* UINT */
    TD_PF_CPU_FREQUENCY_CPU = 2, /* UINT */
};

enum td_pf_sched_switch {
    TD_PF_SCHED_SWITCH_PREV_COMM = 1,  /* TEXT */
    TD_PF_SCHED_SWITCH_PREV_TID = 2,   /* INT */
    TD_PF_SCHED_SWITCH_PREV_STATE = 4, /* INT */
    TD_PF_SCHED_SWITCH_NEXT_COMM = 5,  /* TEXT */
    TD_PF_SCHED_SWITCH_NEXT_TID = 6,   /* INT */
};

enum td_pf_sched_waking {
    TD_PF_SCHED_WAKING_COMM = 1,       /* TEXT */
    TD_PF_SCHED_WAKING_TID = 2,        /* INT */
    TD_PF_SCHED_WAKING_TARGET_CPU = 5, /* INT */
};

/* One column of each kind; times are differences to those before. What a switch stops is what the one before it started. */
enum td_pf_compact_sched {
    TD_PF_COMPACT_SCHED_SWITCH_NS = 1,    /* RUINT */
    TD_PF_COMPACT_SCHED_PREV_STATE = 2,   /* RINT */
    TD_PF_COMPACT_SCHED_NEXT_TID = 3,     /* RINT */
    TD_PF_COMPACT_SCHED_COMMS = 5,        /* RTEXT */
    TD_PF_COMPACT_SCHED_NEXT_COMM = 6,    /* RUINT: a number of COMMS */
    TD_PF_COMPACT_SCHED_WAKING_NS = 7,    /* RUINT */
    TD_PF_COMPACT_SCHED_WAKING_TID = 8,   /* RINT */
    TD_PF_COMPACT_SCHED_WAKING_CPU = 9,   /* RINT */
    TD_PF_COMPACT_SCHED_WAKING_COMM = 11, /* RUINT */
};

/* X(field, name): data of packets that are left out, for a line that counts them. */
#define TD_PF_OTHER_PACKETS(X)                                                                               \
    X(4, "inode file map")                                                                                   \
    X(5, "old Chrome event bundle")                                                                          \
    X(7, "system statistics packet")                                                                         \
    X(9, "process statistics packet")                                                                        \
    X(33, "trace configuration")                                                                             \
    X(34, "ftrace statistics packet")                                                                        \
    X(35, "trace statistics packet")                                                                         \
    X(37, "heap profile")                                                                                    \
    X(38, "battery packet")                                                                                  \
    X(39, "Android log packet")                                                                              \
    X(40, "power rails packet")                                                                              \
    X(45, "system information packet")                                                                       \
    X(47, "package list")                                                                                    \
    X(49, "metatrace packet")                                                                                \
    X(51, "Chrome metadata packet")                                                                          \
    X(52, "GPU counter packet")                                                                              \
    X(53, "GPU render stage")                                                                                \
    X(56, "heap graph")                                                                                      \
    X(57, "graphics frame event")                                                                            \
    X(61, "symbol packet")                                                                                   \
    X(63, "GPU log packet")                                                                                  \
    X(64, "deobfuscation packet")                                                                            \
    X(65, "Vulkan event")                                                                                    \
    X(67, "CPU information packet")                                                                          \
    X(76, "frame timeline event")                                                                            \
    X(95, "Windows event bundle")
/* Data that is about the trace file itself, or that the next reader does not need. */
#define TD_PF_SILENT_PACKETS(X) X(36) X(69) X(72) X(78) X(89) X(124)
