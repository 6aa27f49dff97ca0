/* USB: probes by libusb (proto/probe/usb.h). Bulk transfers in both directions, several under way inwards, so
 * that the probe never waits for the host while the host has room; a full host holds the probe up (NAK).
 *
 * A stalled endpoint is cleared and damaged transfers are thrown away and counted (bad_frames), so messages
 * can vanish: the link is lossy. When the probe is unplugged, every call says TD_E_GONE; what had arrived is
 * still handed out. To go on with the same probe when it is plugged in again, open usb:SERIAL anew. */
#ifndef TD_HOST_TRANSPORT_LINK_USB_H
#define TD_HOST_TRANSPORT_LINK_USB_H
#include "host/transport/link.h"
#include "host/transport/transport.h"

#define TD_USB_SERIAL_BYTES 128

/* serial: "" or NULL: the only one there is. Waits up to wait_ms for it to be plugged in. TD_E_NOTFOUND: none
 * came; TD_E_USAGE: several, or another program has it; TD_E_VERSION: it speaks another version;
 * TD_E_TIMEOUT: it does not answer. NULL: error. */
struct td_transport *td_usb_open(const char *serial, int wait_ms, struct td_err *err);
/* The link without the transport on it. */
struct td_link *td_usb_link_open(const char *serial, int wait_ms, struct td_err *err);
/* Of a link of td_usb_link_open(); NULL for another link. */
const char *td_usb_serial(const struct td_link *l);

struct td_usb_seen {
    char serial[TD_USB_SERIAL_BYTES]; /* "" where it could not be read */
    char place[64];                   /* "/dev/bus/usb/001/002" */
    const char *why_not; /* NULL: it can be opened as far as can be seen; else why not, for the user */
};
/* Probes that are plugged in, at most `room`: their number. No error where there is no USB: 0. */
int td_usb_list(struct td_usb_seen *seen, int room, struct td_err *err);
#endif
