#include "host/report/ops/op_follow.h"
#include "host/trace/forget.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define INTERVAL_NS 50000000L

void td_op_follow_init(struct td_op_follow *f, td_on_op *on_op, void *self)
{
    *f = (struct td_op_follow){.on_op = on_op, .self = self};
}

static int give_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct td_op_follow *f = self;
    const struct td_host_op *host = td_host_ops_find(&f->host, op->run_id);
    if (host) {
        snprintf(f->name, sizeof f->name, "%.*s", (int)(host->name.bytes < 199 ? host->name.bytes : 199),
                 host->name.at);
        op->name = f->name;
    }
    f->given++;
    return f->on_op(f->self, op, err);
}

static struct td_op_clock clock_of(void *self, uint32_t device)
{
    return td_trace_source_clock(((struct td_op_follow *)self)->trace, device);
}

/* The host's messages that have come. */
static int read_messages(struct td_op_follow *f)
{
    const struct td_dict *dict = td_trace_dict(f->trace);
    const size_t count = td_trace_messages(f->trace);
    int rc = 0;
    for (; rc == 0 && f->messages < count; f->messages++) {
        const struct td_message m = td_trace_message(f->trace, f->messages);
        const struct td_tt_text text = {td_dict_text(dict, m.text), td_dict_text_bytes(dict, m.text)};
        rc = td_host_ops_message(&f->host, text, m.time_ns);
    }
    return rc;
}

static void read_all(struct td_op_follow *f)
{
    const unsigned pin = td_trace_pin(f->trace);
    if (!f->err.code && read_messages(f) < 0)
        td_fail_no_memory(&f->err, "for operations");
    if (!f->err.code && td_trace_follower_read(f->follower, &f->err) != 0 && !f->err.code)
        td_fail(&f->err, TD_E_STOPPED, "stopped by the callback");
    td_trace_unpin(f->trace, pin);
}

static void *follow_trace(void *self)
{
    struct td_op_follow *f = self;
    while (!__atomic_load_n(&f->stop, __ATOMIC_ACQUIRE) && !f->err.code) {
        const struct timespec interval = {0, INTERVAL_NS};
        read_all(f);
        nanosleep(&interval, NULL);
    }
    return NULL;
}

int td_op_follow_begin(void *self, struct td_trace *trace, struct td_err *err)
{
    struct td_op_follow *f = self;
    const struct td_op_sums_options options = {.self = f, .give = give_op, .clock = clock_of};
    f->trace = trace;
    f->sums = td_op_sums_create(&options);
    f->follower = f->sums ? td_trace_follower_create(trace, f->sums) : NULL;
    if (!f->follower || pthread_create(&f->thread, NULL, follow_trace, f) != 0) {
        td_op_follow_free(f);
        return td_fail_no_memory(err, "to follow operations");
    }
    f->has_thread = true;
    return 0;
}

void td_op_follow_end(void *self)
{
    struct td_op_follow *f = self;
    if (!f->has_thread)
        return;
    __atomic_store_n(&f->stop, 1, __ATOMIC_RELEASE);
    pthread_join(f->thread, NULL);
    f->has_thread = false;
    read_all(f);
}

int td_op_follow_finish(struct td_op_follow *f, struct td_err *err)
{
    if (!f->follower)
        return 0;
    td_op_follow_end(f);
    read_all(f);
    if (!f->err.code && td_op_sums_end(f->sums, &f->err) != 0 && !f->err.code)
        td_fail(&f->err, TD_E_STOPPED, "stopped by the callback");
    if (err && f->err.code)
        *err = f->err;
    return f->err.code;
}

void td_op_follow_free(struct td_op_follow *f)
{
    td_op_follow_end(f);
    td_trace_follower_destroy(f->follower);
    td_op_sums_destroy(f->sums);
    td_host_ops_free(&f->host);
    f->follower = NULL;
    f->sums = NULL;
    f->trace = NULL;
}
