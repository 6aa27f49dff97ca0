/* Imports a profile of Firefox (https://profiler.firefox.com): what its window saves, and what Firefox itself writes
 * (gecko's format, whose tables have rows and a schema). The text is walked through once; its tables are kept as columns
 * of numbers until the end, because frames and strings may follow what refers to them. */
#include "host/agent/import/firefox_tables.h"
#include "host/agent/import/importer.h"
#include "host/agent/import/json_head.h"
#include "host/agent/import/json_walk.h"
#include "host/base/grow.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define CELLS 32 /* of a row of gecko's format */

/* What a list or object is. */
enum fx_role {
    ROLE_NONE,
    ROLE_PROFILE,
    ROLE_META,
    ROLE_PROFILES,
    ROLE_PARTS, /* threads, counters */
    ROLE_PART,
    ROLE_GROUPS, /* of the samples of a counter */
    ROLE_TABLE,
    ROLE_COLUMN,
    ROLE_STRINGS,
    ROLE_SCHEMA,
    ROLE_ROWS
};

enum fx_kind { INT, MS, DELTA, DATA, NUMBER };

static const struct {
    const char *table, *column;
    enum fx_kind kind;
} columns[] = {
#define TD_X(name, table, column, kind) {table, column, kind},
    TD_FIREFOX_COLUMNS(TD_X)
#undef TD_X
};

struct fx_reader {
    struct td_firefox firefox;
    struct td_json_walk walk;
    enum fx_role roles[TD_JSON_WALK_DEPTH];      /* of what is entered */
    uint32_t profile_of[TD_JSON_WALK_DEPTH + 1]; /* number of the profile, by depth */
    char table[TD_JSON_WALK_KEY];                /* that is read */
    int schema[CELLS];                           /* column of each cell of a row; -1: not wanted */
    bool has_schema;
    struct td_text rows;           /* that came before the schema, each with a NUL at its end */
    enum td_firefox_column column; /* that is read */
    struct td_json_number sum_ms;  /* of DELTA */
    struct td_text text;
    bool lacks_memory;
};

static const char purpose[] = "for a profile of Firefox"; /* of td_fail_no_memory() */

/* ---- values */

static uint32_t string_of(struct fx_reader *reader, struct td_tt_text text, char kind)
{
    reader->text.bytes = 0;
    const int bad =
        kind == '"' ? td_text_add_json(&reader->text, text) : td_text_add(&reader->text, text.at, text.bytes);
    return bad ? UINT32_MAX
               : td_dict_string(reader->firefox.dict, reader->text.bytes ? reader->text.at : "",
                                reader->text.bytes);
}

static struct td_firefox_part *part_of(struct fx_reader *reader)
{
    return &reader->firefox.parts[reader->firefox.part_count - 1];
}

static int64_t read_ms(struct fx_reader *reader, enum fx_kind kind, struct td_tt_text text)
{
    struct td_json_number ms;
    int64_t ns;
    if (!td_json_number_read(text, &ms))
        return TD_FX_BAD;
    if (kind == DELTA)
        ms = reader->sum_ms = td_json_number_add(reader->sum_ms, ms);
    /* A sum that leaves the range of numbers stays out of it. */
    if (ms.whole > TD_JSON_NUMBER_MAX / 2 || ms.whole < -TD_JSON_NUMBER_MAX / 2) {
        reader->sum_ms.whole = TD_JSON_NUMBER_MAX / 2;
        return TD_FX_BAD;
    }
    return td_json_number_scaled_ns(ms, 1000000, &ns) ? ns : TD_FX_BAD;
}

/* The number of the text of a marker's data. */
static int64_t keep_data(struct td_firefox_part *part, char kind, struct td_tt_text text)
{
    const size_t begin = part->texts.bytes;
    if (kind != '{')
        return 0;
    if (td_text_add(&part->texts, text.at, text.bytes) != 0 || td_text_add(&part->texts, "", 1) != 0)
        return TD_FX_BAD;
    return (int64_t)begin + 1;
}

