/* The layout of a trace file's payload as data: sections made of fields and lists, with the versions that
 * have them and the columns of the model that they fill. The reader (read_table.c), the writer
 * (write_table.c), tests and docs/file-format.md use it.
 *
 * A section is a row of fields. A field may be a list: a count, then that many items, which are rows of
 * fields again. Sections that need more than copying columns have their own functions (read.c, write.c).
 * Their fields are listed here too, so that docs/file-format.md describes the whole format. */
#pragma once
#include "host/file/format.h"
#include "host/trace/tables.h"
#include <stdbool.h>

struct td_trace;

/* X(name, bytes, class, text for docs/file-format.md). Times are ns. Bytes 0: the size varies. */
/* clang-format off */
#define TD_FIELD_KINDS(X) \
    X(U8, 1, NUMBER, "u8") X(U16, 2, NUMBER, "u16") X(U24, 3, NUMBER, "u24") X(U32, 4, NUMBER, "u32") \
    X(U64, 8, NUMBER, "u64") X(I8, 1, NUMBER, "i8") X(I16, 2, NUMBER, "i16") X(I32, 4, NUMBER, "i32") \
    X(I64, 8, NUMBER, "i64") X(F32, 4, FLOAT, "f32") X(F64, 8, NUMBER, "f64") \
    X(TIME, 8, TIME, "i64, time: difference to the time before it in this list; the first: to 0") \
    X(OPEN, 8, TIME, "i64, time as a difference; the time -1: not finished or unknown") \
    X(EARLY, 8, TIME, "i64, time as a difference; the time may be before 0; -1: not finished") \
    X(TIME_AT, 8, TIME, "i64, time") \
    X(ORIGIN, 8, TIME, "i64, time; the first time of the events below is a difference to it") \
    X(AFTER, 8, TIME, "i64, time since the time field before it in the item; negative: never") \
    X(START48, 6, TIME, "i48, time") X(END48, 6, TIME, "i48, time; negative: not finished, minus its number") \
    X(TOKEN, 8, REFERENCE, "u64, token of a string (P7)") \
    X(SIDX, 3, REFERENCE, "u24, string: index in P7 plus 1; 0: none") \
    X(SREF, 9, REFERENCE, "u64 and u8, string; the u8 gives the meaning of the u64: 3 index in P7, 2 key in P8, 0 none") \
    X(POINTER, 8, REFERENCE, "u64, key in P8") X(STACK, 3, NUMBER, "u24, call stack: index in P25 plus 1; 0: none") \
    X(STACK32, 4, NUMBER, "u32, call stack: index in P25 plus 1; 0: none") \
    X(SRCLOC, 2, REFERENCE, "i16, source location n: n > 0 entry n of P14, n < 0 entry -n-1 of P15, 0 none") \
    X(THREAD, 8, NUMBER, "u64, thread") X(THREAD16, 2, REFERENCE, "u16, thread: index in P11") \
    X(FOREIGN16, 2, REFERENCE, "u16, thread: index in P12") \
    X(MESSAGE, 8, REFERENCE, "u64, token of a message: any number, unique in the file") \
    X(MESSAGE_COLOR, 4, COLOR, "u32, colour: R, G, B, 255; all ones: none") \
    X(COLOR, 4, COLOR, "u32, colour: R, G, B, 0; 0: none") X(COLOR24, 3, COLOR, "u24, colour: R, G, B; 0: none") \
    X(TEXT, 8, BYTES, "u64 n, then n bytes of text") X(TEXT32, 4, BYTES, "u32 n, then n bytes of text") \
    X(BYTES32, 4, BYTES, "u32 n, then n bytes") X(DXT1, 0, BYTES, "width * height / 2 bytes") \
    X(FIXED, 0, FIXED, "bytes") X(COUNT, 8, COUNT, "u64, number of items of the list below") \
    X(MADE, 8, NUMBER, "u64, computed from the rest of the file") X(LIST, 0, LIST, "list")
/* clang-format on */
enum td_field_kind {
#define TD_X(name, bytes, class, text) TD_FIELD_##name,
    TD_FIELD_KINDS(TD_X)
#undef TD_X
        TD_FIELD_KIND_COUNT
};

