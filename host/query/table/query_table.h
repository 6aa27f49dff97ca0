/* Tables: answers about a trace as rows and columns. A table is described once, by a list of its columns. All forms are
 * made from the description (forms.h): lists of the viewer, text, lines with tabs, CSV, JSON.
 *
 * A column's get() returns a value of a row, not formatted. The column's type says what the value is, and so how each
 * form writes it. Rows are made from a request. Then they do not change, and any threads may read them.
 *
 * host/query/tables.h lists the tables. */
#pragma once
#include "host/query/task/job.h"
#include "host/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---- */

#define TD_QUERY_ROOM 4096 /* for a text that is made up */

#define TD_NO_NUMBER 255

struct td_query_value {
    enum {
        TD_IS_LEFT_OUT, /* a row of this kind has no such value: JSON leaves it out */
        TD_IS_NONE,     /* it is not known; lists have the text in its place, or "none" */
        TD_IS_INT,
        TD_IS_UINT,
        TD_IS_REAL,
        TD_IS_BOOL,
        TD_IS_TEXT
    } kind;
    union {
        int64_t i;
        uint64_t u; /* BOOL: 0 or 1 */
        double real;
        const char *text; /* of the trace, or in the room of get() */
    };
    size_t bytes;   /* of the text, which may have any */
    uint8_t format; /* of a number: as in struct td_plot, or TD_NO_NUMBER: lists have "none" in its place */
};

static inline struct td_query_value td_is_int(int64_t value)
{
    return (struct td_query_value){.kind = TD_IS_INT, .i = value};
}

static inline struct td_query_value td_is_uint(uint64_t value)
{
    return (struct td_query_value){.kind = TD_IS_UINT, .u = value};
}

static inline struct td_query_value td_is_real(double value)
{
    return (struct td_query_value){.kind = TD_IS_REAL, .real = value};
}

/* `format` as in struct td_plot. */
static inline struct td_query_value td_is_real_as(double value, uint8_t format)
{
    return (struct td_query_value){.kind = TD_IS_REAL, .real = value, .format = format};
}

static inline struct td_query_value td_is_bool(bool value)
{
    return (struct td_query_value){.kind = TD_IS_BOOL, .u = value};
}

static inline struct td_query_value td_is_text(const char *text)
{
    return (struct td_query_value){.kind = TD_IS_TEXT, .text = text, .bytes = strlen(text)};
}

/* "FILE:LINE"; "": not known. */
static inline struct td_query_value td_is_place(const char *file, uint32_t line, char room[TD_QUERY_ROOM])
{
    snprintf(room, TD_QUERY_ROOM, "%.*s:%" PRIu32, TD_QUERY_ROOM - 16, file, line);
    return td_is_text(*file ? room : "");
}

/* A string of the trace's dictionary. */
static inline struct td_query_value td_is_string(const struct td_dict *dict, int64_t string)
{
    return (struct td_query_value){.kind = TD_IS_TEXT,
                                   .text = td_dict_text(dict, (uint32_t)string),
                                   .bytes = td_dict_text_bytes(dict, (uint32_t)string)};
}

/* Not known; lists have these words in its place. */
static inline struct td_query_value td_is_said(const char *words)
{
    return (struct td_query_value){.kind = TD_IS_NONE, .text = words};
}

/* The value if it is known. */
static inline struct td_query_value td_is_known(bool known, struct td_query_value value)
{
    return known ? value : (struct td_query_value){.kind = TD_IS_NONE};
}

static inline struct td_query_value td_is_part(bool part, struct td_query_value value)
{
    return part ? value : (struct td_query_value){.kind = TD_IS_LEFT_OUT};
}

/* ---- columns ---- */

enum td_query_type {
    TD_AS_TEXT,
    TD_AS_ID,    /* a number that names something */
    TD_AS_COUNT, /* of things */
    TD_AS_BYTES,
    TD_AS_INTEGER,  /* any other whole number */
    TD_AS_NUMBER,   /* a real number */
    TD_AS_TIME,     /* ns since the start of the trace */
    TD_AS_DURATION, /* ns, whole */
    TD_AS_MEAN,     /* ns, not whole */
    TD_AS_SHARE,    /* 0 to 1; lists have it in percent */
    TD_AS_BOOL,
    TD_AS_TRACK, /* the number of a track, or TD_NO_TRACK */
};

struct td_query_rows;
struct td_json;

struct td_query_column {
    const char *key;   /* its name in JSON and in lines; ends in "_ns" if the value is in ns */
    const char *title; /* above the column in a list */
    enum td_query_type type;
    float width; /* in a list, at 96 dpi; 0: what other columns leave */
    struct td_query_value (*get)(const struct td_query_rows *rows, uint64_t row,
                                 const struct td_query_column *column, char room[TD_QUERY_ROOM]);
    unsigned at; /* for get() */
};

static inline struct td_query_value td_query_get(const struct td_query_rows *rows, uint64_t row,
                                                 const struct td_query_column *column,
                                                 char room[TD_QUERY_ROOM])
{
    return column->get(rows, row, column, room);
}

/* ---- tables ---- */

