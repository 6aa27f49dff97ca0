/* The probe's glue to a USB stack (target/probe/usb_device.h), with a minimal stack between it and the remote
 * transport. A firmware on TinyUSB has the same parts. */
#include "host/transport/link.h"
#include "host/transport/transport.h"
#include "target/probe/usb_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PACKET        64
#define MESSAGE_BYTES 2048
#define MEMORY        65536

/* The bus, the stack and the host's link on it. */
struct bus {
    struct td_link link; /* the host's */
    struct td_usb_device device;
    struct td_probe probe;
    uint8_t *receive_to;
    uint32_t receive_room;
    uint8_t arrived[64][MESSAGE_BYTES]; /* at the host */
    size_t arrived_bytes[64];
    int first, count;
    const uint8_t *sending; /* under way to the host */
    uint32_t sending_bytes, partial_bytes;
    uint8_t partial[MESSAGE_BYTES + PACKET];
    int sent_pending, empties, notifications, aborts;
    int deaf; /* the host takes nothing */
    uint32_t now_ms;
    uint8_t memory[MEMORY];
};
static struct bus bus;
static uint64_t in_buffer[MESSAGE_BYTES / 8], out_buffer[MESSAGE_BYTES / 8], engine_out[MESSAGE_BYTES / 8];
static struct td_probe_lane_state lanes[8];

static int stack_receive(void *self, void *to, uint32_t room)
{
    bus.receive_to = to;
    bus.receive_room = room;
    return 1;
}

static int stack_send(void *self, const void *bytes, uint32_t count)
{
    assert_false(bus.sent_pending);
    bus.sending = bytes;
    bus.sending_bytes = count;
    bus.sent_pending = 1;
    return 1;
}

static int stack_notify(void *self, const void *bytes, uint32_t count)
{
    bus.notifications += td_usb_is_notify(bytes, count);
    return 1;
}

static void stack_abort(void *self)
{
    bus.receive_to = NULL;
    bus.sent_pending = 0;
    bus.partial_bytes = 0;
    bus.aborts++;
}

/* A transfer reaches the host: packets up to a short one are a message. */
static void stack_work(void *self)
{
    bus.now_ms++;
    if (!bus.sent_pending || bus.deaf)
        return;
    assert_true(bus.partial_bytes + bus.sending_bytes <= sizeof bus.partial);
    memcpy(bus.partial + bus.partial_bytes, bus.sending, bus.sending_bytes);
    bus.partial_bytes += bus.sending_bytes;
    bus.empties += bus.sending_bytes == 0;
    if (bus.sending_bytes % PACKET || bus.sending_bytes == 0) {
        int at = (bus.first + bus.count++) % 64;
        memcpy(bus.arrived[at], bus.partial, bus.partial_bytes);
        bus.arrived_bytes[at] = bus.partial_bytes;
        bus.partial_bytes = 0;
    }
    bus.sent_pending = 0;
    td_usb_device_sent(&bus.device);
}

static uint32_t stack_now_ms(void *self)
{
    return bus.now_ms;
}

static int memory_read(void *self, struct td_probe_at at, uint64_t address, void *to, uint32_t bytes,
                       char *why)
{
    if (address > MEMORY || bytes > MEMORY - address)
        return TD_E_USAGE;
    memcpy(to, bus.memory + address, bytes);
    return 0;
}

static int memory_write(void *self, struct td_probe_at at, uint64_t address, const void *from, uint32_t bytes,
                        char *why)
{
    if (address > MEMORY || bytes > MEMORY - address)
        return TD_E_USAGE;
    memcpy(bus.memory + address, from, bytes);
    return 0;
}

static int memory_clock(void *self, struct td_probe_at at, uint64_t *ticks, char *why)
{
    *ticks = bus.now_ms;
    return 0;
}

static int host_send(struct td_link *l, const void *message, size_t bytes, struct td_err *err)
{
    if (!bus.receive_to || bytes > bus.receive_room)
        return td_fail(err, TD_E_TIMEOUT, "the device takes nothing");
    memcpy(bus.receive_to, message, bytes);
    bus.receive_to = NULL;
    td_usb_device_received(&bus.device, (uint32_t)bytes);
    return 0;
}

static int host_receive(struct td_link *l, void *to, size_t room, int timeout_ms, struct td_err *err)
{
    for (int i = 0; i < 100 && !bus.count; i++)
        td_usb_device_run(&bus.device);
    if (!bus.count)
        return 0;
    size_t bytes = bus.arrived_bytes[bus.first];
    assert_true(bytes <= room);
    memcpy(to, bus.arrived[bus.first], bytes);
    bus.first = (bus.first + 1) % 64;
    bus.count--;
    return (int)bytes;
}

static void host_close(struct td_link *l)
{
}

static int setup(void **state)
{
    static const struct td_usb_stack stack = {.receive = stack_receive,
                                              .send = stack_send,
                                              .notify = stack_notify,
                                              .abort = stack_abort,
                                              .work = stack_work,
                                              .now_ms = stack_now_ms};
    static const struct td_link_ops ops = {
        .name = "bus", .send = host_send, .receive = host_receive, .close = host_close};
    const struct td_probe_config config = {
        .board = {.read = memory_read, .write = memory_write, .clock = memory_clock, .name = "AB12"},
        .link = {td_usb_device_send, td_usb_device_notify, &bus.device},
        .out = engine_out,
        .out_bytes = MESSAGE_BYTES,
        .lanes = lanes,
        .lane_capacity = 8};
    memset(&bus, 0, sizeof bus);
    bus.link.ops = &ops;
    assert_int_equal(td_probe_init(&bus.probe, &config), 0);
    td_usb_device_init(&bus.device, &stack, &bus.probe, in_buffer, out_buffer, MESSAGE_BYTES);
    return 0;
}

