/* The pci transport: a PCI device's BARs, mapped from sysfs or through VFIO.
 *
 * A simulated board's memory as a device (ivshmem, BAR 2 is the board's file) is used like that file, by a
 * simulator under another kernel. Cards of the vendor are reached through the windows in BAR 0 and 4, which
 * are pointed by registers; the board's description says where these are (struct td_transport_setup). No
 * other process may use the card then.
 */
#pragma once
#include "host/transport/card/window.h"

#include <stdbool.h>

/* "BDF", "BDF/sysfs" or "BDF/vfio"; BDF as 0000:01:00.0 or 01:00.0. */
struct td_transport *td_pci_open(const char *where, int wait_ms, struct td_err *err);

/* The rest is private to pci*.c and vfio.c, and to their tests. Lowest first: pci_bars.c maps BARs;
 * pci_sysfs.c finds a device and opens its BARs through sysfs, vfio.c through VFIO; pci_windows.c points
 * windows; pci.c makes the transport. */

#define TD_SYSFS           "/sys"
#define TD_PCI_BARS        6
#define TD_IVSHMEM_VENDOR  0x1AF4
#define TD_IVSHMEM_DEVICE  0x1110
#define TD_IVSHMEM_BAR     2
#define TD_PCI_ADDRESS_LEN 16

struct td_pci_piece {
    void *map;
    uint64_t bytes;
    int guard;
};

struct td_pci {
    char address[TD_PCI_ADDRESS_LEN]; /* 0000:01:00.0 */
    char folder[200];                 /* in sysfs */
    uint32_t vendor, device;
    uint64_t bar_bytes[TD_PCI_BARS];
    uint64_t bar_offset[TD_PCI_BARS];              /* in the descriptor that is mapped */
    int fd[TD_PCI_BARS], fd_combined[TD_PCI_BARS]; /* -1: none */
    int group, container, handle;                  /* VFIO; -1: none */
    int no_iommu;
    struct td_pci_piece *pieces;
    size_t piece_count, piece_room;
};

/* A guarded mapping of a part of a BAR, whole pages; NULL: error. */
void *td_pci_map(struct td_pci *pci, int bar, uint64_t offset, uint64_t bytes, int combined,
                 struct td_err *err);
/* Whether an access found that mapped memory was gone. */
bool td_pci_hit(const struct td_pci *pci);
/* NULL is fine. */
void td_pci_close(struct td_pci *pci);

/* Full address from a full or a short one. */
int td_pci_parse_address(const char *text, char address[TD_PCI_ADDRESS_LEN], struct td_err *err);
/* A number as sysfs prints them: "0x1af4\n", "512\n". */
int td_pci_parse_number(const char *text, size_t bytes, uint64_t *value);

/* Looks the device up under `root` (/sys) and opens nothing. */
struct td_pci *td_pci_find(const char *root, const char *address, int wait_ms, struct td_err *err);
/* The name of the driver that it is bound to, "" for none. */
void td_pci_driver(const struct td_pci *pci, char *name, size_t bytes);
/* Open the device's BARs, in one way or the other. */
int td_pci_use_sysfs(struct td_pci *pci, struct td_err *err);
int td_pci_use_vfio(struct td_pci *pci, struct td_err *err);
/* The transport of a device whose BARs are known; takes ownership of it. */
struct td_transport *td_pci_transport(struct td_pci *pci, const char *name, int exclusive,
                                      struct td_err *err);
/* Windows pointed by registers in BAR 0; takes ownership of the device, also when it fails. */
struct td_windows *td_pci_windows(struct td_pci *pci, struct td_err *err);
