/* Lanes drained through windows, by accesses that are torn, late and out of order wherever the NoC may do so:
 * cross-compiled kernels on simulated cores. */
#include "host/base/clock.h"
#include "host/transport/card/noc.h"
#include "tests/device/live_board.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define PACKETS 8000 /* a core */
#define SLOTS   8000 /* of the lane whose core the test simulates */

struct lane {
    struct td_packet_decoder decoder;
    uint32_t packets, wrong;
};
struct consumer {
    struct lane lanes[LIVE_LANES];
};

static int on_record(void *self, const struct td_packet_record *r)
{
    struct lane *lane = self;
    if (r->type != TD_PACKET_LOG)
        return 0;
    const uint32_t i = ++lane->packets, m = i * 2654435761u;
    const uint32_t all[8] = {i, m, ~i, m ^ i, ~m, m + i, m - i, i << 7};
    const uint32_t count = i % 3 == 0 ? 1 : i % 3 == 1 ? 4 : 8;
    lane->wrong += r->arg_count < count || memcmp(r->args, all, 4 * count) != 0;
    return 0;
}

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct lane *lane = &((struct consumer *)self)->lanes[at->index];
    return td_packet_decoder_feed(&lane->decoder, words, slots, on_record, lane);
}

static struct live_board *start(const char *const *options, enum td_policy policy)
{
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    live_drain(b, policy);
    return b;
}

static void drain(struct live_board *b, struct consumer *c, const char *kernel, uint32_t count)
{
    struct td_err err = {0}, why = {0};
    int code = -1, rc;
    for (int i = 0; i < LIVE_LANES; i++)
        td_packet_decoder_init(&c->lanes[i].decoder);
    live_prepare_all(b, kernel, 1, count);
    if (td_device_launch(b->device, &err))
        fail_msg("%s", err.text);
    do {
        size_t taken = 0;
        if (td_drain_poll(b->drain, on_words, c, &taken, &err))
            fail_msg("%s", err.text);
        why = (struct td_err){0};
        rc = td_device_wait(b->device, 0, &code, &why);
    } while (rc == TD_E_TIMEOUT);
    if (rc || td_drain_finish(b->drain, on_words, c, &why))
        fail_msg("%s", why.text);
}

static void check_packets(const char *const *options)
{
    struct live_board *b = start(options, TD_POLICY_BLOCK);
    struct consumer *c = calloc(1, sizeof *c);
    assert_non_null(c);
    drain(b, c, "packets", PACKETS);
    for (int i = 0; i < LIVE_LANES; i++) {
        struct lane *lane = &c->lanes[i];
        td_packet_decoder_end_stream(&lane->decoder, on_record, lane);
        assert_int_equal(lane->packets, PACKETS);
        assert_int_equal(lane->wrong, 0);
        assert_int_equal(lane->decoder.stats.bad_slots, 0);
        assert_int_equal(lane->decoder.stats.untimed, 0);
    }
    const struct td_noc_stats *s = td_noc_get_stats(b->drain_transport);
    print_message("%u windows, pointed %llu times, %llu read-backs\n", s->windows,
                  (unsigned long long)s->points, (unsigned long long)s->readbacks);
    free(c);
    live_board_stop(b);
}

static void packets_of_many_slots_arrive_whole_and_in_order_however_accesses_are_torn(void **state)
{
    static const char *const options[] = {"--windows", "32",         "--noc-order", "relaxed", "--tear",
                                          "1",         "--delay-ns", "3000",        NULL};
    check_packets(options);
}

static void they_do_with_so_few_windows_that_each_access_points_one_anew(void **state)
{
    static const char *const options[] = {"--windows", "3",          "--noc-order", "relaxed", "--tear",
                                          "2",         "--delay-ns", "500",         NULL};
    check_packets(options);
}

/* Simulates a core: writes each slot's second word first, as cores do, and seldom updates the tail. */
struct player {
    volatile uint32_t *ctrl, *ring;
    uint32_t ring_slots;
};

static void *play(void *self)
{
    struct player *p = self;
    __atomic_store_n(&p->ctrl[TD_LANE_joined / 4], p->ctrl[TD_LANE_join / 4], __ATOMIC_RELEASE);
    for (uint32_t n = 0; n < SLOTS; n++) {
        if (n % (p->ring_slots / 4) == 0)
            __atomic_store_n(&p->ctrl[TD_LANE_tail / 4], n, __ATOMIC_RELEASE);
        while (n - __atomic_load_n(&p->ctrl[TD_LANE_head / 4], __ATOMIC_ACQUIRE) >= p->ring_slots)
            sched_yield();
        volatile uint32_t *slot = p->ring + n % p->ring_slots * 2;
        __atomic_store_n(&slot[1], n + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&slot[0], TD_SLOT_VALID | (n & 0x7fffffff), __ATOMIC_RELEASE);
        /* Slow enough that the drain has usually read all written slots. */
        for (int64_t until = td_mono_ns() + 20000 + n % 7 * 5000; td_mono_ns() < until;)
            td_cpu_relax();
    }
    return NULL;
}

