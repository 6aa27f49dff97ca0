/* The host's end of the USB link over the real libusb, on devices of a testbed: each fault costs one line or
 * is recovered from. Run it by umockdev-wrapper. */
#include "host/base/err.h"
#include "host/transport/link/usb.h"
#include "proto/probe/usb.h"
#include "tests/usb/mock_usb.h"

#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MESSAGE_BYTES 108

static struct td_err err;
static struct mock_device device;

static int start(void **state)
{
    err = (struct td_err){0};
    device = (struct mock_device){.serial = "AB12"};
    mock_start();
    return 0;
}

static int stop(void **state)
{
    mock_stop();
    return 0;
}

static struct td_link *open_link(void)
{
    mock_plug(&device);
    struct td_link *l = td_usb_link_open(NULL, 0, &err);
    if (!l)
        fail_msg("%s", err.text);
    return l;
}

static void fails_to_open(const char *serial, int code, const char *text)
{
    err = (struct td_err){0};
    assert_null(td_usb_link_open(serial, 0, &err));
    assert_string_equal(err.text, text);
    assert_int_equal(err.code, code);
}

static const uint8_t *message(unsigned seq)
{
    static union {
        struct td_probe_head head;
        uint8_t bytes[MESSAGE_BYTES];
    } m;
    m.head = (struct td_probe_head){.type = TD_PROBE_PING | TD_PROBE_ANSWER,
                                    .seq = (uint16_t)seq,
                                    .bytes = MESSAGE_BYTES - sizeof m.head};
    return m.bytes;
}

static void arrives(struct td_link *l, unsigned seq)
{
    uint8_t got[TD_PROBE_MAX_BYTES];
    int n = l->ops->receive(l, got, sizeof got, 2000, &err);
    if (n < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, MESSAGE_BYTES);
    assert_memory_equal(got, message(seq), MESSAGE_BYTES);
}

static void comes(unsigned seq)
{
    mock_end(&device, MOCK_IN, 0, message(seq), MESSAGE_BYTES);
}

static void probes_are_found_by_serial_number(void **state)
{
    struct mock_device other = {.serial = "CD34"}, stranger = {.serial = "EF56", .interface_name = "Scale"};
    struct td_usb_seen seen[4];
    fails_to_open(NULL, TD_E_NOTFOUND, "no probe is on USB");
    mock_plug(&stranger);
    fails_to_open(NULL, TD_E_NOTFOUND, "no probe is on USB");
    fails_to_open("EF56", TD_E_NOTFOUND, "no probe with the serial number EF56 is on USB");
    err = (struct td_err){0};
    struct td_link *l = open_link();
    assert_string_equal(td_usb_serial(l), "AB12");
    l->ops->close(l);
    mock_plug(&other);
    err = (struct td_err){0};
    assert_int_equal(td_usb_list(seen, 4, &err), 2);
    assert_null(seen[0].why_not);
    assert_null(td_usb_link_open("", 0, &err));
    assert_int_equal(err.code, TD_E_USAGE);
    assert_non_null(strstr(err.text, "2 probes are on USB: "));
    assert_non_null(strstr(err.text, "AB12"));
    assert_non_null(strstr(err.text, "CD34"));
    err = (struct td_err){0};
    l = td_usb_link_open("CD34", 0, &err);
    assert_non_null(l);
    assert_string_equal(td_usb_serial(l), "CD34");
    l->ops->close(l);
    assert_int_equal(other.claims, 1);
    assert_int_equal(other.resets, 1);
    assert_int_equal(other.releases, 1);
    assert_int_equal(stranger.claims, 0);
}

static void *plug_later(void *self)
{
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    mock_plug(self);
    return NULL;
}

static void a_probe_is_waited_for(void **state)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, plug_later, &device), 0);
    struct td_link *l = td_usb_link_open("AB12", 20000, &err);
    pthread_join(thread, NULL);
    if (!l)
        fail_msg("%s", err.text);
    l->ops->close(l);
}

static void a_probe_that_cannot_be_had_is_one_line(void **state)
{
    mock_plug(&device);
    device.claim_errno = EBUSY;
    fails_to_open(NULL, TD_E_USAGE, "the USB probe AB12 is in use by another program");
    device.claim_errno = ENODEV;
    fails_to_open(NULL, TD_E_GONE, "the USB probe AB12 was unplugged");
    device.claim_errno = 0;
    device.reset_status = -EPIPE;
    fails_to_open(NULL, TD_E_IO, "the USB probe AB12 does not begin a session: Pipe error");
    device.reset_status = -ENODEV;
    fails_to_open(NULL, TD_E_GONE, "the USB probe AB12 was unplugged");
}

