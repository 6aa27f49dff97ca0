/* Finds probes among the USB devices. Private to the USB link. */
#pragma once
#include "host/transport/link/usb.h"

#include <libusb.h>

/* An opened probe, its interface not claimed yet. */
struct td_usb_found {
    libusb_context *context;
    libusb_device_handle *handle;
    uint8_t interface, out, in, notify; /* number; addresses of the endpoints, notify 0: has none */
    uint16_t notify_packet;             /* its bytes */
    struct td_usb_seen seen;
};
/* Opens the probe of that serial number, or the only one; see td_usb_open() for errors. The caller ends with
 * td_usb_found_close(). */
int td_usb_find(const char *serial, int wait_ms, struct td_usb_found *found, struct td_err *err);
void td_usb_found_close(struct td_usb_found *found);
