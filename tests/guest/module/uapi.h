// SPDX-License-Identifier: GPL-2.0
/* The calls that tendril_kmd answers: numbers and structures as the vendor's driver documents them. Each call
 * has one structure: first the input, then the output. */
#pragma once
#include <linux/types.h>

#define TT_IOCTL_MAGIC 0xfa

enum tt_call {
    TT_GET_DEVICE_INFO = 0,
    TT_QUERY_MAPPINGS = 2,
    TT_GET_DRIVER_INFO = 5,
    TT_RESET_DEVICE = 6,
    TT_LOCK_CTL = 8,
    TT_ALLOCATE_TLB = 11,
    TT_FREE_TLB = 12,
    TT_CONFIGURE_TLB = 13,
    TT_SET_NOC_CLEANUP = 14,
    TT_SET_POWER_STATE = 15
};

struct tt_get_device_info {
    struct {
        __u32 output_size_bytes;
    } in;
    struct {
        __u32 output_size_bytes;
        __u16 vendor_id, device_id, subsystem_vendor_id, subsystem_id;
        __u16 bus_dev_fn, max_dma_buf_size_log2, pci_domain, reserved;
    } out;
};
struct tt_get_driver_info {
    struct {
        __u32 output_size_bytes;
    } in;
    struct {
        __u32 output_size_bytes, driver_version;
        __u8 major, minor, patch, reserved;
    } out;
};
struct tt_query_mappings_in {
    __u32 count, reserved;
};
struct tt_mapping {
    __u32 id, reserved;
    __u64 offset, bytes;
};
struct tt_allocate_tlb {
    struct {
        __u64 bytes, reserved;
    } in;
    struct {
        __u32 id, reserved0;
        __u64 mmap_offset_uc, mmap_offset_wc, reserved1;
    } out;
};
struct tt_tlb_config {
    __u64 addr;
    __u16 x_end, y_end, x_start, y_start;
    __u8 noc, mcast, ordering, linked, static_vc, reserved0[3];
    __u32 reserved1[2];
};
struct tt_configure_tlb {
    __u32 id, reserved;
    struct tt_tlb_config config;
};
struct tt_set_noc_cleanup {
    __u32 argsz, flags;
    __u8 enabled, x, y, noc;
    __u32 reserved;
    __u64 addr, data;
};
/* validity: how many bits of power_flags count in bits 0 to 3, how many settings in bits 4 to 7. */
struct tt_power_state {
    __u32 argsz, flags;
    __u8 reserved0, validity;
    __u16 power_flags, power_settings[14];
};
#define TT_POWER_ALL    0x7fff
#define TT_POWER_AICLK  1
#define TT_POWER_DRAM   2
#define TT_POWER_TENSIX 4
struct tt_lock_ctl {
    __u32 output_size_bytes, op;
    __u8 index, reserved[3];
};