static void another_version_is_told(void **state)
{
    device.version = 9;
    mock_plug(&device);
    fails_to_open(NULL, TD_E_VERSION,
                  "cannot use the USB probe AB12: it speaks another version of the protocol");
}

/* Root may open all files, unless the process drops that capability. */
static void obey_permissions(int obey)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    assert_int_equal(syscall(SYS_capget, &head, data), 0);
    uint32_t rights = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
    data[0].effective = obey ? data[0].effective & ~rights : data[0].effective | (data[0].permitted & rights);
    assert_int_equal(syscall(SYS_capset, &head, data), 0);
}

static void a_probe_without_permission_is_one_line(void **state)
{
    char node[256];
    mock_plug(&device);
    mock_node(&device, node, sizeof node);
    assert_int_equal(chmod(node, 0), 0);
    obey_permissions(1);
    struct td_link *l = td_usb_link_open(NULL, 0, &err);
    obey_permissions(0);
    assert_null(l);
    assert_string_equal(err.text, "cannot use the USB probe /dev/bus/usb/001/001: no permission to open it "
                                  "(docs/usb.md has a rule for udev)");
}

static void messages_arrive_in_order(void **state)
{
    uint8_t got[TD_PROBE_MAX_BYTES];
    struct td_link *l = open_link();
    for (unsigned i = 0; i < 20; i++)
        comes(i);
    for (unsigned i = 0; i < 20; i++)
        arrives(l, i);
    assert_int_equal(l->ops->receive(l, got, sizeof got, 0, &err), 0);
    assert_int_equal(l->stats.messages_in, 20);
    assert_int_equal(l->stats.bytes_in, 20 * MESSAGE_BYTES);
    l->ops->close(l);
}

static void a_stalled_endpoint_is_cleared(void **state)
{
    struct td_link *l = open_link();
    comes(1);
    mock_end(&device, MOCK_IN, -EPIPE, NULL, 0);
    arrives(l, 1);
    while (device.halts_cleared[MOCK_IN] == 0)
        assert_int_equal(l->ops->receive(l, &(uint8_t[64]){0}, 64, 10, &err), 0);
    comes(2);
    arrives(l, 2);
    mock_end(&device, MOCK_NOTIFY, -EPIPE, NULL, 0);
    while (device.halts_cleared[MOCK_NOTIFY] == 0)
        assert_int_equal(l->ops->notified(l, 10, &err), 0);
    mock_end(&device, MOCK_OUT, -EPIPE, NULL, 0);
    assert_int_equal(l->ops->send(l, message(3), MESSAGE_BYTES, &err), TD_OK);
    assert_int_equal(device.halts_cleared[MOCK_OUT], 1);
    assert_int_equal(device.sent, MESSAGE_BYTES);
    l->ops->close(l);
}

static void damaged_transfers_are_counted_and_left_out(void **state)
{
    struct td_link *l = open_link();
    mock_end(&device, MOCK_IN, -EOVERFLOW, NULL, 0);
    mock_end(&device, MOCK_IN, 0, message(1), MESSAGE_BYTES - 1); /* cut off */
    mock_end(&device, MOCK_IN, 0, message(1), 5);
    mock_end(&device, MOCK_IN, 0, NULL, 0); /* an empty packet is no damage */
    comes(2);
    arrives(l, 2);
    assert_int_equal(l->stats.bad_frames, 3);
    l->ops->close(l);
}

static void errors_that_pass_are_survived(void **state)
{
    static const int passing[] = {-EPROTO, -EILSEQ, -ETIME, -ETIMEDOUT};
    struct td_link *l = open_link();
    for (unsigned i = 0; i < sizeof passing / sizeof *passing; i++) {
        mock_end(&device, MOCK_IN, passing[i], NULL, 0);
        comes(i);
        arrives(l, i);
        mock_end(&device, MOCK_OUT, passing[i], NULL, 0);
        assert_int_equal(l->ops->send(l, message(i), MESSAGE_BYTES, &err), TD_OK);
    }
    mock_end(&device, MOCK_OUT, 0, NULL, 7); /* the device took only a part */
    assert_int_equal(l->ops->send(l, message(9), MESSAGE_BYTES, &err), TD_OK);
    assert_int_equal(l->stats.messages_out, sizeof passing / sizeof *passing + 1);
    l->ops->close(l);
}