static int add_cell(struct fx_reader *reader, enum td_firefox_column number, char kind,
                    struct td_tt_text text)
{
    struct td_firefox_part *part = part_of(reader);
    struct td_firefox_cells *column = &part->columns[number];
    const bool is_null = kind == '0' && td_tt_text_is(text, "null");
    int64_t value = is_null ? TD_FX_NULL : TD_FX_BAD;
    double real;
    if (columns[number].kind == DATA) {
        value = keep_data(part, kind, text);
        if (value == TD_FX_BAD)
            return TD_E_NOMEM;
    } else if (is_null || kind != '0') {
        /* as it is */
    } else if (columns[number].kind == INT) {
        if (!td_tt_text_i64(text, &value) || value <= TD_FX_BAD)
            value = TD_FX_BAD;
    } else if (columns[number].kind != NUMBER) {
        value = read_ms(reader, columns[number].kind, text);
    } else if (td_tt_text_double(text, &real) && isfinite(real)) {
        real = real == 0 ? 0 : real; /* -0 has the bits of TD_FX_NULL */
        memcpy(&value, &real, sizeof value);
    }
    return TD_APPEND(column->at, column->count, column->room, value);
}

/* ---- tables */

/* The column of this name of the table that is read; -1: it is not wanted. */
static int find_column(const struct fx_reader *reader, enum td_firefox_column from, const char *name)
{
    for (unsigned i = from; i < TD_FX_COLUMNS; i++)
        if (!strcmp(columns[i].table, reader->table) && !strcmp(columns[i].column, name))
            return (int)i;
    return -1;
}

static int column_named(struct fx_reader *reader, const char *name)
{
    const bool counts = part_of(reader)->kind == TD_FX_COUNTER;
    return find_column(reader, counts ? TD_FX_POINT_TIME : TD_FX_SAMPLE_STACK, name);
}

/* A row "[1, null, ...]", of which cells may be missing at the end. */
static int add_row(struct fx_reader *reader, char kind, struct td_tt_text row)
{
    struct td_firefox_part *part = part_of(reader);
    struct td_tt_json_member item;
    bool has[TD_FX_COLUMNS] = {false};
    size_t at = 0;
    int bad = 0;
    for (unsigned i = 0; kind == '[' && !bad && td_tt_json_next_item(row, &at, &item) > 0; i++) {
        const int column = i < CELLS ? reader->schema[i] : -1;
        if (column < 0 || has[column])
            continue;
        has[column] = true;
        bad = add_cell(reader, (enum td_firefox_column)column, item.kind, item.value);
    }
    for (unsigned i = 0; i < CELLS && !bad; i++) {
        const int column = reader->schema[i];
        if (column < 0 || has[column])
            continue;
        has[column] = true;
        struct td_firefox_cells *to = &part->columns[column];
        const int64_t none = columns[column].kind == DATA ? 0 : kind == '[' ? TD_FX_NULL : TD_FX_BAD;
        bad = TD_APPEND(to->at, to->count, to->room, none);
    }
    return bad;
}

static int take_row(struct fx_reader *reader, char kind, struct td_tt_text row)
{
    if (kind != '[' && reader->walk.tentative)
        return 0;
    if (reader->has_schema)
        return add_row(reader, kind, row);
    const int bad = td_text_add(&reader->rows, row.at, row.bytes);
    return bad ? bad : td_text_add(&reader->rows, "", 1);
}

/* A schema follows the rows, or there is none: then they say nothing. */
static int end_table(struct fx_reader *reader)
{
    int bad = 0;
    for (size_t at = 0; reader->has_schema && at < reader->rows.bytes && !bad;) {
        const struct td_tt_text row = td_tt_text_of(reader->rows.at + at);
        bad = add_row(reader, *row.at == '[' ? '[' : '!', row);
        at += row.bytes + 1;
    }
    reader->rows.bytes = 0;
    return bad;
}

static void begin_table(struct fx_reader *reader)
{
    snprintf(reader->table, sizeof reader->table, "%s",
             part_of(reader)->kind == TD_FX_COUNTER ? "samples"
                                                    : reader->walk.at[reader->walk.depth - 1].key);
    reader->has_schema = false;
    reader->sum_ms = (struct td_json_number){0};
    for (unsigned i = 0; i < CELLS; i++)
        reader->schema[i] = -1;
}

static void take_schema(struct fx_reader *reader, struct td_tt_text text)
{
    uint32_t cell;
    const int column = column_named(reader, reader->walk.at[reader->walk.depth - 1].key);
    reader->has_schema = true;
    if (td_tt_text_u32(text, &cell) && cell < CELLS)
        reader->schema[cell] = column;
}

