/* Devices for host programs: open a board, fill memory, load kernels, launch them, wait for them. The agent
 * drains the lanes; a program works the same with and without one.
 *
 * Use a handle from one thread at a time. Errors: negative enum td_e and *err. */
#ifndef TD_HOST_DEVICE_DEVICE_H
#define TD_HOST_DEVICE_DEVICE_H
#include "host/device/board/board.h"

struct td_device;

/* `where`: as in td_transport_open(); NULL: the environment variable TENDRIL_BOARD, which `tendril record`
 * sets. "board:N", with N from 0 on: the N-th board of `tendril record`, of TENDRIL_BOARD_N (0: TENDRIL_BOARD);
 * TD_E_NOTFOUND if there are not that many. For a board that does not report what it is,
 * TENDRIL_BOARD_NAME and TENDRIL_BOARD_GRID say it, or TENDRIL_BOARD_N_NAME and TENDRIL_BOARD_N_GRID. */
TD_HOST_API struct td_device *td_device_open(const char *where, struct td_err *err);
TD_HOST_API void td_device_close(struct td_device *device);
TD_HOST_API const struct td_board *td_device_board(const struct td_device *device);
TD_HOST_API struct td_transport *td_device_transport(struct td_device *device);

/* A core: logical tile and core number (by name: td_device_core()). */
struct td_core_at {
    uint16_t chip, x, y, core;
};
TD_HOST_API int td_device_core(const struct td_device *device,
                               const char *name); /* number or TD_E_NOTFOUND */

TD_HOST_API int td_device_read(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                               uint32_t address, void *to, size_t bytes, struct td_err *err);
TD_HOST_API int td_device_write(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                                uint32_t address, const void *from, size_t bytes, struct td_err *err);
TD_HOST_API int td_device_dram_read(struct td_device *device, uint16_t chip, uint32_t bank, uint64_t address,
                                    void *to, size_t bytes, struct td_err *err);
TD_HOST_API int td_device_dram_write(struct td_device *device, uint16_t chip, uint32_t bank, uint64_t address,
                                     const void *from, size_t bytes, struct td_err *err);

/* An empty circular buffer (tendril/cb.h) of `pages` pages in a tile's L1. It is at the first multiple of 64 from
 * *next on; *next becomes the address behind it. The first one may begin at td_device_board()->data_base. *cb
 * becomes its address: an argument for the two kernels that use it. TD_E_USAGE: no pages, pages that are not
 * whole words, or no room. */
TD_HOST_API int td_device_cb(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                             uint32_t page_bytes, uint32_t pages, uint32_t *next, uint32_t *cb,
                             struct td_err *err);

/* Loads an ELF into a core that is in reset or done: segments, start jump. Refuses (TD_E_VERSION,
 * TD_E_FORMAT) an ELF of another machine, lane version or core. Announces the ELF to the agent: a copy named
 * BUILDID.elf in $TENDRIL_RUN_DIR, if that is set. */
TD_HOST_API int td_device_load(struct td_device *device, struct td_core_at core, const char *elf_path,
                               struct td_err *err);
/* Which markers of kernels are recorded from the next load or prepare on: rules as in
 * host/device/image/zone_rules.h; NULL: all. td_device_open() takes them from TENDRIL_ZONES. A marker that is off
 * costs one instruction, a zone one at its begin and one at its end. */
TD_HOST_API int td_device_set_zones(struct td_device *device, const char *rules, struct td_err *err);
/* Sets op id and argument of the next launch of a loaded core. */
TD_HOST_API int td_device_prepare(struct td_device *device, struct td_core_at core, uint32_t op, uint32_t arg,
                                  struct td_err *err);
/* The same with up to 64 arguments: td_arg_at(0) is td_arg(), too. A kernel may use fewer than it is given. */
TD_HOST_API int td_device_prepare_args(struct td_device *device, struct td_core_at core, uint32_t op,
                                       const uint32_t *args, size_t count, struct td_err *err);
/* Releases all prepared cores at once (one soft-reset write a tile; a simulator starts them at one instant).
 * Cores that were launched before go on. */
TD_HOST_API int td_device_launch(struct td_device *device, struct td_err *err);
/* Waits until every launched core is done; then they are back in reset. timeout_ms < 0: forever.
 * A core that faulted: TD_E_GONE with core, cause, pc and symbol in err. *exit_code: first non-zero one. */
TD_HOST_API int td_device_wait(struct td_device *device, int timeout_ms, int *exit_code, struct td_err *err);
/* The same for one launched core; a fault stops only that core. */
TD_HOST_API int td_device_wait_core(struct td_device *device, struct td_core_at core, int timeout_ms,
                                    int *exit_code, struct td_err *err);
/* Puts a core into reset, whatever it does. Its program stays loaded: it can be prepared again. The trace has the
 * zones that were open as "open when the core was stopped". */
TD_HOST_API int td_device_stop(struct td_device *device, struct td_core_at core, struct td_err *err);
#endif
