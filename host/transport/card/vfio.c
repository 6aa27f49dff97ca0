/* PCI devices through VFIO: group, container, device, its BARs as regions of one descriptor. */
#include "host/base/debug_log.h"
#include "host/transport/card/pci.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int find_group(const struct td_pci *pci, char *group, size_t bytes, struct td_err *err)
{
    char path[260], target[260], driver[64];
    td_pci_driver(pci, driver, sizeof driver);
    if (strcmp(driver, "vfio-pci") != 0)
        return td_fail(
            err, TD_E_USAGE,
            "%s is bound to %s, not to vfio-pci; do: echo vfio-pci > %s/driver_override%s; echo %s > "
            "/sys/bus/pci/drivers_probe",
            pci->address, *driver ? driver : "no driver", pci->folder, *driver ? ", unbind it" : "",
            pci->address);
    snprintf(path, sizeof path, "%s/iommu_group", pci->folder);
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(target, '/');
    if (!slash)
        return td_fail(err, TD_E_NOTFOUND,
                       "%s is in no IOMMU group: boot with an IOMMU (intel_iommu=on), or load vfio with "
                       "enable_unsafe_noiommu_mode=1",
                       pci->address);
    snprintf(group, bytes, "%s", slash + 1);
    return TD_OK;
}

static int open_group(struct td_pci *pci, const char *number, struct td_err *err)
{
    char path[64];
    for (int tries = 0; tries < 2 && pci->group < 0; tries++) {
        pci->no_iommu = tries;
        snprintf(path, sizeof path, "/dev/vfio/%s%.20s", tries ? "noiommu-" : "", number);
        pci->group = open(path, O_RDWR | O_CLOEXEC);
        if (pci->group < 0 && errno != ENOENT)
            break;
    }
    td_debug(card, "%s: VFIO group %s%s: %s", pci->address, number, pci->no_iommu ? ", without IOMMU" : "",
             pci->group >= 0 ? "opened" : strerror(errno));
    if (pci->group >= 0)
        return TD_OK;
    if (errno == EBUSY)
        return td_fail(err, TD_E_USAGE, "another process has %s open (VFIO group %s)", pci->address, number);
    if (errno == EACCES || errno == EPERM)
        return td_fail(err, TD_E_IO, "%s: this user may not open %s", pci->address, path);
    return td_fail_errno(err, "%s: cannot open %s", pci->address, path);
}

static int set_up_container(struct td_pci *pci, const char *number, struct td_err *err)
{
    struct vfio_group_status status = {.argsz = sizeof status};
    unsigned long kind = pci->no_iommu ? VFIO_NOIOMMU_IOMMU : VFIO_TYPE1_IOMMU;
    pci->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
    if (pci->container < 0)
        return td_fail_errno(err, "cannot open /dev/vfio/vfio; is vfio loaded?");
    if (ioctl(pci->container, VFIO_GET_API_VERSION) != VFIO_API_VERSION)
        return td_fail(err, TD_E_VERSION, "VFIO of another version than %d", VFIO_API_VERSION);
    if (ioctl(pci->container, VFIO_CHECK_EXTENSION, kind) <= 0)
        return td_fail(err, TD_E_NOTFOUND, "VFIO has no %s; load vfio_iommu_type1",
                       pci->no_iommu ? "mode without IOMMU" : "IOMMU of type 1");
    if (ioctl(pci->group, VFIO_GROUP_GET_STATUS, &status))
        return td_fail_errno(err, "VFIO group %s of %s", number, pci->address);
    if (!(status.flags & VFIO_GROUP_FLAGS_VIABLE))
        return td_fail(
            err, TD_E_USAGE,
            "other devices of %s's VFIO group %s are bound to other drivers; bind them to vfio-pci "
            "too",
            pci->address, number);
    if (ioctl(pci->group, VFIO_GROUP_SET_CONTAINER, &pci->container))
        return td_fail_errno(err, "VFIO group %s of %s", number, pci->address);
    if (ioctl(pci->container, VFIO_SET_IOMMU, kind))
        return td_fail_errno(err, "VFIO: the IOMMU for %s", pci->address);
    return TD_OK;
}

static int find_bars(struct td_pci *pci, struct td_err *err)
{
    int any = 0;
    for (int i = 0; i < TD_PCI_BARS; i++) {
        struct vfio_region_info info = {.argsz = sizeof info, .index = (unsigned)i};
        if (ioctl(pci->handle, VFIO_DEVICE_GET_REGION_INFO, &info) || info.size == 0 ||
            !(info.flags & VFIO_REGION_INFO_FLAG_MMAP))
            continue;
        pci->fd[i] = pci->handle;
        pci->bar_bytes[i] = info.size;
        pci->bar_offset[i] = info.offset;
        td_debug(card, "%s: VFIO region of BAR %d has 0x%llx bytes", pci->address, i,
                 (unsigned long long)info.size);
        any = 1;
    }
    return any ? TD_OK : td_fail(err, TD_E_NOTFOUND, "%s has no memory BAR", pci->address);
}

/* VFIO hands the device over with its memory switched off. */
static int enable_memory(const struct td_pci *pci, struct td_err *err)
{
    struct vfio_region_info info = {.argsz = sizeof info, .index = VFIO_PCI_CONFIG_REGION_INDEX};
    uint16_t command;
    if (ioctl(pci->handle, VFIO_DEVICE_GET_REGION_INFO, &info) ||
        pread(pci->handle, &command, sizeof command, (off_t)info.offset + PCI_COMMAND) != sizeof command)
        return td_fail_errno(err, "cannot read the configuration of %s", pci->address);
    command |= PCI_COMMAND_MEMORY;
    if (pwrite(pci->handle, &command, sizeof command, (off_t)info.offset + PCI_COMMAND) != sizeof command)
        return td_fail_errno(err, "cannot enable the memory of %s", pci->address);
    return TD_OK;
}

int td_pci_use_vfio(struct td_pci *pci, struct td_err *err)
{
    char number[32];
    int rc = find_group(pci, number, sizeof number, err);
    rc = rc ? rc : open_group(pci, number, err);
    rc = rc ? rc : set_up_container(pci, number, err);
    if (rc)
        return rc;
    pci->handle = ioctl(pci->group, VFIO_GROUP_GET_DEVICE_FD, pci->address);
    if (pci->handle < 0)
        return td_fail_errno(err, "VFIO does not hand out %s", pci->address);
    rc = find_bars(pci, err);
    return rc ? rc : enable_memory(pci, err);
}