/* ---- places */

static const char *key_of(const struct fx_reader *reader)
{
    return reader->walk.depth ? reader->walk.at[reader->walk.depth - 1].key : "";
}

static enum fx_role role_around(const struct fx_reader *reader)
{
    return reader->walk.depth ? reader->roles[reader->walk.depth - 1] : ROLE_NONE;
}

static bool begin_profile(struct fx_reader *reader)
{
    struct td_firefox *firefox = &reader->firefox;
    if (TD_APPEND(firefox->profiles, firefox->profile_count, firefox->profile_room,
                  (struct td_firefox_profile){.has_start = false}) < 0) {
        reader->lacks_memory = true;
        return false;
    }
    return true;
}

static bool begin_part(struct fx_reader *reader, int kind)
{
    struct td_firefox *firefox = &reader->firefox;
    struct td_firefox_part part = {.profile = reader->profile_of[reader->walk.depth]};
    part.kind = kind;
    if (TD_APPEND(firefox->parts, firefox->part_count, firefox->part_room, part) < 0) {
        reader->lacks_memory = true;
        return false;
    }
    return true;
}

static enum fx_role role_in_profile(struct fx_reader *reader, char kind)
{
    const char *key = key_of(reader);
    if (kind == '[')
        return !strcmp(key, "threads") || !strcmp(key, "counters") ? ROLE_PARTS
               : !strcmp(key, "processes")                         ? ROLE_PROFILES
                                                                   : ROLE_NONE;
    if (!strcmp(key, "shared") && begin_part(reader, TD_FX_SHARED))
        return ROLE_PART;
    if (!strcmp(key, "profile") && reader->walk.depth == 1) /* what Firefox saved before 80 */
        return ROLE_PROFILE;
    return !strcmp(key, "meta") ? ROLE_META : ROLE_NONE;
}

static bool is_table(const struct fx_reader *reader, const char *key)
{
    for (unsigned i = 0; i < TD_FX_COLUMNS; i++)
        if (!strcmp(columns[i].table, key))
            return true;
    return false;
}

static enum fx_role role_in_part(struct fx_reader *reader, char kind)
{
    const char *key = key_of(reader);
    if (kind == '[' && (!strcmp(key, "stringArray") || !strcmp(key, "stringTable")))
        return ROLE_STRINGS;
    if (!strcmp(key, "sampleGroups") || !strcmp(key, "sample_groups"))
        return ROLE_GROUPS;
    if (strstr(key, "Allocations") || (strstr(key, "racker") && kind == '{'))
        td_timeline_lose(reader->firefox.timeline, "table of allocations");
    if (kind != '{' || !is_table(reader, key))
        return ROLE_NONE;
    begin_table(reader);
    return ROLE_TABLE;
}

static enum fx_role role_in_table(struct fx_reader *reader, char kind)
{
    const int column = column_named(reader, key_of(reader));
    if (kind == '{')
        return td_json_walk_in(&reader->walk, 0, "schema") ? ROLE_SCHEMA : ROLE_NONE;
    /* A list "data" has rows, but in markers of a table of columns. */
    if (column < 0)
        return td_json_walk_in(&reader->walk, 0, "data") ? ROLE_ROWS : ROLE_NONE;
    reader->column = (enum td_firefox_column)column;
    return columns[column].kind == DATA && reader->has_schema ? ROLE_ROWS : ROLE_COLUMN;
}

/* What the list or object that begins is. */
static enum fx_role role_of(struct fx_reader *reader, char kind)
{
    switch (role_around(reader)) {
    case ROLE_NONE:
        return kind == '{' && !reader->walk.depth ? ROLE_PROFILE : ROLE_NONE;
    case ROLE_PROFILE:
        return role_in_profile(reader, kind);
    case ROLE_PROFILES:
        return kind == '{' ? ROLE_PROFILE : ROLE_NONE;
    case ROLE_PARTS: {
        const bool counters = reader->walk.depth > 1 && td_json_walk_in(&reader->walk, 1, "counters");
        return kind == '{' && begin_part(reader, counters ? TD_FX_COUNTER : TD_FX_THREAD) ? ROLE_PART
                                                                                          : ROLE_NONE;
    }
    case ROLE_PART:
        return role_in_part(reader, kind);
    case ROLE_GROUPS:
        if (kind == '{' && td_json_walk_in(&reader->walk, 0, "samples")) {
            begin_table(reader);
            return ROLE_TABLE;
        }
        return kind == '{' ? ROLE_GROUPS : ROLE_NONE;
    case ROLE_TABLE:
        return role_in_table(reader, kind);
    default:
        return ROLE_NONE;
    }
}

