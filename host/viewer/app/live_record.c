#include "host/viewer/app/live_record.h"
#include "host/base/free_port.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 20000000

int td_live_record_start(struct td_live_record *record, char *const *args, struct td_err *err)
{
    size_t count = 0;
    char path[4096], where[40];
    memset(record, 0, sizeof *record);
    record->port = td_free_port(&record->port_fd);
    if (!record->port)
        return td_fail_errno(err, "cannot get a free TCP port on this machine");
    td_child_find("tendril", path, sizeof path);
    snprintf(where, sizeof where, "127.0.0.1:%d", record->port);
    while (args[count])
        count++;
    const char **argv = calloc(count + 5, sizeof *argv);
    int rc = argv ? 0 : td_fail_no_memory(err, NULL);
    if (rc == 0) {
        const char *const first[] = {path, "record", "--serve", where};
        memcpy(argv, first, sizeof first);
        memcpy(argv + 4, args, count * sizeof *args);
        /* A terminal's Ctrl-C reaches the viewer, which ends the recording. */
        rc = td_child_start(&record->child, (char *const *)argv, NULL, 1, err);
    }
    free(argv);
    if (rc < 0)
        close(record->port_fd);
    return rc;
}

int td_live_record_end(struct td_live_record *record)
{
    if (td_child_is_running(&record->child))
        kill(record->child.pid, SIGTERM);
    while (td_child_is_running(&record->child))
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    close(record->port_fd);
    const int status = record->child.status;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
