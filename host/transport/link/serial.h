/* Serial lines: a UART's device, a USB serial adapter, either end of a pty. */
#ifndef TD_HOST_TRANSPORT_LINK_SERIAL_H
#define TD_HOST_TRANSPORT_LINK_SERIAL_H
#include "host/transport/transport.h"

struct td_link;

/* DEVICE[,BAUD] (default 115200), raw, this program's alone. */
struct td_link *td_serial_link(const char *where, int wait_ms, struct td_err *err);
/* The transport of a probe at its other end. */
struct td_transport *td_serial_open(const char *where, int wait_ms, struct td_err *err);
/* Bytes without any meaning to a terminal. */
int td_serial_raw(int fd);
#endif