/* Reader and writer have a function for each. */
enum td_field_class {
    TD_FIELD_IS_NUMBER,
    TD_FIELD_IS_FLOAT,
    TD_FIELD_IS_TIME,
    TD_FIELD_IS_REFERENCE,
    TD_FIELD_IS_COLOR,
    TD_FIELD_IS_BYTES,
    TD_FIELD_IS_COUNT,
    TD_FIELD_IS_FIXED,
    TD_FIELD_IS_LIST
};
static inline enum td_field_class td_field_class_of(enum td_field_kind kind)
{
    static const uint8_t classes[] = {
#define TD_X(name, bytes, class, text) TD_FIELD_IS_##class,
        TD_FIELD_KINDS(TD_X)
#undef TD_X
    };
    return (enum td_field_class)classes[kind];
}

/* Columns of P1, whose data is a struct in the model, not a table. */
enum td_info_column {
    TD_INFO_DELAY,
    TD_INFO_RESOLUTION,
    TD_INFO_TIMER_MUL,
    TD_INFO_LAST_TIME,
    TD_INFO_FRAME_OFFSET,
    TD_INFO_PID,
    TD_INFO_SAMPLING_PERIOD,
    TD_INFO_CPU_ARCH,
    TD_INFO_CPU_ID,
    TD_INFO_VENDOR,
    TD_INFO_VENDOR_END,
    TD_INFO_ON_DEMAND,
    TD_INFO_COLUMNS
};

struct td_schema_list;

struct td_field {
    uint8_t kind; /* enum td_field_kind */
    uint8_t column;
    uint8_t has_column;
    uint8_t like;           /* in versions without it: 1 + the column whose value it takes, or 0 ... */
    int16_t missing;        /* ... for this value */
    uint16_t fixed;         /* size of FIXED; of COUNT if not 8 */
    uint32_t since, before; /* versions that have it; 0: no bound */
    const struct td_schema_list *list;                               /* of LIST */
    uint64_t (*made)(const struct td_trace *trace, uint64_t parent); /* of MADE */
    const char *name; /* for docs/file-format.md; NULL: the column's */
};

/* How the number of items is written. BEFORE: in an earlier field. 256, ONE: not at all, it is fixed. */
enum td_list_count { TD_COUNT_U64, TD_COUNT_U32, TD_COUNT_U16, TD_COUNT_BEFORE, TD_COUNT_256, TD_COUNT_ONE };
/* ROWS: an item is a row of the table. GROUP: an item has the columns that consecutive rows of the table
 * share, then the list of these rows. PARTS: an item is no row; its number is the parent of its lists. */
enum td_list_form { TD_LIST_ROWS, TD_LIST_GROUP, TD_LIST_PARTS };

struct td_schema_list {
    uint8_t form, count;
    uint8_t table;    /* enum td_table */
    uint8_t end;      /* if rows of all parents are in one series: 1 + the parent's END column */
    uint8_t parent;   /* with `end`: the parent's table */
    uint8_t reserved; /* 1: row 0 of the table is not in the file */
    uint8_t least;    /* number of items; missing rows are written as zeros */
    uint16_t most;    /* number of items; 0: no limit */
    uint8_t field_count;
    uint32_t since; /* of a GROUP: older versions have only the inner list */
    const struct td_field *fields;
};

struct td_section {
    const char *id, *what;      /* "P18", "locks" */
    struct td_schema_list body; /* its fields; PARTS */
    uint32_t since;
    unsigned strip; /* enum td_strip bits: the section is written empty if any of them is set */
};

enum td_section_number {
    TD_P0,
    TD_P1,
    TD_P2,
    TD_P3,
    TD_P4,
    TD_P5,
    TD_P6,
    TD_P7,
    TD_P8,
    TD_P9,
    TD_P10,
    TD_P11,
    TD_P12,
    TD_P13,
    TD_P14,
    TD_P15,
    TD_P16,
    TD_P17,
    TD_P18,
    TD_P19,
    TD_P20,
    TD_P21,
    TD_P22,
    TD_P23,
    TD_P24,
    TD_P25,
    TD_P26,
    TD_P27,
    TD_P28,
    TD_P29,
    TD_P30,
    TD_P31,
    TD_P32,
    TD_P33,
    TD_P34,
    TD_P36,
    TD_P37,
    TD_P38,
    TD_SECTION_COUNT
};
extern const struct td_section td_sections[TD_SECTION_COUNT];

/* Lists used by sections that have their own functions. */
extern const struct td_schema_list td_list_frames, td_list_frames_with_ends, td_list_points, td_list_pools;

static inline bool td_field_is_in(const struct td_field *field, uint32_t version)
{
    return version >= field->since && (!field->before || version < field->before);
}
