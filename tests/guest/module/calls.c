// SPDX-License-Identifier: GPL-2.0
/* The calls of uapi.h. */
#include "kmd.h"

static int get_device_info(struct board *b, void __user *user)
{
    struct tt_get_device_info a = {0};
    if (copy_from_user(&a.in, user, sizeof a.in))
        return -EFAULT;
    a.out.output_size_bytes = sizeof a.out;
    a.out.vendor_id = 0x1e52;
    a.out.device_id = kmd_device_id;
    a.out.bus_dev_fn = b->bus_dev_fn;
    a.out.max_dma_buf_size_log2 = 28;
    a.out.pci_domain = b->domain;
    return copy_to_user(user + sizeof a.in, &a.out, min_t(size_t, a.in.output_size_bytes, sizeof a.out))
               ? -EFAULT
               : 0;
}

static int get_driver_info(void __user *user)
{
    struct tt_get_driver_info a = {0};
    if (copy_from_user(&a.in, user, sizeof a.in))
        return -EFAULT;
    a.out.output_size_bytes = sizeof a.out;
    a.out.driver_version = 2;
    a.out.major = 2;
    a.out.minor = kmd_no_power ? 5 : 6;
    return copy_to_user(user + sizeof a.in, &a.out, min_t(size_t, a.in.output_size_bytes, sizeof a.out))
               ? -EFAULT
               : 0;
}

/* The BARs of the real device contain its windows and their registers, which only the driver needs. Here they
 * are listed, but cannot be mapped. */
static int query_mappings(void __user *user)
{
    struct tt_query_mappings_in in;
    struct tt_mapping m[2] = {{.id = 1, .offset = 0, .bytes = 512 << 20},
                              {.id = 2, .offset = 1ull << (OFFSET_SHIFT - 1), .bytes = 512 << 20}};
    size_t n;
    if (copy_from_user(&in, user, sizeof in))
        return -EFAULT;
    n = min_t(size_t, in.count, ARRAY_SIZE(m));
    if (copy_to_user(user + sizeof in, m, n * sizeof *m))
        return -EFAULT;
    return clear_user(user + sizeof in + n * sizeof *m, (min_t(size_t, in.count, 64) - n) * sizeof *m)
               ? -EFAULT
               : 0;
}

static int is_size(u64 bytes)
{
    if (kmd_device_id == 0xb140)
        return bytes == 2ull << 20 || bytes == 4ull << 30;
    return bytes == 1ull << 20 || bytes == 2ull << 20 || bytes == 16ull << 20;
}

static int allocate_tlb(struct board_file *f, void __user *user)
{
    struct tt_allocate_tlb a = {0};
    unsigned i;
    if (copy_from_user(&a.in, user, sizeof a.in))
        return -EFAULT;
    if (!is_size(a.in.bytes))
        return -EINVAL;
    mutex_lock(&f->board->lock);
    for (i = 0; i < MAX_WINDOWS && i < kmd_windows && f->board->windows[i].owner; i++)
        ;
    if (i < MAX_WINDOWS && i < kmd_windows)
        f->board->windows[i] = (struct window){.owner = f, .bytes = a.in.bytes};
    mutex_unlock(&f->board->lock);
    if (i >= MAX_WINDOWS || i >= kmd_windows)
        return -ENOMEM;
    a.out.id = i;
    a.out.mmap_offset_uc = (u64)(i + 1) << OFFSET_SHIFT;
    a.out.mmap_offset_wc = a.out.mmap_offset_uc | 1ull << (OFFSET_SHIFT - 1);
    return copy_to_user(user + sizeof a.in, &a.out, sizeof a.out) ? -EFAULT : 0;
}

static int free_tlb(struct board_file *f, void __user *user)
{
    u32 id;
    int rc = -EINVAL;
    if (copy_from_user(&id, user, sizeof id))
        return -EFAULT;
    mutex_lock(&f->board->lock);
    if (id < MAX_WINDOWS && f->board->windows[id].owner == f) {
        rc = f->board->windows[id].mappings ? -EBUSY : 0;
        if (rc == 0)
            memset(&f->board->windows[id], 0, sizeof f->board->windows[id]);
    }
    mutex_unlock(&f->board->lock);
    return rc;
}

static int configure_tlb(struct board_file *f, void __user *user)
{
    struct tt_configure_tlb a;
    struct board *b = f->board;
    const struct tt_tlb_config *c = &a.config;
    int rc = -EINVAL;
    if (copy_from_user(&a, user, sizeof a))
        return -EFAULT;
    if (c->x_end >= COORDINATES || c->y_end >= COORDINATES || c->noc || c->mcast || c->ordering > 2 ||
        c->linked || c->static_vc)
        return -EINVAL;
    mutex_lock(&b->lock);
    if (kmd_fail_configure) {
        kmd_fail_configure -= kmd_fail_configure > 0;
        rc = -EIO;
    } else if (a.id < MAX_WINDOWS && b->windows[a.id].owner == f && c->addr % b->windows[a.id].bytes == 0) {
        struct window *w = &b->windows[a.id];
        w->address = c->addr;
        w->x = c->x_end;
        w->y = c->y_end;
        w->configured = 1;
        kmd_configures++;
        forget_pages(b, a.id);
        rc = 0;
    }
    mutex_unlock(&b->lock);
    if (rc)
        return rc;
    return clear_user(user + sizeof a, sizeof(u64)) ? -EFAULT : 0;
}

