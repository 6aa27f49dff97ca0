/* Board descriptions: found by name or path, read, checked. */
#include "host/device/board/board.h"
#include "host/base/nearest.h"
#include "host/base/path.h"
#include "host/base/process.h"
#include "host/device/board/board_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_board(struct td_board_text *t, const char *grid, struct td_err *err)
{
    struct td_grid_size own = t->grid;
    const struct td_board as_read = t->board; /* a check leaves out what is harvested */
    int rc = td_board_check(t, err);
    if (rc || !grid)
        return rc;
    if (td_grid_parse(&t->grid, grid))
        return td_fail(err, TD_E_USAGE,
                       "there is no grid '%.20s': it is WIDTHxHEIGHT, each from 1 to %d, such as %ux%u", grid,
                       TD_MAX_GRID - 1, own.width, own.height);
    struct td_err why = {0};
    t->board = as_read;
    return td_board_check(t, &why) ? td_fail(err, TD_E_USAGE, "%s", why.text) : 0;
}

int td_board_parse_based(struct td_board *board, const char *text, const char *origin, const char *grid,
                         const struct td_board_bases *bases, char **flat, struct td_err *err)
{
    struct td_board_text *t = malloc(sizeof *t);
    char *whole = NULL;
    if (!t)
        return td_fail(err, TD_E_NOMEM, "no memory for a board description");
    int rc = td_board_text_parse(t, text, origin, bases, flat ? &whole : NULL, err);
    rc = rc ? rc : check_board(t, grid, err);
    if (rc == 0)
        *board = t->board;
    if (rc == 0 && flat)
        *flat = whole;
    else
        free(whole);
    td_board_text_finish(t);
    free(t);
    return rc;
}

int td_board_parse(struct td_board *board, const char *text, const char *origin, const char *grid,
                   struct td_err *err)
{
    return td_board_parse_based(board, text, origin, grid, NULL, NULL, err);
}

static char *read_file(const char *path, struct td_err *err)
{
    FILE *f = fopen(path, "re");
    if (!f) {
        td_fail_errno(err, "cannot read board description %s", path);
        return NULL;
    }
    size_t room = 1 << 20;
    char *text = malloc(room + 1);
    size_t got = text ? fread(text, 1, room, f) : 0;
    int rc = 0;
    if (!text)
        rc = td_fail_no_memory(err, "for a board description");
    else if (ferror(f))
        rc = td_fail_errno(err, "cannot read board description %s", path);
    else if (got == room || memchr(text, 0, got))
        rc = td_fail(err, TD_E_FORMAT, "%s is not a board description", path);
    fclose(f);
    if (rc < 0) {
        free(text);
        return NULL;
    }
    text[got] = 0;
    return text;
}

struct wanted {
    const char *name;
    char *path;
    size_t bytes;
};

static int take_path(void *self, const char *found)
{
    const struct wanted *w = self;
    const int n = snprintf(w->path, w->bytes, "%s", found);
    return n > 0 && (size_t)n < w->bytes;
}

/* Looks for NAME.board in `directory`, and in every folder directly below it: 1, 0, or an error. */
static int look_in(void *self, const char *directory)
{
    const struct wanted *w = self;
    const char *name = w->name;
    char *path = w->path;
    const size_t bytes = w->bytes;
    static const char *const patterns[] = {"%s/%s/%s.board", "%s/%s.board"};
    for (int i = 0; i < 2; i++) {
        int n = i ? snprintf(path, bytes, patterns[1], directory, name)
                  : snprintf(path, bytes, patterns[0], directory, name, name);
        if (n > 0 && (size_t)n < bytes && access(path, R_OK) == 0)
            return 1;
    }
    char ending[300];
    if (snprintf(ending, sizeof ending, "/%s.board", name) >= (int)sizeof ending)
        return 0;
    return td_files_below(directory, ending, take_path, self);
}

/* The directories that are looked into, first to last: calls visit with each until it returns other than 0.
 */
static int each_directory(int (*visit)(void *self, const char *directory), void *self)
{
    const char *directories = getenv("TENDRIL_BOARDS");
    char directory[4096];
    int rc = 0;
    while (rc == 0 && directories && *directories) {
        size_t length = strcspn(directories, ":");
        if (length && length < sizeof directory) {
            memcpy(directory, directories, length);
            directory[length] = 0;
            rc = visit(self, directory);
        }
        directories += length + (directories[length] == ':');
    }
    /* An installed program has its boards folder next to its bin folder; one of the build may be deeper. */
    static const char *const places[] = {"../share/tendril/boards", "../../share/tendril/boards"};
    for (size_t i = 0; rc == 0 && i < sizeof places / sizeof *places; i++)
        if (td_process_find(places[i], F_OK, directory, sizeof directory))
            rc = visit(self, directory);
    return rc ? rc : visit(self, TD_BOARDS_DIR);
}

