#include "host/transport/card/window.h"
#include "host/base/compare.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Widths in bits, in the order of enum td_window_field. */
static const uint8_t widths[TD_WINDOW_FIELD_COUNT] = {
#define TD_X(name, bits) bits,
    TD_WINDOW_REGISTER(TD_X)
#undef TD_X
};

static unsigned log2_of(uint64_t bytes)
{
    return (unsigned)__builtin_ctzll(bytes);
}

/* The address field ends where the first other one begins. */
static unsigned address_bits(const struct td_window_kind *kind)
{
    unsigned end = kind->register_bytes * 8;
    for (int i = 0; i < TD_WINDOW_FIELD_COUNT; i++)
        end = kind->shift[i] < end ? kind->shift[i] : end;
    return end < 64 ? end : 64;
}

static void put_bits(uint32_t *words, unsigned at, unsigned bits, uint64_t value)
{
    for (unsigned i = 0; i < bits; i++)
        words[(at + i) / 32] |= (uint32_t)(value >> i & 1) << (at + i) % 32;
}

static uint64_t get_bits(const uint32_t *words, unsigned at, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (uint64_t)(words[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return value;
}

static int check_kind(const struct td_window_kind *kind, struct td_err *err)
{
    const unsigned all = kind->register_bytes * 8;
    uint32_t used[TD_WINDOW_MAX_WORDS] = {0};
    int bad = kind->register_bytes == 0 || kind->register_bytes % 4 ||
              kind->register_bytes > 4 * TD_WINDOW_MAX_WORDS || kind->bytes < 4096 ||
              (kind->bytes & (kind->bytes - 1)) || kind->bytes > UINT64_C(1) << 40;
    for (int i = 0; !bad && i < TD_WINDOW_FIELD_COUNT; i++) {
        bad = kind->shift[i] + widths[i] > all || get_bits(used, kind->shift[i], widths[i]) != 0;
        if (!bad)
            put_bits(used, kind->shift[i], widths[i], ~UINT64_C(0));
    }
    if (bad || address_bits(kind) == 0)
        return td_fail(err, TD_E_USAGE, "the description's windows of 0x%llx bytes do not make sense",
                       (unsigned long long)kind->bytes);
    return TD_OK;
}

TD_COMPARE(by_size, struct td_window_kind, TD_UP(bytes))

int td_window_kinds(const struct td_transport_setup *setup, const char *path,
                    struct td_window_kind kinds[TD_WINDOWS_MAX_KINDS], struct td_err *err)
{
    if (setup->kind_count == 0 || setup->kind_count > TD_WINDOWS_MAX_KINDS)
        return td_fail(err, TD_E_USAGE, "the description names no windows (or too many) for %s", path);
    for (size_t i = 0; i < setup->kind_count; i++) {
        int rc = check_kind(&setup->kinds[i], err);
        if (rc)
            return rc;
        kinds[i] = setup->kinds[i];
    }
    qsort(kinds, setup->kind_count, sizeof *kinds, by_size);
    return (int)setup->kind_count;
}

int td_window_encode(const struct td_window_kind *kind, const struct td_window_target *target,
                     uint32_t words[TD_WINDOW_MAX_WORDS], struct td_err *err)
{
    const unsigned bits = address_bits(kind);
    const uint64_t address = target->address >> log2_of(kind->bytes);
    if (target->address % kind->bytes || (bits < 64 && address >> bits) || target->tile.x > 63 ||
        target->tile.y > 63)
        return td_fail(err, TD_E_USAGE, "no window of 0x%llx bytes reaches 0x%llx of tile (%u,%u)",
                       (unsigned long long)kind->bytes, (unsigned long long)target->address, target->tile.x,
                       target->tile.y);
    memset(words, 0, sizeof *words * TD_WINDOW_MAX_WORDS);
    put_bits(words, 0, bits, address);
    /* One tile: the rectangle's end is it; nothing is linked, no multicast, NoC 0. */
    put_bits(words, kind->shift[TD_WINDOW_x_end], widths[TD_WINDOW_x_end], target->tile.x);
    put_bits(words, kind->shift[TD_WINDOW_y_end], widths[TD_WINDOW_y_end], target->tile.y);
    put_bits(words, kind->shift[TD_WINDOW_ordering], widths[TD_WINDOW_ordering], target->order);
    return (int)(kind->register_bytes / 4);
}

void td_window_decode(const struct td_window_kind *kind, const uint32_t words[TD_WINDOW_MAX_WORDS],
                      struct td_window_target *target)
{
    target->address = get_bits(words, 0, address_bits(kind)) << log2_of(kind->bytes);
    target->tile.chip = 0;
    target->tile.x = (uint16_t)get_bits(words, kind->shift[TD_WINDOW_x_end], widths[TD_WINDOW_x_end]);
    target->tile.y = (uint16_t)get_bits(words, kind->shift[TD_WINDOW_y_end], widths[TD_WINDOW_y_end]);
    target->order =
        (enum td_window_order)get_bits(words, kind->shift[TD_WINDOW_ordering], widths[TD_WINDOW_ordering]);
}

void td_device_copy_from(void *to, const volatile void *from, size_t bytes)
{
    char *out = to;
    const volatile char *in = from;
    for (; bytes && (uintptr_t)in & 3; bytes--)
        *out++ = *in++;
    if (bytes >= 4 && ((uintptr_t)in & 4)) {
        uint32_t word = *(const volatile uint32_t *)in;
        memcpy(out, &word, sizeof word);
        in += 4, out += 4, bytes -= 4;
    }
    for (; bytes >= 8; in += 8, out += 8, bytes -= 8) {
        uint64_t word = *(const volatile uint64_t *)in;
        memcpy(out, &word, sizeof word);
    }
    if (bytes >= 4) {
        uint32_t word = *(const volatile uint32_t *)in;
        memcpy(out, &word, sizeof word);
        in += 4, out += 4, bytes -= 4;
    }
    for (; bytes; bytes--)
        *out++ = *in++;
}

void td_device_copy_to(volatile void *to, const void *from, size_t bytes)
{
    volatile char *out = to;
    const char *in = from;
    for (; bytes && (uintptr_t)out & 3; bytes--)
        *out++ = *in++;
    uint32_t half;
    if (bytes >= 4 && ((uintptr_t)out & 4)) {
        memcpy(&half, in, sizeof half);
        *(volatile uint32_t *)out = half;
        in += 4, out += 4, bytes -= 4;
    }
    for (; bytes >= 8; in += 8, out += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, in, sizeof word);
        *(volatile uint64_t *)out = word;
    }
    if (bytes >= 4) {
        memcpy(&half, in, sizeof half);
        *(volatile uint32_t *)out = half;
        in += 4, out += 4, bytes -= 4;
    }
    for (; bytes; bytes--)
        *out++ = *in++;
}

void td_device_flush(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
