// SPDX-License-Identifier: GPL-2.0
/* Adding and removing devices, their files, and the parameters under /sys/module/tendril_kmd/parameters,
 * which cause failures on purpose, or count. */
#include "kmd.h"

unsigned kmd_windows = 64;
module_param_named(windows, kmd_windows, uint, 0644);
MODULE_PARM_DESC(windows, "how many windows there are in all");
ushort kmd_device_id = 0x401e;
module_param_named(device_id, kmd_device_id, ushort, 0644);
MODULE_PARM_DESC(device_id, "0x401e: windows of 1, 2 and 16 MiB; 0xb140: of 2 MiB and 4 GiB");
static unsigned aiclk = 1000;
module_param(aiclk, uint, 0644);
MODULE_PARM_DESC(aiclk, "MHz that tt_aiclk shows");
int kmd_fail_configure;
module_param_named(fail_configure, kmd_fail_configure, int, 0644);
MODULE_PARM_DESC(fail_configure, "that many CONFIGURE_TLB calls fail with EIO; -1: all");
unsigned kmd_power_calls;
module_param_named(power_calls, kmd_power_calls, uint, 0444);
MODULE_PARM_DESC(power_calls, "how often SET_POWER_STATE was called");
unsigned kmd_power;
module_param_named(power, kmd_power, uint, 0444);
MODULE_PARM_DESC(power,
                 "what is on: bit 0 the full clock, 1 DRAM, 2 the tiles; without it memory reads as ones");
bool kmd_no_power;
module_param_named(no_power, kmd_no_power, bool, 0644);
MODULE_PARM_DESC(no_power, "a driver of before power states: all is on, SET_POWER_STATE is unknown");
unsigned kmd_cleanups;
module_param_named(cleanups, kmd_cleanups, uint, 0444);
MODULE_PARM_DESC(cleanups, "how many clean-up writes were done");
unsigned kmd_configures;
module_param_named(configures, kmd_configures, uint, 0444);
MODULE_PARM_DESC(configures, "how many windows were configured");

static dev_t first_number;
static struct class *class;
static DEFINE_MUTEX(boards_lock);
static struct board *boards[MAX_DEVICES];

static void board_free(struct kref *refs)
{
    struct board *b = container_of(refs, struct board, refs);
    __free_page(b->ones);
    kfree(b);
}

static void vanish(struct board *b, int removed)
{
    mutex_lock(&b->lock);
    b->gone = 1;
    if (removed) {
        iounmap(b->map);
        b->map = NULL;
    }
    forget_all_pages(b);
    mutex_unlock(&b->lock);
    wake_up_all(&b->unlocked);
}

/* The link is down, but the driver has not noticed: calls succeed, memory reads as ones. */
static int set_link_down(const char *value, const struct kernel_param *param)
{
    unsigned i;
    mutex_lock(&boards_lock);
    for (i = 0; i < MAX_DEVICES; i++)
        if (boards[i])
            vanish(boards[i], 0);
    mutex_unlock(&boards_lock);
    return 0;
}
static const struct kernel_param_ops link_down_ops = {.set = set_link_down};
module_param_cb(link_down, &link_down_ops, NULL, 0200);
MODULE_PARM_DESC(link_down, "written: from now on memory reads as ones, for all that is open");

static int board_open(struct inode *inode, struct file *file)
{
    struct board_file *f = kzalloc(sizeof *f, GFP_KERNEL);
    unsigned number = iminor(inode);
    if (!f)
        return -ENOMEM;
    mutex_lock(&boards_lock);
    if (number < MAX_DEVICES && boards[number]) {
        f->board = boards[number];
        kref_get(&f->board->refs);
        f->board->mapping = inode->i_mapping;
    }
    mutex_unlock(&boards_lock);
    if (!f->board) {
        kfree(f);
        return -ENODEV;
    }
    f->power.validity = 15;
    if (kmd_no_power)
        f->power.power_flags = TT_POWER_ALL;
    else if (!(file->f_flags & O_APPEND))
        f->power.power_flags = TT_POWER_ALL & ~TT_POWER_AICLK;
    mutex_lock(&f->board->lock);
    list_add(&f->list, &f->board->files);
    if (f->power.power_flags)
        sum_power(f->board);
    mutex_unlock(&f->board->lock);
    file->private_data = f;
    return 0;
}

/* Writes the low half of the data, as one write of 32 bits. */
static void clean_up(struct board *b, const struct tt_set_noc_cleanup *c)
{
    int is_register;
    s64 place = find_place(b, c->x, c->y, c->addr, 4, &is_register);
    if (place < 0 || !(kmd_power & TT_POWER_TENSIX))
        return;
    writel((u32)c->data, b->map + place);
    kmd_cleanups++;
}

static int board_release(struct inode *inode, struct file *file)
{
    struct board_file *f = file->private_data;
    struct board *b = f->board;
    unsigned i;
    mutex_lock(&b->lock);
    for (i = 0; i < MAX_WINDOWS; i++)
        if (b->windows[i].owner == f)
            memset(&b->windows[i], 0, sizeof b->windows[i]);
    for (i = 0; i < LOCKS; i++)
        if (b->locks[i] == f)
            b->locks[i] = NULL;
    if (f->cleanup.enabled && !b->gone)
        clean_up(b, &f->cleanup);
    list_del(&f->list);
    sum_power(b);
    mutex_unlock(&b->lock);
    wake_up_all(&b->unlocked);
    kfree(f);
    kref_put(&b->refs, board_free);
    return 0;
}

