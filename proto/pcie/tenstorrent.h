/* The ioctl calls of the vendor's kernel driver for Wormhole and Blackhole cards, on /dev/tenstorrent/N.
 *
 * Call numbers have no size in them (_IO). Each call takes one structure: the fields that the caller fills in
 * come first, then those that the driver fills in. Little-endian, natural alignment. The sizes of the
 * structures are checked against those of the driver.
 */
#pragma once
#include <stdint.h>

#define TD_TT_FOLDER     "/dev/tenstorrent"
#define TD_TT_CLASS      "/sys/class/tenstorrent"
#define TD_TT_MAGIC      0xFA
#define TD_TT_API        2 /* the lowest version of the driver's interface that is supported here */
#define TD_TT_PCI_VENDOR 0x1E52

/* clang-format off */
/* X(number, NAME, structure, its bytes, what) */
#define TD_TT_CALLS(X)                                                                                   \
    X(0, GET_DEVICE_INFO, td_tt_device_info, 24, "which card this is")                                    \
    X(2, QUERY_MAPPINGS, td_tt_mappings, 8, "its BARs; a list of td_tt_mapping follows")                  \
    X(5, GET_DRIVER_INFO, td_tt_driver_info, 16, "which driver")                                          \
    X(6, RESET_DEVICE, td_tt_reset, 16, "resets the card")                                                \
    X(8, LOCK_CTL, td_tt_lock, 16, "locks that processes share")                                          \
    X(11, ALLOCATE_TLB, td_tt_allocate, 48, "a window of this size; ENOMEM: none is left")                \
    X(12, FREE_TLB, td_tt_free, 4, "gives it back")                                                       \
    X(13, CONFIGURE_TLB, td_tt_configure, 48, "where it looks; the address is a multiple of its size")    \
    X(14, SET_NOC_CLEANUP, td_tt_cleanup, 32, "one 32-bit write to a tile when this descriptor is closed, also by a crash") \
    X(15, SET_POWER_STATE, td_tt_power, 40, "what this descriptor wants to be on; from driver 2.6.0 on")

/* What is on while any descriptor wants it. A descriptor that was opened without O_APPEND wants all but the full
 * clock; one with O_APPEND wants nothing, and opening it does not wake the card. What it wants ends when it is
 * closed. X(bit, NAME, what) */
#define TD_TT_POWER_FLAGS(X)                                      \
    X(0, FULL_CLOCK, "the tiles' clock is not the idle one")      \
    X(1, DRAM_PHY, "DRAM can be reached")                         \
    X(2, TENSIX, "the Tensix tiles have a clock")                 \
    X(3, L2CPU, "Blackhole's four large processors have a clock")

/* Cards: X(PCI device, NAME, sizes of windows in MiB, small ones first, 0: no more) */
#define TD_TT_CARDS(X)                 \
    X(0x401E, "Wormhole", 1, 2, 16)    \
    X(0xB140, "Blackhole", 2, 4096, 0)
/* clang-format on */

struct td_tt_device_info {
    uint32_t room_bytes; /* in: size of the fields that follow */
    uint32_t bytes;
    uint16_t vendor, device, sub_vendor, sub_device;
    uint16_t bus_dev_fn, max_dma_log2, domain, reserved;
};
struct td_tt_mappings {
    uint32_t count, reserved;
};
struct td_tt_mapping {
    uint32_t id, reserved; /* 1, 2: BAR 0 uncached, write-combined; 3, 4: BAR 2; 5, 6: BAR 4 */
    uint64_t map_offset, bytes;
};
struct td_tt_driver_info {
    uint32_t room_bytes;
    uint32_t bytes, api;
    uint8_t major, minor, patch, reserved;
};
struct td_tt_reset {
    uint32_t room_bytes, flags;
    uint32_t bytes, result;
};
struct td_tt_lock {
    uint32_t room_bytes, what; /* 0 acquire, 1 release, 2 test, 3 wait */
    uint8_t index, reserved[3];
    uint8_t value, reserved1[3];
};
struct td_tt_allocate {
    uint64_t bytes, reserved;
    uint32_t id, reserved1;
    uint64_t map_offset_uc, map_offset_wc, reserved2; /* for mmap */
};
struct td_tt_free {
    uint32_t id;
};
struct td_tt_target {
    uint64_t address;
    uint16_t x_end, y_end, x_start, y_start;
    uint8_t noc, multicast, ordering, linked, vc, reserved[3];
    uint32_t reserved1[2];
};
struct td_tt_configure {
    uint32_t id, reserved;
    struct td_tt_target target;
    uint64_t reserved1;
};
struct td_tt_cleanup {
    uint32_t bytes, flags;
    uint8_t enabled, x, y, noc;
    uint32_t reserved;
    uint64_t address, data; /* 4-byte aligned; the low half counts */
};
struct td_tt_power {
    uint32_t bytes, flags;
    uint8_t reserved, validity; /* how many bits of `power` count, and above bit 4, how many settings */
    uint16_t power, settings[14];
};
enum td_tt_power_flag {
#define TD_X(bit, name, what) TD_TT_POWER_##name = 1 << (bit),
    TD_TT_POWER_FLAGS(TD_X)
#undef TD_X
};
#define TD_X(bit, name, what) +1
enum { TD_TT_POWER_FLAG_COUNT = 0 TD_TT_POWER_FLAGS(TD_X) };
#undef TD_X

enum td_tt_call {
#define TD_X(number, name, structure, size, what) TD_TT_##name = TD_TT_MAGIC << 8 | (number),
    TD_TT_CALLS(TD_X)
#undef TD_X
};
#define TD_X(number, name, structure, size, what)                                                            \
    _Static_assert(sizeof(struct structure) == (size), "layout of " #name);
TD_TT_CALLS(TD_X)
#undef TD_X