static enum td_json_choice choose(void *self, char kind)
{
    struct fx_reader *reader = self;
    const enum fx_role around = role_around(reader);
    if (around == ROLE_ROWS || around == ROLE_COLUMN || around == ROLE_STRINGS)
        return TD_JSON_TEXT;
    const enum fx_role role = role_of(reader, kind);
    const unsigned depth = reader->walk.depth;
    if (role == ROLE_NONE || depth >= TD_JSON_WALK_DEPTH)
        return TD_JSON_SKIP;
    reader->roles[depth] = role;
    reader->walk.items = role == ROLE_ROWS ? '[' : 0;
    reader->profile_of[depth + 1] = depth ? reader->profile_of[depth] : 0;
    if (role == ROLE_PROFILE && (!depth || around == ROLE_PROFILES)) {
        if (!begin_profile(reader))
            return TD_JSON_SKIP;
        reader->profile_of[depth + 1] = (uint32_t)reader->firefox.profile_count - 1;
    }
    return TD_JSON_ENTER;
}

static int leave(void *self, struct td_err *err)
{
    struct fx_reader *reader = self;
    const bool is_table_left = reader->roles[reader->walk.depth] == ROLE_TABLE;
    return is_table_left && end_table(reader) < 0 ? td_fail_no_memory(err, purpose) : 0;
}

/* ---- scalars */

/* "product: Firefox" */
static int take_meta(struct fx_reader *reader, char kind, struct td_tt_text text)
{
    const char *key = key_of(reader);
    struct td_firefox_profile *profile = &reader->firefox.profiles[reader->profile_of[reader->walk.depth]];
    if (!strcmp(key, "startTime") && kind == '0')
        profile->has_start = td_json_number_read(text, &profile->start_ms);
    if (reader->profile_of[reader->walk.depth] || (kind == '0' && td_tt_text_is(text, "null")) || kind == '!')
        return 0;
    const struct td_tt_json_member value = {.value = text, .kind = kind};
    reader->text.bytes = 0;
    int bad = td_text_add(&reader->text, key, strlen(key));
    bad = bad ? bad : td_text_add(&reader->text, ": ", 2);
    bad = bad ? bad : td_text_add_value(&reader->text, &value);
    return bad ? bad
               : td_timeline_fact(reader->firefox.timeline,
                                  (struct td_timeline_id){reader->text.at, reader->text.bytes});
}

static int take_part_member(struct fx_reader *reader, char kind, struct td_tt_text text)
{
    struct td_firefox_part *part = part_of(reader);
    const char *key = key_of(reader);
    static const struct {
        const char *key;
        size_t at;
    } members[] = {
        {"name", offsetof(struct td_firefox_part, name)},
        {"processName", offsetof(struct td_firefox_part, process_name)},
        {"processType", offsetof(struct td_firefox_part, process_type)},
        {"category", offsetof(struct td_firefox_part, category)},
        {"pid", offsetof(struct td_firefox_part, pid)},
        {"tid", offsetof(struct td_firefox_part, tid)},
    };
    if (kind == '!' || (kind == '0' && td_tt_text_is(text, "null")))
        return 0;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(members[i].key, key) != 0)
            continue;
        const uint32_t string = string_of(reader, text, kind);
        memcpy((char *)part + members[i].at, &string, sizeof string);
        return string == UINT32_MAX ? TD_E_NOMEM : 0;
    }
    return 0;
}

static int take_string(struct fx_reader *reader, char kind, struct td_tt_text text)
{
    struct td_firefox_part *part = part_of(reader);
    const uint32_t string = string_of(reader, kind == '"' ? text : td_tt_text_of(TD_DICT_UNKNOWN), kind);
    if (kind != '"' && reader->walk.tentative)
        return 0;
    return string == UINT32_MAX ? TD_E_NOMEM
                                : TD_APPEND(part->strings, part->string_count, part->string_room, string);
}

