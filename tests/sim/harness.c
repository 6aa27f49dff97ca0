#include "tests/sim/harness.h"

#include "host/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { AWAIT_MS = 60000, OPEN_MS = 60000, MAX_KERNEL = 0x10000 };

static void must(int rc, const struct td_err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

void rig_nap(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static const char *const *bare(void)
{
    static const char *const none[] = {NULL};
    return none;
}

void rig_start(struct rig *rig, const char *const *arguments)
{
    static int number;
    const char *argv[24] = {TD_BINARY_DIR "/bin/tensix_sim",
                            "--bar",
                            rig->path,
                            "--parent-death",
                            "--board",
                            TD_SOURCE_DIR "/boards/tensix_sim/tensix_sim.board"};
    int argc = 6;
    memset(rig, 0, sizeof *rig);
    snprintf(rig->path, sizeof rig->path, "/dev/shm/td_test_sim-%d-%d.bar", (int)getpid(), number++);
    for (arguments = arguments ? arguments : bare(); *arguments; arguments++)
        argv[argc++] = *arguments;
    rig->pid = fork();
    assert_int_not_equal(rig->pid, -1);
    if (rig->pid == 0) {
        execv(argv[0], (char **)(uintptr_t)argv);
        _exit(127);
    }
    struct td_err err = {0};
    rig->t = td_shm_open(rig->path, OPEN_MS, &err);
    must(rig->t == NULL, &err);
    must(td_board_of_transport(&rig->board, rig->t, &err), &err);
}

void rig_stop(struct rig *rig)
{
    int status;
    td_transport_control(rig->t, TD_CONTROL_STOP, 1, NULL, NULL);
    td_transport_close(rig->t);
    assert_int_equal(waitpid(rig->pid, &status, 0), rig->pid);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    else
        assert_int_equal(WTERMSIG(status), 9); /* killed by the test */
    unlink(rig->path);
}

struct td_tile_at rig_tile(const struct rig *rig, uint32_t x, uint32_t y)
{
    return td_board_tile(&rig->board, 0, x, y);
}

void rig_write(struct rig *rig, struct td_tile_at at, uint64_t address, const void *from, size_t bytes)
{
    struct td_err err = {0};
    must(rig->t->ops->write(rig->t, at, address, from, bytes, &err), &err);
}

void rig_read(struct rig *rig, struct td_tile_at at, uint64_t address, void *to, size_t bytes)
{
    struct td_err err = {0};
    must(rig->t->ops->read(rig->t, at, address, to, bytes, &err), &err);
}

uint32_t rig_word(struct rig *rig, struct td_tile_at at, uint64_t address)
{
    uint32_t word;
    rig_read(rig, at, address, &word, sizeof word);
    return word;
}

void rig_put(struct rig *rig, struct td_tile_at at, uint64_t address, uint32_t word)
{
    rig_write(rig, at, address, &word, sizeof word);
}

void rig_await(struct rig *rig, struct td_tile_at at, uint64_t address, uint32_t value)
{
    int64_t until = td_mono_ns() + (int64_t)AWAIT_MS * 1000000;
    while (rig_word(rig, at, address) != value) {
        if (td_mono_ns() > until)
            fail_msg("tile (%u,%u): word at 0x%llx is 0x%x, not 0x%x", at.x, at.y,
                     (unsigned long long)address, rig_word(rig, at, address), value);
        rig_nap(1);
    }
}

/* lui reg, and addi or jalr with the rest. */
static void load_upper(uint32_t code[2], uint32_t reg, uint32_t value, uint32_t second)
{
    code[0] = ((value + 0x800) & 0xfffff000) | reg << 7 | 0x37;
    code[1] = (value & 0xfff) << 20 | reg << 15 | second;
}

void rig_load(struct rig *rig, struct td_tile_at at, uint32_t core, const char *name, uint32_t argument)
{
    static char code[MAX_KERNEL];
    char path[512];
    const struct td_core_desc *d = &rig->board.cores[core];
    snprintf(path, sizeof path, "%s/tests/sim/%s.bin", TD_BINARY_DIR, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("no %s", path);
    size_t bytes = fread(code, 1, sizeof code, f);
    fclose(f);
    assert_in_range(bytes, 4, sizeof code - 1);
    rig_write(rig, at, d->code_base, code, bytes);
    uint32_t entry[4];
    load_upper(entry, 10, argument, 10 << 7 | 0x13);       /* addi a0, a0, low */
    load_upper(entry + 2, 5, d->code_base, 0 << 7 | 0x67); /* jalr zero, low(t0) */
    rig_write(rig, at, d->start, entry, sizeof entry);
}

void rig_hold(struct rig *rig, struct td_tile_at at)
{
    rig_release(rig, at, 0);
}

void rig_release(struct rig *rig, struct td_tile_at at, uint32_t cores)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < rig->board.core_count; i++)
        if (!(cores >> i & 1))
            word |= UINT32_C(1) << rig->board.cores[i].reset_bit;
    rig_put(rig, at, rig->board.soft_reset, word);
}

uint32_t rig_lane_word(struct rig *rig, struct td_tile_at at, uint32_t core, uint32_t offset)
{
    return rig_word(rig, at, td_board_lane_ctrl(&rig->board, core) + offset);
}