struct played {
    uint32_t next, wrong, batches;
};

static int on_played(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                     struct td_err *err)
{
    struct played *p = self;
    p->batches += slots > 0;
    for (size_t i = 0; i < slots; i++, p->next++)
        p->wrong += words[2 * i] != (TD_SLOT_VALID | p->next) || words[2 * i + 1] != p->next + 1;
    return 0;
}

static void a_slot_that_is_written_while_it_is_read_is_not_read_half(void **state)
{
    static const char *const options[] = {"--windows", "32",         "--noc-order", "relaxed", "--tear",
                                          "5",         "--delay-ns", "20000",       NULL};
    struct live_board *b = start(options, TD_POLICY_BLOCK);
    const struct td_board *board = td_device_board(b->device);
    const struct td_tile_at at = td_board_tile(board, 0, 0, 0);
    struct td_transport *file = td_transport_open(b->bar, 1000, NULL);
    assert_non_null(file);
    struct player core = {file->ops->map(file, at, td_board_lane_ctrl(board, 0), TD_LANE_CTRL_BYTES),
                          file->ops->map(file, at, td_board_ring(board, 0), 8 * board->ring_slots),
                          board->ring_slots};
    struct played got = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, play, &core), 0);
    while (got.next < SLOTS && got.wrong == 0) {
        struct td_err err = {0};
        size_t taken;
        if (td_drain_poll(b->drain, on_played, &got, &taken, &err))
            fail_msg("%s", err.text);
    }
    assert_int_equal(got.wrong, 0);
    assert_true(got.batches > SLOTS / board->ring_slots);
    pthread_join(thread, NULL);
    td_transport_close(file);
    live_board_stop(b);
}

static void without_a_window_left_one_line_says_so(void **state)
{
    static const char *const options[] = {"--windows", "1", NULL};
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    uint32_t word;
    struct td_err err = {0};
    assert_int_equal(td_device_read(b->device, 0, 0, 0, 0x1000, &word, 4, &err), 0);
    struct td_transport *second = td_transport_open(b->where, 1000, &err);
    assert_non_null(second);
    const struct td_tile_at at = td_board_tile(td_device_board(b->device), 0, 0, 0);
    assert_int_equal(second->ops->read(second, at, 0x1000, &word, 4, &err), TD_E_LIMIT);
    assert_non_null(strstr(err.text, "no window left"));
    td_transport_close(second);
    live_board_stop(b);
}

