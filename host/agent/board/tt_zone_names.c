#include "host/agent/board/tt_zone_names.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "proto/device/site.h"
#include "proto/tt/device_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { IDS = 65536, FILES = 2, LOOK_NS = 200000000 };

struct td_tt_zone_names {
    struct td_dict *dict;
    const struct td_board_tap *tap;
    char folder[4096]; /* or the file */
    struct log {
        char path[4200];
        off_t read; /* so far, up to the end of a line */
    } logs[FILES];
    int64_t next_look_ns;
    uint32_t unknown;
    struct {
        uint32_t srcloc; /* 0: none yet */
        bool is_named;
    } ids[IDS];
};

/* tt-metal has no kind of zones for waits, but names them so. */
static bool is_wait(struct td_tt_text name)
{
    return memmem(name.at, name.bytes, "-WAIT-", 6) || memmem(name.at, name.bytes, "-RESERVE-", 9);
}

uint32_t td_tt_zone_srcloc(struct td_dict *dict, const struct td_tt_zone_source *zone)
{
    struct td_srcloc srcloc = {.name = td_dict_string(dict, zone->name.at, zone->name.bytes),
                               .file = td_dict_string(dict, zone->file.at, zone->file.bytes),
                               .line = zone->line};
    if (srcloc.name == UINT32_MAX || srcloc.file == UINT32_MAX)
        return UINT32_MAX;
    if (is_wait(zone->name)) {
        srcloc.flags = TD_SRCLOC_WAIT;
        srcloc.color = TD_WAIT_COLOR;
    }
    return td_dict_srcloc(dict, &srcloc);
}

static void find_logs(struct td_tt_zone_names *n)
{
    static const char *const files[FILES] = {TD_TT_ZONE_LOG, TD_TT_NEW_ZONE_LOG};
    struct stat st;
    const bool is_file = stat(n->folder, &st) == 0 && S_ISREG(st.st_mode);
    for (int i = 0; i < FILES; i++) {
        struct log *log = &n->logs[i];
        if (log->path[0] || (is_file && i))
            continue;
        snprintf(log->path, sizeof log->path, is_file ? "%s" : "%s/.logs/%s", n->folder, files[i]);
        if (!is_file && stat(log->path, &st))
            snprintf(log->path, sizeof log->path, "%s/%s", n->folder, files[i]);
        if (stat(log->path, &st))
            log->path[0] = 0;
        else
            td_debug(board, "names of zones are in %s", log->path);
    }
}

int td_tt_zone_names_add(struct td_tt_zone_names *n, struct td_tt_text line)
{
    struct td_tt_zone_source source;
    if (!td_tt_zone_source_read(line, &source))
        return 0;
    const uint16_t id = td_tt_zone_hash(&source);
    if (n->ids[id].is_named)
        return 0; /* the same, or another one with the same id: tt-metal takes the first, too */
    const uint32_t srcloc = td_tt_zone_srcloc(n->dict, &source);
    if (srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    n->ids[id].srcloc = srcloc;
    n->ids[id].is_named = true;
    if (n->tap)
        n->tap->tt_zone(n->tap->self, line.at, line.bytes);
    return 0;
}

/* The lines that were added. One that is being written is left for the next time. */
static int read_log(struct td_tt_zone_names *n, struct log *log)
{
    FILE *f = log->path[0] ? fopen(log->path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    int rc = 0;
    if (f && fseeko(f, log->read, SEEK_SET) == 0)
        while (rc == 0 && (bytes = getline(&line, &room, f)) > 0 && line[bytes - 1] == '\n') {
            log->read += bytes;
            while (bytes && (line[bytes - 1] == '\n' || line[bytes - 1] == '\r' || line[bytes - 1] == '\''))
                bytes--;
            rc = td_tt_zone_names_add(n, (struct td_tt_text){line, (size_t)bytes});
        }
    free(line);
    if (f)
        fclose(f);
    return rc;
}

static int look(struct td_tt_zone_names *n)
{
    const int64_t now = td_mono_ns();
    int rc = 0;
    if (now < n->next_look_ns)
        return 0;
    n->next_look_ns = now + LOOK_NS;
    find_logs(n);
    for (int i = 0; i < FILES && rc == 0; i++)
        rc = read_log(n, &n->logs[i]);
    return rc;
}

struct td_tt_zone_names *td_tt_zone_names_create(struct td_dict *dict, const char *place,
                                                 const struct td_board_tap *tap)
{
    struct td_tt_zone_names *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    const char *given = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");
    n->dict = dict;
    n->tap = tap;
    if (place && !*place)
        n->next_look_ns = INT64_MAX;
    else if (place || given)
        snprintf(n->folder, sizeof n->folder, "%s", place ? place : given);
    else
        snprintf(n->folder, sizeof n->folder, "%s%sgenerated/profiler", home ? home : "", home ? "/" : "");
    return n;
}

void td_tt_zone_names_destroy(struct td_tt_zone_names *n)
{
    free(n);
}

uint32_t td_tt_zone_names_srcloc(struct td_tt_zone_names *n, uint16_t id)
{
    if (!n->ids[id].is_named && look(n))
        return UINT32_MAX;
    if (n->ids[id].srcloc)
        return n->ids[id].srcloc;
    char text[40];
    snprintf(text, sizeof text, "zone %u", id);
    n->unknown++;
    n->ids[id].srcloc = td_dict_srcloc(n->dict, &(struct td_srcloc){.name = td_dict_cstring(n->dict, text)});
    return n->ids[id].srcloc;
}

uint32_t td_tt_zone_names_unknown(const struct td_tt_zone_names *n)
{
    return n->unknown;
}
