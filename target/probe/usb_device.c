#include "target/probe/usb_device.h"

#define SEND_MS 3000 /* a host that receives nothing for this long is gone */

static void receive_next(struct td_usb_device *d)
{
    if (d->packet_bytes && !d->receiving && !d->received)
        d->receiving = d->stack.receive(d->stack.self, d->out, d->message_bytes) != 0;
}

/* Nothing of the session before may reach the next one, in either direction. */
static void drop_all(struct td_usb_device *d)
{
    d->stack.abort(d->stack.self);
    d->receiving = d->sending = d->notifying = d->empty = 0;
    d->received = 0;
    d->stale = d->ended = 1;
}

void td_usb_device_init(struct td_usb_device *d, const struct td_usb_stack *stack, struct td_probe *probe,
                        void *in, void *out, uint32_t message_bytes)
{
    __builtin_memset(d, 0, sizeof *d);
    d->stack = *stack;
    d->probe = probe;
    d->in = in;
    d->out = out;
    d->message_bytes = message_bytes;
}

void td_usb_device_configured(struct td_usb_device *d, uint32_t packet_bytes)
{
    drop_all(d);
    d->packet_bytes = packet_bytes;
    receive_next(d);
}

void td_usb_device_unplugged(struct td_usb_device *d)
{
    d->packet_bytes = 0;
    drop_all(d);
}

int td_usb_device_control(struct td_usb_device *d, const uint8_t setup[8])
{
    if (setup[0] != TD_USB_REQUEST_TYPE || setup[1] != TD_USB_REQUEST_RESET || setup[6] || setup[7])
        return 0;
    drop_all(d);
    receive_next(d);
    return 1;
}

void td_usb_device_received(struct td_usb_device *d, uint32_t bytes)
{
    d->receiving = 0;
    if (bytes <= d->message_bytes && td_usb_is_message(d->out, bytes))
        d->received = bytes;
    else if (bytes)
        d->bad_messages++;
    receive_next(d);
}

void td_usb_device_sent(struct td_usb_device *d)
{
    d->sending = 0;
    if (d->empty) {
        d->empty = 0;
        d->sending = d->stack.send(d->stack.self, d->in, 0) != 0;
    }
}

void td_usb_device_notified(struct td_usb_device *d)
{
    d->notifying = 0;
}

int td_usb_device_send(void *self, const void *message, uint32_t bytes)
{
    struct td_usb_device *d = self;
    uint32_t start_ms = d->stack.now_ms(d->stack.self);
    while (d->sending && d->packet_bytes && !d->stale && d->stack.now_ms(d->stack.self) - start_ms < SEND_MS)
        d->stack.work(d->stack.self);
    if (d->sending || !d->packet_bytes || d->stale || bytes > d->message_bytes)
        return -1;
    __builtin_memcpy(d->in, message, bytes);
    d->empty = td_usb_needs_empty(bytes, d->packet_bytes) != 0;
    d->sending = 1; /* first: it may have ended when the stack returns */
    if (d->stack.send(d->stack.self, d->in, bytes))
        return 0;
    d->sending = d->empty = 0;
    return -1;
}

void td_usb_device_notify(void *self)
{
    static const struct td_probe_head head = {.type = TD_PROBE_NOTIFY | TD_PROBE_ANSWER};
    struct td_usb_device *d = self;
    if (!d->stack.notify || d->notifying || !d->packet_bytes)
        return;
    d->notifying = 1;
    if (!d->stack.notify(d->stack.self, &head, sizeof head))
        d->notifying = 0;
}

int td_usb_device_run(struct td_usb_device *d)
{
    d->stack.work(d->stack.self);
    if (d->ended) {
        d->ended = 0;
        td_probe_end(d->probe);
    }
    if (!d->received)
        return td_probe_idle(d->probe, d->stack.now_ms(d->stack.self));
    d->stale = 0;
    td_probe_message(d->probe, d->out, d->received, d->stack.now_ms(d->stack.self));
    d->received = 0;
    receive_next(d);
    return 1;
}