static void endless_errors_end_the_link(void **state)
{
    uint8_t got[TD_PROBE_MAX_BYTES];
    struct td_link *l = open_link();
    int rc;
    do {
        mock_end(&device, MOCK_IN, -EPROTO, NULL, 0);
        rc = l->ops->receive(l, got, sizeof got, 1, &err);
    } while (rc == 0);
    assert_int_equal(rc, TD_E_IO);
    assert_string_equal(err.text, "the USB probe AB12 fails repeatedly");
    err = (struct td_err){0};
    for (int i = 0; i < 3; i++)
        mock_end(&device, MOCK_OUT, -EPROTO, NULL, 0);
    assert_int_equal(l->ops->send(l, message(1), MESSAGE_BYTES, &err), TD_E_IO);
    assert_string_equal(err.text, "the USB probe AB12 does not take a whole message");
    l->ops->close(l);
}

static void what_came_before_the_unplugging_is_kept(void **state)
{
    uint8_t got[TD_PROBE_MAX_BYTES];
    struct td_link *l = open_link();
    comes(1);
    comes(2);
    mock_end(&device, MOCK_IN, -ENODEV, NULL, 0);
    arrives(l, 1);
    arrives(l, 2);
    int rc;
    while ((rc = l->ops->receive(l, got, sizeof got, 10, &err)) == 0)
        ;
    assert_int_equal(rc, TD_E_GONE);
    assert_string_equal(err.text, "the USB probe AB12 was unplugged");
    assert_int_equal(l->ops->send(l, message(1), MESSAGE_BYTES, NULL), TD_E_GONE);
    assert_int_equal(l->ops->notified(l, 0, NULL), TD_E_GONE);
    assert_int_equal(l->ops->receive(l, got, sizeof got, 1000000, NULL), TD_E_GONE);
    l->ops->close(l);
}

static void unplugging_ends_a_send(void **state)
{
    struct td_link *l = open_link();
    mock_end(&device, MOCK_OUT, -ESHUTDOWN, NULL, 0);
    assert_int_equal(l->ops->send(l, message(1), MESSAGE_BYTES, &err), TD_E_GONE);
    assert_string_equal(err.text, "the USB probe AB12 was unplugged");
    l->ops->close(l);
}

static void a_probe_that_takes_nothing_does_not_hold_the_host_up(void **state)
{
    struct td_link *l = open_link();
    mock_hold_out(&device);
    assert_int_equal(l->ops->send(l, message(1), MESSAGE_BYTES, &err), TD_E_TIMEOUT);
    assert_string_equal(err.text, "the USB probe AB12 has not taken a message for 5 s");
    l->ops->close(l);
}

static void only_a_notification_notifies(void **state)
{
    struct td_probe_head head = {.type = TD_PROBE_NOTIFY};
    struct td_link *l = open_link();
    mock_end(&device, MOCK_NOTIFY, 0, message(1), 16);
    mock_end(&device, MOCK_NOTIFY, 0, &head, 3);
    assert_int_equal(l->ops->notified(l, 50, &err), 0);
    mock_end(&device, MOCK_NOTIFY, 0, &head, sizeof head);
    assert_int_equal(l->ops->notified(l, 5000, &err), 1);
    assert_int_equal(l->ops->notified(l, 0, &err), 0);
    l->ops->close(l);
}

static void too_long_messages_are_refused(void **state)
{
    static uint8_t bytes[TD_PROBE_MAX_BYTES + 1];
    struct td_link *l = open_link();
    assert_int_equal(l->ops->send(l, bytes, sizeof bytes, &err), TD_E_LIMIT);
    err = (struct td_err){0};
    comes(1);
    assert_int_equal(l->ops->receive(l, bytes, 20, 1000, &err), TD_E_LIMIT);
    l->ops->close(l);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(probes_are_found_by_serial_number),
        TEST(a_probe_is_waited_for),
        TEST(a_probe_that_cannot_be_had_is_one_line),
        TEST(another_version_is_told),
        TEST(a_probe_without_permission_is_one_line),
        TEST(messages_arrive_in_order),
        TEST(a_stalled_endpoint_is_cleared),
        TEST(damaged_transfers_are_counted_and_left_out),
        TEST(errors_that_pass_are_survived),
        TEST(endless_errors_end_the_link),
        TEST(what_came_before_the_unplugging_is_kept),
        TEST(unplugging_ends_a_send),
        TEST(a_probe_that_takes_nothing_does_not_hold_the_host_up),
        TEST(only_a_notification_notifies),
        TEST(too_long_messages_are_refused),
    };
    const char *preload = getenv("LD_PRELOAD");
    if (!preload || !strstr(preload, "libumockdev-preload")) {
        puts("skipped: run it by umockdev-wrapper");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
