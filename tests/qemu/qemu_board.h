/* The board qemu_virt for tests: a QEMU process, a device handle and a drain over its UART, and one decoder
 * per lane. */
#pragma once
#include "host/device/device.h"
#include "host/device/drain/drain.h"
#include "tests/device/lane_count.h"

#include <sys/types.h>

#define QEMU_LANES 4

struct qemu_board {
    pid_t pid;
    char folder[64];  /* of this board: socket, run folder */
    char socket[100]; /* the UART */
    char where[120];  /* the same as td_transport_open() wants it */
    struct td_device *device;
    struct td_drain *drain;
    struct lane_count lanes[QEMU_LANES];
};

/* Starts QEMU with these additional options (NULL-ended; may be NULL). Returns NULL and prints a message if
 * QEMU or the firmware is missing. */
struct qemu_board *qemu_start(const char *const *options);
/* Opens the device, by default at its socket, and a drain with this policy. */
void qemu_open(struct qemu_board *q, const char *where, enum td_policy policy);
/* Ends the session; QEMU keeps running. */
void qemu_close(struct qemu_board *q);
void qemu_kill(struct qemu_board *q);
void qemu_stop(struct qemu_board *q);

/* Path of a kernel's ELF for a core. */
const char *qemu_kernel(const char *kernel, uint32_t core);
void qemu_prepare(struct qemu_board *q, uint32_t core, const char *kernel, uint32_t op, uint32_t arg);
void qemu_prepare_all(struct qemu_board *q, const char *kernel, uint32_t op, uint32_t arg);
/* Launches and waits; drains meanwhile if `drain`. Returns the result of td_device_wait(). */
int qemu_run(struct qemu_board *q, int drain, int *exit_code, struct td_err *err);
/* One round of the drain; its error ends the test unless err is given. */
int qemu_poll(struct qemu_board *q, size_t *taken, struct td_err *err);
/* Takes the remaining slots. Fails if a decoder found an error. */
void qemu_finish(struct qemu_board *q);
