/* The BAR-like file: layout, making, publishing. */
#include "boards/tensix_sim/compute.h"
#include "boards/tensix_sim/perf_counters.h"
#include "boards/tensix_sim/sim.h"
#include "proto/sim/window.h"

#include "host/base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static uint64_t whole_pages(uint64_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* What a PCI device's memory can be as large as. */
static uint64_t power_of_two(uint64_t bytes)
{
    uint64_t power = PAGE_BYTES;
    while (power < bytes)
        power *= 2;
    return power;
}

static int take_lock(int fd, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock);
}

/* A new file, an empty one, or what a simulator that is gone has left; nothing else is written to. The folder
 * may be one where all users make files: links and files of other users are refused. */
static int open_file(struct sim *sim, const char *path, struct td_err *err)
{
    uint64_t magic = 0;
    sim->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    struct stat st;
    const int error = errno;
    if (sim->fd < 0 && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
        return td_fail(err, TD_E_USAGE, "%s is a symbolic link; name the board file itself", path);
    errno = error;
    if (sim->fd < 0)
        return td_fail_errno(err, "cannot make board file %s", path);
    if (fstat(sim->fd, &st))
        return td_fail_errno(err, "cannot make board file %s", path);
    if (S_ISREG(st.st_mode) && st.st_uid != geteuid())
        return td_fail(err, TD_E_USAGE, "%s belongs to another user; choose another name", path);
    if (S_ISREG(st.st_mode) && st.st_nlink > 1)
        return td_fail(err, TD_E_USAGE, "%s has other names (hard links); choose another name", path);
    if (!S_ISREG(st.st_mode) || (st.st_size > 0 && (pread(sim->fd, &magic, sizeof magic, 0) != sizeof magic ||
                                                    (magic != TD_BAR_MAGIC && magic != 0))))
        return td_fail(err, TD_E_USAGE, "%s is there already and no board file; choose another name", path);
    if (take_lock(sim->fd, TD_BAR_LOCK_FILE))
        return td_fail(err, TD_E_USAGE, "another simulator uses board file %s", path);
    sim->is_mine = 1;
    if (ftruncate(sim->fd, 0) || take_lock(sim->fd, TD_BAR_LOCK_BOARD))
        return td_fail_errno(err, "cannot make board file %s", path);
    return TD_OK;
}

/* One Tensix tile; returns where the next one's memory goes. */
static uint64_t lay_out_tensix(const struct td_board *b, struct td_tile_at place, uint32_t x, uint32_t y,
                               uint64_t at, struct td_bar_tile *t)
{
    *t = (struct td_bar_tile){.kind = TD_BAR_TENSIX,
                              .chip = place.chip,
                              .x = place.x,
                              .y = place.y,
                              .logical_x = (uint16_t)x,
                              .logical_y = (uint16_t)y,
                              .mem_offset = at,
                              .mem_base = b->l1_base,
                              .mem_bytes = b->l1_bytes,
                              .regs_offset = at + whole_pages(b->l1_bytes),
                              .regs_base = b->soft_reset & ~(uint32_t)(PAGE_BYTES - 1)};
    return t->regs_offset + PAGE_BYTES;
}

static uint32_t tensix_tiles(const struct td_board *b)
{
    return b->chips * b->grid_width * b->grid_height + td_board_relays(b);
}

/* Each chip has its own PCIe tile. */
static uint32_t host_tiles(const struct td_board *b)
{
    return b->host_bytes && b->pcie.at.count ? b->chips : 0;
}

/* Fills the table of tiles: those of the grid, relays, DRAM banks, host memory; returns the file's size. */
static uint64_t lay_out(const struct td_board *b, uint64_t at, struct td_bar_tile *tiles)
{
    struct td_bar_tile *t = tiles;
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t y = 0; y < b->grid_height; y++)
            for (uint32_t x = 0; x < b->grid_width; x++)
                at = lay_out_tensix(b, td_board_tile(b, chip, x, y), x, y, at, t++);
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t i = 0; i < b->chip[chip].relay_count; i++)
            at = lay_out_tensix(b, td_board_relay(b, chip, i), TD_BAR_NOT_IN_GRID, TD_BAR_NOT_IN_GRID, at,
                                t++);
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t bank = 0; bank < b->dram_banks; bank++, t++) {
            *t = (struct td_bar_tile){.kind = TD_BAR_DRAM,
                                      .chip = (uint16_t)chip,
                                      .x = b->dram_x[bank],
                                      .y = b->dram_y[bank],
                                      .logical_x = (uint16_t)bank,
                                      .mem_offset = at,
                                      .mem_bytes = b->dram_bank_bytes};
            at += whole_pages(b->dram_bank_bytes);
        }
    for (uint32_t chip = 0; chip < host_tiles(b); chip++, t++) {
        *t = (struct td_bar_tile){.kind = TD_BAR_HOST,
                                  .chip = (uint16_t)chip,
                                  .x = b->pcie.at.x[0],
                                  .y = b->pcie.at.y[0],
                                  .mem_offset = at,
                                  .mem_bytes = b->host_bytes};
        at += whole_pages(b->host_bytes);
    }
    return at;
}

/* Cores in reset: all of them, at first. */
static uint32_t all_held(const struct td_board *b)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < b->core_count; i++)
        word |= UINT32_C(1) << b->cores[i].reset_bit;
    return word;
}

