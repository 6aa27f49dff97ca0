/* Registers of windows, sysfs texts, guarded memory: the parts of the PCI code that need no device. */
#include "host/transport/link/sigbus_guard.h"
#include "host/transport/card/pci.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static const struct td_window_kind wormhole_1m = {
    .bytes = 1 << 20, .count = 156, .register_bytes = 8, .shift = {16, 22, 28, 34, 40, 41, 42, 44, 45}};
static const struct td_window_kind wormhole_16m = {
    .bytes = 16 << 20, .count = 19, .register_bytes = 8, .shift = {12, 18, 24, 30, 36, 37, 38, 40, 41}};
static const struct td_window_kind blackhole_2m = {
    .bytes = 2 << 20, .count = 201, .register_bytes = 12, .shift = {43, 49, 55, 61, 67, 69, 70, 72, 73}};
static const struct td_window_kind blackhole_4g = {.bytes = UINT64_C(4) << 30,
                                                   .count = 8,
                                                   .register_bytes = 12,
                                                   .shift = {32, 38, 44, 50, 56, 58, 59, 61, 62}};

static void registers_hold_what_the_cards_documents_say(void **state)
{
    uint32_t w[TD_WINDOW_MAX_WORDS];
    struct td_window_target t = {{0, 18, 19}, 0xFFB00000, TD_WINDOW_STRICT};
    assert_int_equal(td_window_encode(&wormhole_1m, &t, w, NULL), 2);
    uint64_t is = (uint64_t)w[1] << 32 | w[0];
    assert_true(is == (UINT64_C(0xFFB) | UINT64_C(18) << 16 | UINT64_C(19) << 22 | UINT64_C(1) << 42));
    t = (struct td_window_target){{0, 0, 11}, 0x3000000, TD_WINDOW_POSTED};
    assert_int_equal(td_window_encode(&wormhole_16m, &t, w, NULL), 2);
    is = (uint64_t)w[1] << 32 | w[0];
    assert_true(is == (UINT64_C(3) | UINT64_C(11) << 18 | UINT64_C(2) << 38));
    t = (struct td_window_target){{0, 16, 11}, 0xFFA00000, TD_WINDOW_STRICT};
    assert_int_equal(td_window_encode(&blackhole_2m, &t, w, NULL), 3);
    is = (uint64_t)w[1] << 32 | w[0];
    assert_true(is == (UINT64_C(0x7FD) | UINT64_C(16) << 43 | UINT64_C(11) << 49));
    assert_int_equal(w[2], 1u << (70 - 64));
    t = (struct td_window_target){{0, 17, 12}, UINT64_C(0x500000000), TD_WINDOW_RELAXED};
    assert_int_equal(td_window_encode(&blackhole_4g, &t, w, NULL), 3);
    is = (uint64_t)w[1] << 32 | w[0];
    assert_true(is == (UINT64_C(5) | UINT64_C(17) << 32 | UINT64_C(12) << 38));
    assert_int_equal(w[2], 0);
}

static void what_is_encoded_is_what_is_decoded(void **state)
{
    const struct td_window_kind *kinds[] = {&wormhole_1m, &wormhole_16m, &blackhole_2m, &blackhole_4g};
    uint32_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        const struct td_window_kind *k = kinds[i % 4];
        struct td_window_target in = {{0, (uint16_t)(rand_r(&seed) % 64), (uint16_t)(rand_r(&seed) % 64)},
                                      (uint64_t)(rand_r(&seed) % 4096) * k->bytes,
                                      (enum td_window_order)(rand_r(&seed) % 3)},
                                out;
        uint32_t w[TD_WINDOW_MAX_WORDS];
        assert_int_equal(td_window_encode(k, &in, w, NULL), k->register_bytes / 4);
        td_window_decode(k, w, &out);
        assert_int_equal(out.tile.x, in.tile.x);
        assert_int_equal(out.tile.y, in.tile.y);
        assert_true(out.address == in.address);
        assert_int_equal(out.order, in.order);
    }
}

