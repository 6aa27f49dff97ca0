/* The transport of a PCI device, by the kind of device and the way to its BARs. */
#include "host/transport/card/pci.h"
#include "host/transport/card/noc.h"
#include "host/transport/card/simbar.h"
#include "proto/pcie/tenstorrent.h"

#include <string.h>

static bool has_ended(void *self)
{
    const struct td_pci *pci = self;
    const struct td_bar_header *bar = pci->pieces[0].map;
    return td_pci_hit(pci) || __atomic_load_n(&bar->magic, __ATOMIC_RELAXED) != TD_BAR_MAGIC ||
           td_pci_hit(pci);
}

static void close_device(void *self)
{
    td_pci_close(self);
}

static struct td_transport *open_simulated(struct td_pci *pci, const char *name, struct td_err *err)
{
    struct td_simbar_config config = {.bytes = pci->bar_bytes[TD_IVSHMEM_BAR],
                                      .name = name,
                                      .path = pci->address,
                                      .far = 1,
                                      .ended = has_ended,
                                      .close = close_device,
                                      .self = pci};
    config.map = td_pci_map(pci, TD_IVSHMEM_BAR, 0, config.bytes, 0, err);
    if (!config.map) {
        td_pci_close(pci);
        return NULL;
    }
    return td_simbar_open(&config, err);
}

static struct td_transport *open_card(struct td_pci *pci, const char *name, struct td_err *err)
{
    struct td_windows *windows = td_pci_windows(pci, err);
    if (!windows)
        return NULL;
    struct td_noc_config config = {.windows = windows, .name = name, .exclusive = 1};
    return td_noc_open(&config, err);
}

struct td_transport *td_pci_transport(struct td_pci *pci, const char *name, int exclusive, struct td_err *err)
{
    struct td_transport *t = NULL;
    if (pci->vendor == TD_IVSHMEM_VENDOR && pci->device == TD_IVSHMEM_DEVICE) {
        t = open_simulated(pci, name, err);
        if (t)
            t->exclusive = exclusive;
    } else if (pci->vendor == TD_TT_PCI_VENDOR) {
        t = open_card(pci, name, err);
    } else {
        td_fail(err, TD_E_USAGE, "%s is a PCI device %04x:%04x, which is no known board", pci->address,
                pci->vendor, pci->device);
        td_pci_close(pci);
    }
    return t;
}

/* Splits "BDF/way". 1: VFIO; 0: sysfs; negative: neither. */
static int split(const char *where, char *device, size_t room, struct td_err *err)
{
    size_t length = strcspn(where, "/");
    if (length >= room)
        return td_fail(err, TD_E_USAGE, "'%s' is no PCI device", where);
    memcpy(device, where, length);
    device[length] = 0;
    if (where[length] == 0 || strcmp(where + length, "/sysfs") == 0)
        return 0;
    if (strcmp(where + length, "/vfio") == 0)
        return 1;
    return td_fail(err, TD_E_USAGE, "pci:%s: there is %s/sysfs and %s/vfio", where, device, device);
}

struct td_transport *td_pci_open(const char *where, int wait_ms, struct td_err *err)
{
    char device[64], address[TD_PCI_ADDRESS_LEN];
    int vfio = split(where, device, sizeof device, err);
    if (vfio < 0 || td_pci_parse_address(device, address, err))
        return NULL;
    struct td_pci *pci = td_pci_find(TD_SYSFS, address, wait_ms, err);
    if (!pci)
        return NULL;
    if (vfio ? td_pci_use_vfio(pci, err) : td_pci_use_sysfs(pci, err)) {
        td_pci_close(pci);
        return NULL;
    }
    const char *name = !vfio ? "pci" : pci->no_iommu ? "vfio without IOMMU" : "vfio";
    return td_pci_transport(pci, name, vfio, err);
}
