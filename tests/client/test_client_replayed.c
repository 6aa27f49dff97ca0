/* What an on-demand client keeps for later connections. The client does not start: this program asks. */
#include "host/client/encode/drain.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/records.h"
#include "host/client/queue/replayed.h"
#include "host/client/include/tracy/TracyC.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define REPEATS 100000
#define LITTLE  65536 /* bytes; one block of the pool's */

struct got {
    unsigned of[TD_REC_COUNT], all;
    uint64_t word[TD_REC_COUNT][5]; /* of the last one */
    char text[TD_REC_COUNT][64];
};

static int take_note(void *self, const struct td_rec *rec)
{
    struct got *got = self;
    got->of[rec->kind]++;
    got->all++;
    memcpy(got->word[rec->kind], rec->word, 8 * (size_t)td_record_infos[rec->kind].words);
    if (td_record_infos[rec->kind].tail == TD_REC_TAIL_TEXT)
        snprintf(got->text[rec->kind], 64, "%.*s", (int)rec->bytes, (const char *)rec->text);
    return 0;
}

/* What a peer that connects now gets; then the connection is closed again. */
static struct got connect_with(int (*each)(void *self, const struct td_rec *rec))
{
    struct got got = {0};
    int64_t since;
    assert_int_equal(td_replayed_connect(1, &since, each, &got), 0);
    td_queue_set_live(0);
    td_client_drain_discard();
    return got;
}

static struct got connect_now(void)
{
    return connect_with(take_note);
}

static int begin(void **state)
{
    td_queue_set_live(0);
    return 0;
}

static struct ___tracy_gpu_new_context_data context(uint8_t number, int64_t time)
{
    return (struct ___tracy_gpu_new_context_data){.gpuTime = time, .period = 1, .context = number, .type = 2};
}

static void say_all(struct __tracy_lockable_context_data *lock, int i)
{
    char text[32];
    int bytes = snprintf(text, sizeof text, "number %d", i);
    ___tracy_emit_plot_config("points", TracyPlotFormatNumber, 0, 0, (uint32_t)i);
    ___tracy_emit_plot_config(i % 2 ? "one" : "other", TracyPlotFormatMemory, 1, 1, (uint32_t)i);
    td_client_parameter_setup(3, "speed", 0, i);
    td_client_section_setup(7, "number %d", i);
    ___tracy_emit_message_appinfo("always the same", 15);
    ___tracy_custom_name_lockable_ctx(lock, text, (size_t)bytes);
    ___tracy_emit_gpu_new_context(context(1, i));
    td_client_gpu_context_name(1, text, (size_t)bytes);
    td_client_gpu_annotation_name(1, 5, text, (size_t)bytes);
}

static void what_is_said_again_takes_no_memory_and_the_last_one_is_told_once(void **state)
{
    static const struct ___tracy_source_location_data place = {"lock", "here", "file.c", 1, 0};
    struct __tracy_lockable_context_data *lock = ___tracy_announce_lockable_ctx(&place);
    for (int i = 0; i < 2; i++)
        say_all(lock, i);
    size_t before = td_pool_used();
    for (int i = 2; i < REPEATS; i++)
        say_all(lock, i);
    assert_true(td_pool_used() <= before + LITTLE);
    for (int again = 0; again < 2; again++) {
        struct got got = connect_now();
        assert_int_equal(got.of[TD_REC_PLOT_CONFIG], 3);
        assert_int_equal((uint32_t)got.word[TD_REC_PLOT_CONFIG][2], REPEATS - 1);
        assert_int_equal(got.of[TD_REC_PARAMETER], 1);
        assert_int_equal(got.word[TD_REC_PARAMETER][2] >> 32, REPEATS - 1);
        assert_int_equal(got.of[TD_REC_SECTION_SETUP], 1);
        assert_string_equal(got.text[TD_REC_SECTION_SETUP], "number 99999");
        assert_int_equal(got.of[TD_REC_APP_INFO], 1);
        assert_int_equal(got.of[TD_REC_LOCK_ANNOUNCE], 1);
        assert_int_equal(got.of[TD_REC_LOCK_NAME], 1);
        assert_string_equal(got.text[TD_REC_LOCK_NAME], "number 99999");
        assert_int_equal(got.of[TD_REC_GPU_CONTEXT], 1);
        assert_int_equal(got.word[TD_REC_GPU_CONTEXT][2], REPEATS - 1);
        assert_int_equal(got.of[TD_REC_GPU_CONTEXT_NAME], 1);
        assert_string_equal(got.text[TD_REC_GPU_CONTEXT_NAME], "number 99999");
        assert_int_equal(got.of[TD_REC_GPU_NOTE_NAME], 1);
        assert_int_equal(got.all, 11);
    }
    ___tracy_terminate_lockable_ctx(lock);
}

static void a_context_that_is_made_again_has_no_name_yet(void **state)
{
    ___tracy_emit_gpu_new_context(context(9, 1));
    td_client_gpu_context_name(9, "old", 3);
    ___tracy_emit_gpu_new_context(context(9, 2));
    struct got got = connect_now();
    assert_int_equal(got.word[TD_REC_GPU_CONTEXT][1] >> 48, 9);
    assert_int_equal(got.word[TD_REC_GPU_CONTEXT][2], 2);
    assert_string_not_equal(got.text[TD_REC_GPU_CONTEXT_NAME], "old");
}

