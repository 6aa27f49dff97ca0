/* tensix_sim: the simulator's own data. One struct sim; tiles and their cores belong to one worker thread
 * each, which is the only one that touches them, but for L1 and DRAM (memory shared like the hardware's) and
 * what is marked atomic here. */
#pragma once
#include "host/device/board/board.h"
#include "proto/device/lane.h"
#include "proto/sim/bar.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unicorn/unicorn.h>

enum {
    PAGE_BYTES = 4096,
    FAR_LOOK_NS = 200000, /* how often to look for changes that come without a doorbell */
    SEEN_BLOCKS = 1024,   /* blocks of a core whose instructions have been checked; a power of two */
    MAX_WINDOWS = 7,      /* ranges of registers of a core */
    REGISTERS = 32,       /* x0..x31 */
    SLICE_INSNS = 20000,  /* host mode: a core's turn */
    MAX_CHIPS = 64,
    MAX_COORDINATE = 256 /* of the NoC */
};

enum core_state { CORE_HELD, CORE_RUNNING, CORE_PARKED, CORE_FAULTED };

struct core;
struct compute;
struct perf_counters;
struct niu;
struct noc_map;
struct reorder;

/* A range of registers as one core sees it. */
struct core_window {
    struct core *core;
    uint32_t base;
};

struct core {
    struct sim *sim;
    struct tile *tile;
    const struct td_core_desc *desc;
    uint32_t number;
    enum core_state state;
    uint32_t launch;            /* number of the launch that it was released for */
    struct native_core *native; /* of tiles without emulators, once released */
    uc_engine *uc;
    uint8_t *local; /* private RAM */
    uint32_t pc;
    uint64_t ticks; /* insn mode: the core's time, where `retired` is 0 */
    /* The current turn. */
    uint64_t retired, limit; /* instructions of blocks that have ended, where to stop */
    uint32_t block, block_insns, walked;
    int stop;     /* the turn ends at the next block */
    bool fetches; /* the block at hand ends with fence.i: what comes after it sees code that was written */
    /* Spin detection: registers at the same place of the code, a few blocks apart. */
    unsigned blocks, compared;
    uint32_t mark;
    uint32_t marked[REGISTERS];
    int spinning;
    /* Fault found in this turn: enum td_fault. */
    uint32_t fault, fault_pc, fault_address;
    uint32_t guard;   /* address of the words below the stack, as the host has written it; 0: none */
    uint32_t illegal; /* where the block that comes next holds what is no instruction; all ones: nowhere */
    uint32_t seen[SEEN_BLOCKS];
    uint64_t *code; /* checksum of each page of L1 that code was translated from; 0: none was */
    uint32_t code_pages;
    uint64_t translated_bytes; /* guest code translated since the engine was made, about */
    struct core_window windows[MAX_WINDOWS];
    struct reorder *reorder; /* NULL: nothing is reordered */
    uint32_t late_start;     /* address of a CMD_CTRL whose store has not arrived yet; 0: none */
    /* What the tile's debug bus shows (debug_bus.c). */
    uint64_t until_shown; /* instructions before the next one whose address is shown */
    uint64_t shown_since; /* instructions of this launch up to that one, about */
    uint64_t random;      /* numbers of the steps between them that were taken */
};

/* A tile's timestamper. Its worker thread alone uses it, but for the registers. */
struct timestamper {
    uint32_t *registers; /* TD_STAMP_REGISTERS from APPEND on; atomic; NULL: the tile has none */
    uint32_t shown;      /* the status as it was last put there */
    uint32_t control;    /* as it was last seen */
    uint32_t position[2], full[2], overflow[2];
    uint32_t data[4], count,
        event_words; /* accumulated words, and how long their events are; 0: any length */
};

struct tile {
    struct td_bar_tile *entry;
    uint8_t *memory;            /* L1 or DRAM bank */
    uint32_t *soft_reset;       /* Tensix only; atomic */
    uint32_t latched_high;      /* atomic */
    struct core *cores;         /* Tensix: board.core_count of them */
    int is_native;              /* its cores have no emulators */
    struct niu *nius;           /* Tensix: its NIUs, of NoC 0 and NoC 1 */
    unsigned under_way;         /* their requests */
    struct compute *compute;    /* NULL: no core has used it */
    struct perf_counters *perf; /* the same */
    uint32_t *debug_control;    /* the debug bus's register, atomic; NULL: there is no debug bus */
    uint32_t *shown_pcs;        /* by core; atomic */
    struct timestamper stamps;
};