static int set_up_tiles(struct sim *sim, struct td_err *err)
{
    const struct td_board *b = &sim->board;
    struct td_bar_tile *entries = (void *)(sim->map + sim->bar->tiles_offset);
    sim->tiles = calloc(sim->bar->tile_count + 1, sizeof *sim->tiles);
    sim->place = calloc(sim_place(b->chips, 0, 0), sizeof *sim->place);
    if (!sim->tiles || !sim->place)
        return td_fail_no_memory(err, NULL);
    for (uint32_t i = 0; i < sim->bar->tile_count; i++) {
        struct tile *tile = &sim->tiles[i];
        tile->entry = &entries[i];
        tile->memory = sim->map + entries[i].mem_offset;
        sim->place[sim_place(entries[i].chip, entries[i].x, entries[i].y)] = i + 1;
        if (i >= sim->tensix_count)
            continue;
        tile->soft_reset = (void *)(sim->map + entries[i].regs_offset + (b->soft_reset % PAGE_BYTES));
        *tile->soft_reset = all_held(b);
        tile->is_native = i >= sim->emulated && entries[i].logical_x != TD_BAR_NOT_IN_GRID;
        tile->cores = calloc(b->core_count, sizeof *tile->cores);
        if (!tile->cores)
            return td_fail_no_memory(err, NULL);
        for (uint32_t c = 0; c < b->core_count; c++)
            core_init(&tile->cores[c], tile, c, sim);
    }
    return TD_OK;
}

uint64_t bar_room(const struct sim *sim)
{
    const struct td_board *b = &sim->board;
    return (uint64_t)tensix_tiles(b) * whole_pages(b->l1_bytes);
}

static int check_room(const struct sim *sim, const char *path, struct td_err *err)
{
    struct statvfs vfs;
    uint64_t needed = bar_room(sim);
    if (fstatvfs(sim->fd, &vfs) || (uint64_t)vfs.f_bavail * vfs.f_frsize >= needed)
        return TD_OK;
    return td_fail(err, TD_E_LIMIT,
                   "the file system of %s has no room for the %llu MiB of this board; choose a "
                   "smaller grid or another place with --bar",
                   path, (unsigned long long)(needed >> 20));
}

int bar_create(struct sim *sim, const char *path, const char *text, struct td_err *err)
{
    const struct td_board *b = &sim->board;
    sim->tensix_count = tensix_tiles(b);
    uint32_t count = sim->tensix_count + b->chips * b->dram_banks + host_tiles(b);
    uint64_t text_bytes = strlen(text) + 1;
    uint64_t tiles_offset = PAGE_BYTES + whole_pages(text_bytes);
    struct td_bar_tile *tiles = calloc(count, sizeof *tiles);
    if (!tiles)
        return td_fail_no_memory(err, NULL);
    uint64_t windows_offset = tiles_offset + whole_pages(count * sizeof *tiles);
    uint64_t windows_bytes = sim->windows.count ? whole_pages(sizeof(struct td_sim_windows)) : 0;
    uint64_t bus_offset = windows_offset + windows_bytes;
    uint64_t bytes = lay_out(b, bus_offset + whole_pages(debug_bus_bytes(sim)), tiles);
    if (sim->far)
        bytes = power_of_two(bytes);
    int rc = open_file(sim, path, err);
    rc = rc ? rc : check_room(sim, path, err);
    if (rc == 0 && ftruncate(sim->fd, (off_t)bytes))
        rc = td_fail_errno(err, "cannot make board file %s of %llu bytes", path, (unsigned long long)bytes);
    if (rc == 0) {
        sim->map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, sim->fd, 0);
        if (sim->map == MAP_FAILED) {
            sim->map = NULL;
            rc = td_fail_errno(err, "cannot map board file %s", path);
        }
    }
    if (rc == 0) {
        sim->bar = (void *)sim->map;
        memcpy(sim->map + PAGE_BYTES, text, text_bytes);
        memcpy(sim->map + tiles_offset, tiles, count * sizeof *tiles);
        sim->bar->version = TD_BAR_VERSION;
        sim->bar->tile_count = count;
        sim->bar->file_bytes = bytes;
        sim->bar->description_offset = PAGE_BYTES;
        sim->bar->tiles_offset = tiles_offset;
        if (windows_bytes) {
            sim->bar->windows_offset = windows_offset;
            ((struct td_sim_windows *)(void *)(sim->map + windows_offset))->count = sim->windows.count;
        }
        sim->bar->sim_pid = (uint32_t)getpid();
        sim->bar->sim_machine = td_process_machine();
        sim->bar->clock_mode = (uint32_t)sim->insn_mode;
        rc = set_up_tiles(sim, err);
    }
    if (rc == 0 && noc_init(sim))
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0)
        timestamper_init(sim);
    if (rc == 0 && debug_bus_bytes(sim)) {
        debug_bus_init(sim, bus_offset);
        sim->bar->debug_bus_offset = bus_offset;
    }
    if (rc && sim->is_mine)
        bar_remove(sim, path);
    free(tiles);
    return rc;
}

void bar_remove(const struct sim *sim, const char *path)
{
    struct stat made, named;
    if (fstat(sim->fd, &made) == 0 && lstat(path, &named) == 0 && made.st_dev == named.st_dev &&
        made.st_ino == named.st_ino)
        unlink(path);
}

void bar_publish(struct sim *sim)
{
    __atomic_store_n(&sim->bar->magic, TD_BAR_MAGIC, __ATOMIC_SEQ_CST);
}

void bar_destroy(struct sim *sim)
{
    noc_finish(sim);
    for (uint32_t i = 0; sim->tiles && i < sim->tensix_count; i++) {
        for (uint32_t c = 0; sim->tiles[i].cores && c < sim->board.core_count; c++)
            core_finish(&sim->tiles[i].cores[c]);
        compute_finish(&sim->tiles[i]);
        perf_finish(&sim->tiles[i]);
        free(sim->tiles[i].cores);
    }
    free(sim->tiles);
    free(sim->place);
    if (sim->map)
        munmap(sim->map, sim->bar->file_bytes);
    if (sim->fd >= 0)
        close(sim->fd);
}
