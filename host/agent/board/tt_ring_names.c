#include "host/agent/board/tt_ring_names.h"
#include "host/agent/board/tt_zone_names.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/device/image/image.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LOOK_NS = 200000000, MOST_DEPTH = 8, MOST_ZONES = 4096, FIRST_ROOM = 256, SLACK_S = 2 };

struct named_zone {
    uint32_t id, line;
    int64_t written_s; /* when the ELF was */
    char *name, *file; /* NULL: not named */
    uint32_t srcloc;   /* 0: not asked for yet */
    bool is_used;
};

struct td_tt_ring_names {
    struct td_dict *dict;
    const struct td_board_tap *tap;
    char folder[4096];
    int64_t next_look_ns, looked_s; /* ELFs that were written before were read */
    struct named_zone *rows;        /* by a hash of the id */
    size_t count, room;             /* a power of two, or 0 */
    struct td_image_tt_zone *zones; /* of one ELF */
    uint32_t unknown;
};

static struct named_zone *place_of(struct named_zone *rows, size_t room, uint32_t id)
{
    size_t at = (id * UINT32_C(2654435769)) & (room - 1);
    while (rows[at].is_used && rows[at].id != id)
        at = (at + 1) & (room - 1);
    return &rows[at];
}

/* The row of an id, made if there is none. NULL: no memory. */
static struct named_zone *row_of(struct td_tt_ring_names *n, uint32_t id)
{
    if (2 * n->count >= n->room) {
        const size_t room = n->room ? 2 * n->room : FIRST_ROOM;
        struct named_zone *rows = calloc(room, sizeof *rows);
        if (!rows)
            return NULL;
        for (size_t i = 0; i < n->room; i++)
            if (n->rows[i].is_used)
                *place_of(rows, room, n->rows[i].id) = n->rows[i];
        free(n->rows);
        n->rows = rows;
        n->room = room;
    }
    struct named_zone *row = place_of(n->rows, n->room, id);
    n->count += !row->is_used;
    row->is_used = true;
    row->id = id;
    return row;
}

/* Ids are given when a kernel is loaded, so an older ELF may have the same one. */
static int name_row(struct td_tt_ring_names *n, uint32_t id, struct td_tt_text name, struct td_tt_text file,
                    uint32_t line, int64_t written_s)
{
    struct named_zone *row = row_of(n, id);
    if (!row)
        return TD_E_NOMEM;
    if (row->srcloc || (row->name && row->written_s > written_s))
        return 0;
    char *name_copy = strndup(name.at, name.bytes), *file_copy = strndup(file.at, file.bytes);
    if (!name_copy || !file_copy) {
        free(name_copy);
        free(file_copy);
        return TD_E_NOMEM;
    }
    free(row->name);
    free(row->file);
    row->name = name_copy;
    row->file = file_copy;
    row->line = line;
    row->written_s = written_s;
    return 0;
}

static int read_elf(struct td_tt_ring_names *n, const char *path, int64_t written_s)
{
    struct td_image *image = td_image_open(path, NULL); /* no ELF of a core: of no interest */
    int rc = 0;
    if (!image)
        return 0;
    const size_t count = td_image_tt_zones(image, n->zones, MOST_ZONES);
    for (size_t i = 0; i < count && rc == 0; i++) {
        const struct td_image_tt_zone *z = &n->zones[i];
        rc = name_row(n, z->id, td_tt_text_of(z->name), td_tt_text_of(z->file), z->line, written_s);
    }
    td_image_close(image);
    return rc;
}

static int look_through(struct td_tt_ring_names *n, const char *folder, unsigned depth)
{
    DIR *directory = opendir(folder);
    int rc = 0;
    for (struct dirent *entry; directory && rc == 0 && (entry = readdir(directory));) {
        char path[4096];
        struct stat st;
        const size_t bytes = strlen(entry->d_name);
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length < 0 || (size_t)length >= sizeof path || stat(path, &st))
            continue;
        if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH)
            rc = look_through(n, path, depth + 1);
        else if (S_ISREG(st.st_mode) && bytes > 4 && strcmp(entry->d_name + bytes - 4, ".elf") == 0 &&
                 st.st_mtim.tv_sec >= n->looked_s)
            rc = read_elf(n, path, st.st_mtim.tv_sec);
    }
    if (directory)
        closedir(directory);
    return rc;
}

