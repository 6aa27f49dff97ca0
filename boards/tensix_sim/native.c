/* Cores without an emulator: the runtime and the kernel fill.c, compiled natively, fill their lanes. So a
 * board may have more cores than this machine has memory for emulators. Each is a coroutine on its worker's
 * thread; a turn ends after some reads of the clock, and wherever the core waits for room. The host
 * still has to load one of the announced ELFs (names of sites come from them), or the core faults. */
#include "boards/tensix_sim/sim.h"
#include "host/device/image/core_load.h"
#include "host/device/image/image.h"
#include "target/native/native.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 32768, TURN_CLOCK_READS = 512, MAX_IMAGES = TD_MAX_CORES };

/* One of the ELFs, for one core of each tile. */
struct native_image {
    struct td_image *image;
    struct td_native_site *sites;
    size_t site_count;
};

struct native_images {
    struct native_image of_core[MAX_IMAGES];
};

struct native_core {
    struct core *core;
    struct td_native_core *lane;
    ucontext_t mine, worker;
    unsigned clock_reads; /* left in this turn */
    int started, waiting;
    char stack[STACK_BYTES];
};

int td_native_fill(void); /* fill.c */

static void give_turn_away(struct native_core *n)
{
    swapcontext(&n->mine, &n->worker);
}

static uint64_t read_clock(void *self)
{
    struct native_core *n = self;
    if (n->clock_reads-- == 0)
        give_turn_away(n);
    return clock_now(n->core->sim, n->core->tile->entry->chip);
}

static void wait_for_room(void *self)
{
    struct native_core *n = self;
    n->waiting = 1;
    give_turn_away(n);
}

static void run_kernel(unsigned high, unsigned low)
{
    struct native_core *n = (struct native_core *)((uintptr_t)high << 32 | low);
    td_native_run(n->lane, td_native_fill);
    n->core->state = CORE_PARKED;
    give_turn_away(n);
}

static int add_image(struct sim *sim, const char *path, struct td_err *err)
{
    struct td_image *image = td_image_open(path, err);
    if (!image)
        return err->code;
    const uint32_t *table = td_image_table(image);
    size_t count = td_image_site_count(image);
    struct td_native_site *sites = calloc(count + 1, sizeof *sites);
    if (!table || table[TD_IMAGE_core] >= sim->board.core_count || !sites || !table[TD_IMAGE_profile] ||
        sim->native_images->of_core[table[TD_IMAGE_core]].image) {
        td_image_close(image);
        free(sites);
        return td_fail(err, TD_E_USAGE,
                       "--native %s: no kernel with markers for a core of this board, or the second one",
                       path);
    }
    struct native_image *n = &sim->native_images->of_core[table[TD_IMAGE_core]];
    n->image = image;
    n->sites = sites;
    if (td_core_load_check(&sim->board, table[TD_IMAGE_core], image, path, err))
        return err->code;
    for (uint32_t id = 0; id < count; id++) {
        const struct td_site *site = td_image_site(image, id);
        if (site)
            sites[n->site_count++] =
                (struct td_native_site){site->kind == TD_SITE_MAIN ? NULL : site->name, id};
    }
    return TD_OK;
}

int native_init(struct sim *sim, const char *elfs, struct td_err *err)
{
    char path[1024];
    sim->native_images = calloc(1, sizeof *sim->native_images);
    if (!sim->native_images)
        return td_fail_no_memory(err, NULL);
    while (*elfs) {
        size_t length = strcspn(elfs, ",");
        if (length == 0 || length >= sizeof path)
            return td_fail(err, TD_E_USAGE, "--native: '%s' is no list of ELFs, separated by commas", elfs);
        memcpy(path, elfs, length);
        path[length] = 0;
        int rc = add_image(sim, path, err);
        if (rc)
            return rc;
        elfs += length + (elfs[length] == ',');
    }
    return TD_OK;
}

void native_finish(struct sim *sim)
{
    for (int i = 0; sim->native_images && i < MAX_IMAGES; i++) {
        td_image_close(sim->native_images->of_core[i].image);
        free(sim->native_images->of_core[i].sites);
    }
    free(sim->native_images);
}

/* Has the host loaded this image into the core? */
static bool is_loaded(const struct core *core, const struct td_image *image)
{
    const struct td_board *b = &core->sim->board;
    for (size_t i = 0; image && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        uint32_t offset = s->address - b->l1_base;
        if (s->file_bytes == 0)
            continue;
        if (offset > b->l1_bytes || s->file_bytes > b->l1_bytes - offset ||
            memcmp(core->tile->memory + offset, s->data, s->file_bytes) != 0)
            return false;
    }
    return image != NULL;
}

static int make_core(struct core *core, const struct native_image *image)
{
    const struct td_board *b = &core->sim->board;
    uint8_t *l1 = core->tile->memory - b->l1_base;
    struct native_core *n = core->native ? core->native : calloc(1, sizeof *n);
    if (!n)
        return TD_E_NOMEM;
    core->native = n;
    td_native_destroy(n->lane);
    n->core = core;
    n->lane = td_native_create(&(struct td_native_config){.tile_ctrl = l1 + b->lane_base,
                                                          .lane = l1 + td_board_lane_ctrl(b, core->number),
                                                          .ring = l1 + td_board_ring(b, core->number),
                                                          .ring_slots = b->ring_slots,
                                                          .build_id = td_image_build_id(image->image),
                                                          .sites = image->sites,
                                                          .site_count = image->site_count,
                                                          .clock = read_clock,
                                                          .pause = wait_for_room,
                                                          .self = n});
    return n->lane && getcontext(&n->mine) == 0 ? 0 : -1;
}

int native_release(struct core *core)
{
    const struct native_image *image = &core->sim->native_images->of_core[core->number];
    if (!is_loaded(core, image->image) || make_core(core, image))
        return TD_E_NOTFOUND;
    struct native_core *n = core->native;
    n->mine.uc_stack.ss_sp = n->stack;
    n->mine.uc_stack.ss_size = sizeof n->stack;
    n->mine.uc_link = NULL;
    makecontext(&n->mine, (void (*)(void))run_kernel, 2, (unsigned)((uintptr_t)n >> 32),
                (unsigned)(uintptr_t)n);
    return 0;
}

void native_run(struct core *core)
{
    struct native_core *n = core->native;
    n->clock_reads = TURN_CLOCK_READS;
    n->waiting = 0;
    td_native_enter(n->lane);
    swapcontext(&n->worker, &n->mine);
    core->spinning = n->waiting;
}

void native_core_finish(struct core *core)
{
    if (!core->native)
        return;
    td_native_destroy(core->native->lane);
    free(core->native);
}
