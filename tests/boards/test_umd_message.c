/* Messages of a served simulation (host/transport/sim/umd_message.h) against some that the FlatBuffers library
 * of Python has made. */
#include "host/base/err.h"
#include "host/transport/sim/umd_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* clang-format off */
static const uint8_t read_request[] = {
    0x14, 0x00, 0x00, 0x00, 0x10, 0x00, 0x20, 0x00, 0x00, 0x00, 0x04, 0x00, 0x08, 0x00, 0x14, 0x00,
    0x0c, 0x00, 0x10, 0x00, 0x10, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x00,
    0x40, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x9a, 0x78, 0x56, 0x34, 0x12, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
static const uint8_t write_request[] = {
    0x18, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x20, 0x00, 0x07, 0x00, 0x08, 0x00,
    0x0c, 0x00, 0x18, 0x00, 0x10, 0x00, 0x14, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
    0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00,
    0xb0, 0x21, 0xb1, 0xff, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04,
};
static const uint8_t read_answer[] = {
    0x0c, 0x00, 0x00, 0x00, 0x08, 0x00, 0x08, 0x00, 0x00, 0x00, 0x04, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x00, 0x00, 0x00,
};
static const uint8_t failed_answer[] = {
    0x0c, 0x00, 0x00, 0x00, 0x08, 0x00, 0x0c, 0x00, 0x04, 0x00, 0x08, 0x00, 0x08, 0x00, 0x00, 0x00,
    0xff, 0xff, 0xff, 0xff, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
static const uint8_t chip_info[] = {
    0x1c, 0x00, 0x00, 0x00, 0x18, 0x00, 0x20, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x0c, 0x00,
    0x07, 0x00, 0x10, 0x00, 0x14, 0x00, 0x18, 0x00, 0x00, 0x00, 0x1c, 0x00, 0x18, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x03, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x20, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00,
    0x61, 0x72, 0x63, 0x68, 0x3a, 0x20, 0x62, 0x6c, 0x61, 0x63, 0x6b, 0x68, 0x6f, 0x6c, 0x65, 0x0a,
    0x00, 0x00, 0x00, 0x00,
};
/* clang-format on */

static void messages_of_another_writer_are_read(void **state)
{
    struct td_umd_request r;
    struct td_umd_answer a;
    struct td_umd_info i;
    assert_int_equal(td_umd_get_request(read_request, sizeof read_request, &r), 0);
    assert_int_equal(r.command, TD_UMD_READ);
    assert_true(r.x == 18 && r.y == 19 && r.address == 0x123456789a && r.size == 64 && r.data_bytes == 0);
    assert_int_equal(td_umd_get_request(write_request, sizeof write_request, &r), 0);
    assert_int_equal(r.command, TD_UMD_WRITE);
    assert_true(r.x == 1 && r.y == 2 && r.address == 0xffb121b0 && r.size == 4 && r.data_bytes == 4);
    assert_memory_equal(r.data, "\1\2\3\4", 4);
    assert_int_equal(td_umd_get_answer(read_answer, sizeof read_answer, &a), 0);
    assert_true(a.status == 0 && a.data_bytes == 5);
    assert_memory_equal(a.data, "hello", 5);
    assert_int_equal(td_umd_get_answer(failed_answer, sizeof failed_answer, &a), 0);
    assert_true(a.status == -1 && a.data_bytes == 0);
    assert_int_equal(td_umd_get_info(chip_info, sizeof chip_info, &i), 0);
    assert_true(i.status == 0 && i.arch == TD_UMD_BLACKHOLE && i.backend == 0 && i.translation == 1);
    assert_true(i.tensix == 0xc0 && i.dram == 2 && i.ethernet == 0x120 && i.l2cpu == 0 && i.pcie == 1);
    assert_true(i.layout_bytes == 16);
    assert_memory_equal(i.layout, "arch: blackhole\n", 16);
    (void)state;
}

static uint32_t length_of(const uint8_t *message)
{
    return message[0] | (uint32_t)message[1] << 8 | (uint32_t)message[2] << 16 | (uint32_t)message[3] << 24;
}

static void messages_are_read_as_they_were_written(void **state)
{
    uint8_t message[200];
    struct td_umd_request r = {.command = TD_UMD_WRITE,
                               .x = 3,
                               .y = 4,
                               .address = UINT64_C(1) << 40,
                               .size = 3,
                               .data_bytes = 3},
                          r2;
    td_umd_put_request(message, &r);
    memcpy(message + TD_UMD_REQUEST_BYTES, "abc", 3);
    assert_int_equal(length_of(message), TD_UMD_REQUEST_BYTES - 4 + 3);
    assert_int_equal(td_umd_get_request(message + 4, length_of(message), &r2), 0);
    assert_true(r2.x == 3 && r2.y == 4 && r2.address == r.address && r2.size == 3 && r2.data_bytes == 3);
    assert_memory_equal(r2.data, "abc", 3);
    assert_int_equal(td_umd_get_request(message + 4, length_of(message) - 1, &r2), TD_E_FORMAT);

    struct td_umd_answer a = {.status = -7, .data_bytes = 1}, a2;
    td_umd_put_answer(message, &a);
    message[TD_UMD_ANSWER_BYTES] = 'x';
    assert_int_equal(td_umd_get_answer(message + 4, length_of(message), &a2), 0);
    assert_true(a2.status == -7 && a2.data_bytes == 1 && *a2.data == 'x');

    struct td_umd_info i = {.arch = 2, .translation = 1, .tensix = 5, .pcie = 9, .layout_bytes = 2}, i2;
    td_umd_put_info(message, &i);
    memcpy(message + TD_UMD_INFO_BYTES, "hi", 3);
    assert_int_equal(length_of(message), TD_UMD_INFO_BYTES - 4 + 3);
    assert_int_equal(td_umd_get_info(message + 4, length_of(message), &i2), 0);
    assert_true(i2.arch == 2 && i2.translation == 1 && i2.tensix == 5 && i2.pcie == 9 &&
                i2.layout_bytes == 2);
    assert_memory_equal(i2.layout, "hi", 2);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_of_another_writer_are_read),
                                       cmocka_unit_test(messages_are_read_as_they_were_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