static int kinds_of(const struct td_window_kind *kinds, size_t count, struct td_window_kind *to)
{
    return td_window_kinds(&(struct td_transport_setup){.kinds = kinds, .kind_count = count}, "x", to, NULL);
}

static void kinds_are_ordered_by_size(void **state)
{
    struct td_window_kind kinds[2] = {wormhole_1m, wormhole_1m}, to[TD_WINDOWS_MAX_KINDS];
    kinds[0].bytes *= 2;
    assert_int_equal(kinds_of(kinds, 2, to), 2);
    assert_int_equal(to[0].bytes, wormhole_1m.bytes);
    assert_int_equal(to[1].bytes, 2 * wormhole_1m.bytes);
    assert_int_equal(kinds_of(kinds, 0, to), TD_E_USAGE);
    assert_int_equal(kinds_of(kinds, TD_WINDOWS_MAX_KINDS + 1, to), TD_E_USAGE);
}

static void targets_and_tables_that_do_not_fit_are_refused(void **state)
{
    uint32_t w[TD_WINDOW_MAX_WORDS];
    struct td_window_target unaligned = {{0, 1, 1}, 0x1000, TD_WINDOW_STRICT};
    struct td_window_target far = {{0, 1, 1}, UINT64_C(1) << 40, TD_WINDOW_STRICT};
    struct td_window_target beside = {{0, 64, 1}, 0, TD_WINDOW_STRICT};
    assert_int_equal(td_window_encode(&wormhole_1m, &unaligned, w, NULL), TD_E_USAGE);
    assert_int_equal(td_window_encode(&wormhole_1m, &far, w, NULL), TD_E_USAGE);
    assert_int_equal(td_window_encode(&wormhole_1m, &beside, w, NULL), TD_E_USAGE);
    struct td_window_kind k = wormhole_1m, to[TD_WINDOWS_MAX_KINDS];
    assert_int_equal(kinds_of(&k, 1, to), 1);
    k.shift[TD_WINDOW_y_end] = 20; /* touches x_end */
    assert_int_equal(kinds_of(&k, 1, to), TD_E_USAGE);
    k = wormhole_1m;
    k.shift[TD_WINDOW_vc] = 64;
    assert_int_equal(kinds_of(&k, 1, to), TD_E_USAGE);
    k = wormhole_1m;
    k.bytes = 3 << 20;
    assert_int_equal(kinds_of(&k, 1, to), TD_E_USAGE);
}

static void device_addresses_are_read_in_both_forms_and_nonsense_is_refused(void **state)
{
    static const char *const bad[] = {"",        "0",          "1:00.0",        "0000:01:00",
                                      "01:00.8", "01:20.0",    "0000:01:00.0x", "0000-01:00.0",
                                      "zz:00.0", "../../../x", "00000:01:00.0"};
    char address[TD_PCI_ADDRESS_LEN];
    assert_int_equal(td_pci_parse_address("01:00.0", address, NULL), 0);
    assert_string_equal(address, "0000:01:00.0");
    assert_int_equal(td_pci_parse_address("10AF:c1:1f.7", address, NULL), 0);
    assert_string_equal(address, "10af:c1:1f.7");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(td_pci_parse_address(bad[i], address, NULL), TD_E_USAGE);
}

static void numbers_are_read_as_sysfs_prints_them(void **state)
{
    uint64_t n = 0;
    assert_int_equal(td_pci_parse_number("0x1af4\n", 7, &n), 0);
    assert_int_equal(n, 0x1af4);
    assert_int_equal(td_pci_parse_number("12\n", 3, &n), 0);
    assert_int_equal(n, 12);
    static const char *const bad[] = {
        "", "\n", "-1", " 1", "0xg", "1 2", "0x11111111111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(td_pci_parse_number(bad[i], strlen(bad[i]), &n), TD_E_FORMAT);
    /* Arbitrary bytes without a terminating zero. */
    uint32_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        size_t bytes = (size_t)(rand_r(&seed) % 60);
        char *text = malloc(bytes + 1), address[TD_PCI_ADDRESS_LEN];
        for (size_t k = 0; k < bytes; k++)
            text[k] = "0123456789abcdefx:.\n\0 "[rand_r(&seed) % 22];
        text[bytes] = 0;
        td_pci_parse_number(text, bytes, &n);
        td_pci_parse_address(text, address, NULL);
        free(text);
    }
}