struct td_query_request {
    const struct td_trace *trace; /* NULL: of tables that are made of something else */
    int64_t from_ns, to_ns;       /* what is counted */
    int64_t now_ns;               /* what has not ended lasts until then */
    uint64_t only;      /* 1 + the number of the one track, frame set ... whose rows are wanted; 0: all */
    struct td_job *job; /* NULL: it cannot be cancelled */
    void *with;         /* what else the table's rows are made of; NULL: what the table takes then */
};
/* All of the trace. */
struct td_query_request td_query_all(const struct td_trace *trace);

/* The beginning of what a table makes. */
struct td_query_rows {
    const struct td_query_table *table;
    struct td_query_request of;
    const struct td_dict *dict;
    uint64_t count;
};

/* What a row is about in the timeline. */
struct td_query_place {
    enum { TD_AT_NOTHING, TD_AT_ZONE, TD_AT_RANGE, TD_AT_TRACK } kind;
    uint32_t track; /* of a range: TD_NO_TRACK: of all tracks */
    uint32_t row;   /* with `index`: of a zone */
    size_t index;
    int64_t start_ns, end_ns; /* of a range */
};

static inline struct td_query_place td_at_zone(uint32_t track, uint32_t row, size_t index)
{
    return (struct td_query_place){.kind = TD_AT_ZONE, .track = track, .row = row, .index = index};
}

static inline struct td_query_place td_at_track(uint32_t track)
{
    return (struct td_query_place){.kind = TD_AT_TRACK, .track = track};
}

static inline struct td_query_place td_at_range(uint32_t track, int64_t start_ns, int64_t end_ns)
{
    return (struct td_query_place){
        .kind = TD_AT_RANGE, .track = track, .start_ns = start_ns, .end_ns = end_ns};
}

struct td_query_table {
    const char *name;
    const char *about; /* what a row is, without a full stop */
    const struct td_query_column *columns;
    size_t column_count;
    size_t rows_bytes; /* of the struct that begins with a td_query_rows */
    /* Fills the rows, which are zero behind td_query_rows, and sets `count`. 0, TD_E_NOMEM or TD_E_STOPPED. */
    int (*make)(struct td_query_rows *rows);
    void (*free)(struct td_query_rows *rows); /* what make() has made, also after an error; NULL: nothing */
    void (*free_with)(void *with);            /* the request's, which belongs to the rows; NULL is allowed */
    struct td_query_place (*place_of_row)(const struct td_query_rows *rows,
                                          uint64_t row); /* NULL: no place */
    /* Columns of whole numbers by which rows ascend, with spaces between them: "track time_ns" are by track, and those
     * of a track by time. The values of all rows are known. NULL: rows are in no such order. */
    const char *rises;
    /* Columns that follow from another one of whole numbers: "track chip tile" are equal in rows with the same track.
     * A semicolon is between several lists. NULL: none do. */
    const char *follow;
    /* The columns of the forms that have only some, as for td_query_choose(); NULL: all. */
    const char *json, *lines, *text;
    /* Further tables in the JSON of a row; NULL: none. 0 or TD_E_NOMEM. */
    int (*json_more)(struct td_json *j, const struct td_query_rows *rows, uint64_t row);
};

/* Takes the request's `with`. NULL: an error, which *rc is then; TD_E_NOMEM or TD_E_STOPPED. */
struct td_query_rows *td_query_make(const struct td_query_table *table,
                                    const struct td_query_request *request, int *rc);
void td_query_free(struct td_query_rows *rows); /* NULL is allowed */

/* The column from which this one follows; NULL: none. */
const struct td_query_column *td_query_leader(const struct td_query_table *table,
                                              const struct td_query_column *column);

static inline struct td_query_place td_query_place_of(const struct td_query_rows *rows, uint64_t row)
{
    return rows->table->place_of_row ? rows->table->place_of_row(rows, row) : (struct td_query_place){0};
}

/* ---- describing a table ---- */

/* A table's file has a list of its columns, LIST(X), with X(key, title, type, width, value) for each: `value` is an
 * expression of struct td_query_value, in which `r` is the table's struct (the macro ROWS), `i` is the row and `room`
 * has TD_QUERY_ROOM bytes for a text. TD_QUERY_COLUMNS(LIST) makes `columns` of it. */
#define TD_QUERY_GET_(key, title, type, width, value)                                                        \
    static struct td_query_value get_##key(const struct td_query_rows *rows, uint64_t i,                     \
                                           const struct td_query_column *column, char *room)                 \
    {                                                                                                        \
        const ROWS *r = (const void *)rows;                                                                  \
        (void)r;                                                                                             \
        return value;                                                                                        \
    }
#define TD_QUERY_COLUMN_(key, title, type, width, value) {#key, title, TD_AS_##type, width, get_##key, 0},
#define TD_QUERY_COLUMNS(LIST)                                                                               \
    LIST(TD_QUERY_GET_)                                                                                      \
    static const struct td_query_column columns[] = {LIST(TD_QUERY_COLUMN_)};
/* The columns of a td_query_table, and the size of its struct. */
#define TD_QUERY_WITH_COLUMNS                                                                                \
    .columns = columns, .column_count = sizeof columns / sizeof *columns, .rows_bytes = sizeof(ROWS)
/* The function `name` for `free` of a td_query_table: `how` frees what `r` has. */
#define TD_QUERY_FREES(name, how)                                                                            \
    static void name(struct td_query_rows *rows)                                                             \
    {                                                                                                        \
        ROWS *r = (void *)rows;                                                                              \
        how;                                                                                                 \
    }
