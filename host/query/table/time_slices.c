#include "host/query/table/time_slices.h"
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/query/table/forms.h"

#define GROUP_COLUMNS 4

static int64_t number_at(const struct td_query_rows *rows, const struct td_query_column *column, uint64_t row)
{
    char room[TD_QUERY_ROOM];
    return td_query_get(rows, row, column, room).i;
}

/* ---- groups: rows that are equal in the columns before the time ---- */

struct group_columns {
    const struct td_query_column *column[GROUP_COLUMNS];
    size_t count;
};

/* The last column of `rises` if it is a time; those before it. */
static const struct td_query_column *find_columns(const struct td_query_table *table,
                                                  struct group_columns *before)
{
    const struct td_query_column *last = NULL;
    before->count = 0;
    for (const char *at = table->rises; at && *at;) {
        char key[40];
        const size_t bytes = strcspn(at, " ");
        if (last && before->count < GROUP_COLUMNS)
            before->column[before->count++] = last;
        snprintf(key, sizeof key, "%.*s", (int)bytes, at);
        last = td_query_column_named(table, key);
        at += bytes + (at[bytes] == ' ');
    }
    return last && last->type == TD_AS_TIME ? last : NULL;
}

static bool is_same_group(const struct td_query_rows *rows, const struct group_columns *columns, uint64_t a,
                          uint64_t b)
{
    for (size_t c = 0; c < columns->count; c++)
        if (number_at(rows, columns->column[c], a) != number_at(rows, columns->column[c], b))
            return false;
    return true;
}

static int find_groups(struct td_time_slices *s, const struct group_columns *columns)
{
    for (uint64_t first = 0; first < s->left;) {
        uint64_t end = first + 1;
        TD_BISECT_NEAR(end, s->left, at, is_same_group(s->rows, columns, first, at));
        if (TD_APPEND(s->group, s->groups, s->group_room, (struct td_row_run){first, end - first}) < 0)
            return TD_E_NOMEM;
        first = end;
    }
    return 0;
}

int td_time_slices_init(struct td_time_slices *s, const struct td_query_rows *rows)
{
    struct group_columns columns = {.count = 0};
    *s = (struct td_time_slices){.rows = rows, .left = rows->count};
    if (!rows->of.trace || td_trace_is_finished(rows->of.trace))
        s->time = find_columns(rows->table, &columns);
    if (!s->time)
        columns.count = 0;
    const int rc = find_groups(s, &columns);
    s->run = malloc((s->groups + 1) * sizeof *s->run);
    return s->run ? rc : TD_E_NOMEM;
}

void td_time_slices_free(struct td_time_slices *s)
{
    free(s->group);
    free(s->run);
    *s = (struct td_time_slices){0};
}

/* ---- slices ---- */

/* How many of a group's rows are at or before a time. */
static uint64_t count_until(const struct td_time_slices *s, const struct td_row_run *group, int64_t until_ns)
{
    uint64_t row = group->first;
    TD_BISECT_NEAR(row, group->first + group->count, at, number_at(s->rows, s->time, at) <= until_ns);
    return row - group->first;
}

static uint64_t count_all_until(const struct td_time_slices *s, int64_t until_ns)
{
    uint64_t count = 0;
    for (size_t g = 0; g < s->groups; g++)
        count += count_until(s, &s->group[g], until_ns);
    return count;
}

static void find_ends(const struct td_time_slices *s, int64_t *first_ns, int64_t *last_ns)
{
    *first_ns = INT64_MAX;
    *last_ns = INT64_MIN;
    for (size_t g = 0; g < s->groups; g++) {
        const struct td_row_run *group = &s->group[g];
        if (!group->count)
            continue;
        const int64_t first = number_at(s->rows, s->time, group->first);
        const int64_t last = number_at(s->rows, s->time, group->first + group->count - 1);
        *first_ns = first < *first_ns ? first : *first_ns;
        *last_ns = last > *last_ns ? last : *last_ns;
    }
}

/* A time until which there are at most `most` rows, but not much fewer, if there is one; else the first of all. */
static int64_t find_time(struct td_time_slices *s, uint64_t most)
{
    int64_t first_ns, high_ns;
    find_ends(s, &first_ns, &high_ns);
    int64_t low_ns = first_ns;
    while (low_ns < high_ns) {
        int64_t middle_ns = low_ns + (int64_t)(((uint64_t)high_ns - (uint64_t)low_ns + 1) / 2);
        if (s->last_length_ns > 0 && s->last_length_ns < high_ns - first_ns)
            middle_ns = first_ns + s->last_length_ns; /* a guess, once */
        s->last_length_ns = 0;
        const uint64_t count = count_all_until(s, middle_ns);
        if (count <= most)
            low_ns = middle_ns;
        else
            high_ns = middle_ns - 1;
        if (count <= most && count >= most - most / 4)
            break;
    }
    s->last_length_ns = low_ns - first_ns;
    return low_ns;
}

uint64_t td_time_slices_next(struct td_time_slices *s, uint64_t most)
{
    const bool all = !s->time || s->groups < 2 || s->left <= most;
    const int64_t until_ns = all ? INT64_MAX : find_time(s, most);
    uint64_t taken = 0;
    size_t kept = 0;
    s->runs = 0;
    for (size_t g = 0; g < s->groups; g++) {
        struct td_row_run group = s->group[g];
        uint64_t count = all ? group.count : count_until(s, &group, until_ns);
        count = count < most - taken ? count : most - taken;
        if (count)
            s->run[s->runs++] = (struct td_row_run){group.first, count};
        taken += count;
        group.first += count;
        group.count -= count;
        if (group.count)
            s->group[kept++] = group;
    }
    s->groups = kept;
    s->left -= taken;
    return taken;
}
