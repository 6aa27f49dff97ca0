/* The bytes of a journal: a head, then blocks. Numbers are little-endian.
 *
 *   head    magic, version, time of its begin; checksum
 *   block   its head, then `stored` bytes: a list of records, packed by LZ4 if stored < raw
 *   record  its head, then `bytes` bytes. A record is whole in its block.
 *
 * A block's two checksums are of the fields before `head_sum` and of the stored bytes. Blocks are numbered
 * from 0. After a block that is damaged, a reader finds the next one by the mark and the head's checksum.
 *
 * X(type, name), with types u8, u16, u32, u64, i64 and f64. */
#pragma once
#include <stdint.h>
#include <string.h>

#define TD_JOURNAL_MAGIC      "TDJRNL\r\n"
#define TD_JOURNAL_VERSION    1
#define TD_JOURNAL_MARK       UINT32_C(0xb10cda7a)
#define TD_JOURNAL_BLOCK_MAX  (512u << 10) /* raw bytes of a block */
#define TD_JOURNAL_RECORD_MAX (128u << 10) /* of a record, without its head */

/* clang-format off */
/* wall_ns: CLOCK_REALTIME. */
#define TD_JOURNAL_HEAD(X) X(u64, magic) X(u32, version) X(u32, zero) X(i64, wall_ns) X(u64, sum)
#define TD_JOURNAL_BLOCK(X)                                                                                  \
    X(u32, mark)                                                                                             \
    X(u32, stored) X(u64, number) X(u32, raw) X(u32, zero) X(i64, wall_ns) X(u64, sum) X(u64, head_sum)
#define TD_JOURNAL_RECORD(X) X(u8, kind) X(u8, zero) X(u16, source) X(u32, bytes)

/* X(number, name): kinds of records. A reader ignores kinds that it does not know. From an agent, COLLECTED has a
 * u32: the exit code of its program; 0: it had none, did not fail, or was asked to end. */
#define TD_JOURNAL_KINDS(X)                                                                                  \
    X(1, SETTING)       /* "name\0value", about the recording */                                             \
    X(2, COLLECTED)     /* the recording has ended; only its trace was not written yet */                    \
    X(3, FILE)          /* 1, then the name of a file of this machine, for the trace */                      \
    X(4, FILE_TEXT)     /* bytes of that file */                                                             \
    X(16, CLIENT)       /* TD_JOURNAL_CLIENT_BEGIN, then the greeting as received */                         \
    X(17, RECEIVED)     /* bytes from a client, after its greeting */                                        \
    X(18, SENT)         /* bytes to a client, after the hello */                                             \
    X(19, SOURCE_FILE)  /* u8 found, then the name of a file of this machine that the collector read */      \
    X(20, SOURCE_TEXT)  /* bytes of that file */                                                             \
    X(21, LEFT)         /* from here on only answers are taken */                                            \
    X(22, CLIENT_END)   /* the session is over */                                                            \
    X(23, CLIENT_CLOCK) /* TD_JOURNAL_CLIENT_CLOCK: from here on */                                          \
    X(24, PROCESS)      /* after CLIENT_END: f64 bound on its clock's error, line about it for the notes */  \
    X(32, BOARD)        /* TD_JOURNAL_BOARD_BEGIN, then the board's description */                           \
    X(33, WORDS)        /* TD_JOURNAL_LANE_WORDS, then slots */                                              \
    X(34, CLOCK)        /* TD_JOURNAL_CLOCK_SAMPLE */                                                        \
    X(35, OPEN_WORDS)   /* TD_JOURNAL_OPEN_READ, then words */                                               \
    X(36, CONTROL)      /* TD_JOURNAL_LANE_CONTROL, then the lane's control words */                         \
    X(37, DAMAGE)       /* TD_JOURNAL_LANE_DAMAGE */                                                         \
    X(38, IMAGE)        /* u64 build id */                                                                   \
    X(39, IMAGE_BYTES)  /* bytes of that ELF */                                                              \
    X(40, BOARD_END)    /* TD_JOURNAL_BOARD_END_STATS: the lanes were drained for the last time */           \
    X(41, FAULT)        /* from an agent: u32 lane, of the board's first core that stopped by a fault */     \
    X(42, SAMPLE)       /* TD_JOURNAL_CORE_SAMPLE */                                                         \
    X(43, TT_LAYOUT)    /* name of the layout of tt-metal's buffers, which are in place of lanes */          \
    X(44, TT_ZONE)      /* line of tt-metal's file that names a zone */                                      \
    X(45, TT_LAUNCH)    /* TD_JOURNAL_TT_LAUNCH_READ, then control words, then the cores' buffers */         \
    X(46, TT_WORDS)     /* TD_JOURNAL_TT_RING_READ, then words */

