/* tendril boards: lists the boards that have a description, and the boards that are present on this machine.
 */
#include "host/agent/board/attach.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/options.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/device/discover.h"
#include "host/tools/commands.h"
#include "host/tools/recording/card_check.h"
#include "host/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A description file; board.name is empty if it cannot be read, and `err` says why. */
struct board_file {
    char *name, *path;
    struct td_board board;
    struct td_err err;
};

struct board_files {
    struct board_file *items;
    size_t count, room;
};

/* A board that is present. */
struct present_board {
    struct td_discovered present;
    int tried; /* --probe has tried to open it */
    struct td_err err;
    char opened[160]; /* a description of the opened board; "": it could not be opened */
};

struct report {
    const struct board_files *list;
    struct td_board *sound; /* those boards of the list whose descriptions can be read */
    size_t sound_count;
    int probe, verbose;
    int as_json;
    struct td_json json;
    size_t count;
};

static int add_description(void *self, const char *name, const char *path)
{
    struct board_files *l = self;
    if (td_grow(&l->items, &l->room, l->count + 1, sizeof *l->items))
        return TD_E_NOMEM;
    struct board_file *k = &l->items[l->count];
    memset(k, 0, sizeof *k);
    k->name = strdup(name);
    k->path = strdup(path);
    l->count++;
    if (!k->name || !k->path)
        return TD_E_NOMEM;
    if (td_board_load(&k->board, path, NULL, NULL, &k->err))
        k->board.name[0] = 0;
    return 0;
}

TD_COMPARE(by_name, struct board_file, TD_UP_TEXT(name))

static void free_descriptions(struct board_files *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].name);
        free(l->items[i].path);
    }
    free(l->items);
}