static void windows_and_mailboxes_of_processes_that_died_are_used_again(void **state)
{
    static const char *const options[] = {"--windows", "2", NULL};
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    const struct td_tile_at at = td_board_tile(td_device_board(b->device), 0, 0, 0);
    for (int i = 0; i < 8; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            uint32_t word = 0;
            struct td_transport *t = td_transport_open(b->where, 1000, NULL);
            _exit(t && t->ops->read(t, at, 0x1000, &word, 4, NULL) == 0 ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    live_board_stop(b);
}

static void what_is_written_is_what_is_read_at_any_place_and_length(void **state)
{
    static const char *const options[] = {"--windows", "3",          "--noc-order", "relaxed", "--tear",
                                          "3",         "--delay-ns", "50000",       NULL};
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    const struct td_board *board = td_device_board(b->device);
    static uint8_t is[4][20000], got[20000];
    uint32_t seed = 5;
    struct td_err err = {0};
    for (int tile = 0; tile < 4; tile++)
        if (td_device_write(b->device, 0, tile % 2, tile / 2, board->data_base, is[tile], sizeof is[tile],
                            &err))
            fail_msg("%s", err.text);
    for (int round = 0; round < 2000; round++) {
        uint16_t tile = (uint16_t)(rand_r(&seed) % 4);
        uint32_t at = (uint32_t)rand_r(&seed) % sizeof got, bytes = (uint32_t)rand_r(&seed);
        bytes = bytes % (round % 4 ? 40 : 6000);
        bytes = bytes < sizeof got - at ? bytes : (uint32_t)sizeof got - at;
        if (rand_r(&seed) % 2) {
            for (uint32_t i = 0; i < bytes; i++)
                is[tile][at + i] = (uint8_t)rand_r(&seed);
            if (td_device_write(b->device, 0, tile % 2, tile / 2, board->data_base + at, is[tile] + at, bytes,
                                &err))
                fail_msg("%s", err.text);
        } else {
            if (td_device_read(b->device, 0, tile % 2, tile / 2, board->data_base + at, got, bytes, &err))
                fail_msg("%s", err.text);
            assert_memory_equal(got, is[tile] + at, bytes);
        }
    }
    live_board_stop(b);
}

static void a_transfer_that_crosses_the_end_of_a_window_is_done_in_pieces(void **state)
{
    static const char *const options[] = {"--windows", "2", NULL};
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    static uint32_t out[70000], in[70000];
    for (size_t i = 0; i < sizeof out / 4; i++)
        out[i] = (uint32_t)i * 2654435761u;
    for (uint64_t at = 0x200000 - 4; at < 0x200000 + 8; at += 4) {
        const uint64_t from = at - sizeof out / 2;
        assert_int_equal(td_device_dram_write(b->device, 0, 1, from, out, sizeof out, NULL), 0);
        memset(in, 0, sizeof in);
        assert_int_equal(td_device_dram_read(b->device, 0, 1, from, in, sizeof in, NULL), 0);
        assert_memory_equal(in, out, sizeof in);
    }
    live_board_stop(b);
}

static void the_clock_is_read_through_a_window_and_never_goes_back(void **state)
{
    static const char *const options[] = {"--windows", "4", "--offset-ns", "4294000000", NULL};
    struct live_board *b = live_board_start_at("simnoc:", options);
    if (!b)
        skip();
    struct td_transport *t = td_device_transport(b->device);
    const struct td_tile_at at = td_board_tile(td_device_board(b->device), 0, 1, 0);
    uint64_t last = 0;
    /* The low half overflows about a millisecond after the start. */
    for (int i = 0; i < 2000; i++) {
        struct td_clock_sample s;
        struct td_err err = {0};
        if (t->ops->clock(t, at, &s, &err))
            fail_msg("%s", err.text);
        assert_true(s.ticks > last && s.host_before < s.host_after);
        last = s.ticks;
    }
    assert_true(last >> 32 >= 1);
    live_board_stop(b);
}

static void a_board_that_dies_is_gone_in_one_line_and_stays_so(void **state)
{
    static const char *const options[] = {"--windows", "4", NULL};
    struct live_board *b = start(options, TD_POLICY_BLOCK);
    struct td_err err = {0};
    size_t taken;
    kill(b->pid, SIGKILL);
    int rc = 0;
    for (int i = 0; i < 6000 && rc == 0; i++) {
        rc = td_drain_poll(b->drain, on_words, NULL, &taken, &err);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_int_equal(rc, TD_E_GONE);
    assert_null(strchr(err.text, '\n'));
    struct td_transport *t = b->drain_transport;
    for (int i = 0; i < 3; i++)
        assert_int_equal(t->ops->alive(t, NULL), TD_E_GONE);
    live_board_stop(b);
}

static uint64_t words_in_virtual_time(const char *transport, const char *const *options)
{
    struct live_board *b = live_board_start_at(transport, options);
    if (!b)
        skip();
    struct td_err err = {0};
    int code = -1;
    live_drain(b, TD_POLICY_BLOCK);
    for (uint32_t op = 1; op <= 2; op++) {
        live_prepare_all(b, "zones", op, 2000);
        if (live_run(b, 1, &code, &err))
            fail_msg("%s", err.text);
    }
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++)
        assert_int_equal(b->lanes[i].zones, 4000);
    const uint64_t order = b->order;
    live_board_stop(b);
    return order;
}

static void in_virtual_time_windows_give_the_same_words_as_the_file(void **state)
{
    static const char *const plain[] = {"--clock", "insn", NULL};
    static const char *const windows[] = {"--clock", "insn", "--windows",  "3",   "--noc-order", "relaxed",
                                          "--tear",  "4",    "--delay-ns", "200", NULL};
    assert_int_equal(words_in_virtual_time("", plain), words_in_virtual_time("simnoc:", windows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_is_read_at_any_place_and_length),
        cmocka_unit_test(a_transfer_that_crosses_the_end_of_a_window_is_done_in_pieces),
        cmocka_unit_test(packets_of_many_slots_arrive_whole_and_in_order_however_accesses_are_torn),
        cmocka_unit_test(they_do_with_so_few_windows_that_each_access_points_one_anew),
        cmocka_unit_test(a_slot_that_is_written_while_it_is_read_is_not_read_half),
        cmocka_unit_test(without_a_window_left_one_line_says_so),
        cmocka_unit_test(windows_and_mailboxes_of_processes_that_died_are_used_again),
        cmocka_unit_test(the_clock_is_read_through_a_window_and_never_goes_back),
        cmocka_unit_test(a_board_that_dies_is_gone_in_one_line_and_stays_so),
        cmocka_unit_test(in_virtual_time_windows_give_the_same_words_as_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
