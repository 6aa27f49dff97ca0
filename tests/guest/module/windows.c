// SPDX-License-Identifier: GPL-2.0
/* Windows are mapped by page faults. When a window is pointed elsewhere, or its device is gone, the driver
 * only drops the window's pages. */
#include "kmd.h"

/* The offset in the BAR of `address` of the tile at (x, y) of chip 0, or a negative error. Called under the
 * lock. */
s64 find_place(struct board *b, u16 x, u16 y, u64 address, u64 bytes, int *is_register)
{
    const struct td_bar_header __iomem *head = b->map;
    u64 tiles = readq(&head->tiles_offset);
    u32 count = readl(&head->tile_count), i;
    if (readq(&head->magic) != TD_BAR_MAGIC)
        return -ENODEV;
    for (i = 0; i < count && tiles + (i + 1ull) * sizeof(struct td_bar_tile) <= b->bar_bytes; i++) {
        struct td_bar_tile t;
        u64 place = 0, room = 0;
        memcpy_fromio(&t, b->map + tiles + i * sizeof t, sizeof t);
        if (t.chip || t.x != x || t.y != y)
            continue;
        if (address >= t.mem_base && address - t.mem_base < t.mem_bytes) {
            place = t.mem_offset + (address - t.mem_base);
            room = t.mem_bytes - (address - t.mem_base);
            *is_register = 0;
        } else if (t.regs_offset && address >= t.regs_base && address - t.regs_base < PAGE_SIZE) {
            place = t.regs_offset + (address - t.regs_base);
            room = PAGE_SIZE - (address - t.regs_base);
            *is_register = 1;
        }
        return bytes <= room && place + bytes <= b->bar_bytes ? (s64)place : -ENXIO;
    }
    return -ENXIO;
}

static struct window *window_of(struct board *b, u64 offset)
{
    u64 i = (offset >> OFFSET_SHIFT) - 1;
    return i < MAX_WINDOWS && b->windows[i].owner ? &b->windows[i] : NULL;
}

/* Drops the window's pages: the next access causes a page fault. */
void forget_pages(struct board *b, unsigned i)
{
    if (b->mapping)
        unmap_mapping_range(b->mapping, (loff_t)(i + 1) << OFFSET_SHIFT, (loff_t)1 << OFFSET_SHIFT, 1);
}

void forget_all_pages(struct board *b)
{
    unsigned i;
    for (i = 0; i < MAX_WINDOWS; i++)
        forget_pages(b, i);
}

/* Registers may have been written. Rings the simulator's doorbell, and waits (up to SETTLE_MS) until it has
 * acted on them: the next access sees the result, as with silicon. */
static void settle(struct board *b)
{
    struct td_bar_header __iomem *head = b->map;
    unsigned tries;
    u32 bell = (u32)atomic_inc_return((atomic_t __force *)&head->doorbell);
    for (tries = 0; tries < SETTLE_MS * 10 && (s32)(readl(&head->doorbell_seen) - bell) < 0; tries++)
        usleep_range(80, 120);
    forget_all_pages(b);
    b->unsettled = 0;
}

static vm_fault_t window_fault(struct vm_fault *vmf)
{
    struct board *b = vmf->vma->vm_private_data;
    u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
    unsigned long pfn = page_to_pfn(b->ones);
    struct window *w;
    vm_fault_t rc;
    int is_register = 0;
    mutex_lock(&b->lock);
    w = window_of(b, offset);
    if (!b->gone && b->unsettled)
        settle(b);
    if (!b->gone && w && w->configured && kmd_power & TT_POWER_TENSIX) {
        u64 inside = offset & ((1ull << (OFFSET_SHIFT - 1)) - 1);
        s64 place = find_place(b, w->x, w->y, w->address + inside, PAGE_SIZE, &is_register);
        if (place >= 0)
            pfn = (b->bar + place) >> PAGE_SHIFT;
    }
    if (is_register) {
        forget_all_pages(b);
        b->unsettled = 1;
    }
    if (pfn == page_to_pfn(b->ones))
        memset(page_address(b->ones), 0xff, PAGE_SIZE);
    rc = vmf_insert_pfn(vmf->vma, vmf->address, pfn);
    mutex_unlock(&b->lock);
    return rc;
}

static void window_opened(struct vm_area_struct *vma)
{
    struct board *b = vma->vm_private_data;
    struct window *w;
    mutex_lock(&b->lock);
    w = window_of(b, (u64)vma->vm_pgoff << PAGE_SHIFT);
    if (w)
        w->mappings++;
    mutex_unlock(&b->lock);
}

static void window_closed(struct vm_area_struct *vma)
{
    struct board *b = vma->vm_private_data;
    struct window *w;
    mutex_lock(&b->lock);
    w = window_of(b, (u64)vma->vm_pgoff << PAGE_SHIFT);
    if (w && w->mappings)
        w->mappings--;
    mutex_unlock(&b->lock);
}

static const struct vm_operations_struct window_ops = {
    .fault = window_fault, .open = window_opened, .close = window_closed};

int board_mmap(struct file *file, struct vm_area_struct *vma)
{
    struct board_file *f = file->private_data;
    u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
    u64 inside = offset & ((1ull << (OFFSET_SHIFT - 1)) - 1);
    int combined = (offset >> (OFFSET_SHIFT - 1)) & 1, rc = -EINVAL;
    struct window *w;
    mutex_lock(&f->board->lock);
    w = window_of(f->board, offset);
    if (w && w->owner == f && inside + (vma->vm_end - vma->vm_start) <= w->bytes &&
        (vma->vm_flags & VM_SHARED))
        rc = 0;
    mutex_unlock(&f->board->lock);
    if (rc)
        return rc;
    vma->vm_flags |= VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY;
    vma->vm_page_prot =
        combined ? pgprot_writecombine(vma->vm_page_prot) : pgprot_noncached(vma->vm_page_prot);
    vma->vm_private_data = f->board;
    vma->vm_ops = &window_ops;
    window_opened(vma);
    return 0;
}
