/* The table-valued function overlaps(LEFT, RIGHT): two questions that give an id, a start and an end each, and what rows
 * of one have in common with rows of the other. With a fourth column in both, only rows where it is equal meet, such as
 * those of a track.
 *
 *   SELECT * FROM overlaps('SELECT id, start_ns, end_ns FROM frames', 'SELECT id, start_ns, end_ns FROM zones')
 *
 * Rows without an end, and those that end before they start, are left out. Both lists are in memory, sorted by the fourth
 * column and by start; rows come as they are found. */
#include "host/query/sql/sql_internal.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 4 /* of such functions in each other's questions */

enum { LEFT_ID, RIGHT_ID, START, END, LENGTH, LEFT, RIGHT };

struct interval {
    int64_t group, start_ns, end_ns, id;
};

struct interval_list {
    struct interval *at; /* SQLite's memory */
    size_t count, room;
    int64_t longest_ns;
};

struct overlaps_table {
    sqlite3_vtab base;
    struct td_sql *sql;
};

struct cursor {
    sqlite3_vtab_cursor base;
    struct interval_list left, right;
    size_t l, r; /* what is looked at */
    sqlite3_int64 row;
};

/* ---- lists ---- */

TD_COMPARE(compare_intervals, struct interval, TD_UP(group) TD_UP(start_ns) TD_UP(id))

static int append(struct interval_list *list, struct interval interval)
{
    if (list->count == list->room) {
        const size_t room = list->room * 2 + 64;
        struct interval *more = sqlite3_realloc64(list->at, room * sizeof *more);
        if (!more)
            return SQLITE_NOMEM;
        list->at = more;
        list->room = room;
    }
    list->at[list->count++] = interval;
    return SQLITE_OK;
}

static int read_rows(struct interval_list *list, sqlite3_stmt *statement)
{
    const int columns = sqlite3_column_count(statement);
    int rc, code = SQLITE_OK;
    while (code == SQLITE_OK && (rc = sqlite3_step(statement)) != SQLITE_DONE) {
        if (rc != SQLITE_ROW)
            return rc;
        struct interval i = {.group = columns == 4 ? sqlite3_column_int64(statement, 3) : 0,
                             .start_ns = sqlite3_column_int64(statement, 1),
                             .end_ns = sqlite3_column_int64(statement, 2),
                             .id = sqlite3_column_int64(statement, 0)};
        const bool counts = sqlite3_column_type(statement, 1) != SQLITE_NULL &&
                            sqlite3_column_type(statement, 2) != SQLITE_NULL && i.end_ns >= i.start_ns;
        int64_t length;
        if (!counts || __builtin_sub_overflow(i.end_ns, i.start_ns, &length))
            continue;
        list->longest_ns = length > list->longest_ns ? length : list->longest_ns;
        code = append(list, i);
    }
    return code;
}

static int read_list(struct td_sql *sql, struct interval_list *list, sqlite3_value *question, char **error)
{
    const char *text = (const char *)sqlite3_value_text(question);
    sqlite3_stmt *statement = NULL;
    int rc = text ? sqlite3_prepare_v2(sql->db, text, -1, &statement, NULL) : SQLITE_ERROR;
    const int columns = statement ? sqlite3_column_count(statement) : 0;
    list->count = 0;
    list->longest_ns = 0;
    if (rc != SQLITE_OK) {
        *error =
            sqlite3_mprintf("overlaps(): %s", text ? sqlite3_errmsg(sql->db) : "two questions, as texts");
    } else if (columns != 3 && columns != 4) {
        *error = sqlite3_mprintf("overlaps(): a question gives id, start, end, and another column or none");
        rc = SQLITE_ERROR;
    } else {
        rc = read_rows(list, statement);
        if (rc != SQLITE_OK && rc != SQLITE_NOMEM && rc != SQLITE_INTERRUPT)
            *error = sqlite3_mprintf("overlaps(): %s", sqlite3_errmsg(sql->db));
    }
    sqlite3_finalize(statement);
    if (rc == SQLITE_OK && list->count)
        qsort(list->at, list->count, sizeof *list->at, compare_intervals);
    return rc;
}

/* ---- pairs ---- */

static bool is_behind(const struct interval *right, const struct interval *left)
{
    return right->group != left->group ? right->group > left->group : right->start_ns > left->end_ns;
}

static bool is_before(const struct interval *right, int64_t group, int64_t from_ns)
{
    return right->group != group ? right->group < group : right->start_ns < from_ns;
}

/* The first of `right` that may meet `left`: none before it lasts long enough. */
static size_t first_for(const struct cursor *c, const struct interval *left)
{
    size_t low = 0, high = c->right.count;
    int64_t from;
    if (__builtin_sub_overflow(left->start_ns, c->right.longest_ns, &from))
        from = INT64_MIN;
    TD_BISECT(low, high, at, is_before(&c->right.at[at], left->group, from));
    return low;
}

/* What both have in common; nothing if it ends before it starts. */
static struct interval part_of_both(const struct interval *a, const struct interval *b)
{
    return (struct interval){.start_ns = a->start_ns > b->start_ns ? a->start_ns : b->start_ns,
                             .end_ns = a->end_ns < b->end_ns ? a->end_ns : b->end_ns};
}

