/* The probe's end of a link test: answers each message with the same bytes, its type marked as an answer.
 *
 *   echo_probe DIRECTORY    FunctionFS mounted there; prints "ready" when the gadget may be bound
 *
 * WRITE: answered with a NOTIFY besides. FINISH: swallowed, ends the program. READ: swallowed, then a stream
 * of LANES messages as long as `seq` says, the first word of each payload its number. */
#include "host/transport/link/functionfs.h"
#include "proto/probe/message.h"

#include <stdio.h>
#include <string.h>

static union {
    struct td_probe_head head;
    uint32_t words[TD_PROBE_MAX_BYTES / 4];
} message;

static int stream(struct td_link *l, unsigned count, struct td_err *err)
{
    int rc = TD_OK;
    message.head =
        (struct td_probe_head){.type = TD_PROBE_LANES, .bytes = TD_PROBE_MAX_BYTES - sizeof message.head};
    for (unsigned i = 0; i < count && rc == TD_OK; i++) {
        message.words[2] = i;
        rc = l->ops->send(l, &message, TD_PROBE_MAX_BYTES, err);
    }
    return rc;
}

static int answer(struct td_link *l, size_t bytes, struct td_err *err)
{
    switch (message.head.type) {
    case TD_PROBE_READ:
        return stream(l, message.head.seq, err);
    case TD_PROBE_WRITE:
        l->ops->notify(l);
        break;
    }
    message.head.type |= TD_PROBE_ANSWER;
    return l->ops->send(l, &message, bytes, err);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_link *l = argc == 2 ? td_functionfs_open(argv[1], &err) : NULL;
    int rc = l ? 0 : TD_E_USAGE;
    if (l) {
        puts("ready");
        fflush(stdout);
    }
    while (l && ((rc = l->ops->receive(l, &message, sizeof message, 1000, &err)) >= 0 || rc == TD_E_GONE)) {
        if (rc <= 0) {
            err = (struct td_err){0};
            continue;
        }
        if (message.head.type == TD_PROBE_FINISH)
            break;
        if (answer(l, (size_t)rc, &err) < 0) { /* the host went away: wait for the next */
            fprintf(stderr, "echo_probe: %s\n", err.text);
            err = (struct td_err){0};
        }
    }
    if (rc < 0)
        fprintf(stderr, "echo_probe: %s\n", err.text);
    if (l)
        l->ops->close(l);
    return rc < 0;
}
