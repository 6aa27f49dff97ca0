// SPDX-License-Identifier: GPL-2.0
/* A driver for the guest tests: it offers a simulated board (proto/sim/bar.h), which is a PCI device's BAR in
 * the guest, as /dev/tenstorrent/N with the calls that the vendor's driver documents (uapi.h): windows onto
 * the tiles' memory, a write that is done when the file is closed, locks, reset. */
#pragma once
#include <linux/cdev.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "proto/sim/bar.h"
#include "uapi.h"

enum {
    BAR = 2,
    MAX_WINDOWS = 64,
    MAX_DEVICES = 4,
    LOCKS = 64,
    COORDINATES = 64,
    SETTLE_MS = 2000,
    OFFSET_SHIFT = 36, /* mmap offset of window i: i + 1 at this bit; the next lower bit: write-combined */
    RESET_WORD = 0x1b0 /* soft reset in the page of registers */
};
#define ALL_IN_RESET 0x47800u /* every core of a tile */

struct board_file;

struct window {
    struct board_file *owner; /* NULL: free */
    u64 bytes;
    u64 address;
    u16 x, y;
    int configured;
    unsigned mappings;
};

struct board {
    struct kref refs;
    u16 bus_dev_fn, domain;
    unsigned number;
    struct cdev *cdev;
    phys_addr_t bar;
    u64 bar_bytes;
    struct page *ones; /* mapped when the device is gone */
    struct address_space *mapping;
    /* `lock` protects the members below. */
    struct mutex lock;
    void __iomem *map; /* NULL: removed */
    int gone;          /* memory reads as ones */
    int unsettled;     /* registers are mapped and nothing else is: they may be written */
    struct window windows[MAX_WINDOWS];
    struct board_file *locks[LOCKS];
    struct list_head files; /* all that are open */
    wait_queue_head_t unlocked;
};

struct board_file {
    struct board *board;
    struct list_head list;
    struct tt_set_noc_cleanup cleanup;
    struct tt_power_state power; /* what it wants to be on */
};

/* main.c: parameters */
extern unsigned kmd_windows, kmd_power_calls, kmd_power, kmd_cleanups, kmd_configures;
extern ushort kmd_device_id;
extern int kmd_fail_configure;
extern bool kmd_no_power;

/* windows.c. Called under the board's lock, except board_mmap(). */
s64 find_place(struct board *b, u16 x, u16 y, u64 address, u64 bytes, int *is_register);
void forget_pages(struct board *b, unsigned window); /* the next access faults */
void forget_all_pages(struct board *b);
int board_mmap(struct file *file, struct vm_area_struct *vma);

/* calls.c. Sums up what the open files want to be on; under the board's lock. */
void sum_power(struct board *b);
long board_ioctl(struct file *file, unsigned int request, unsigned long argument);