/* One chip's clock in host mode. */
struct chip_clock {
    uint64_t base_ticks;
    double ratio; /* ticks per host tick */
};

struct sim_worker {
    struct sim *sim;
    pthread_t thread;
    unsigned number;
    uint32_t bell_seen; /* value of the doorbell up to which its tiles' resets have been looked at; atomic */
};

/* What the windows that the host looks through do (windows.c). */
struct window_rules {
    uint32_t count;    /* 0: there are none */
    int relaxed;       /* what has relaxed order is overtaken, and overtakes */
    int tear;          /* requests are done word by word in any order */
    uint64_t seed;     /* of what happens then */
    uint64_t delay_ns; /* how long a request may take more than others */
};

struct sim {
    struct td_board board;
    struct td_bar_header *bar;
    uint8_t *map;
    int fd;
    int is_mine;           /* the file: this process made it or took it over */
    struct tile *tiles;    /* bar->tile_count */
    uint32_t tensix_count; /* these come first */
    uint32_t emulated;     /* of these, the first ones, which have emulators; the others are native */
    struct native_images *native_images; /* NULL: all have */
    uint32_t *place;                     /* tile number + 1 by sim_place() */
    struct noc_map *noc_map;
    uint64_t reorder;    /* seed; 0: accesses to memory stay in order */
    uint64_t noc_random; /* what comes from it, for requests of the NoC */
    int insn_mode;
    int far;             /* the host is another machine, futexes do not reach across */
    int check_alignment; /* 1: the engine does not trap misaligned accesses, hooks have to */
    unsigned threads;
    struct sim_worker *workers; /* `threads` of them */
    uint64_t epoch_ticks;
    cpu_set_t cpus; /* where the process may run */
    uint64_t base_host;
    struct chip_clock clocks[MAX_CHIPS];
    uint64_t insn_now; /* insn mode: the board's time; atomic */
    int stop;          /* atomic */
    struct window_rules windows;
    struct td_bar_debug_bus *debug_bus; /* NULL: there is none */
    /* Who moves (see gate.c). */
    pthread_mutex_t gate_lock;
    unsigned moving;
};

static inline uint32_t get_word(const uint8_t *at)
{
    return __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
}
static inline void put_word(uint8_t *at, uint32_t value)
{
    __atomic_store_n((uint32_t *)at, value, __ATOMIC_RELAXED);
}

/* Index in `place`. For chip `chips` at 0, 0: the number of places. */
static inline size_t sim_place(uint32_t chip, uint32_t x, uint32_t y)
{
    return ((size_t)chip * MAX_COORDINATE + y) * MAX_COORDINATE + x;
}

/* bar.c: makes, maps and publishes the file; text is the board's description. */
int bar_create(struct sim *sim, const char *path, const char *text, struct td_err *err);
/* Room that the file needs at least: that of the tiles' L1; DRAM banks are rarely filled. */
uint64_t bar_room(const struct sim *sim);
void bar_publish(struct sim *sim);
/* Removes the file, if `path` still names the one that bar_create() made. */
void bar_remove(const struct sim *sim, const char *path);
void bar_destroy(struct sim *sim);

/* tile.c. The tile at a place of the NoC, or NULL. */
struct tile *sim_tile(const struct sim *sim, uint32_t chip, uint32_t x, uint32_t y);
/* `bytes` of its memory; NULL: they are not all there. */
uint8_t *tile_memory(const struct tile *tile, uint64_t address, uint64_t bytes);
/* Its registers. 0: there is such a register. */
bool tile_has_register(const struct sim *sim, uint64_t address);
int tile_register_read(struct sim *sim, struct tile *tile, uint64_t address, uint64_t now, uint32_t *value);
/* By the host or over the NoC: the tile's worker sees it the next time that it looks. */
int tile_register_post(struct sim *sim, struct tile *tile, uint64_t address, uint32_t value);

/* clock.c */
int clock_init(struct sim *sim, const char *offsets_ns, const char *drifts_ppm, struct td_err *err);
uint64_t clock_now(const struct sim *sim, uint32_t chip); /* of the board, not of a core in insn mode */
void *clock_service(void *sim);                           /* thread: answers the host's clock reads */

/* windows.c */
void *window_service(void *sim); /* thread: does what the host asks for through windows */

/* core.c */
void core_init(struct core *core, struct tile *tile, uint32_t number, struct sim *sim);
void core_finish(struct core *core);
/* Out of reset: registers cleared, code that was loaded since is seen. */
void core_release(struct core *core);
uint32_t core_launch(const struct core *core); /* the number that the host has written; 0: none yet */
/* Runs about `insns` instructions; sets state, spinning; adds what retired to ticks in insn mode. */
void core_run(struct core *core, uint64_t insns);

