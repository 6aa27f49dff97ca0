/* USB devices of a testbed under the real libusb: what the kernel's usbfs would answer, request by request.
 */
#ifndef TD_TESTS_USB_MOCK_USB_H
#define TD_TESTS_USB_MOCK_USB_H
#include <stddef.h>
#include <stdint.h>

#define MOCK_OUT    0x01
#define MOCK_IN     0x82
#define MOCK_NOTIFY 0x83

/* What a device is and does; zero: a well-behaved probe. Change it only between calls of the link. */
struct mock_device {
    const char *serial;
    const char *interface_name; /* NULL: as a probe's */
    int version;                /* 0: ours */
    int claim_errno;            /* CLAIMINTERFACE fails so */
    int reset_status;           /* the request that begins a session ends so */
    /* Seen. */
    int claims, releases, resets, halts_cleared[256];
    size_t sent; /* bytes of the last bulk OUT transfer */
};

void mock_start(void);
void mock_stop(void);
/* Plugs a device in; `d` must live until mock_stop(). */
void mock_plug(struct mock_device *d);
/* Path of its node in the testbed. */
void mock_node(const struct mock_device *d, char *path, size_t room);
/* The next transfer on that endpoint that is under way, now or later, ends with `status` (0 or a negative
 * errno) and these bytes. OUT: bytes == SIZE_MAX: it takes all. */
void mock_end(struct mock_device *d, uint8_t endpoint, int status, const void *bytes, size_t count);
/* From now on OUT transfers are not taken. */
void mock_hold_out(struct mock_device *d);
#endif
