/* A tile's interfaces to the two NoCs (NIUs), and the requests that are under way. */
#pragma once
#include "boards/tensix_sim/sim.h"
#include "proto/device/noc.h"

enum {
    NIU_INITIATOR_WORDS = 0x44 / 4, /* the longer of the two chips' */
    NIU_PLACE_MASK = 0xfff,
    NIU_FLIT_BYTES = 32
};

/* Registers of an initiator, and of an NIU. */
enum niu_initiator_register {
#define TD_X(name, wormhole, blackhole, what) NIU_##name,
    TD_NIU_INITIATOR_REGS(TD_X)
#undef TD_X
        NIU_INITIATOR_REGISTERS
};

/* A place of the NoC: columns and rows of NoC 0, whatever a kernel calls it. */
struct noc_place {
    uint8_t x, y;
};

/* A request as it was given. Its own tile is the NIU's. */
struct noc_request {
    uint64_t due;     /* ticks when it completes */
    uint64_t remote;  /* address at the target or targets */
    uint64_t key;     /* of the target: requests with the same one stay in order */
    uint64_t started; /* ticks when its first byte left */
    uint64_t part;    /* --reorder: ticks when some of its lines are copied; 0: all are at `due` */
    uint32_t lines;   /* which ones, by their numbers modulo 32 */
    bool has_part;    /* they have been */
    uint32_t local, bytes, control, length, value;
    uint32_t packets, id;
    struct noc_place first,
        last; /* one place, or a multicast's rectangle in columns and rows of its own NoC */
};

struct niu {
    struct tile *tile;
    uint32_t noc;
    uint32_t initiator[TD_NIU_INITIATORS][NIU_INITIATOR_WORDS];
    uint64_t busy_until[TD_NIU_INITIATORS]; /* ticks; 0: accepts a request */
    uint32_t counters[TD_NIU_COUNTER_COUNT];
    uint8_t outstanding[TD_NIU_IDS], outgoing[TD_NIU_IDS];
    struct noc_request *queue;
    unsigned count;
    size_t room;
    uint64_t port_free; /* ticks when its port has sent what it was given */
};

/* noc_map.c: which tile is where. */
struct noc_map;
int noc_map_init(struct sim *sim); /* once the tiles are set up */
void noc_map_finish(struct sim *sim);
/* What an NIU of `noc` calls by these 12 bits. false: there is no such tile. */
bool noc_map_place(const struct sim *sim, uint32_t chip, uint32_t noc, uint32_t bits,
                   struct noc_place *place);
bool noc_map_receives(const struct sim *sim, uint32_t chip, struct noc_place place); /* multicasts */
struct tile *noc_map_tile(const struct sim *sim, uint32_t chip,
                          struct noc_place place); /* NULL: not simulated */
/* Between columns and rows of NoC 0 and those of `noc`; either way. */
struct noc_place noc_mirror(const struct sim *sim, uint32_t noc, struct noc_place place);
struct noc_place noc_map_of_tile(const struct sim *sim, const struct tile *tile);

/* noc.c. The NIU of a core: there are two a tile, or two a core. */
struct niu *niu_of(const struct core *core, uint32_t noc);
/* Checks a request. Returns the fault that it is, with the address at fault. */
enum td_fault noc_check(const struct niu *niu, const struct noc_request *request, uint64_t *address);
/* Gives it to the NoC. Returns ticks when the initiator is free again; 0: no memory is left. */
uint64_t noc_give(struct niu *niu, const struct noc_request *request, uint64_t now);
void noc_run_niu(struct niu *niu, uint64_t now);

/* niu.c. 0: there is such a register. */
int niu_read(struct core *core, uint32_t address, uint32_t *value);
int niu_write(struct core *core, uint32_t address, uint32_t value);
void niu_end_turn(struct core *core); /* all stores have arrived */
