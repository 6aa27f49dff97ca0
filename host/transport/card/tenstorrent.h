/* The tenstorrent transport: a card behind the vendor's kernel driver, reached through windows that the
 * driver hands out (noc.h), pointed by calls and mapped into this process. The card's power state is left
 * alone. */
#ifndef TD_HOST_TRANSPORT_CARD_TENSTORRENT_H
#define TD_HOST_TRANSPORT_CARD_TENSTORRENT_H
#include "host/transport/transport.h"

/* "N", or the path of a device. Several processes may have it open. */
struct td_transport *td_tenstorrent_open(const char *where, int wait_ms, struct td_err *err);
#endif
