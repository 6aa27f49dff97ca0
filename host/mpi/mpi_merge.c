#include "host/mpi/mpi_merge.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/file/shards.h"
#include "host/mpi/mpi_agree.h"

#include <dirent.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX   1000000u
#define TARGET_PART 2 / 3 /* of a rank's memory; the rest is for the trace that is read */

/* ---- which files ---- */

static bool is_trace_name(const char *name)
{
    size_t bytes = strlen(name);
    return name[0] != '.' && bytes > 6 && !strcmp(name + bytes - 6, ".tracy");
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Rank 0 lists the folder, so that all ranks have the same list. */
static int list_files(struct mpi_merge *m, struct td_err *err)
{
    DIR *dir = opendir(m->dir);
    struct dirent *entry;
    size_t capacity = 0;
    if (!dir)
        return td_fail_errno(err, "cannot read the folder %s", m->dir);
    while ((entry = readdir(dir)) && m->count < FILES_MAX) {
        if (!is_trace_name(entry->d_name))
            continue;
        if (m->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            void *more = realloc(m->paths, capacity * sizeof *m->paths);
            if (!more)
                break;
            m->paths = more;
        }
        int n = snprintf(m->paths[m->count], sizeof *m->paths, "%s/%s", m->dir, entry->d_name);
        if (n < 0 || (size_t)n >= sizeof *m->paths) {
            closedir(dir);
            return td_fail(err, TD_E_LIMIT, "the path of %s is too long", entry->d_name);
        }
        m->count++;
    }
    closedir(dir);
    if (entry)
        return td_fail_no_memory(err, "for the list of files");
    if (!m->count)
        return td_fail(err, TD_E_NOTFOUND, "there is no .tracy file in %s", m->dir);
    qsort(m->paths, m->count, sizeof *m->paths, compare_paths);
    return 0;
}

static int share_files(struct mpi_merge *m, struct td_err *err)
{
    int rc = mpi_agree(m->tree.rank == 0 ? list_files(m, err) : 0, err);
    if (rc < 0)
        return rc;
    uint64_t count = m->count;
    MPI_Bcast(&count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    m->count = (size_t)count;
    if (m->tree.rank)
        m->paths = malloc(m->count * sizeof *m->paths);
    m->sources = calloc(m->count, sizeof *m->sources);
    rc = mpi_agree(m->paths && m->sources ? 0 : td_fail_no_memory(err, "for the list of files"), err);
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        MPI_Bcast(m->paths[i], sizeof *m->paths, MPI_BYTE, 0, MPI_COMM_WORLD);
        m->sources[i].path = m->paths[i];
    }
    return rc;
}

/* ---- looking at them ---- */

static bool is_mine(const struct mpi_merge *m, size_t file)
{
    return file % (size_t)m->tree.ranks == (size_t)m->tree.rank;
}

static int look_at_mine(struct mpi_merge *m, struct td_err *err)
{
    static const struct merge_rule by_clock = {.by = MERGE_BY_CLOCK};
    bool keep = !m->memory_bytes;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        struct td_file_read_options options = {.memory_bytes = m->tree.memory_bytes,
                                               .threads = (int)m->tree.threads};
        struct td_trace *trace;
        if (!is_mine(m, i))
            continue;
        rc = td_file_read_with(m->paths[i], &options, &trace, err);
        rc = rc ? rc : merge_source_look(&m->sources[i], trace, &by_clock, err);
        if (rc == 0 && keep)
            m->sources[i].trace = trace;
        else
            td_trace_destroy(trace);
    }
    return rc;
}

/* All ranks get what the file's rank knows of it. The path and the trace are a rank's own. */
static void share_facts(struct mpi_merge *m)
{
    for (size_t i = 0; i < m->count; i++) {
        struct merge_source *s = &m->sources[i], own = *s;
        MPI_Bcast(s, sizeof *s, MPI_BYTE, (int)(i % (size_t)m->tree.ranks), MPI_COMM_WORLD);
        s->path = own.path;
        s->trace = own.trace;
    }
}

/* All ranks know the same facts and clocks, so that they find the same lines. */
static void align(struct mpi_merge *m)
{
    static const struct merge_rule by_clock = {.by = MERGE_BY_CLOCK};
    MPI_Bcast(m->clocks, (int)((size_t)m->tree.ranks * sizeof *m->clocks), MPI_BYTE, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < m->count; i++)
        if (m->sources[i].has_origin)
            mpi_clock_apply(m->clocks, m->tree.ranks, &m->sources[i].origin);
    merge_label(m->sources, m->count);
    m->has_origin = merge_align(m->sources, m->count, &by_clock, &m->origin);
}

/* The file's place in the list, which the order of labels has changed. */
static size_t file_of(const struct mpi_merge *m, const struct merge_source *s)
{
    return (size_t)((const char(*)[512])s->path - (const char(*)[512])m->paths);
}

/* ---- copying ---- */

static int copy_mine(struct mpi_merge *m, struct td_copier *copier, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        struct merge_source *s = &m->sources[i];
        struct td_file_read_options options = {.memory_bytes = m->tree.memory_bytes,
                                               .threads = (int)m->tree.threads};
        if (!is_mine(m, file_of(m, s)))
            continue;
        if (!s->trace)
            rc = td_file_read_with(s->path, &options, &s->trace, err);
        if (rc == 0)
            rc = td_copier_add(
                copier, s->trace,
                &(struct td_copy_options){.clock = s->line, .label = s->label, .threads = m->tree.threads},
                err);
        td_trace_destroy(s->trace);
        s->trace = NULL;
    }
    return rc;
}

