#include "tests/live/recording_check.h"
#include "host/agent/recording.h"
#include "host/trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void broken(const char *what)
{
    fprintf(stderr, "%s\n", what);
    abort();
}

static int feed(struct td_recording *recording, const uint8_t *bytes, size_t count, size_t piece,
                struct td_err *err)
{
    int bad = 0;
    for (size_t at = 0; at < count && !bad; at += piece) {
        size_t n = count - at < piece ? count - at : piece;
        uint8_t *exact = malloc(n); /* so that a read behind the end is seen */
        if (!exact)
            abort();
        memcpy(exact, bytes + at, n);
        bad = td_recording_feed(recording, exact, n, err);
        free(exact);
    }
    return bad ? bad : td_recording_close(recording, err);
}

int recording_check(const uint8_t *bytes, size_t count, size_t piece)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    struct td_recording *recording = hub ? td_recording_create(hub) : NULL;
    if (!recording || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    struct td_err err = {0};
    int bad = feed(recording, bytes, count, piece, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT && bad != TD_E_VERSION) ||
        strchr(err.text, '\n'))
        broken(err.text);
    if (!bad && (!td_recording_release(recording) || td_trace_finish(trace, &err) != 0))
        broken("a session without an end");
    td_recording_destroy(recording);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return !bad;
}
