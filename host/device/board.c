#include "host/device/board.h"

#include "host/device/board_parse.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int td_board_parse(struct td_board *board, const char *text, const char *origin, const char *grid,
                   struct td_err *err)
{
    struct td_board_text t;
    int rc = td_board_text_parse(&t, text, origin, err);
    if (rc)
        return rc;
    struct td_grid_size own = t.grid;
    if ((rc = td_board_check(&t, err)))
        return rc;
    if (grid) {
        if (td_grid_parse(&t.grid, grid))
            return td_fail(err, TD_E_USAGE, "grid '%.20s' is not WIDTHxHEIGHT, such as %ux%u", grid,
                           own.width, own.height);
        struct td_err why = {0};
        if (td_board_check(&t, &why))
            return td_fail(err, TD_E_USAGE, "%s", why.text);
    }
    *board = t.board;
    return 0;
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
    int failed = ferror(f);
    fclose(f);
    if (!text || failed || got == room || memchr(text, 0, got)) {
        td_fail(err, text ? TD_E_FORMAT : TD_E_NOMEM, "%s is not a board description", path);
        free(text);
        return NULL;
    }
    text[got] = 0;
    return text;
}

/* Is there NAME.board in `directory`: beside its fellows, in a folder of its own name or of another? */
static int look_in(const char *directory, const char *name, char *path, size_t bytes)
{
    static const char *const patterns[] = {"%s/%s/%s.board", "%s/%s.board"};
    for (int i = 0; i < 2; i++) {
        int n = i ? snprintf(path, bytes, patterns[1], directory, name)
                  : snprintf(path, bytes, patterns[0], directory, name, name);
        if (n > 0 && (size_t)n < bytes && access(path, R_OK) == 0)
            return 1;
    }
    char pattern[4096];
    glob_t found;
    if (snprintf(pattern, sizeof pattern, "%s/*/%s.board", directory, name) >= (int)sizeof pattern ||
        glob(pattern, 0, NULL, &found) != 0)
        return 0;
    int n = snprintf(path, bytes, "%s", found.gl_pathv[0]);
    globfree(&found);
    return n > 0 && (size_t)n < bytes;
}

/* The boards folder of an installed program stands beside its bin folder. */
static int look_beside_program(const char *name, char *path, size_t bytes)
{
    char program[4000];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0)
        return 0;
    program[n] = 0;
    char *slash = strrchr(program, '/');
    if (!slash)
        return 0;
    snprintf(slash, sizeof program - (size_t)(slash - program), "/../share/tendril/boards");
    return look_in(program, name, path, bytes);
}

static int find_board(const char *name, char *path, size_t bytes)
{
    const char *directories = getenv("TENDRIL_BOARDS");
    while (directories && *directories) {
        size_t length = strcspn(directories, ":");
        char directory[4000];
        if (length && length < sizeof directory) {
            memcpy(directory, directories, length);
            directory[length] = 0;
            if (look_in(directory, name, path, bytes))
                return 1;
        }
        directories += length + (directories[length] == ':');
    }
    return look_beside_program(name, path, bytes) || look_in(TD_BOARDS_DIR, name, path, bytes);
}

int td_board_load(struct td_board *board, const char *name_or_path, const char *grid, char **text,
                  struct td_err *err)
{
    char path[4096];
    size_t length = strlen(name_or_path);
    int is_path =
        strchr(name_or_path, '/') || (length > 6 && strcmp(name_or_path + length - 6, ".board") == 0);
    if (is_path) {
        if (length >= sizeof path)
            return td_fail(err, TD_E_USAGE, "path of the board description is too long");
        memcpy(path, name_or_path, length + 1);
    } else if (length == 0 || name_or_path[strcspn(name_or_path, "*?[\\")] ||
               !find_board(name_or_path, path, sizeof path)) {
        return td_fail(err, TD_E_NOTFOUND,
                       "no board '%.60s'; give the path of its description, or its folder in TENDRIL_BOARDS",
                       name_or_path);
    }
    char *content = read_file(path, err);
    if (!content)
        return TD_E_NOTFOUND;
    int rc = td_board_parse(board, content, path, grid, err);
    if (rc == 0 && text)
        *text = content;
    else
        free(content);
    return rc;
}

struct td_tile_at td_board_tile(const struct td_board *board, uint32_t chip, uint32_t logical_x,
                                uint32_t logical_y)
{
    return (struct td_tile_at){(uint16_t)chip, board->column_x[logical_x], board->row_y[logical_y]};
}

uint32_t td_board_lane_ctrl(const struct td_board *board, uint32_t core)
{
    return board->lane_base + TD_TILE_CTRL_BYTES + TD_LANE_CTRL_BYTES * core;
}

uint32_t td_board_ring(const struct td_board *board, uint32_t core)
{
    return td_board_lane_ctrl(board, board->core_count) + board->ring_slots * TD_SLOT_BYTES * core;
}
