#include "host/tools/source_files.h"
#include "host/trace/tables.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (64 << 20)

struct adder {
    struct td_trace *trace;
    const struct td_dict *dict;
    struct td_series *table;
    uint8_t *seen; /* by string */
    time_t older_than;
};

static int read_whole(int fd, char *to, size_t bytes)
{
    for (size_t have = 0; have < bytes;) {
        ssize_t n = read(fd, to + have, bytes - have);
        if (n <= 0)
            return -1;
        have += (size_t)n;
    }
    return 0;
}

static int add_open(struct adder *a, uint32_t name, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_mtime >= a->older_than || st.st_size == 0 ||
        st.st_size > FILE_BYTES_MAX)
        return 0;
    char *text = malloc((size_t)st.st_size);
    int rc = text ? 0 : -1;
    if (rc == 0 && read_whole(fd, text, (size_t)st.st_size) == 0) {
        int64_t row[] = {name, td_trace_fill_blob(a->trace, text, (size_t)st.st_size), st.st_size};
        rc = row[1] ? td_series_append(a->table, row) : -1;
    }
    free(text);
    return rc;
}

static int add(struct adder *a, uint32_t name)
{
    if (name >= td_dict_string_count(a->dict) || a->seen[name])
        return 0;
    a->seen[name] = 1;
    int fd = open(td_dict_text(a->dict, name), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return 0;
    int rc = add_open(a, name, fd);
    close(fd);
    return rc;
}

static int add_all(struct adder *a)
{
    const struct td_series *symbols = td_trace_table(a->trace, TD_TABLE_SYMBOL);
    for (uint64_t i = 0; i < td_series_count(a->table); i++)
        a->seen[td_series_get(a->table, i, TD_SOURCE_NAME)] = 1;
    for (uint32_t s = 1; s < td_dict_srcloc_count(a->dict); s++)
        if (add(a, td_dict_get_srcloc(a->dict, s)->file) < 0)
            return -1;
    for (uint64_t i = 0; i < td_series_count(symbols); i++)
        if (add(a, (uint32_t)td_series_get(symbols, i, TD_SYMBOL_FILE)) < 0)
            return -1;
    return 0;
}

int td_source_files(struct td_trace *trace, struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    struct adder a = {.trace = trace,
                      .dict = td_trace_dict(trace),
                      .table = td_trace_fill_table(trace, TD_TABLE_SOURCE),
                      .older_than =
                          (time_t)(info->executable_time_s ? info->executable_time_s : info->capture_time_s)};
    a.seen = calloc(td_dict_string_count(a.dict) + 1, 1);
    int rc = -1;
    if (a.seen && a.table) {
        td_series_reopen(a.table);
        rc = add_all(&a);
    }
    free(a.seen);
    return rc < 0 ? td_fail(err, TD_E_NOMEM, "out of memory for source files") : 0;
}
