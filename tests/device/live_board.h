/* A simulated board for tests: a process of its own, with a device handle, a drain and a decoder a lane in
 * this process. */
#pragma once
#include "host/device/device.h"
#include "host/device/drain/drain.h"
#include "host/device/image/image.h"
#include "tests/device/lane_count.h"

#include <sys/types.h>

#define LIVE_LANES 20 /* 2x2 tiles of 5 cores */

struct live_board {
    pid_t pid;
    char bar[100], where[120], run_dir[100], kernels[200];
    struct td_device *device;
    struct td_transport *drain_transport;
    struct td_drain *drain;
    struct td_images *images;
    uint64_t order; /* hash of all words and whose they were, in the order of their arrival */
    struct lane_count lanes[LIVE_LANES];
};

/* Starts the simulator with these options (NULL-ended; may be NULL). NULL where it or the kernels are not
 * built. */
struct live_board *live_board_start(const char *const *options);
/* The same, reached by another transport than shm: the prefix of the file's path in its name. */
struct live_board *live_board_start_at(const char *transport, const char *const *options);
/* A board that is there already, at a place as options name it. */
struct live_board *live_board_at(const char *where);
/* The board that `tendril record` has given to this process, with the kernels of a folder. */
struct live_board *live_board_join(const char *kernels);
void live_board_stop(struct live_board *board);
/* Path of a kernel's ELF for a core. */
const char *live_kernel(const struct live_board *board, const char *kernel, uint32_t core);
void live_drain(struct live_board *board, enum td_policy policy);
/* The same with a gatherer over the drain's transport (drain_transport, opened by live_open_drain()). */
void live_open_drain(struct live_board *board);
void live_drain_with(struct live_board *board, const struct td_drain_options *options);
/* Loads the kernel on all cores of all tiles and prepares it with op and argument. */
void live_prepare_all(struct live_board *board, const char *kernel, uint32_t op, uint32_t arg);
size_t live_poll(struct live_board *board);
void live_finish(struct live_board *board);
/* Launches and waits, draining meanwhile if `drain`; the result of td_device_wait. */
int live_run(struct live_board *board, int drain, int *exit_code, struct td_err *err);