enum td_journal_kind {
#define TD_X(number, name) TD_JOURNAL_##name = number,
    TD_JOURNAL_KINDS(TD_X)
#undef TD_X
};

/* Of a board. */
static inline int td_journal_is_boards(int kind)
{
    return (kind >= TD_JOURNAL_BOARD && kind <= TD_JOURNAL_BOARD_END) || kind == TD_JOURNAL_SAMPLE ||
           (kind >= TD_JOURNAL_TT_LAYOUT && kind <= TD_JOURNAL_TT_WORDS);
}

/* Of which events are made: a core has written. */
static inline int td_journal_is_written(int kind)
{
    return kind == TD_JOURNAL_WORDS || kind == TD_JOURNAL_SAMPLE || kind == TD_JOURNAL_TT_LAUNCH ||
           kind == TD_JOURNAL_TT_WORDS;
}

/* What a client's stream is decoded with: struct td_client_stream_config. in_space: the trace has other
 * processes, too (host/agent/client/client_space.h). */
#define TD_JOURNAL_CLIENT_BEGIN(X)                                                                           \
    X(u32, protocol)                                                                                         \
    X(u32, pending_max)                                                                                      \
    X(f64, ns_per_tick)                                                                                      \
    X(i64, zero_ticks)                                                                                       \
    X(i64, zero_ns) X(u64, frame_offset) X(i64, connected_ticks) X(u8, sources) X(u8, same_clock)            \
        X(u8, without_base_frames) X(u8, in_space)

#define TD_JOURNAL_CLIENT_CLOCK(X) X(f64, ns_per_tick) X(i64, zero_ticks) X(i64, zero_ns)
/* policy: enum td_policy. first_chip, first_lane: those of the boards before this one. */
#define TD_JOURNAL_BOARD_BEGIN(X)                                                                            \
    X(u32, policy)                                                                                           \
    X(u8, virtual_clock) X(f64, frequency_hz) X(u32, grid_width) X(u32, grid_height) X(u32, first_chip)      \
        X(u32, first_lane)
/* Of struct td_drain_stats. */
#define TD_JOURNAL_BOARD_END_STATS(X) X(u64, lost_slots) X(u64, bad_frames)
#define TD_JOURNAL_LANE_WORDS(X)                                                                             \
    X(u32, lane)                                                                                             \
    X(u8, gap) X(u8, overwritten) X(u32, missing) X(u32, time_high) X(u32, given_zones) X(u32, given_other)
#define TD_JOURNAL_CLOCK_SAMPLE(X) X(u32, chip) X(u64, before) X(u64, ticks) X(u64, after)
#define TD_JOURNAL_OPEN_READ(X)    X(u32, lane) X(u64, before) X(u64, after)
/* struct td_core_sample; ticks as those of a clock sample's host, in virtual time as those of the board. */
#define TD_JOURNAL_CORE_SAMPLE(X)  X(u32, lane) X(u32, pc) X(u64, build_id) X(i64, ticks)
/* struct td_tt_launch */
#define TD_JOURNAL_TT_LAUNCH_READ(X)                                                                         \
    X(u32, tile) X(u64, now) X(u32, run) X(i64, id_bit)                                                      \
    X(u32, end0) X(u32, end1) X(u32, end2) X(u32, end3) X(u32, end4)
