/* A probe on USB: ids, descriptors, requests and the transfers on its endpoints, for both ends.
 *
 * A probe is an interface of class TD_USB_CLASS, TD_USB_SUBCLASS whose interface string is
 * TD_USB_INTERFACE_NAME; its bInterfaceProtocol is the version of this header. It may be the only interface
 * or part of a composite device. Vendor and product ids are the maker's: the host finds probes by their
 * interface, and distinguishes several by the device's serial number string, which every probe must have.
 *
 * Three endpoints, found by type and direction, not by address:
 *   bulk OUT      requests of the host
 *   bulk IN       answers and LANES
 *   interrupt IN  NOTIFY, at most one waiting
 * Each message (proto/probe/message.h) is one transfer. A packet shorter than the endpoint's size ends it;
 * where the message fills its last packet, an empty packet follows. The receiver drops a transfer whose
 * length is not the one in the message's head.
 *
 * Plain C, freestanding. The descriptor macros are lists of bytes for the initializer of an array (TinyUSB's
 * configuration descriptor, FunctionFS' ep0).
 */
#pragma once
#include "proto/probe/message.h"

#include <stdbool.h>
#include <stddef.h>

#define TD_USB_CLASS          0xff /* vendor specific */
#define TD_USB_SUBCLASS       0x54
#define TD_USB_PROTOCOL       1 /* version of this header */
#define TD_USB_INTERFACE_NAME "Tendril probe"
/* For gadgets that are used for tests only: ids that pid.codes reserves for that. */
#define TD_USB_TEST_VENDOR  0x1209
#define TD_USB_TEST_PRODUCT 0x0001

/* Control request to the interface (bmRequestType 0x41, no data): the host begins a session. The probe drops
 * the requests that it has received and the messages that it has not sent yet. After the status stage it
 * sends nothing of the earlier session. */
#define TD_USB_REQUEST_TYPE  0x41
#define TD_USB_REQUEST_RESET 1

/* Bytes of a packet on the bulk endpoints. */
#define TD_USB_PACKET_FULL  64
#define TD_USB_PACKET_HIGH  512
#define TD_USB_PACKET_SUPER 1024
/* Bytes of a packet on the interrupt endpoint: more than a NOTIFY, so that each NOTIFY ends a transfer. The
 * intervals make the host poll it every 1 ms. */
#define TD_USB_PACKET_NOTIFY        16
#define TD_USB_INTERVAL_FULL        1
#define TD_USB_INTERVAL_HIGH        4
#define TD_USB_DESCRIPTORS          4 /* the interface's and the endpoints' */
#define TD_USB_DESCRIPTOR_BYTES     30
#define TD_USB_DESCRIPTORS_SS       7 /* with the endpoints' companions */
#define TD_USB_DESCRIPTOR_BYTES_SS  48
#define TD_USB_ENDPOINT_OUT         1 /* default addresses; a maker may choose others */
#define TD_USB_ENDPOINT_IN          2
#define TD_USB_ENDPOINT_NOTIFY      3
#define TD_USB_LOW_HIGH_(number)    ((number)&0xff), ((number) >> 8 & 0xff)
#define TD_USB_BULK_(address, size) 7, 5, (address), 2, TD_USB_LOW_HIGH_(size), 0

/* clang-format off */
/* The interface and its endpoints, for full and high speed. out, in, notify: numbers of endpoints. */
#define TD_USB_INTERFACE_(number, string)                                                          \
    9, 4, (number), 0, 3, TD_USB_CLASS, TD_USB_SUBCLASS, TD_USB_PROTOCOL, (string)
#define TD_USB_FUNCTION(number, string, out, in, notify, packet, interval)                         \
    TD_USB_INTERFACE_(number, string),                                                             \
    TD_USB_BULK_(out, packet),                                                                     \
    TD_USB_BULK_(0x80 | (in), packet),                                                             \
    7, 5, 0x80 | (notify), 3, TD_USB_LOW_HIGH_(TD_USB_PACKET_NOTIFY), (interval)
/* The same for super speed. */
#define TD_USB_FUNCTION_SS(number, string, out, in, notify)                                        \
    TD_USB_INTERFACE_(number, string),                                                             \
    TD_USB_BULK_(out, TD_USB_PACKET_SUPER), 6, 0x30, 0, 0, 0, 0,                                   \
    TD_USB_BULK_(0x80 | (in), TD_USB_PACKET_SUPER), 6, 0x30, 0, 0, 0, 0,                           \
    7, 5, 0x80 | (notify), 3, TD_USB_LOW_HIGH_(TD_USB_PACKET_NOTIFY), TD_USB_INTERVAL_HIGH,        \
    6, 0x30, 0, 0, TD_USB_LOW_HIGH_(TD_USB_PACKET_NOTIFY)
/* clang-format on */

/* Whether these bytes are one whole message. Every receiver checks this before it reads the message. */
static inline bool td_usb_is_message(const void *bytes, size_t count)
{
    const uint8_t *b = (const uint8_t *)bytes;
    size_t payload = count >= sizeof(struct td_probe_head) ? (size_t)b[6] | (size_t)b[7] << 8 : 0;
    return count >= sizeof(struct td_probe_head) && count <= TD_PROBE_MAX_BYTES &&
           payload == count - sizeof(struct td_probe_head);
}

/* Whether these bytes from the interrupt endpoint are a NOTIFY. */
static inline bool td_usb_is_notify(const void *bytes, size_t count)
{
    const uint8_t *b = (const uint8_t *)bytes;
    return td_usb_is_message(bytes, count) && (b[0] & ~TD_PROBE_ANSWER) == TD_PROBE_NOTIFY;
}

/* Whether a transfer of that length needs an empty packet after it. */
static inline bool td_usb_needs_empty(size_t bytes, size_t packet_bytes)
{
    return packet_bytes && bytes % packet_bytes == 0;
}
