/* The BAR-like file of a simulated board: all that the host sees of boards/tensix_sim.
 *
 * One file, mapped by the simulator and by any number of host processes. Page 0 is the header below;
 * then the board's description (text, as parsed), then the tile table, then each tile's L1 and
 * registers, then the DRAM banks, each page aligned at the offset that its table entry gives.
 * The host changes tile memory and the registers with plain stores. The simulator reads the soft-reset
 * registers now and then (see `doorbell`); cores see a write to memory at once.
 *
 * Words have one writer: H host processes (the agent where it says A), S the simulator.
 * All integers are little-endian; u64 are 8-byte aligned and accessed as C11 atomics by both sides.
 */
#pragma once
#include <stdint.h>

#define TD_BAR_MAGIC   UINT64_C(0x315241424c524454) /* "TDRLBAR1" */
#define TD_BAR_VERSION 1u

/* Bytes of the file that the simulator holds write locks on (open file descriptions) as long as it lives. */
#define TD_BAR_LOCK_FILE  0 /* held: no other simulator makes a board in this file */
#define TD_BAR_LOCK_BOARD 1 /* held: the file has no board of an earlier simulator any more */

/* Set in process numbers of another machine (one that sees this file as a PCI device's BAR) and of another
 * PID namespace than the simulator's (a container that shares the file): the simulator cannot see whether
 * such a process lives, so the process counts as living until it writes 0. */
#define TD_BAR_FAR_PROCESS 0x80000000u

/* In agent_pid while the simulator disarms the lanes of a dead agent. No process has a number this high. The
 * next agent waits until the simulator is done, or the simulator would disarm the new agent's lanes too. */
/* Of `freezing`. */
#define TD_BAR_FREEZES(word)            ((uint32_t)(word))
#define TD_BAR_FREEZER(word)            ((uint32_t)((word) >> 32))
#define TD_BAR_FREEZING(count, process) ((uint64_t)(process) << 32 | (uint32_t)(count))
#define TD_BAR_DISARMING                0x7fffffffu

struct td_bar_header {
    uint64_t magic; /* S: written last, when the board is ready */
    uint32_t version;
    uint32_t tile_count;
    uint64_t file_bytes;
    uint64_t description_offset; /* the board's description, NUL-terminated text */
    uint64_t tiles_offset;       /* struct td_bar_tile[tile_count] */
    uint32_t sim_pid;            /* the simulator */
    uint32_t clock_mode;         /* 0 host (real time), 1 insn (virtual time) */
    uint32_t sim_machine;        /* where sim_pid counts: the simulator's machine and PID namespace */

    /* Liveness. */
    _Alignas(64) uint64_t heartbeat; /* S: counts up; if it stops, the simulator is stuck or gone */
    uint32_t agent_pid; /* A: 0 = no agent. When that process is gone the simulator sets every lane's policy
                           to off: it writes TD_BAR_DISARMING, and 0 when it is done. Compare and exchange. */
    uint32_t stop_request; /* H: 1 = the simulator should exit */
    uint32_t fault_count;  /* S: cores that have stopped by a fault */

    /* Frozen board: while TD_BAR_FREEZES(freezing) > 0 no core runs and, in insn mode, no time passes, so a host
     * can release several resets at one instant. The simulator sets `frozen` once all cores have stopped. One
     * process at a time freezes the board, as often as it likes. When that process is gone, its count is 0
     * again, or is taken over by the process that waits for it. Both halves change in one compare and exchange:
     * a count without its process could belong to another one. */
    _Alignas(64) uint64_t freezing; /* H: the count, and above it the process */
    uint32_t frozen;                /* S: 1 when all cores are stopped */

    /* The host counts it up, with a futex wake, after a change that the simulator should see at once (reset,
     * freeze, stop). Without that the simulator sees the change within about a millisecond. */
    uint32_t doorbell; /* H: atomic counter */
    /* S: set to `doorbell` once every core that a soft-reset register holds is in reset. A host that waits
     * for this before it releases a core starts the core anew, however short the reset was. */
    uint32_t doorbell_seen;

