#include "host/tools/files/open_look.h"

#include "host/agent/board/attach.h"
#include "host/device/discover.h"
#include "host/transport/transport.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct only_board {
    char where[300];
    unsigned count;
};

static int note_simulated(void *self, const struct td_discovered *present)
{
    struct only_board *only = self;
    if (strncmp(present->where, "shm:", 4) == 0 && !present->why_not[0]) {
        snprintf(only->where, sizeof only->where, "%s", present->where);
        only->count++;
    }
    return 0;
}

static int find_board(struct td_open_look *o, struct td_err *err)
{
    const char *from_environment = getenv("TENDRIL_BOARD");
    struct only_board only = {.count = 0};
    if (!o->at && from_environment && *from_environment)
        o->at = from_environment;
    if (o->at) {
        snprintf(o->where, sizeof o->where, "%s", o->at);
        return 0;
    }
    td_discover_each(&(const struct td_discover_roots){.no_usb = 1}, NULL, 0, note_simulated, &only);
    if (only.count == 0)
        return td_fail(err, TD_E_NOTFOUND,
                       "no simulated board runs; name the board with --at ('tendril boards' lists "
                       "those that are present)");
    if (only.count > 1)
        return td_fail(err, TD_E_USAGE,
                       "%u simulated boards run; name one with --at ('tendril boards' lists them)",
                       only.count);
    snprintf(o->where, sizeof o->where, "%s", only.where);
    return 0;
}

/* In a folder such as /tmp, the ELFs may be those of another user. */
static bool is_of_user(const char *folder)
{
    struct stat st;
    return stat(folder, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & S_IWOTH);
}

static int open_images(struct td_open_look *o, struct td_err *err)
{
    const char *folders[TD_WORDS_MAX + 2], *run = getenv("TENDRIL_RUN_DIR");
    char folder[sizeof o->where] = "";
    size_t count = 0;
    for (; count < o->elfs.count; count++)
        folders[count] = o->elfs.words[count];
    if (run && *run)
        folders[count++] = run;
    /* `record` keeps copies of loaded ELFs next to the file of its simulated board. */
    const char *colon = o->where[0] == '/' ? NULL : strchr(o->where, ':');
    const char *path = colon ? colon + 1 : o->where, *name = strrchr(path, '/');
    if (name)
        snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    if (folder[0] && is_of_user(folder))
        folders[count++] = folder;
    o->images = td_images_create(folders, count);
    return o->images ? 0 : td_fail_no_memory(err, "for the kernels' ELFs");
}

int td_look_open(struct td_open_look *o, struct td_err *err)
{
    int rc = find_board(o, err);
    if (rc)
        return rc;
    const struct td_attach attach = {.where = o->where, .board = o->board_name, .grid = o->grid};
    rc = td_attach_open(&attach, &o->transport, &o->board, NULL, err);
    if (rc)
        return rc;
    rc = open_images(o, err);
    return rc ? rc : td_board_look_init(&o->look, o->transport, &o->board, o->images, err);
}

int td_look_check_seconds(const char *option, double seconds, struct td_err *err)
{
    if (seconds > 0 && seconds < 3600)
        return 0;
    return td_fail(err, TD_E_USAGE, "%s takes more than 0 and less than 3600 seconds", option);
}

void td_look_close(struct td_open_look *o)
{
    td_board_look_free(&o->look);
    td_images_destroy(o->images);
    if (o->transport)
        td_transport_close(o->transport);
}