static void plots_are_told_apart_by_their_text(void **state)
{
    static const char here[] = "the same plot", there[] = "the same plot";
    unsigned before = connect_now().of[TD_REC_PLOT_CONFIG];
    ___tracy_emit_plot_config(here, TracyPlotFormatNumber, 0, 0, 1);
    ___tracy_emit_plot_config(there, TracyPlotFormatNumber, 0, 0, 2);
    struct got got = connect_now();
    assert_int_equal(got.of[TD_REC_PLOT_CONFIG], before + 1);
    assert_int_equal(got.word[TD_REC_PLOT_CONFIG][1], (uintptr_t)there);
}

static void application_information_that_never_ends_is_bounded_and_the_rest_counted(void **state)
{
    char text[101];
    size_t before = td_pool_used();
    unsigned lines = connect_now().of[TD_REC_APP_INFO];
    assert_int_equal(td_replayed_left_out(), 0);
    for (int i = 0; i < REPEATS; i++) {
        snprintf(text, sizeof text, "%0100d", i);
        ___tracy_emit_message_appinfo(text, 100);
    }
    assert_true(td_pool_used() < before + (8u << 20));
    assert_int_equal(td_replayed_left_out(), 0); /* of the connection before */
    struct got got = connect_now();
    assert_true(got.of[TD_REC_APP_INFO] > lines + 10000 && got.of[TD_REC_APP_INFO] < lines + 11000);
    assert_int_equal(td_replayed_left_out() + got.of[TD_REC_APP_INFO] - lines, REPEATS);
}

static void locks_that_come_and_go_leave_nothing(void **state)
{
    enum { LOCKS = 20000 };
    static const struct ___tracy_source_location_data place = {"lock", "here", "file.c", 1, 0};
    static struct __tracy_lockable_context_data *locks[LOCKS];
    struct got nothing = connect_now();
    size_t before = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < LOCKS; i++) {
            locks[i] = ___tracy_announce_lockable_ctx(&place);
            ___tracy_custom_name_lockable_ctx(locks[i], "name", 4);
        }
        struct got got = connect_now();
        assert_int_equal(got.of[TD_REC_LOCK_ANNOUNCE], nothing.of[TD_REC_LOCK_ANNOUNCE] + LOCKS);
        assert_int_equal(got.of[TD_REC_LOCK_NAME], nothing.of[TD_REC_LOCK_NAME] + LOCKS);
        for (int i = 0; i < LOCKS; i++)
            ___tracy_terminate_lockable_ctx(locks[(i * 7919) % LOCKS]);
        if (!round)
            before = td_pool_used(); /* with the index, which stays as large as it was */
    }
    assert_int_equal(td_pool_used(), before);
    assert_int_equal(connect_now().all, nothing.all);
}

static uint32_t last_speed;

/* Adds records while another thread reads the earlier ones. */
static int talk_meanwhile(void *self, const struct td_rec *rec)
{
    struct got *got = self;
    if (!got->all) {
        size_t before = td_pool_used();
        for (uint32_t i = 0; i < 1000; i++) {
            td_queue_set_live(0); /* that the queue grows is not of interest here */
            td_client_parameter_setup(3, "speed", 0, (int32_t)(last_speed = 1000000 + i));
            td_client_parameter_setup(4, "height", 0, (int32_t)i);
            struct __tracy_lockable_context_data *lock = ___tracy_announce_lockable_ctx(NULL);
            ___tracy_terminate_lockable_ctx(lock);
        }
        assert_true(td_pool_used() <= before + LITTLE);
    }
    return take_note(self, rec);
}

static void what_is_said_while_somebody_connects_is_for_the_next_one(void **state)
{
    td_client_parameter_setup(3, "speed", 0, 1);
    struct got got = connect_with(talk_meanwhile);
    assert_int_equal(got.of[TD_REC_PARAMETER], 1);
    assert_int_equal(got.word[TD_REC_PARAMETER][2] >> 32, 1);
    unsigned before = got.all;
    got = connect_now();
    assert_int_equal(got.all, before + 1);
    assert_int_equal(got.of[TD_REC_PARAMETER], 2);
    td_client_parameter_setup(4, "height", 0, 0);
    td_client_parameter_setup(3, "speed", 0, 5);
    got = connect_now();
    assert_int_equal(got.word[TD_REC_PARAMETER][2] >> 32, 5);
    assert_int_equal(got.of[TD_REC_PARAMETER], 2);
}

static void *named_thread(void *index)
{
    char name[32];
    snprintf(name, sizeof name, "thread %d", (int)(intptr_t)index);
    td_queue_set_live(1);
    td_client_set_thread_name(name, 1);
    TracyCZoneN(zone, "zone", 1);
    TracyCZoneEnd(zone);
    td_queue_set_live(0);
    return NULL;
}

static void names_of_threads_that_have_ended_are_not_kept_for_later_connections(void **state)
{
    size_t before = 0;
    for (intptr_t i = 0; i < 2000; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, named_thread, (void *)i), 0);
        pthread_join(thread, NULL);
        td_client_drain_discard();
        if (i == 9)
            before = td_pool_used();
    }
    assert_true(td_pool_used() <= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_said_again_takes_no_memory_and_the_last_one_is_told_once, begin),
        cmocka_unit_test(a_context_that_is_made_again_has_no_name_yet),
        cmocka_unit_test(plots_are_told_apart_by_their_text),
        cmocka_unit_test(what_is_said_while_somebody_connects_is_for_the_next_one),
        cmocka_unit_test(locks_that_come_and_go_leave_nothing),
        cmocka_unit_test(names_of_threads_that_have_ended_are_not_kept_for_later_connections),
        cmocka_unit_test(application_information_that_never_ends_is_bounded_and_the_rest_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