    /* insn mode with an agent: the simulator stops time at the end of an epoch (and when every core is
     * parked) until the agent has drained all lanes. S writes epoch_done, A writes epoch_drained. */
    _Alignas(64) uint64_t epoch_done;
    uint64_t epoch_drained;

    /* Clock reads. A reader takes `clock_lock` (0 -> its pid), fills the request, increments request_seq,
     * waits until answer_seq equals it, takes the answer, unlocks. It is the counterpart of a register read
     * over PCIe. */
    _Alignas(64) uint32_t clock_lock;
    uint32_t clock_tile;
    uint64_t clock_request_seq; /* H: the low word is a futex, woken when `clock_asleep` is set */
    uint32_t clock_cpu;         /* H: the processor that asks; the simulator answers from another one */
    uint32_t clock_asleep; /* S: 1 = no thread of S polls for requests; the next request has to wake one */
    _Alignas(64) uint64_t clock_answer_seq;
    uint64_t clock_ticks; /* S: the tile's wall clock, 64 bits, when the request was served */

    /* Ground truth for tests only (mode host): ticks = base_ticks + (host_ticks() - base_host) * ratio, per
     * chip 0. */
    _Alignas(64) uint64_t truth_base_host;
    uint64_t truth_base_ticks;
    double truth_ticks_per_host_tick;

    uint64_t windows_offset;   /* struct td_sim_windows (proto/sim/window.h) in this file; 0: none */
    uint64_t debug_bus_offset; /* struct td_bar_debug_bus; 0: the tiles have no debug bus */
};

/* The tiles' debug buses. A tile shows one program counter, that of the core whose `select` is in its control
 * register. Whoever reads the data register makes its value from these words: host processes in
 * host/transport/card, the simulator for cores and windows. */
#define TD_BAR_DEBUG_CORES 32
struct td_bar_debug_bus {
    uint32_t control, data; /* addresses of the registers, in a tile's page of registers */
    uint32_t mask;          /* of the data register */
    uint32_t cores;
    uint32_t select[TD_BAR_DEBUG_CORES];
    /* S: u32 [TD_BAR_DEBUG_CORES] for each Tensix tile, in the order of the tile table: where a core was a
     * moment ago. While the control register is 0 these words may be old. */
};

/* The data register's value; `pcs` are the tile's program counters. */
static inline uint32_t td_bar_debug_data(const struct td_bar_debug_bus *bus, const uint32_t *pcs,
                                         uint32_t control)
{
    for (uint32_t i = 0; control && i < bus->cores && i < TD_BAR_DEBUG_CORES; i++)
        if (bus->select[i] == control)
            return __atomic_load_n(&pcs[i], __ATOMIC_RELAXED) & bus->mask;
    return 0;
}

/* TD_BAR_HOST: the part of the host's memory that tiles reach through the PCIe tile. */
enum td_bar_tile_kind { TD_BAR_TENSIX = 0, TD_BAR_DRAM = 1, TD_BAR_HOST = 2 };

/* logical_x and logical_y of a Tensix tile that is a relay and not part of the programs' grid. */
#define TD_BAR_NOT_IN_GRID 0xffffu

struct td_bar_tile {
    uint32_t kind;                                       /* enum td_bar_tile_kind */
    uint16_t chip, x, y, logical_x, logical_y, reserved; /* x, y: NoC 0 coordinates; DRAM: logical_x = bank */
    uint64_t mem_offset;                                 /* L1, DRAM bank or host memory in this file */
    uint64_t mem_base;                                   /* its address on the tile */
    uint64_t mem_bytes;
    uint64_t
        regs_offset;    /* Tensix: one page of registers. The host's view of it is live for soft reset and the
                           debug bus's control only */
    uint64_t regs_base; /* its address on the tile */
};
