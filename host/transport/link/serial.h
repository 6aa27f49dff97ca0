/* Serial lines: a UART's device, a USB serial adapter, either end of a pty. */
#pragma once
#include "host/transport/transport.h"

struct td_link;

/* Opens DEVICE[,BAUD] (default 115200) in raw mode, locked against other programs. */
struct td_link *td_serial_link(const char *where, int wait_ms, struct td_err *err);
/* The transport of a probe at its other end. */
struct td_transport *td_serial_open(const char *where, int wait_ms, struct td_err *err);
/* Sets a terminal to raw mode. 0, or TD_E_IO with errno. */
int td_serial_raw(int fd);
