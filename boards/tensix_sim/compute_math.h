/* Arithmetic of the compute engine on tiles as its units hold them (compute_math.c), and functions of
 * tiles in Dst (compute_functions.c). `options` are those of the command (proto/device/compute.h). */
#pragma once
#include "proto/device/kernel_env.h"

#include <stdbool.h>
#include <stdint.h>

/* Formats of tiles; compute_format_bytes() says which ones the engine knows. */
enum compute_format {
#define TD_X(number, name, bytes) COMPUTE_##name = number,
    TD_TILE_FORMATS(TD_X)
#undef TD_X
};

struct compute_tile {
    int is_integer;
    int is_written; /* of Dst, since its half was released */
    union {
        float real[1024];
        int32_t integer[1024]; /* wraps around */
    } of;
};
/* Bytes of a tile in L1; 0: the engine does not know this format. */
uint32_t compute_format_bytes(uint32_t format);
/* Bytes that a tile of 32 rows needs, each `row_bytes` after the one before; 0: the format has no such
 * tiles. */
uint32_t compute_rows_bytes(uint32_t format, uint32_t row_bytes);
/* `row_bytes`: of a tile of 32 rows; 0: it is four faces. */
void compute_unpack(struct compute_tile *to, const uint8_t *from, uint32_t format, uint32_t row_bytes,
                    int transpose);
void compute_pack(uint8_t *to, const struct compute_tile *from, uint32_t format, uint32_t row_bytes, int add);
/* COPY to MATMUL: `to` is set, or added to. `options`: of the command. */
void compute_binary(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t command, uint32_t options, uint32_t row);
void compute_reduce(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t options);
/* The number as Dst holds it. */
float compute_in_dst(float value, uint32_t options);
/* Dst is of the kind of numbers that was written last; zeros are of any kind. */
void compute_make_kind(struct compute_tile *tile, int is_integer);

/* compute_functions.c: functions of tiles in Dst. */
bool compute_has_function(uint32_t command, uint32_t function);
void compute_unary(struct compute_tile *tile, uint32_t function, const uint32_t parameters[3],
                   uint32_t options);
void compute_binary_function(struct compute_tile *to, const struct compute_tile *a,
                             const struct compute_tile *b, uint32_t function, uint32_t options);
void compute_ternary_function(struct compute_tile *to, const struct compute_tile *a,
                              const struct compute_tile *b, const struct compute_tile *c, uint32_t function,
                              uint32_t value, uint32_t options);
/* 0 in the place of what is less. */
void compute_relu(struct compute_tile *tile);
