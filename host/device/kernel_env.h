/* What kernels that are written for tt-metal get from the host: arguments, circular buffers, semaphores, the
 * places of the memory banks. Kernels read them with api/dataflow/dataflow_api.h.
 *
 *   struct td_kernel_tile *tile = td_kernel_tile_create(device, 0, x, y, &err);
 *   td_kernel_tile_cb(tile, 0, page_bytes, pages, format, &err);       circular buffer c_0
 *   int64_t sem = td_kernel_tile_semaphore(tile, 0, &err);             semaphore `sem` of value 0
 *   td_kernel_tile_args(tile, core, words, count, &err);               what get_arg_val() reads on that core
 *   td_kernel_tile_write(tile, &err);                                  before each launch
 *   td_device_prepare(device, at, op, td_kernel_tile_env(tile, at.core), &err);
 *
 * The blocks are in the tile's L1 from the board's data_base on (proto/device/kernel_env.h). Semaphores have
 * the same address in all tiles, and so have circular buffers and allocations that were made in the same
 * order. Errors: negative enum td_e and *err. One thread at a time. */
#ifndef TD_HOST_DEVICE_KERNEL_ENV_H
#define TD_HOST_DEVICE_KERNEL_ENV_H
#include "host/device/device.h"

struct td_kernel_tile;
/* A tile without buffers, semaphores and arguments; it refers to the device. NULL: no memory, no such tile. */
TD_HOST_API struct td_kernel_tile *td_kernel_tile_create(struct td_device *device, uint16_t chip, uint16_t x,
                                                         uint16_t y, struct td_err *err);
TD_HOST_API void td_kernel_tile_destroy(struct td_kernel_tile *tile); /* NULL is allowed */

/* Circular buffer `index` with this many pages. `format`: a number of TD_TILE_FORMATS. */
TD_HOST_API int td_kernel_tile_cb(struct td_kernel_tile *tile, uint32_t index, uint32_t page_bytes,
                                  uint32_t pages, uint32_t format, struct td_err *err);
/* Circular buffer `index` from one tile to others (api/remote_circular_buffer.h), `pages` of which each receiver has
 * room for. It is laid out in all of them, at the same address, after what each has so far. */
TD_HOST_API int td_kernel_remote_cb(struct td_kernel_tile *sender, struct td_kernel_tile *const *receivers,
                                    uint32_t count, uint32_t index, uint32_t page_bytes, uint32_t pages,
                                    struct td_err *err);
/* The number of a new semaphore. */
TD_HOST_API int64_t td_kernel_tile_semaphore(struct td_kernel_tile *tile, uint32_t value, struct td_err *err);
/* L1 for the kernels' own use, aligned to 64 bytes. Returns its address. */
TD_HOST_API int64_t td_kernel_tile_alloc(struct td_kernel_tile *tile, uint32_t bytes, struct td_err *err);
/* Sets the arguments of a core; `common` are those of get_common_arg_val(). */
TD_HOST_API int td_kernel_tile_args(struct td_kernel_tile *tile, uint32_t core, const uint32_t *args,
                                    size_t count, struct td_err *err);
TD_HOST_API int td_kernel_tile_common(struct td_kernel_tile *tile, uint32_t core, const uint32_t *args,
                                      size_t count, struct td_err *err);
/* Writes all of it to the tile. Circular buffers are empty and semaphores have their values again. */
TD_HOST_API int td_kernel_tile_write(struct td_kernel_tile *tile, struct td_err *err);
/* The argument of a launch of this core. */
TD_HOST_API uint32_t td_kernel_tile_env(const struct td_kernel_tile *tile, uint32_t core);

/* Where page `page` of a buffer that is interleaved over the DRAM banks is. */
struct td_kernel_page {
    uint32_t bank;
    uint64_t address;
};
TD_HOST_API struct td_kernel_page td_kernel_dram_page(const struct td_board *board, uint64_t base,
                                                      uint32_t page_bytes, uint32_t page);
#endif