static bool meet(const struct interval *a, const struct interval *b)
{
    const struct interval both = part_of_both(a, b);
    return a->group == b->group && both.start_ns <= both.end_ns;
}

/* Goes on to the next pair, from (l, r) on. */
static int find_pair(struct cursor *c)
{
    const struct td_sql *sql = ((struct overlaps_table *)(void *)c->base.pVtab)->sql;
    for (; c->l < c->left.count; c->l++, c->r = SIZE_MAX) {
        const struct interval *left = &c->left.at[c->l];
        if (c->r == SIZE_MAX)
            c->r = first_for(c, left);
        for (; c->r < c->right.count && !is_behind(&c->right.at[c->r], left); c->r++) {
            if (meet(left, &c->right.at[c->r]))
                return SQLITE_OK;
            if (c->r % 4096 == 0 && td_job_cancelled(&sql->job))
                return SQLITE_INTERRUPT;
        }
    }
    return SQLITE_OK;
}

/* ---- the virtual table ---- */

static int connect_overlaps(sqlite3 *db, void *self, int argc, const char *const *argv, sqlite3_vtab **vtab,
                            char **error)
{
    struct overlaps_table *table = calloc(1, sizeof *table);
    if (!table)
        return SQLITE_NOMEM;
    table->sql = self;
    *vtab = &table->base;
    return td_sql_declare(self, "CREATE TABLE x(left_id, right_id, start_ns INTEGER, end_ns INTEGER, "
                                "duration_ns INTEGER, left_question HIDDEN, right_question HIDDEN)");
}

static int disconnect_overlaps(sqlite3_vtab *vtab)
{
    free(vtab);
    return SQLITE_OK;
}

static int plan_overlaps(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    int found = 0;
    for (int i = 0; i < info->nConstraint; i++) {
        const int column = info->aConstraint[i].iColumn;
        if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || (column != LEFT && column != RIGHT))
            continue;
        if (!info->aConstraint[i].usable)
            return SQLITE_CONSTRAINT;
        info->aConstraintUsage[i].argvIndex = column - LEFT + 1;
        info->aConstraintUsage[i].omit = 1;
        found |= 1 << (column - LEFT);
    }
    if (found != 3) {
        vtab->zErrMsg = sqlite3_mprintf("overlaps() takes two questions, as texts");
        return SQLITE_ERROR;
    }
    info->estimatedCost = 1e6;
    info->estimatedRows = 100000;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
    struct cursor *c = calloc(1, sizeof *c);
    if (!c)
        return SQLITE_NOMEM;
    *cursor = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (void *)cursor;
    sqlite3_free(c->left.at);
    sqlite3_free(c->right.at);
    free(c);
    return SQLITE_OK;
}

static int filter_overlaps(sqlite3_vtab_cursor *cursor, int number, const char *plan, int count,
                           sqlite3_value **values)
{
    struct cursor *c = (void *)cursor;
    struct td_sql *sql = ((struct overlaps_table *)(void *)cursor->pVtab)->sql;
    c->l = 0;
    c->r = SIZE_MAX;
    c->row = 0;
    if (sql->depth >= DEPTH_MAX) {
        cursor->pVtab->zErrMsg = sqlite3_mprintf("overlaps() in overlaps() in overlaps() ...: too many");
        return SQLITE_ERROR;
    }
    sql->depth++;
    int rc = read_list(sql, &c->left, values[0], &cursor->pVtab->zErrMsg);
    rc = rc ? rc : read_list(sql, &c->right, values[1], &cursor->pVtab->zErrMsg);
    sql->depth--;
    return rc ? rc : find_pair(c);
}

static int next_pair(sqlite3_vtab_cursor *cursor)
{
    struct cursor *c = (void *)cursor;
    c->r++;
    c->row++;
    return find_pair(c);
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
    const struct cursor *c = (const void *)cursor;
    return c->l >= c->left.count;
}

static int get_column(sqlite3_vtab_cursor *cursor, sqlite3_context *to, int column)
{
    const struct cursor *c = (const void *)cursor;
    const struct interval *a = &c->left.at[c->l], *b = &c->right.at[c->r];
    const struct interval both = part_of_both(a, b);
    if (column <= LENGTH)
        sqlite3_result_int64(to, column == LEFT_ID    ? a->id
                                 : column == RIGHT_ID ? b->id
                                 : column == START    ? both.start_ns
                                 : column == END      ? both.end_ns
                                                      : both.end_ns - both.start_ns);
    return SQLITE_OK;
}

static int get_number(sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
    *number = ((const struct cursor *)(const void *)cursor)->row;
    return SQLITE_OK;
}

int td_sql_register_overlaps(struct td_sql *sql)
{
    static const sqlite3_module module = {.iVersion = 1,
                                          .xConnect = connect_overlaps,
                                          .xBestIndex = plan_overlaps,
                                          .xDisconnect = disconnect_overlaps,
                                          .xOpen = open_cursor,
                                          .xClose = close_cursor,
                                          .xFilter = filter_overlaps,
                                          .xNext = next_pair,
                                          .xEof = is_at_end,
                                          .xColumn = get_column,
                                          .xRowid = get_number};
    return sqlite3_create_module(sql->db, "overlaps", &module, sql);
}
