/* A tile's compute engine: unpackers, matrix and vector unit, packers (proto/device/compute.h). Used by the
 * thread of its tile only. */
#ifndef TD_BOARDS_TENSIX_SIM_COMPUTE_H
#define TD_BOARDS_TENSIX_SIM_COMPUTE_H
#include "boards/tensix_sim/sim.h"

/* 0: there is such a register, at this offset from the first one. */
int compute_register_read(struct core *core, uint32_t offset, uint64_t now, uint32_t *value);
int compute_register_write(struct core *core, uint32_t offset, uint64_t now, uint32_t value);
/* A core comes out of reset: what its unit holds is forgotten. */
void compute_release(struct core *core);
void compute_finish(struct tile *tile);

/* compute_math.c: tiles as the units hold them. */
struct compute_tile {
    int is_integer;
    union {
        float real[1024];
        int32_t integer[1024]; /* wraps around */
    } of;
};
/* Bytes of a tile in L1; 0: the engine does not know this format. */
uint32_t compute_format_bytes(uint32_t format);
void compute_unpack(struct compute_tile *to, const uint8_t *from, uint32_t format, int transpose);
void compute_pack(uint8_t *to, const struct compute_tile *from, uint32_t format);
/* COPY to MATMUL: `to` is set, or added to; `wide`: to 32 bits. */
void compute_binary(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t command, int add, int wide);
void compute_unary(struct compute_tile *tile, uint32_t function, int wide);
#endif