static int set_noc_cleanup(struct board_file *f, void __user *user)
{
    struct tt_set_noc_cleanup c;
    if (copy_from_user(&c, user, sizeof c))
        return -EFAULT;
    if (c.argsz != sizeof c || c.flags || c.enabled > 1 || c.noc || c.x >= COORDINATES ||
        c.y >= COORDINATES || c.addr % 4)
        return -EINVAL;
    mutex_lock(&f->board->lock);
    f->cleanup = c;
    mutex_unlock(&f->board->lock);
    return 0;
}

/* A bit that a file does not speak of is on: programs of before that bit need it. */
void sum_power(struct board *b)
{
    struct board_file *f;
    u16 all = 0;
    list_for_each_entry(f, &b->files, list) all |=
        f->power.power_flags | (TT_POWER_ALL & ~((1u << (f->power.validity & 15)) - 1));
    if (all != kmd_power)
        forget_all_pages(b);
    kmd_power = all;
}

static int set_power_state(struct board_file *f, void __user *user)
{
    struct tt_power_state p;
    if (kmd_no_power)
        return -ENOTTY;
    if (copy_from_user(&p, user, sizeof p))
        return -EFAULT;
    if (p.argsz != sizeof p || p.flags || p.reserved0 || p.validity > 0xef)
        return -EINVAL;
    mutex_lock(&f->board->lock);
    kmd_power_calls++;
    f->power = p;
    sum_power(f->board);
    mutex_unlock(&f->board->lock);
    return 0;
}

/* Called under the board's lock. Returns 1 if the file now has lock `index`. */
static int try_lock(struct board_file *f, unsigned index)
{
    struct board *b = f->board;
    int mine;
    mutex_lock(&b->lock);
    if (!b->locks[index])
        b->locks[index] = f;
    mine = b->locks[index] == f;
    mutex_unlock(&b->lock);
    return mine;
}

static int lock_ctl(struct board_file *f, void __user *user)
{
    struct tt_lock_ctl a;
    struct board *b = f->board;
    u8 value = 0;
    int rc = 0;
    if (copy_from_user(&a, user, sizeof a))
        return -EFAULT;
    if (a.index >= LOCKS)
        return -EINVAL;
    switch (a.op) {
    case 0:
        mutex_lock(&b->lock);
        value = !b->locks[a.index];
        if (value)
            b->locks[a.index] = f;
        mutex_unlock(&b->lock);
        break;
    case 1:
        mutex_lock(&b->lock);
        value = b->locks[a.index] == f;
        if (value)
            b->locks[a.index] = NULL;
        mutex_unlock(&b->lock);
        wake_up_all(&b->unlocked);
        break;
    case 2:
        value = b->locks[a.index] != NULL;
        break;
    case 3:
        rc = wait_event_interruptible(b->unlocked, b->gone || try_lock(f, a.index));
        value = b->locks[a.index] == f;
        break;
    default:
        return -EINVAL;
    }
    if (rc)
        return rc;
    return put_user(value, (u8 __user *)(user + sizeof a)) ? -EFAULT : 0;
}

/* Puts all cores into reset. */
static int reset_device(struct board *b, void __user *user)
{
    const struct td_bar_header __iomem *head;
    u64 tiles;
    u32 in[2], out[2] = {sizeof out, 0}, i, count;
    if (copy_from_user(in, user, sizeof in))
        return -EFAULT;
    mutex_lock(&b->lock);
    head = b->map;
    tiles = head ? readq(&head->tiles_offset) : 0;
    count = head ? readl(&head->tile_count) : 0;
    for (i = 0; i < count && tiles + (i + 1ull) * sizeof(struct td_bar_tile) <= b->bar_bytes; i++) {
        struct td_bar_tile t;
        memcpy_fromio(&t, b->map + tiles + i * sizeof t, sizeof t);
        if (t.kind == TD_BAR_TENSIX && t.regs_offset + PAGE_SIZE <= b->bar_bytes)
            writel(ALL_IN_RESET, b->map + t.regs_offset + RESET_WORD);
    }
    forget_all_pages(b);
    b->unsettled = 1;
    mutex_unlock(&b->lock);
    return copy_to_user(user + sizeof in, out, min_t(size_t, in[0], sizeof out)) ? -EFAULT : 0;
}

long board_ioctl(struct file *file, unsigned int request, unsigned long argument)
{
    struct board_file *f = file->private_data;
    void __user *user = (void __user *)argument;
    if (_IOC_TYPE(request) != TT_IOCTL_MAGIC || _IOC_SIZE(request) || _IOC_DIR(request))
        return -ENOTTY;
    if (!READ_ONCE(f->board->map))
        return -ENODEV;
    switch (_IOC_NR(request)) {
    case TT_GET_DEVICE_INFO:
        return get_device_info(f->board, user);
    case TT_QUERY_MAPPINGS:
        return query_mappings(user);
    case TT_GET_DRIVER_INFO:
        return get_driver_info(user);
    case TT_RESET_DEVICE:
        return reset_device(f->board, user);
    case TT_LOCK_CTL:
        return lock_ctl(f, user);
    case TT_ALLOCATE_TLB:
        return allocate_tlb(f, user);
    case TT_FREE_TLB:
        return free_tlb(f, user);
    case TT_CONFIGURE_TLB:
        return configure_tlb(f, user);
    case TT_SET_NOC_CLEANUP:
        return set_noc_cleanup(f, user);
    case TT_SET_POWER_STATE:
        return set_power_state(f, user);
    default:
        return -ENOTTY;
    }
}
