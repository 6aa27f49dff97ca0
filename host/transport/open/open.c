#include "host/base/debug_log.h"
#include "host/transport/card/pci.h"
#include "host/transport/card/tenstorrent.h"
#include "host/transport/link/serial.h"
#include "host/transport/link/socket.h"
#include "host/transport/link/usb.h"
#include "host/transport/sim/shm.h"
#include "host/transport/sim/simnoc.h"
#include "host/transport/sim/ttsim.h"
#include "host/transport/sim/umd.h"

#include <string.h>

struct transport_kind {
    const char *prefix;
    struct td_transport *(*open)(const char *where, int wait_ms, struct td_err *err);
};
/* A transport joins by one line here. */
static const struct transport_kind kinds[] = {
    {"shm:", td_shm_open},       {"pci:", td_pci_open},       {"tenstorrent:", td_tenstorrent_open},
    {"serial:", td_serial_open}, {"tcp:", td_tcp_open},       {"unix:", td_unix_open},
    {"usb:", td_usb_open},       {"simnoc:", td_simnoc_open}, {"ttsim:", td_ttsim_open},
    {"umd:", td_umd_open},
};

struct td_transport *td_transport_open(const char *where, int wait_ms, struct td_err *err)
{
    if (strcmp(where, "usb") == 0) /* whichever probe there is */
        return td_usb_open("", wait_ms, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].prefix);
        if (strncmp(where, kinds[i].prefix, length) == 0) {
            td_debug(board, "opening %s, waiting up to %d ms for it", where, wait_ms);
            return kinds[i].open(where + length, wait_ms, err);
        }
    }
    td_debug(board, "opening %s as a simulator's file, waiting up to %d ms for it", where, wait_ms);
    return td_shm_open(where, wait_ms, err);
}
