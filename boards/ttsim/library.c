#include "boards/ttsim/library.h"
#include "proto/pcie/tenstorrent.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CONFIG_ID = 0, CONFIG_BAR = 0x10, NO_DEVICE = -1 };

static bool find(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);
    memcpy(to, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void find_bars(struct library *lib, uint32_t chip)
{
    for (uint32_t bar = 0; bar < LIBRARY_BARS; bar += 2) {
        const uint32_t low = lib->config(chip << 3, CONFIG_BAR + 4 * bar),
                       high = lib->config(chip << 3, CONFIG_BAR + 4 * bar + 4);
        lib->bar[chip][bar] = (uint64_t)high << 32 | (low & ~0xfu);
    }
}

int library_open(struct library *lib, const char *path, struct td_err *err)
{
    char here[4096];
    /* dlopen() looks for a name without '/' elsewhere. */
    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return td_fail(err, TD_E_NOTFOUND, "%s", dlerror());
    if (!find(handle, "libttsim_init", &lib->init) ||
        !find(handle, "libttsim_pci_config_rd32", &lib->config) ||
        !find(handle, "libttsim_pci_mem_rd_bytes", &lib->read) ||
        !find(handle, "libttsim_pci_mem_wr_bytes", &lib->write) ||
        !find(handle, "libttsim_clock", &lib->clock))
        return td_fail(err, TD_E_FORMAT, "%s is not the vendor's simulator: it has no libttsim functions",
                       path);
    lib->init();
    for (lib->chips = 0; lib->chips < LIBRARY_CHIPS; lib->chips++) {
        const uint32_t id = lib->config(lib->chips << 3, CONFIG_ID);
        if (id == (uint32_t)NO_DEVICE)
            break;
        lib->vendor = id & 0xffff;
        lib->device = id >> 16;
        find_bars(lib, lib->chips);
    }
    if (lib->chips == 0 || lib->vendor != TD_TT_PCI_VENDOR)
        return td_fail(err, TD_E_FORMAT, "%s has no chip that is a PCI device of the vendor", path);
    return TD_OK;
}