static void memory_that_vanishes_reads_as_ones_and_is_remembered(void **state)
{
    char path[] = "/tmp/tendril-guard-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 8192), 0);
    volatile uint32_t *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    int guard = td_sigbus_guard_add((void *)(uintptr_t)map, 8192, NULL);
    assert_true(guard >= 0);
    map[0] = 5;
    assert_int_equal(td_sigbus_guard_hit(guard), 0);
    assert_int_equal(ftruncate(fd, 0), 0);
    uint32_t ones[1024];
    td_device_copy_from(ones, map + 1024, sizeof ones);
    for (int i = 0; i < 1024; i++)
        assert_int_equal(ones[i], UINT32_MAX);
    assert_int_equal(td_sigbus_guard_hit(guard), 1);
    map[3] = 1; /* a write does not end the process either */
    td_sigbus_guard_remove(guard);
    munmap((void *)(uintptr_t)map, 8192);
    close(fd);
    unlink(path);
}

static void device_memory_is_copied_right_at_any_place_and_length(void **state)
{
    _Alignas(8) uint8_t device[64];
    uint8_t from[64], to[64];
    for (int i = 0; i < 64; i++)
        from[i] = (uint8_t)(i * 7 + 1);
    for (size_t at = 0; at < 16; at++)
        for (size_t bytes = 0; bytes < 40; bytes++) {
            memset(device, 0, sizeof device);
            memset(to, 0, sizeof to);
            td_device_copy_to(device + at, from + 1, bytes);
            assert_memory_equal(device + at, from + 1, bytes);
            assert_int_equal(device[at + bytes], 0);
            td_device_copy_from(to + 3, device + at, bytes);
            assert_memory_equal(to + 3, from + 1, bytes);
            assert_int_equal(to[3 + bytes], 0);
        }
}

static void a_device_that_is_not_there_is_named_in_one_line(void **state)
{
    static const struct {
        const char *where, *says;
        int code;
    } cases[] = {{"pci:ffff:ff:1f.7", "no PCI device ffff:ff:1f.7", TD_E_NOTFOUND},
                 {"pci:nonsense", "write it as", TD_E_USAGE},
                 {"pci:01:00.0/usb", "/sysfs and", TD_E_USAGE},
                 {"tenstorrent:77", "no /dev/tenstorrent/77", TD_E_NOTFOUND},
                 {"tenstorrent:/dev/null", "no card", TD_E_IO},
                 {"simnoc:/nonexistent", "does not exist", TD_E_NOTFOUND}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_err err = {0};
        assert_null(td_transport_open(cases[i].where, 0, &err));
        assert_int_equal(err.code, cases[i].code);
        if (!strstr(err.text, cases[i].says) || strchr(err.text, '\n'))
            fail_msg("%s: %s", cases[i].where, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_hold_what_the_cards_documents_say),
        cmocka_unit_test(what_is_encoded_is_what_is_decoded),
        cmocka_unit_test(kinds_are_ordered_by_size),
        cmocka_unit_test(targets_and_tables_that_do_not_fit_are_refused),
        cmocka_unit_test(device_addresses_are_read_in_both_forms_and_nonsense_is_refused),
        cmocka_unit_test(numbers_are_read_as_sysfs_prints_them),
        cmocka_unit_test(memory_that_vanishes_reads_as_ones_and_is_remembered),
        cmocka_unit_test(device_memory_is_copied_right_at_any_place_and_length),
        cmocka_unit_test(a_device_that_is_not_there_is_named_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
