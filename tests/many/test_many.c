/* A board of 24 chips of which most cores run natively: every lane has exactly the records of its core. */
#include "host/device/device.h"
#include "host/device/drain/drain.h"
#include "host/device/image/image.h"
#include "host/device/drain/packet_decoder.h"
#include "host/transport/sim/shm.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SIMULATOR TD_BINARY_DIR "/bin/tensix_sim"
#define KERNEL    TD_BINARY_DIR "/kernels/fill.%s.elf"

enum { CHIPS = 24, CORES = 5, LANES = CHIPS * CORES };

/* One lane, decoded twice: as records by the plain decoder, in columns by the fastest. */
struct lane {
    struct td_packet_decoder plain, fast;
    uint64_t zones, kernels, lost, log, last_end, late, hash, fast_hash;
    uint32_t step_id;
};

struct many {
    pid_t pid;
    char bar[100];
    struct td_device *device;
    struct td_transport *transport;
    struct td_drain *drain;
    struct td_image *images[CORES];
    struct lane *lanes;
};

static void mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
}

static void mix_zone(uint64_t *hash, uint64_t id, uint64_t duration, uint64_t end)
{
    mix(hash, id);
    mix(hash, duration);
    mix(hash, end);
}

static int on_record(void *self, const struct td_packet_record *r)
{
    struct lane *l = self;
    if (r->type == TD_PACKET_ZONE) {
        l->zones++;
        l->step_id = r->id;
        l->late += r->end_ticks < l->last_end;
        l->last_end = r->end_ticks;
        mix_zone(&l->hash, r->id, r->duration_ticks, r->end_ticks);
    }
    l->kernels += r->type == TD_PACKET_END;
    l->lost += r->type == TD_PACKET_LOST ? r->value : 0;
    if (r->type == TD_PACKET_LOG)
        l->log = r->args[0];
    return 0;
}

static int on_other(void *self, const struct td_packet_record *r)
{
    struct lane *l = self;
    if (r->type == TD_PACKET_ZONE)
        mix_zone(&l->fast_hash, r->id, r->duration_ticks, r->end_ticks);
    return 0;
}

static int on_zones(void *self, const struct td_zone_columns *z)
{
    struct lane *l = self;
    for (size_t i = 0; i < z->count; i++)
        mix_zone(&l->fast_hash, z->id[i], z->duration[i], z->high_ticks | z->end[i]);
    return 0;
}

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct many *m = self;
    struct lane *l = &m->lanes[at->index];
    const struct td_packet_sink to = {.record = on_other, .zones = on_zones, .self = l};
    td_packet_decoder_feed(&l->plain, words, slots, on_record, l);
    return td_packet_decoder_feed_columns(&l->fast, words, slots, &to);
}

static void kernel_of(const struct many *m, uint32_t core, char path[300])
{
    snprintf(path, 300, KERNEL, td_device_board(m->device)->cores[core].name);
}

static void exec_simulator(const struct many *m, const char *emulate)
{
    char elfs[1500] = "";
    static const char *const names[CORES] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
    for (int i = 0; i < CORES; i++)
        snprintf(elfs + strlen(elfs), sizeof elfs - strlen(elfs), "%s" KERNEL, i ? "," : "", names[i]);
    execl(SIMULATOR, SIMULATOR, "--bar", m->bar, "--board", TD_SOURCE_DIR "/bench/many/galaxy.board",
          "--grid", "1x1", "--parent-death", "--emulate", emulate, "--native", elfs, (char *)NULL);
    _exit(127);
}

static struct many *start(const char *emulate)
{
    static int number;
    struct td_err err = {0};
    if (access(SIMULATOR, X_OK) != 0 || access(TD_BINARY_DIR "/kernels/fill.BRISC.elf", R_OK) != 0) {
        print_message("skipped: the simulator or its kernels are not built\n");
        return NULL;
    }
    struct many *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->lanes = calloc(LANES, sizeof *m->lanes);
    assert_non_null(m->lanes);
    snprintf(m->bar, sizeof m->bar, "/dev/shm/tendril-many-%ld-%d", (long)getpid(), number++);
    m->pid = fork();
    assert_true(m->pid >= 0);
    if (m->pid == 0)
        exec_simulator(m, emulate);
    m->device = td_device_open(m->bar, &err);
    m->transport = m->device ? td_shm_open(m->bar, 1000, &err) : NULL;
    if (!m->transport)
        fail_msg("%s", err.text);
    for (int i = 0; i < LANES; i++) {
        td_packet_decoder_init(&m->lanes[i].plain);
        td_packet_decoder_init(&m->lanes[i].fast);
        m->lanes[i].plain.decode_zones = td_zones_scalar;
    }
    for (uint32_t i = 0; i < CORES; i++) {
        char path[300];
        kernel_of(m, i, path);
        m->images[i] = td_image_open(path, &err);
        assert_non_null(m->images[i]);
    }
    return m;
}