static int look(struct td_tt_ring_names *n)
{
    const int64_t now = td_mono_ns();
    struct timespec wall;
    if (now < n->next_look_ns)
        return 0;
    clock_gettime(CLOCK_REALTIME, &wall);
    const int rc = look_through(n, n->folder, 0);
    n->looked_s = wall.tv_sec - SLACK_S; /* one that was written meanwhile is read again */
    n->next_look_ns = td_mono_ns() + LOOK_NS;
    td_debug(board, "%zu zones are named by ELFs in %s", n->count, n->folder);
    return rc;
}

struct td_tt_ring_names *td_tt_ring_names_create(struct td_dict *dict, const char *folder,
                                                 const struct td_board_tap *tap)
{
    struct td_tt_ring_names *n = calloc(1, sizeof *n);
    const char *given = getenv("TT_METAL_CACHE"), *home = getenv("HOME");
    if (n)
        n->zones = calloc(MOST_ZONES, sizeof *n->zones);
    if (!n || !n->zones) {
        free(n);
        return NULL;
    }
    n->dict = dict;
    n->tap = tap;
    n->next_look_ns = folder && !*folder ? INT64_MAX : 0;
    if (folder || given)
        snprintf(n->folder, sizeof n->folder, "%s", folder ? folder : given);
    else
        snprintf(n->folder, sizeof n->folder, "%s/.cache/tt-metal-cache", home ? home : "");
    return n;
}

void td_tt_ring_names_destroy(struct td_tt_ring_names *n)
{
    if (!n)
        return;
    for (size_t i = 0; i < n->room; i++) {
        free(n->rows[i].name);
        free(n->rows[i].file);
    }
    free(n->rows);
    free(n->zones);
    free(n);
}

int td_tt_ring_names_add(struct td_tt_ring_names *n, struct td_tt_text line)
{
    struct td_tt_zone_source source;
    const char *colon = line.bytes ? memchr(line.at, ':', line.bytes) : NULL;
    uint32_t id;
    if (!colon || !td_tt_text_u32((struct td_tt_text){line.at, (size_t)(colon - line.at)}, &id) ||
        !td_tt_zone_source_read((struct td_tt_text){colon + 1, line.bytes - (size_t)(colon + 1 - line.at)},
                                &source))
        return 0;
    return name_row(n, id, source.name, source.file, source.line, 0);
}

static void tell_tap(const struct td_tt_ring_names *n, uint32_t id, const struct td_tt_zone_source *source)
{
    char line[1024];
    const int first = snprintf(line, sizeof line, "%u:", id);
    const int bytes = td_tt_zone_source_text(line + first, sizeof line - (size_t)first, source);
    if (n->tap && bytes > 0 && (size_t)(first + bytes) < sizeof line)
        n->tap->tt_zone(n->tap->self, line, (size_t)(first + bytes - 1)); /* without the newline */
}

uint32_t td_tt_ring_names_srcloc(struct td_tt_ring_names *n, uint32_t id)
{
    struct named_zone *row = row_of(n, id);
    if (row && row->srcloc)
        return row->srcloc;
    if (row && !row->name) {
        if (look(n))
            return UINT32_MAX;
        row = row_of(n, id);
    }
    if (!row)
        return UINT32_MAX;
    if (row->name) {
        const struct td_tt_zone_source source = {td_tt_text_of(row->name), td_tt_text_of(row->file),
                                                 row->line};
        tell_tap(n, id, &source);
        row->srcloc = td_tt_zone_srcloc(n->dict, &source);
        return row->srcloc;
    }
    char text[40];
    snprintf(text, sizeof text, "zone %u", id);
    n->unknown++;
    row->srcloc = td_dict_srcloc(n->dict, &(struct td_srcloc){.name = td_dict_cstring(n->dict, text)});
    return row->srcloc;
}

uint32_t td_tt_ring_names_unknown(const struct td_tt_ring_names *n)
{
    return n->unknown;
}
