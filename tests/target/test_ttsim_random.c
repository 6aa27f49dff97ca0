/* Random kernels on chips of the vendor's simulator, against an oracle: with every policy, what arrived and what was
 * lost is what was emitted.
 *
 * test_ttsim_random [COUNT]    programs on each chip; by default 30. Without TD_TTSIM_DIR it says so and passes. */
#include "tests/target/random_oracle.h"

#include "host/device/device.h"
#include "host/device/drain/drain.h"
#include "host/transport/transport.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { LOOK_MS = 5, CORES = 5, EPOCH = 20000 /* clocks in which rings fill */ };

static uint32_t programs = 30;
static uint64_t lost[8]; /* packets, by policy */

static const struct chip {
    const char *board, *library;
} chips[] = {{"wormhole", "libttsim_wh.so"}, {"blackhole", "libttsim_bh.so"}};
static const char *const cores[CORES] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

struct simulator {
    pid_t pid;
    char folder[64], where[100];
    struct td_transport *t; /* the drain's; the device has one of its own */
    struct td_board board;
    struct td_device *device;
};

static void must(int rc, const struct td_err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void start(struct simulator *s, const char *library)
{
    struct td_err err = {0};
    char at[4200], epoch[16];
    strcpy(s->folder, "/tmp/td_ttsim_XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->where, sizeof s->where, "unix:%s/s", s->folder);
    snprintf(at, sizeof at, "ttsim:%s", library);
    snprintf(epoch, sizeof epoch, "%d", EPOCH);
    s->pid = fork();
    assert_true(s->pid >= 0);
    if (s->pid == 0) {
        execl(TD_BINARY_DIR "/bin/tendril", "tendril", "sim", "--at", at, "--grid", "1x1", "--epoch", epoch,
              "--socket", s->where + strlen("unix:"), (char *)NULL);
        _exit(127);
    }
    s->t = td_transport_open(s->where, 20000, &err);
    must(s->t ? 0 : TD_E_IO, &err);
    must(td_board_of_transport(&s->board, s->t, &err), &err);
    s->device = td_device_open(s->where, &err);
    must(s->device ? 0 : TD_E_IO, &err);
}

static void stop(struct simulator *s)
{
    td_device_close(s->device);
    td_transport_close(s->t);
    kill(s->pid, SIGTERM);
    waitpid(s->pid, NULL, 0);
    rmdir(s->folder);
}

/* Keeps the words for the oracle. */
static int take(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                struct td_err *err)
{
    struct machine *m = self;
    (void)err;
    assert_true(lane->core == m->core && (!lane->gap || m->slots == 0));
    if (m->slots + slots > m->slots_room) {
        m->slots_room = 2 * (m->slots + slots);
        m->words = realloc(m->words, m->slots_room * TD_SLOT_BYTES);
        assert_non_null(m->words);
    }
    if (slots)
        memcpy(m->words + 2 * m->slots, words, slots * TD_SLOT_BYTES);
    m->slots += slots;
    return 0;
}

static void switch_zones(struct simulator *s, uint32_t off)
{
    struct td_err err = {0};
    char rules[300] = "";
    for (unsigned i = 0; i < MAIN; i++)
        if (off >> i & 1)
            snprintf(rules + strlen(rules), sizeof rules - strlen(rules), "not=%s;", random_zones[i]);
    must(td_device_set_zones(s->device, rules, &err), &err);
}

/* To its end, while the lanes are drained; with `overwrite` they are drained only then. */
static void run_to_end(struct simulator *s, struct td_drain *drain, enum td_policy policy, struct machine *m)
{
    struct td_err err = {0};
    int code = 0, rc = TD_E_TIMEOUT;
    const time_t until = time(NULL) + 100;
    must(td_device_launch(s->device, &err), &err);
    while (rc == TD_E_TIMEOUT && time(NULL) < until) {
        size_t taken = 0;
        if (policy != TD_POLICY_OVERWRITE)
            must(td_drain_poll(drain, take, m, &taken, &err), &err);
        err = (struct td_err){0};
        rc = td_device_wait(s->device, taken ? 0 : LOOK_MS, &code, &err);
    }
    must(rc, &err);
    must(td_drain_finish(drain, take, m, &err), &err);
}

static void run_program(struct simulator *s, const struct chip *chip, uint32_t core, enum td_policy policy,
                        uint32_t seed)
{
    struct td_err err = {0};
    char elf[4096];
    uint32_t kinds_at, bytes;
    const uint32_t off = random_zones_off(seed);
    const struct td_core_at at = {.core = (uint16_t)core};
    snprintf(elf, sizeof elf, "%s/tests/kernels/t_random.%s.%s.elf", TD_BINARY_DIR, chip->board, cores[core]);
    struct machine *m = machine_create();
    machine_load(m, elf, core);
    must(td_transport_control(s->t, TD_CONTROL_SET_CLOCK,
                              policy == TD_POLICY_OVERWRITE ? TD_CLOCK_REAL : TD_CLOCK_GATHERED, NULL, &err),
         &err);
    struct td_drain *drain = td_drain_create(s->t, &s->board, policy, &err);
    must(drain ? 0 : TD_E_IO, &err);
    switch_zones(s, off);
    must(td_device_load(s->device, at, elf, &err), &err);
    must(td_device_prepare(s->device, at, 7, seed * 2654435761u, &err), &err);
    run_to_end(s, drain, policy, m);
    must(td_device_read(s->device, 0, 0, 0, 0, m->l1, MACHINE_L1_BYTES, &err), &err);
    td_drain_destroy(drain);
    const struct random_emitted e = random_read_emitted(m, off, false);
    struct records r;
    assert_true(machine_symbol(m, "kinds", &kinds_at, &bytes));
    records_read(&r, m->words, m->slots, elf);
    assert_int_equal(r.bad_slots, 0);
    const struct random_arrived a =
        random_check_lines(&r, m->l1 + kinds_at, e.others, policy != TD_POLICY_BLOCK);
    random_check_counts(m, &a, &e, policy);
    lost[policy] += machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other);
    records_free(&r);
    machine_destroy(m);
}

static void run_programs(const struct chip *chip)
{
    static const enum td_policy policies[] = {TD_POLICY_BLOCK, TD_POLICY_DROP, TD_POLICY_OVERWRITE};
    const char *folder = getenv("TD_TTSIM_DIR");
    char library[4096];
    struct simulator s = {0};
    snprintf(library, sizeof library, "%s/%s", folder ? folder : "", chip->library);
    if (!folder || access(library, R_OK)) {
        print_message("not run: TD_TTSIM_DIR names no folder with %s\n", chip->library);
        return;
    }
    memset(lost, 0, sizeof lost);
    start(&s, library);
    for (uint32_t i = 0; i < programs; i++)
        run_program(&s, chip, i % CORES, policies[i / CORES % 3], i + 1);
    stop(&s);
    print_message("%s: %u programs exact; lost: block %llu, drop %llu, overwrite %llu packets\n", chip->board,
                  programs, (unsigned long long)lost[TD_POLICY_BLOCK],
                  (unsigned long long)lost[TD_POLICY_DROP], (unsigned long long)lost[TD_POLICY_OVERWRITE]);
    /* With drop the drain may be as fast as the cores; test_target_random has programs that lose. */
    assert_true(programs < 30 || lost[TD_POLICY_OVERWRITE]);
}

static void on_wormhole_what_arrived_and_what_was_lost_is_what_was_emitted(void **state)
{
    (void)state;
    run_programs(&chips[0]);
}

static void on_blackhole_what_arrived_and_what_was_lost_is_what_was_emitted(void **state)
{
    (void)state;
    run_programs(&chips[1]);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        programs = (uint32_t)strtoul(argv[1], NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_wormhole_what_arrived_and_what_was_lost_is_what_was_emitted),
        cmocka_unit_test(on_blackhole_what_arrived_and_what_was_lost_is_what_was_emitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