static void stop(struct many *m)
{
    td_drain_destroy(m->drain);
    td_transport_close(m->transport);
    td_device_close(m->device);
    kill(m->pid, SIGTERM);
    waitpid(m->pid, NULL, 0);
    unlink(m->bar);
    for (int i = 0; i < CORES; i++)
        td_image_close(m->images[i]);
    free(m->lanes);
    free(m);
}

static void load_all(struct many *m, uint32_t zones)
{
    struct td_err err = {0};
    for (uint16_t chip = 0; chip < CHIPS; chip++)
        for (uint16_t core = 0; core < CORES; core++) {
            const struct td_core_at at = {chip, 0, 0, core};
            char path[300];
            kernel_of(m, core, path);
            if (td_device_load(m->device, at, path, &err) || td_device_prepare(m->device, at, 7, zones, &err))
                fail_msg("%s", err.text);
        }
}

/* Drains until all cores are done. */
static void run(struct many *m, enum td_policy policy, uint32_t zones)
{
    struct td_err err = {0};
    int rc = TD_E_TIMEOUT;
    m->drain = td_drain_create(m->transport, td_device_board(m->device), policy, &err);
    if (!m->drain)
        fail_msg("%s", err.text);
    load_all(m, zones);
    assert_int_equal(td_device_launch(m->device, &err), 0);
    for (int round = 0; rc == TD_E_TIMEOUT; round++) {
        assert_int_equal(td_drain_poll(m->drain, on_words, m, NULL, &err), 0);
        rc = round % 4 ? TD_E_TIMEOUT : td_device_wait(m->device, 0, NULL, &err);
    }
    if (rc)
        fail_msg("%s", err.text);
    assert_int_equal(td_drain_finish(m->drain, on_words, m, &err), 0);
}

static void check_lane(const struct many *m, uint32_t index, uint32_t zones)
{
    const struct lane *l = &m->lanes[index];
    const struct td_site *step = td_image_site(m->images[index % CORES], l->step_id);
    assert_int_equal(l->plain.stats.bad_slots, 0);
    assert_int_equal(l->zones + l->lost, zones);
    assert_int_equal(l->kernels, 1);
    assert_int_equal(l->late, 0);
    assert_int_equal(l->log, zones);
    assert_int_equal(l->hash, l->fast_hash);
    assert_non_null(step);
    assert_string_equal(step->name, "step");
}

static void every_zone_of_emulated_and_native_cores_arrives(void **state)
{
    struct many *m = start("2");
    if (!m)
        return;
    run(m, TD_POLICY_BLOCK, 3000);
    for (uint32_t i = 0; i < LANES; i++) {
        check_lane(m, i, 3000);
        assert_int_equal(m->lanes[i].lost, 0);
    }
    stop(m);
}

static void what_native_cores_drop_is_counted(void **state)
{
    struct many *m = start("0");
    if (!m)
        return;
    run(m, TD_POLICY_DROP, 20000);
    for (uint32_t i = 0; i < LANES; i++)
        if (m->lanes[i].log) /* the message itself may be what was dropped */
            check_lane(m, i, 20000);
    stop(m);
}

static void a_native_core_refuses_what_is_not_its_kernel(void **state)
{
    struct td_err err = {0};
    struct many *m = start("0");
    if (!m)
        return;
    const struct td_core_at at = {3, 0, 0, 0};
    assert_int_equal(td_device_load(m->device, at, TD_BINARY_DIR "/examples/hello/kernel.elf", &err), 0);
    assert_int_equal(td_device_prepare(m->device, at, 1, 0, &err), 0);
    assert_int_equal(td_device_launch(m->device, &err), 0);
    assert_int_equal(td_device_wait(m->device, 20000, NULL, &err), TD_E_GONE);
    assert_non_null(strstr(err.text, "illegal instruction"));
    stop(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_zone_of_emulated_and_native_cores_arrives),
        cmocka_unit_test(what_native_cores_drop_is_counted),
        cmocka_unit_test(a_native_core_refuses_what_is_not_its_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