static struct td_transport *connect_host(void)
{
    static const uint8_t begin[8] = {TD_USB_REQUEST_TYPE, TD_USB_REQUEST_RESET};
    struct td_err err = {0};
    td_usb_device_configured(&bus.device, PACKET);
    assert_int_equal(td_usb_device_control(&bus.device, begin), 1);
    struct td_transport *t = td_remote_open(&bus.link, "usb", &err);
    if (!t)
        fail_msg("%s", err.text);
    return t;
}

static const struct td_tile_at tile = {0, 1, 1};

static void memory_is_reached_over_the_stack(void **state)
{
    static uint8_t wrote[3 * MESSAGE_BYTES], got[sizeof wrote];
    struct td_err err = {0};
    struct td_clock_sample sample;
    struct td_transport *t = connect_host();
    for (size_t i = 0; i < sizeof wrote; i++)
        wrote[i] = (uint8_t)(i * 13 >> 3);
    assert_int_equal(t->ops->write(t, tile, 1000, wrote, sizeof wrote, &err), 0);
    assert_int_equal(t->ops->read(t, tile, 1000, got, sizeof got, &err), 0);
    assert_memory_equal(got, wrote, sizeof got);
    assert_int_equal(t->ops->clock(t, tile, &sample, &err), 0);
    assert_true(sample.ticks > 0);
    td_transport_close(t);
}

static void full_packets_are_followed_by_an_empty_one(void **state)
{
    static uint8_t got[MESSAGE_BYTES];
    struct td_err err = {0};
    struct td_transport *t = connect_host();
    int before = bus.empties;
    assert_int_equal(t->ops->read(t, tile, 0, got, 4 * PACKET - sizeof(struct td_probe_head), &err), 0);
    assert_int_equal(bus.empties, before + 1);
    assert_int_equal(t->ops->read(t, tile, 0, got, 4 * PACKET, &err), 0);
    assert_int_equal(bus.empties, before + 1);
    td_transport_close(t);
}

static void what_is_no_message_is_counted(void **state)
{
    struct td_err err = {0};
    uint8_t garbage[100] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct td_transport *t = connect_host();
    host_send(&bus.link, garbage, sizeof garbage, &err);
    host_send(&bus.link, garbage, 3, &err);
    host_send(&bus.link, garbage, 0, &err);
    assert_int_equal(bus.device.bad_messages, 2);
    assert_int_equal(t->ops->read(t, tile, 0, garbage, sizeof garbage, &err), 0);
    td_transport_close(t);
}

static void only_the_one_control_request_is_taken(void **state)
{
    static const uint8_t others[][8] = {{TD_USB_REQUEST_TYPE, 2},
                                        {0xc1, TD_USB_REQUEST_RESET},
                                        {TD_USB_REQUEST_TYPE, TD_USB_REQUEST_RESET, 0, 0, 0, 0, 4, 0}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(td_usb_device_control(&bus.device, others[i]), 0);
    assert_int_equal(bus.aborts, 0);
}

static void a_host_that_goes_leaves_nothing_to_the_next(void **state)
{
    static const struct td_probe_head ping = {.type = TD_PROBE_PING, .seq = 77};
    uint8_t got[16];
    struct td_err err = {0};
    struct td_transport *t = connect_host();
    td_transport_close(t);
    /* The host takes none of the answers to three requests. Then it reconnects. */
    bus.deaf = 1;
    for (int i = 0; i < 3; i++) {
        host_send(&bus.link, &ping, sizeof ping, &err);
        td_usb_device_run(&bus.device);
    }
    bus.deaf = 0;
    t = connect_host();
    assert_int_equal(bus.count, 0);
    assert_int_equal(t->ops->read(t, tile, 0, got, sizeof got, &err), 0);
    td_transport_close(t);
}

static void unplugging_ends_the_session(void **state)
{
    static const struct td_probe_head ping = {.type = TD_PROBE_PING, .seq = 77};
    struct td_err err = {0};
    struct td_transport *t = connect_host();
    td_transport_close(t);
    td_usb_device_unplugged(&bus.device);
    td_usb_device_run(&bus.device);
    assert_int_equal(td_usb_device_send(&bus.device, &ping, sizeof ping), -1);
    td_usb_device_notify(&bus.device);
    assert_int_equal(bus.notifications, 0);
    t = connect_host();
    td_usb_device_notify(&bus.device);
    td_usb_device_notify(&bus.device); /* a notification waits already */
    assert_int_equal(bus.notifications, 1);
    td_usb_device_notified(&bus.device);
    td_usb_device_notify(&bus.device);
    assert_int_equal(bus.notifications, 2);
    assert_int_equal(t->ops->alive(t, &err), 0);
    td_transport_close(t);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(memory_is_reached_over_the_stack),
        TEST(full_packets_are_followed_by_an_empty_one),
        TEST(what_is_no_message_is_counted),
        TEST(only_the_one_control_request_is_taken),
        TEST(a_host_that_goes_leaves_nothing_to_the_next),
        TEST(unplugging_ends_the_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