/* 1: found; 0, or an error. */
static int find_board(const char *name, char *path, size_t bytes)
{
    struct wanted w = {name, path, bytes};
    return name[0] && !name[strcspn(name, "*?[\\/")] ? each_directory(look_in, &w) : 0;
}

struct board_walk {
    int (*visit)(void *self, const char *name, const char *path);
    void *self;
};

/* One description file; not one that another of the same name hides. */
static int visit_file(void *self, const char *path)
{
    const struct board_walk *walk = self;
    char name[256], first[4096];
    const char *slash = strrchr(path, '/');
    slash = slash ? slash + 1 : path;
    int n = snprintf(name, sizeof name, "%.*s", (int)(strlen(slash) - strlen(".board")), slash);
    if (n <= 0 || (size_t)n >= sizeof name)
        return 0;
    const int found = find_board(name, first, sizeof first);
    return found <= 0 || strcmp(path, first) != 0 ? (found < 0 ? found : 0)
                                                  : walk->visit(walk->self, name, path);
}

static int visit_directory(void *self, const char *directory)
{
    return td_files_below(directory, ".board", visit_file, self);
}

int td_board_each(int (*visit)(void *self, const char *name, const char *path), void *self)
{
    struct board_walk walk = {visit, self};
    return each_directory(visit_directory, &walk);
}

/* base=NAME: a file next to the description that has the line, of the same owner, or one in the folders of
 * descriptions. */
static char *read_base(void *self, const char *name, const char *from, char *origin, size_t bytes,
                       struct td_err *err)
{
    const char *slash = strrchr(from, '/');
    int n = snprintf(origin, bytes, "%.*s%s.board", slash ? (int)(slash + 1 - from) : 0, from, name);
    if (n >= 0 && (size_t)n < bytes && access(origin, R_OK) == 0 && td_process_trusts(origin, from))
        return read_file(origin, err);
    const int found = find_board(name, origin, bytes);
    if (found > 0)
        return read_file(origin, err);
    if (found < 0)
        td_fail_to_look(found, "boards", err);
    else
        td_fail(err, TD_E_NOTFOUND, "there is no %s.board beside it, nor a board of that name", name);
    return NULL;
}

struct board_names {
    char text[260];
    struct td_nearest nearest;
    char near[60];
};

static int add_name(void *self, const char *name, const char *path)
{
    struct board_names *n = self;
    size_t used = strlen(n->text);
    snprintf(n->text + used, sizeof n->text - used, "%s%s", used ? ", " : "", name);
    td_nearest_offer(&n->nearest, name);
    if (n->nearest.name == name) {
        snprintf(n->near, sizeof n->near, "%s", name);
        n->nearest.name = n->near;
    }
    return 0;
}

static int fail_unknown(const char *name, struct td_err *err)
{
    struct board_names names = {.nearest = {.word = name}};
    td_board_each(add_name, &names);
    if (names.nearest.name)
        return td_fail(err, TD_E_NOTFOUND, "no board '%.60s': did you mean %s?", name, names.nearest.name);
    if (names.text[0])
        return td_fail(err, TD_E_NOTFOUND, "no board '%.60s'; there are %s, and paths of descriptions", name,
                       names.text);
    return td_fail(err, TD_E_NOTFOUND,
                   "no board '%.60s'; give the path of its description, or its folder in TENDRIL_BOARDS",
                   name);
}

int td_board_load(struct td_board *board, const char *name_or_path, const char *grid, char **text,
                  struct td_err *err)
{
    char path[512];
    size_t length = strlen(name_or_path);
    int is_path =
        strchr(name_or_path, '/') || (length > 6 && strcmp(name_or_path + length - 6, ".board") == 0);
    if (is_path) {
        if (length >= sizeof path)
            return td_fail(err, TD_E_USAGE, "path of the board description is too long");
        memcpy(path, name_or_path, length + 1);
    } else {
        const int found = find_board(name_or_path, path, sizeof path);
        if (found <= 0)
            return found < 0 ? td_fail_to_look(found, "boards", err) : fail_unknown(name_or_path, err);
    }
    char *content = read_file(path, err);
    if (!content)
        return TD_E_NOTFOUND;
    static const struct td_board_bases bases = {read_base, NULL};
    int rc = td_board_parse_based(board, content, path, grid, &bases, text, err);
    free(content);
    return rc;
}