static const struct file_operations board_operations = {.owner = THIS_MODULE,
                                                        .open = board_open,
                                                        .release = board_release,
                                                        .mmap = board_mmap,
                                                        .unlocked_ioctl = board_ioctl,
                                                        .compat_ioctl = compat_ptr_ioctl};

static ssize_t tt_aiclk_show(struct device *node, struct device_attribute *attribute, char *text)
{
    return sysfs_emit(text, "%u\n", kmd_power & TT_POWER_AICLK ? aiclk : aiclk / 2);
}
static DEVICE_ATTR_RO(tt_aiclk);
static ssize_t tt_card_type_show(struct device *node, struct device_attribute *attribute, char *text)
{
    return sysfs_emit(text, "simulated\n");
}
static DEVICE_ATTR_RO(tt_card_type);
static struct attribute *board_attrs[] = {&dev_attr_tt_aiclk.attr, &dev_attr_tt_card_type.attr, NULL};
ATTRIBUTE_GROUPS(board);

static int add_device(struct board *b, struct device *parent)
{
    dev_t number = MKDEV(MAJOR(first_number), b->number);
    struct device *node;
    int rc;
    b->cdev = cdev_alloc();
    if (!b->cdev)
        return -ENOMEM;
    b->cdev->ops = &board_operations;
    b->cdev->owner = THIS_MODULE;
    rc = cdev_add(b->cdev, number, 1);
    if (rc) {
        kobject_put(&b->cdev->kobj);
        return rc;
    }
    node = device_create_with_groups(class, parent, number, b, board_groups, "tenstorrent!%u", b->number);
    if (IS_ERR(node))
        cdev_del(b->cdev);
    return PTR_ERR_OR_ZERO(node);
}

static int take_number(struct board *b)
{
    unsigned i;
    mutex_lock(&boards_lock);
    for (i = 0; i < MAX_DEVICES && boards[i]; i++)
        ;
    if (i < MAX_DEVICES) {
        b->number = i;
        boards[i] = b;
    }
    mutex_unlock(&boards_lock);
    return i < MAX_DEVICES ? 0 : -ENOSPC;
}

static void give_number(struct board *b)
{
    mutex_lock(&boards_lock);
    boards[b->number] = NULL;
    mutex_unlock(&boards_lock);
}

static int board_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
    struct board *b = kzalloc(sizeof *b, GFP_KERNEL);
    int rc = -ENOMEM;
    if (!b)
        return rc;
    kref_init(&b->refs);
    mutex_init(&b->lock);
    INIT_LIST_HEAD(&b->files);
    init_waitqueue_head(&b->unlocked);
    b->bus_dev_fn = (u16)pci_dev_id(pci);
    b->domain = (u16)pci_domain_nr(pci->bus);
    b->ones = alloc_page(GFP_KERNEL);
    if (!b->ones)
        goto free_board;
    rc = pci_enable_device(pci);
    if (rc)
        goto free_page;
    rc = pci_request_region(pci, BAR, "tendril_kmd");
    if (rc)
        goto disable;
    b->bar = pci_resource_start(pci, BAR);
    b->bar_bytes = pci_resource_len(pci, BAR);
    b->map = ioremap(b->bar, b->bar_bytes);
    rc = b->map ? take_number(b) : -ENOMEM;
    if (rc)
        goto unmap;
    pci_set_drvdata(pci, b);
    rc = add_device(b, &pci->dev);
    if (rc == 0)
        return 0;
    give_number(b);
unmap:
    if (b->map)
        iounmap(b->map);
    pci_release_region(pci, BAR);
disable:
    pci_disable_device(pci);
free_page:
    __free_page(b->ones);
free_board:
    kfree(b);
    return rc;
}

static void board_remove(struct pci_dev *pci)
{
    struct board *b = pci_get_drvdata(pci);
    device_destroy(class, MKDEV(MAJOR(first_number), b->number));
    cdev_del(b->cdev);
    give_number(b);
    vanish(b, 1);
    pci_release_region(pci, BAR);
    pci_disable_device(pci);
    kref_put(&b->refs, board_free);
}

static const struct pci_device_id ids[] = {{PCI_DEVICE(0x1af4, 0x1110)}, {0}};
MODULE_DEVICE_TABLE(pci, ids);
static struct pci_driver driver = {
    .name = "tendril_kmd", .id_table = ids, .probe = board_probe, .remove = board_remove};

static int __init kmd_init(void)
{
    int rc = alloc_chrdev_region(&first_number, 0, MAX_DEVICES, "tenstorrent");
    if (rc)
        return rc;
    class = class_create(THIS_MODULE, "tenstorrent");
    rc = PTR_ERR_OR_ZERO(class);
    if (rc)
        goto numbers;
    rc = pci_register_driver(&driver);
    if (rc == 0)
        return 0;
    class_destroy(class);
numbers:
    unregister_chrdev_region(first_number, MAX_DEVICES);
    return rc;
}

static void __exit kmd_exit(void)
{
    pci_unregister_driver(&driver);
    class_destroy(class);
    unregister_chrdev_region(first_number, MAX_DEVICES);
}

module_init(kmd_init);
module_exit(kmd_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Offers a simulated board as the vendor's driver offers a real one");
