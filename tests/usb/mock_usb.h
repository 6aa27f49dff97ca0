/* Simulated USB devices under the real libusb: they answer each request as the kernel's usbfs would. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define MOCK_OUT    0x01
#define MOCK_IN     0x82
#define MOCK_NOTIFY 0x83

/* Properties and faults of a device. Zero: a correct probe. Change it only between calls of the link. */
struct mock_device {
    const char *serial;
    const char *interface_name; /* NULL: as a probe's */
    int version;                /* 0: ours */
    int claim_errno;            /* CLAIMINTERFACE fails so */
    int reset_status;           /* the request that begins a session ends so */
    /* Set by the device. */
    int claims, releases, resets, halts_cleared[256];
    size_t sent; /* bytes of the last bulk OUT transfer */
};

void mock_start(void);
void mock_stop(void);
/* Plugs a device in; `d` must live until mock_stop(). */
void mock_plug(struct mock_device *d);
/* Path of its node in the testbed. */
void mock_node(const struct mock_device *d, char *path, size_t room);
/* Ends the current or next transfer on that endpoint with `status` (0 or a negative errno) and these bytes.
 * An OUT transfer with bytes == SIZE_MAX is taken whole. */
void mock_end(struct mock_device *d, uint8_t endpoint, int status, const void *bytes, size_t count);
/* From now on the device takes no OUT transfers. */
void mock_hold_out(struct mock_device *d);
