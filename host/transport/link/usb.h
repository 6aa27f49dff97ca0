/* USB: probes by libusb (proto/probe/usb.h). Bulk transfers in both directions, several under way inwards,
 * so that the probe never waits for the host while the host has room. When the host has none, the probe
 * waits (NAK).
 *
 * Stalled endpoints are cleared; damaged transfers are dropped and counted (bad_frames). So messages can
 * vanish: the link is lossy. After the probe was unplugged, receive() still returns messages that had
 * arrived, then each call returns TD_E_GONE. reopen() waits for the same probe to be plugged in again. */
#pragma once
#include "host/transport/link.h"
#include "host/transport/transport.h"

#define TD_USB_SERIAL_BYTES 128

/* serial: "" or NULL: the only probe that is plugged in. Waits up to wait_ms for it to be plugged in.
 * TD_E_NOTFOUND: none came; TD_E_USAGE: several, or another program has it; TD_E_VERSION: it speaks
 * another version; TD_E_TIMEOUT: it does not answer. NULL: error. */
struct td_transport *td_usb_open(const char *serial, int wait_ms, struct td_err *err);
/* The link without the transport on it. */
struct td_link *td_usb_link_open(const char *serial, int wait_ms, struct td_err *err);
/* The serial number of a link of td_usb_link_open(); NULL for other links. */
const char *td_usb_serial(const struct td_link *l);

struct td_usb_seen {
    char serial[TD_USB_SERIAL_BYTES]; /* "" where it could not be read */
    char place[64];                   /* "/dev/bus/usb/001/002" */
    const char *why_not;              /* why it cannot be opened, for the user; NULL: no reason is known */
};
/* Probes that are plugged in, at most `room`: their number. No error where there is no USB: 0. */
int td_usb_list(struct td_usb_seen *seen, int room, struct td_err *err);