/* Rows of markers come in a list of the same name as a column. */
static int take_cell(struct fx_reader *reader, char kind, struct td_tt_text text)
{
    if (kind == '!' && reader->walk.tentative)
        return 0;
    if (columns[reader->column].kind == DATA && kind == '[')
        return take_row(reader, kind, text);
    return add_cell(reader, reader->column, kind, text);
}

static int take_value(void *self, char kind, struct td_tt_text text, struct td_err *err)
{
    struct fx_reader *reader = self;
    int bad = 0;
    switch (role_around(reader)) {
    case ROLE_META:
        bad = take_meta(reader, kind, text);
        break;
    case ROLE_PART:
        bad = take_part_member(reader, kind, text);
        break;
    case ROLE_COLUMN:
        bad = take_cell(reader, kind, text);
        break;
    case ROLE_STRINGS:
        bad = take_string(reader, kind, text);
        break;
    case ROLE_SCHEMA:
        take_schema(reader, text);
        break;
    case ROLE_ROWS:
        bad = take_row(reader, kind, text);
        break;
    case ROLE_PARTS:
        td_timeline_lose(reader->firefox.timeline, "thread of an unknown form");
        break;
    default:
        break;
    }
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

/* ---- the interface */

static void destroy_firefox(void *self)
{
    struct fx_reader *reader = self;
    if (!reader)
        return;
    for (size_t i = 0; i < reader->firefox.part_count; i++)
        td_firefox_free_part(&reader->firefox.parts[i]);
    td_timeline_destroy(reader->firefox.timeline);
    td_json_walk_free(&reader->walk);
    td_text_free(&reader->text);
    td_text_free(&reader->rows);
    free(reader->firefox.parts);
    free(reader->firefox.profiles);
    free(reader);
}

static void *create_firefox(struct td_hub *hub)
{
    struct fx_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->firefox.dict = td_hub_dict(hub);
    reader->firefox.timeline = td_timeline_create(hub);
    reader->walk =
        (struct td_json_walk){.choose = choose, .value = take_value, .leave = leave, .self = reader};
    if (reader->firefox.timeline)
        return reader;
    free(reader);
    return NULL;
}

static bool begins_firefox(const uint8_t *bytes, size_t count)
{
    static const struct td_json_sign signs[] = {{"meta", "preprocessedProfileVersion", '0', NULL},
                                                {"meta", "version", '0', NULL},
                                                {"meta", "interval", '0', NULL},
                                                {NULL, "threads", '[', NULL},
                                                {NULL, "libs", '[', NULL},
                                                {"profile", "threads", '[', NULL},
                                                {"profile", "meta", '{', NULL},
                                                {NULL, "duration", '0', NULL},
                                                {NULL, "markers", '[', NULL},
                                                {NULL, "frames", '[', NULL}};
    const uint32_t found = td_json_head_signs(bytes, count, signs, sizeof signs / sizeof *signs);
    return found & 0x61 || (found & 6) == 6 || (found & 0x18 && found & 6) || (found & 0x380) == 0x380;
}

static int feed_firefox(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct fx_reader *reader = self;
    return td_json_walk_feed(&reader->walk, (const char *)bytes, count, err);
}

static int end_firefox_file(void *self, bool *cut, struct td_err *err)
{
    struct fx_reader *reader = self;
    struct td_firefox *firefox = &reader->firefox;
    int64_t zero_ns;
    int bad = td_json_walk_end_stream(&reader->walk, cut, err);
    if (!bad && reader->lacks_memory)
        bad = td_fail_no_memory(err, purpose);
    for (size_t i = 0; i < firefox->part_count && !bad; i++) {
        bad = td_firefox_add_part(firefox, i) < 0 ? td_fail_no_memory(err, purpose) : 0;
        if (firefox->parts[i].kind != TD_FX_SHARED)
            td_firefox_free_part(&firefox->parts[i]);
    }
    return bad ? bad : td_timeline_finish(firefox->timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_firefox(const void *self)
{
    return td_timeline_get_counts(((const struct fx_reader *)self)->firefox.timeline);
}

const struct td_importer td_import_firefox = {
    .name = "a profile of Firefox",
    .about = "Samples keep their stacks; markers become zones and messages, counters plots.",
    .begins = begins_firefox,
    .create = create_firefox,
    .destroy = destroy_firefox,
    .feed = feed_firefox,
    .end_file = end_firefox_file,
    .counts = counts_of_firefox,
};
