/* The probe engine on a USB device: connects target/probe/probe.h to a USB stack such as TinyUSB.
 *
 * The stack provides a table of callbacks that begin transfers, and its own callbacks call functions here
 * when a transfer ends. Descriptors: proto/probe/usb.h. Freestanding; one thread: the calls marked "from the
 * stack" come out of stack.work() or between calls of td_usb_device_run(), not out of interrupts. */
#pragma once
#include "proto/probe/usb.h"
#include "target/probe/probe.h"

struct td_usb_stack {
    /* Begin a transfer on the bulk OUT, bulk IN, interrupt IN endpoint. The memory is left alone until
     * td_usb_device_received(), _sent(), _notified(). 0: not now (not configured). */
    int (*receive)(void *self, void *to, uint32_t room);
    int (*send)(void *self, const void *bytes, uint32_t count);
    int (*notify)(void *self, const void *bytes, uint32_t count); /* NULL: no such endpoint */
    /* Ends the transfers that are under way without a word of them, and empties the endpoints. */
    void (*abort)(void *self);
    /* Runs the stack (tud_task()); called repeatedly while a message waits. */
    void (*work)(void *self);
    uint32_t (*now_ms)(void *self); /* may wrap */
    void *self;
};

struct td_usb_device {
    struct td_usb_stack stack;
    struct td_probe *probe;
    uint8_t *in, *out; /* one message each way */
    uint32_t message_bytes;
    uint64_t bad_messages;
    /* Private. */
    uint32_t packet_bytes; /* of the bulk endpoints; 0: no host */
    uint32_t received;     /* bytes of the message in `out` that waits for td_usb_device_run() */
    uint8_t receiving, sending, notifying;
    uint8_t empty; /* an empty packet has to follow */
    uint8_t stale; /* the transfer under way belongs to a session that is over */
    uint8_t ended; /* the engine does not know yet that the session is over */
};

/* in, out: message_bytes each, 4-byte aligned, the caller's; message_bytes as in the engine's
 * config.out_bytes and a multiple of the packet size. */
void td_usb_device_init(struct td_usb_device *d, const struct td_usb_stack *stack, struct td_probe *probe,
                        void *in, void *out, uint32_t message_bytes);
/* For the engine's config: link = {td_usb_device_send, td_usb_device_notify, d}. */
int td_usb_device_send(void *d, const void *message, uint32_t bytes);
void td_usb_device_notify(void *d);
/* The main loop's body: one message of the host's, or what there is to do without one. 0: nothing was. */
int td_usb_device_run(struct td_usb_device *d);

/* From the stack. A host has configured the device; packet_bytes by the bus' speed. */
void td_usb_device_configured(struct td_usb_device *d, uint32_t packet_bytes);
/* From the stack: unplugged, or the bus was reset. */
void td_usb_device_unplugged(struct td_usb_device *d);
/* From the stack: a control request to the interface. 1: answer with an empty status stage, 0: stall. */
int td_usb_device_control(struct td_usb_device *d, const uint8_t setup[8]);
/* From the stack: a transfer has ended. */
void td_usb_device_received(struct td_usb_device *d, uint32_t bytes);
void td_usb_device_sent(struct td_usb_device *d);
void td_usb_device_notified(struct td_usb_device *d);