static int write_notes(struct mpi_merge *m, struct td_trace *trace, struct td_err *err)
{
    int rc = m->has_origin ? td_clock_origin_note(trace, &m->origin) : 0;
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        char text[320];
        merge_describe(&m->sources[i], text, sizeof text);
        if (!m->quiet)
            fprintf(stderr, "tendril-mpi merge: %s (%s, %" PRIu64 " zones)\n", TD_PLAIN(text),
                    TD_PLAIN(m->sources[i].path), m->sources[i].zones);
        rc = td_trace_note(trace, TD_NOTE_SOURCE, "%s", text);
    }
    return rc < 0 ? td_fail_no_memory(err, "for the merged trace") : 0;
}

/* Everything that this rank has: its files and, without shards, the traces of the ranks below it. */
static int make_trace(struct mpi_merge *m, struct td_trace **trace, struct td_err *err)
{
    *trace = td_trace_create_within(td_dict_create(), m->memory_bytes * TARGET_PART);
    struct td_copier *copier = *trace ? td_copier_create(*trace, err) : NULL;
    int rc = copier ? 0 : td_fail_no_memory(err, "for the merged trace");
    if (rc == 0 && m->tree.rank == 0)
        rc = write_notes(m, *trace, err);
    rc = rc ? rc : copy_mine(m, copier, err);
    if (!m->shards) {
        int received = mpi_tree_receive(&m->tree, rc == 0 ? copier : NULL, err);
        rc = rc < 0 ? rc : received;
    }
    rc = rc ? rc : td_copier_end(copier, err);
    td_copier_destroy(copier);
    rc = rc ? rc : td_trace_finish(*trace, err);
    if (rc < 0) {
        td_trace_destroy(*trace);
        *trace = NULL;
    }
    return rc;
}

static void print_notice(const struct mpi_merge *m, const char *text)
{
    if (text[0] && !m->quiet)
        fprintf(stderr, "tendril-mpi merge: %s\n", TD_PLAIN(text));
}

static int write_shard(struct mpi_merge *m, const struct td_trace *trace, struct td_err *err)
{
    struct td_file_options options = m->options;
    char path[4200];
    snprintf(path, sizeof path, "%s/" TD_SHARD_NAME, m->shards, (unsigned)m->tree.rank);
    options.version = options.version ? options.version : TD_FILE_VERSION_NEWEST;
    return td_file_write(trace, path, &options, err);
}

/* The index is written last: a folder with an index is complete. */
static int write_shards(struct mpi_merge *m, const struct td_trace *trace, int rc, struct td_err *err)
{
    rc = mpi_agree(rc == 0 ? write_shard(m, trace, err) : rc, err);
    if (rc == 0)
        rc = mpi_agree(m->tree.rank == 0 ? td_shards_write_index(m->shards, (unsigned)m->tree.ranks, err) : 0,
                       err);
    return rc;
}

static int write_one(struct mpi_merge *m, const struct td_trace *trace, int rc, struct td_err *err)
{
    struct td_file_notice notice = {0};
    if (m->tree.rank) {
        int sent = mpi_tree_send(&m->tree, rc == 0 ? trace : NULL, err);
        rc = rc < 0 ? rc : sent;
    } else if (rc == 0) {
        m->options.notice = &notice;
        rc = output_write(&m->output, trace, &m->options, err);
        print_notice(m, notice.text);
    }
    return mpi_agree(rc, err);
}

static int make_shards_folder(const struct mpi_merge *m, struct td_err *err)
{
    if (m->tree.rank || !m->shards)
        return 0;
    int rc = td_folder_make(m->shards, err);
    return rc < 0 ? rc : td_shards_remove_index(m->shards, err);
}

int mpi_merge_run(struct mpi_merge *m, struct td_err *err)
{
    struct td_trace *trace = NULL;
    int rc = share_files(m, err);
    m->clocks = rc == 0 ? calloc((size_t)m->tree.ranks, sizeof *m->clocks) : NULL;
    rc = rc < 0 ? rc : mpi_agree(m->clocks ? 0 : td_fail_no_memory(err, NULL), err);
    rc = rc < 0 ? rc : mpi_agree(td_run_folder_make(&m->tree.folder, 0, err), err);
    rc = rc < 0 ? rc : mpi_agree(make_shards_folder(m, err), err);
    if (rc == 0) {
        mpi_clock_measure(m->clocks);
        rc = mpi_agree(look_at_mine(m, err), err);
    }
    if (rc == 0) {
        share_facts(m);
        align(m);
        rc = mpi_agree(merge_check_span(m->sources, m->count, err), err);
    }
    if (rc == 0) {
        rc = make_trace(m, &trace, err);
        rc = m->shards ? write_shards(m, trace, rc, err) : write_one(m, trace, rc, err);
    }
    td_trace_destroy(trace);
    for (size_t i = 0; m->sources && i < m->count; i++)
        td_trace_destroy(m->sources[i].trace);
    td_run_folder_remove(&m->tree.folder);
    free(m->clocks);
    free(m->sources);
    free(m->paths);
    return rc;
}
