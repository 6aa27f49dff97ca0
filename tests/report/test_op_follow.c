/* Operations of a growing trace are given once, complete, and with the name that the host gave them. */
#include "host/report/ops/op_follow.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define CORES 6
#define OPS   40

struct followed {
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_hub *hub;
    uint32_t track[CORES], kernel, host;
    unsigned given; /* atomic */
    uint32_t wrong;
};

static int take_op(void *self, const struct td_op_sum *op, struct td_err *err)
{
    struct followed *f = self;
    char name[20];
    snprintf(name, sizeof name, "op%u", f->given);
    f->wrong += op->run_id != (f->given + 1) << 10 || op->core_count != CORES || op->open ||
                strcmp(op->name, name) != 0 || op->kernel.first_start != 1000 * (int64_t)(f->given + 1) ||
                op->kernel.last_end != 1000 * (int64_t)(f->given + 1) + 500 + CORES - 1;
    __atomic_add_fetch(&f->given, 1, __ATOMIC_RELEASE);
    return 0;
}

static void push(struct followed *f, struct td_event event)
{
    struct td_err err = {0};
    assert_int_equal(td_hub_push(f->hub, &event, 1, &err), 0);
}

static void make(struct followed *f)
{
    memset(f, 0, sizeof *f);
    f->dict = td_dict_create();
    f->trace = td_trace_create(f->dict);
    f->hub = td_hub_create(f->dict);
    assert_int_equal(td_hub_add_sink(f->hub, td_trace_sink(f->trace)), 0);
    f->kernel =
        td_dict_srcloc(f->dict, &(struct td_srcloc){.name = td_dict_cstring(f->dict, "BRISC-KERNEL")});
    for (unsigned c = 0; c < CORES; c++) {
        char name[60];
        snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, 0u, c, 0u, "BRISC");
        f->track[c] = td_dict_track(f->dict, &(struct td_track){.thread = td_track_id(0, c, 0, 0),
                                                                .name = td_dict_cstring(f->dict, name),
                                                                .kind = TD_TRACK_CORE,
                                                                .x = (uint16_t)c});
        push(f, (struct td_event){.kind = TD_EVENT_SETTLED, .track = f->track[c]});
    }
    f->host = td_dict_track(f->dict, &(struct td_track){.thread = 5});
}

static void add_host(struct followed *f, unsigned op)
{
    char text[100];
    snprintf(text, sizeof text, "`TT_DNN_DEVICE_OP: \"op%u\", %u, 0, false, %u ->\n{}`", op, op,
             (op + 1) << 10);
    push(f, (struct td_event){.kind = TD_EVENT_MESSAGE,
                              .time_ns = 10 * op,
                              .track = f->host,
                              .subject = td_dict_cstring(f->dict, text)});
}

static void add_launch(struct followed *f, unsigned op, unsigned core)
{
    char text[40];
    td_op_text(text, sizeof text, (op + 1) << 10);
    push(f, (struct td_event){.kind = TD_EVENT_ZONE,
                              .time_ns = 1000 * (op + 1),
                              .value.end_ns = 1000 * (op + 1) + 500 + core,
                              .track = f->track[core],
                              .srcloc = f->kernel,
                              .subject = td_dict_cstring(f->dict, text)});
    push(f, (struct td_event){
                .kind = TD_EVENT_SETTLED, .time_ns = 1000 * (op + 1) + 600, .track = f->track[core]});
}

static void drop(struct followed *f, struct td_op_follow *follow)
{
    td_op_follow_free(follow);
    td_hub_destroy(f->hub);
    td_trace_destroy(f->trace);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Cores are many operations ahead of others, as lanes that are drained one after the other. */
static void operations_are_given_once_while_cores_are_at_different_times(void **state)
{
    struct followed f;
    struct td_op_follow follow;
    struct td_err err = {0};
    make(&f);
    td_op_follow_init(&follow, take_op, &f);
    assert_int_equal(td_op_follow_begin(&follow, f.trace, &err), 0);
    for (unsigned op = 0; op < OPS; op++)
        add_host(&f, op);
    for (unsigned first = 0; first < OPS; first += 10)
        for (unsigned core = 0; core < CORES; core++) {
            for (unsigned op = first; op < first + 10; op++)
                add_launch(&f, op, core);
            pause_ms(10);
        }
    for (int i = 0; i < 100 && __atomic_load_n(&f.given, __ATOMIC_ACQUIRE) < OPS - 1; i++)
        pause_ms(10);
    const unsigned before_the_end = __atomic_load_n(&f.given, __ATOMIC_ACQUIRE);
    td_op_follow_end(&follow);
    assert_int_equal(td_trace_finish(f.trace, &err), 0);
    assert_int_equal(td_op_follow_finish(&follow, &err), 0);
    assert_int_equal(f.given, OPS);
    assert_int_equal(f.wrong, 0);
    assert_true(before_the_end > OPS / 2);
    drop(&f, &follow);
}

/* Without promises of its source a track's zones are in no row before the end. */
static void launches_that_show_at_the_end_are_given_then(void **state)
{
    struct followed f;
    struct td_op_follow follow;
    struct td_err err = {0};
    make(&f);
    td_op_follow_init(&follow, take_op, &f);
    assert_int_equal(td_op_follow_begin(&follow, f.trace, &err), 0);
    for (unsigned op = 0; op < 3; op++)
        add_host(&f, op);
    for (unsigned core = 0; core < CORES; core++)
        for (unsigned op = 0; op < 3; op++)
            add_launch(&f, op, core);
    td_op_follow_end(&follow);
    td_op_follow_end(&follow);
    assert_int_equal(td_trace_finish(f.trace, &err), 0);
    assert_int_equal(td_op_follow_finish(&follow, &err), 0);
    assert_int_equal(f.given, 3);
    assert_int_equal(f.wrong, 0);
    drop(&f, &follow);
}

static int stop_after_two(void *self, const struct td_op_sum *op, struct td_err *err)
{
    struct followed *f = self;
    return ++f->given == 2;
}

static void a_callback_may_end_the_following(void **state)
{
    struct followed f;
    struct td_op_follow follow;
    struct td_err err = {0};
    make(&f);
    td_op_follow_init(&follow, stop_after_two, &f);
    assert_int_equal(td_op_follow_begin(&follow, f.trace, &err), 0);
    for (unsigned core = 0; core < CORES; core++)
        for (unsigned op = 0; op < 8; op++)
            add_launch(&f, op, core);
    td_op_follow_end(&follow);
    assert_int_equal(td_trace_finish(f.trace, &err), 0);
    assert_int_equal(td_op_follow_finish(&follow, &err), TD_E_STOPPED);
    assert_int_equal(f.given, 2);
    drop(&f, &follow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_given_once_while_cores_are_at_different_times),
        cmocka_unit_test(launches_that_show_at_the_end_are_given_then),
        cmocka_unit_test(a_callback_may_end_the_following),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