/* access.c. The word of L1 at an address of code, NULL: it is elsewhere. */
const uint8_t *core_code(const struct core *core, uint32_t address);
/* Stops the core with a fault at the memory access that it is at now, or (pc given) at pc. */
uint32_t core_access_pc(struct core *core, int is_store, uint32_t address);
void core_fault_here(struct core *core, enum td_fault cause, uint32_t address, int is_store);
void core_fault_at(struct core *core, enum td_fault cause, uint32_t pc, uint32_t address);
/* The tile's time as the core's current access sees it. */
uint64_t core_now(struct core *core, int is_store, uint32_t address);

/* native.c: cores without an emulator. elfs: of the kernel that they run, one a core of the tile, with
 * commas. */
int native_init(struct sim *sim, const char *elfs, struct td_err *err);
void native_finish(struct sim *sim);
int native_release(struct core *core); /* 0; else the core was not given that kernel, or no memory is left */
void native_run(struct core *core);
void native_core_finish(struct core *core);

/* timestamper.c: events with their times, in L1. 0: done, or there is such a register. */
void timestamper_init(struct sim *sim); /* once the tiles are set up */
int timestamper_read(const struct sim *sim, const struct tile *tile, uint64_t address, uint32_t *value);
/* By a core of the tile. */
int timestamper_write(struct core *core, uint32_t address, uint64_t now, uint32_t value);
int timestamper_post(const struct sim *sim, struct tile *tile, uint64_t address, uint32_t value);
void timestamper_follow(const struct sim *sim, struct tile *tile);

/* debug_bus.c: what tiles show of their cores' program counters. */
void debug_bus_init(struct sim *sim, uint64_t offset); /* once the tiles are set up */
uint64_t debug_bus_bytes(const struct sim *sim);       /* in the file */
bool debug_bus_is_on(const struct core *core);
uint32_t debug_bus_random(struct core *core, uint32_t below); /* the same numbers in each run */
void debug_bus_release(struct core *core);                    /* a launch begins */
void debug_bus_begin_turn(struct core *core);
/* The block at hand has the instruction whose address is shown next. */
void debug_bus_show_block(struct core *core);
void debug_bus_show(const struct core *core, uint32_t pc);

/* code.c: translated code and when it is out of date. */
int code_init(struct core *core); /* with a new engine; 0: done */
void code_note(struct core *core, uint32_t block,
               uint32_t bytes);       /* a block is about to run for the first time */
void code_refresh(struct core *core); /* at a release or a fence.i: what has changed is translated anew */
void code_finish(struct core *core);

/* decode.c: the little that the simulator itself knows of instructions. */
bool insn_is_legal(uint32_t insn); /* RV32IM */
#define INSN_PARK    0x0000006fu   /* j . */
#define INSN_FENCE_I 0x0000100fu
/* Is it a load or store at this address, given the registers? */
bool insn_accesses(uint32_t insn, int is_store, uint32_t address, uc_engine *uc);
uint32_t insn_address(uint32_t insn, uc_engine *uc); /* of a load or store; else 0 */

/* regs.c */
int regs_map(struct core *core); /* maps the register pages into the core's engine */

/* noc.c; the registers of cores are in niu.c, places in noc_map.c. noc_init(): once the tiles are set up. */
int noc_init(struct sim *sim);
/* Completes what is due. Returns the number of the tile's requests still under way. */
unsigned noc_run(struct sim *sim, struct tile *tile, uint64_t now);
void noc_finish(struct sim *sim);

/* gate.c: freezing. A worker moves from gate_go() = 1 to gate_stop(). */
int gate_go(struct sim *sim);
void gate_stop(struct sim *sim);
/* Called by a stopped worker: reports to the host once all workers are stopped. */
void gate_poll(struct sim *sim);
/* Sleeps until the doorbell has been rung since it was `seen`, at most `ns`. */
uint32_t doorbell(const struct sim *sim);
/* Reports to the host how far all workers have followed the doorbell. */
void doorbell_seen(struct sim *sim);
void doorbell_wait(struct sim *sim, uint32_t seen, long ns);

/* sched.c: threads that run cores. */
void *host_worker(void *worker); /* real time, several */
void *insn_worker(void *worker); /* virtual time, one, in lock step */

/* fit.c. Before the first engine is made: misaligned accesses work. */
void engine_let_misaligned_work(void);
/* 1 if the engine traps misaligned accesses. */
int engine_traps_misaligned(void);