/* "BRISC NCRISC TRISC0-2": ranges of cores whose names differ only in the number are shortened. */
static void core_names(const struct td_board *b, char *to, size_t bytes)
{
    size_t used = 0;
    to[0] = 0;
    for (uint32_t i = 0; i < b->core_count && used < bytes; i++) {
        const char *name = b->cores[i].name;
        size_t stem = strlen(name);
        while (stem > 1 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
            stem--;
        uint32_t last = i;
        while (name[stem] && last + 1 < b->core_count && strncmp(b->cores[last + 1].name, name, stem) == 0)
            last++;
        used += (size_t)snprintf(to + used, bytes - used, "%s%s", i ? " " : "", name);
        if (last > i && used < bytes)
            used += (size_t)snprintf(to + used, bytes - used, "-%s", b->cores[last].name + stem);
        i = last;
    }
}

static void transport_names(const struct td_board *b, char *to, size_t bytes)
{
    size_t used = 0;
    to[0] = 0;
    for (uint32_t i = 0; i < b->transport_count && used < bytes; i++)
        used += (size_t)snprintf(to + used, bytes - used, "%s%s", i ? " " : "", b->transports[i]);
}

static void print_known(const struct board_file *k)
{
    const struct td_board *b = &k->board;
    char tiles[40], cores[80], transports[80];
    if (!b->name[0]) {
        printf("%-18s cannot be read: %s\n", TD_PLAIN(k->name), k->err.text);
        return;
    }
    const struct td_chip_desc *c = &b->chip[0];
    snprintf(tiles, sizeof tiles, b->chips > 1 ? "%u x %ux%u" : "%.0u%ux%u", b->chips > 1 ? b->chips : 0,
             c->columns, c->rows);
    core_names(b, cores, sizeof cores);
    transport_names(b, transports, sizeof transports);
    printf("%-18s %-10s %-22s %6u  %s%s\n", TD_PLAIN(b->name), tiles, TD_PLAIN(cores),
           b->chips * c->columns * c->rows * b->core_count, TD_PLAIN(transports),
           b->simulated ? " (simulated)" : "");
}

static void print_known_as_json(struct td_json *j, const struct board_file *k)
{
    const struct td_board *b = &k->board;
    td_json_object(j, NULL);
    td_json_string(j, "name", k->name);
    td_json_string(j, "file", k->path);
    td_json_string(j, "error", b->name[0] ? NULL : k->err.text);
    if (b->name[0]) {
        td_json_bool(j, "simulated", b->simulated != 0);
        td_json_array(j, "chips");
        for (uint32_t i = 0; i < b->chips; i++) {
            td_json_object(j, NULL);
            td_json_uint(j, "columns", b->chip[i].columns);
            td_json_uint(j, "rows", b->chip[i].rows);
            td_json_end_object(j);
        }
        td_json_end_array(j);
        td_json_array(j, "cores");
        for (uint32_t i = 0; i < b->core_count; i++)
            td_json_string(j, NULL, b->cores[i].name);
        td_json_end_array(j);
        td_json_array(j, "transports");
        for (uint32_t i = 0; i < b->transport_count; i++)
            td_json_string(j, NULL, b->transports[i]);
        td_json_end_array(j);
        td_json_double(j, "frequency_hz", b->frequency_hz);
    }
    td_json_end_object(j);
}

static void print_step(void *self, const struct td_card_step *step)
{
    static const char *const results[] = {"ok", "?", "FAILED"};
    (void)self;
    printf("    %-12s %-7s %s\n", step->name, results[step->result], TD_PLAIN(step->text));
}

/* Opens the board, reads a clock, and closes it again. */
static void try_to_open(const struct report *r, struct present_board *t)
{
    struct td_transport *transport;
    struct td_board *board = malloc(sizeof *board);
    struct td_clock_sample sample = {0};
    t->tried = 1;
    if (!board) {
        td_fail_no_memory(&t->err, NULL);
        return;
    }
    /* The first of the possible names; a board that reports its own name has none here. */
    char name[200];
    snprintf(name, sizeof name, "%s", t->present.boards);
    name[strcspn(name, ",")] = 0;
    const struct td_attach attach = {.where = t->present.where, .board = name[0] ? name : NULL};
    int rc = td_attach_open(&attach, &transport, board, NULL, &t->err);
    if (rc == 0) {
        rc = transport->ops->alive(transport, &t->err);
        rc = rc ? rc : transport->ops->clock(transport, td_board_tile(board, 0, 0, 0), &sample, &t->err);
        td_transport_close(transport);
    }
    if (rc == 0)
        snprintf(t->opened, sizeof t->opened, "%s, %u chip%s of %ux%u tiles, clock at %" PRIu64, board->name,
                 board->chips, board->chips > 1 ? "s" : "", board->grid_width, board->grid_height,
                 sample.ticks);
    free(board);
}

static void print_where(const struct td_discovered *present)
{
    printf("%s  %s%s%s\n", TD_PLAIN(present->where), TD_PLAIN(present->boards),
           present->boards[0] ? ": " : "", TD_PLAIN(present->what));
}

static void check_each_step(const struct td_discovered *present)
{
    struct td_err err = {0};
    char name[sizeof present->boards];
    snprintf(name, sizeof name, "%s", present->boards);
    name[strcspn(name, ",")] = 0;
    print_where(present);
    const struct td_attach attach = {.where = present->where, .board = name[0] ? name : NULL};
    td_card_check(&attach, print_step, NULL, &err);
}

static int report_present(void *self, const struct td_discovered *present)
{
    struct report *r = self;
    struct present_board t = {.present = *present};
    r->count++;
    if (r->verbose && !r->as_json) {
        check_each_step(present);
        return 0;
    }
    if (r->probe)
        try_to_open(r, &t);
    const char *why = t.tried ? (t.opened[0] ? "" : t.err.text) : present->why_not;
    if (r->as_json) {
        struct td_json *j = &r->json;
        td_json_object(j, NULL);
        td_json_string(j, "where", present->where);
        td_json_string(j, "board", present->boards[0] ? present->boards : NULL);
        td_json_string(j, "what", present->what);
        if (t.tried)
            td_json_bool(j, "opens", t.opened[0] != 0);
        else
            td_json_null(j, "opens");
        td_json_string(j, "why_not", why[0] ? why : NULL);
        td_json_end_object(j);
        return 0;
    }
    print_where(present);
    if (t.opened[0])
        printf("    opens: %s\n", TD_PLAIN(t.opened));
    else if (why[0])
        printf("    cannot be opened: %s\n", TD_PLAIN(why));
    return 0;
}

static int print_all(struct report *r, const struct td_discover_roots *roots)
{
    printf("%-18s %-10s %-22s %6s  %s\n", "board", "tiles", "cores", "lanes", "transports");
    for (size_t i = 0; i < r->list->count; i++)
        print_known(&r->list->items[i]);
    printf("\npresent on this machine:\n");
    const int rc = td_discover_each(roots, r->sound, r->sound_count, report_present, r);
    if (rc == 0 && r->count == 0)
        printf("none: no simulator runs (tendril sim), no PCI device or card of a known kind, no probe on "
               "USB\n");
    return rc;
}

static int print_all_as_json(struct report *r, const struct td_discover_roots *roots)
{
    struct td_json *j = &r->json;
    td_json_object(j, NULL);
    td_json_int(j, "schema", 1);
    td_json_array(j, "boards");
    for (size_t i = 0; i < r->list->count; i++)
        print_known_as_json(j, &r->list->items[i]);
    td_json_end_array(j);
    td_json_array(j, "present");
    const int rc = td_discover_each(roots, r->sound, r->sound_count, report_present, r);
    td_json_end_array(j);
    td_json_end_object(j);
    printf("\n");
    return rc;
}

const char td_summary_boards[] =
    "Lists the boards that are known, and those that are present on this machine.";

int td_cmd_boards(int argc, char **argv, struct td_err *err)
{
    int probe = 0, json = 0, verbose = 0;
    const char *at = NULL, *board = NULL;
    const struct td_option options[] = {
        {0, "probe", TD_OPT_FLAG, &probe, NULL,
         "open each board that is present, and say why one cannot be opened", 0, 0, 0},
        {0, "verbose", TD_OPT_FLAG, &verbose, NULL,
         "with --probe: print each step, from the driver to a tile's clock", 0, 0, 0},
        {0, "at", TD_OPT_STRING, &at, "WHERE", "check this board, and no others", 0, 0, 0},
        {'b', "board", TD_OPT_STRING, &board, "BOARD", "with --at: which board it is", 0, 0, 0},
        {0, "json", TD_OPT_FLAG | TD_OPT_LOOKS, &json, NULL, "as a JSON object", 0, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril boards",
        .usage = "[options]",
        .summary = td_summary_boards,
        .options = options,
        .min_args = 0,
        .max_args = 0,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    struct board_files list = {0};
    struct report r = {
        .list = &list, .probe = probe || at, .verbose = verbose, .as_json = json, .json = {.to = stdout}};
    const struct td_discover_roots roots = {0};
    if (at && !json) {
        struct td_discovered one = {0};
        snprintf(one.where, sizeof one.where, "%s", at);
        snprintf(one.boards, sizeof one.boards, "%s", board ? board : "");
        snprintf(one.what, sizeof one.what, "named by --at");
        return report_present(&r, &one);
    }
    int rc = td_board_each(add_description, &list);
    if (rc < 0)
        td_fail_to_look(rc, "boards", err);
    r.sound = rc < 0 ? NULL : calloc(list.count + 1, sizeof *r.sound);
    if (!r.sound) {
        td_fail_no_memory(err, NULL);
    } else {
        qsort(list.items, list.count, sizeof *list.items, by_name);
        for (size_t i = 0; i < list.count; i++)
            if (list.items[i].board.name[0])
                r.sound[r.sound_count++] = list.items[i].board;
        rc = json ? print_all_as_json(&r, &roots) : print_all(&r, &roots);
        if (rc < 0)
            td_fail_to_look(rc, "boards", err);
    }
    free(r.sound);
    free_descriptions(&list);
    return err->code ? 1 : 0;
}