/* struct td_tt_ring_words */
#define TD_JOURNAL_TT_RING_READ(X) X(u32, lane) X(u64, now) X(u32, lost)
#define TD_JOURNAL_LANE_CONTROL(X) X(u32, lane) X(u8, joined)
#define TD_JOURNAL_LANE_DAMAGE(X)                                                                            \
    X(u32, lane) X(u32, core) X(u32, chip) X(u32, x) X(u32, y) X(u32, address) X(u32, slots)
/* clang-format on */

/* For each layout: struct td_journal_NAME, TD_JOURNAL_NAME_BYTES, and functions that write and read it. */
typedef uint8_t td_journal_u8;
typedef uint16_t td_journal_u16;
typedef uint32_t td_journal_u32;
typedef uint64_t td_journal_u64;
typedef int64_t td_journal_i64;
typedef double td_journal_f64;

#define TD_JOURNAL_FIELD(type, name) td_journal_##type name;
#define TD_JOURNAL_SIZE(type, name)  +sizeof(td_journal_##type)
#define TD_JOURNAL_PUT(type, name)                                                                           \
    memcpy(to, &from->name, sizeof from->name);                                                              \
    to += sizeof from->name;
#define TD_JOURNAL_GET(type, name)                                                                           \
    memcpy(&to->name, from, sizeof to->name);                                                                \
    from += sizeof to->name;
#define TD_JOURNAL_CODEC(name, LAYOUT)                                                                       \
    struct td_journal_##name {                                                                               \
        LAYOUT(TD_JOURNAL_FIELD)                                                                             \
    };                                                                                                       \
    enum { td_journal_##name##_bytes = 0 LAYOUT(TD_JOURNAL_SIZE) };                                          \
    static inline void td_journal_put_##name(uint8_t *to, const struct td_journal_##name *from)              \
    {                                                                                                        \
        LAYOUT(TD_JOURNAL_PUT)                                                                               \
        (void)to;                                                                                            \
    }                                                                                                        \
    static inline void td_journal_get_##name(const uint8_t *from, struct td_journal_##name *to)              \
    {                                                                                                        \
        LAYOUT(TD_JOURNAL_GET)                                                                               \
        (void)from;                                                                                          \
    }

TD_JOURNAL_CODEC(head, TD_JOURNAL_HEAD)
TD_JOURNAL_CODEC(block, TD_JOURNAL_BLOCK)
TD_JOURNAL_CODEC(record, TD_JOURNAL_RECORD)
TD_JOURNAL_CODEC(client_begin, TD_JOURNAL_CLIENT_BEGIN)
TD_JOURNAL_CODEC(client_clock, TD_JOURNAL_CLIENT_CLOCK)
TD_JOURNAL_CODEC(board_begin, TD_JOURNAL_BOARD_BEGIN)
TD_JOURNAL_CODEC(board_end, TD_JOURNAL_BOARD_END_STATS)
TD_JOURNAL_CODEC(lane_words, TD_JOURNAL_LANE_WORDS)
TD_JOURNAL_CODEC(clock_sample, TD_JOURNAL_CLOCK_SAMPLE)
TD_JOURNAL_CODEC(open_read, TD_JOURNAL_OPEN_READ)
TD_JOURNAL_CODEC(core_sample, TD_JOURNAL_CORE_SAMPLE)
TD_JOURNAL_CODEC(lane_control, TD_JOURNAL_LANE_CONTROL)
TD_JOURNAL_CODEC(lane_damage, TD_JOURNAL_LANE_DAMAGE)
TD_JOURNAL_CODEC(tt_launch_read, TD_JOURNAL_TT_LAUNCH_READ)
TD_JOURNAL_CODEC(tt_ring_read, TD_JOURNAL_TT_RING_READ)
