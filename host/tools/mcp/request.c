/* The request that runs: how it is stopped, and its progress. */
#include "host/base/clock.h"
#include "host/tools/mcp/mcp.h"

#include <inttypes.h>

#define REPORT_NS 500000000 /* between two reports of progress */

void mcp_stop(struct mcp *m, bool is_late)
{
    __atomic_store_n(&m->is_late, is_late, __ATOMIC_RELAXED);
    __atomic_store_n(&m->job.cancelled, 1, __ATOMIC_RELAXED);
    td_sql_stop(m->sql);
}

int mcp_fail_stopped(const struct mcp *m, int rc, struct td_err *err)
{
    if (rc != TD_E_STOPPED)
        return td_fail_no_memory(err, NULL);
    if (__atomic_load_n(&m->is_late, __ATOMIC_RELAXED))
        return td_fail(err, TD_E_TIMEOUT, "this took longer than %g s: ask for less", m->most.seconds);
    return td_fail(err, TD_E_STOPPED, "cancelled");
}

static int report_progress(void *self, uint64_t done, uint64_t total)
{
    struct mcp *m = self;
    const int64_t now = td_mono_ns();
    if (td_job_cancelled(&m->job))
        return 1;
    if (!m->progress || done <= m->reported || now - m->reported_ns < REPORT_NS)
        return 0;
    m->reported_ns = now;
    m->reported = done; /* the protocol wants numbers that grow */
    char *token = cJSON_PrintUnformatted(m->progress);
    if (token) {
        fprintf(m->to,
                "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/progress\", \"params\": "
                "{\"progressToken\": %s, "
                "\"progress\": %" PRIu64,
                token, done);
        if (total)
            fprintf(m->to, ", \"total\": %" PRIu64, total);
        fputs("}}\n", m->to);
        fflush(m->to);
    }
    cJSON_free(token);
    return 0;
}

struct td_progress mcp_progress(struct mcp *m)
{
    return (struct td_progress){report_progress, m};
}
