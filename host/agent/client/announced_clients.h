/* Programs that announce themselves: clients of Tracy, and Tendril's, send a UDP datagram to the local network
 * every 3 s while they wait for a recorder (docs/wire-protocol.md).
 *
 *   open; loop { poll(fd, POLLIN, wait_ms); take } ...; close
 *
 * take() reports programs that appear, change and go. A program goes when it says so, because it ends or a
 * recorder has connected, or when it was not heard for TD_ANNOUNCED_LOST_MS. The list has at most
 * TD_ANNOUNCED_MAX programs; further ones are counted as `refused`.
 *
 * Datagrams come from anyone in the network: nothing in them is true for sure, and names have to be cleaned
 * before a terminal shows them (host/base/plain_text.h). Not thread-safe. */
#pragma once
#include "host/base/err.h"
#include "host/wire/hello.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_ANNOUNCED_PERIOD_MS 3000 /* between two datagrams of a program */
#define TD_ANNOUNCED_LOST_MS   (2 * TD_ANNOUNCED_PERIOD_MS + 1000)
#define TD_ANNOUNCED_MAX       1024
#define TD_ANNOUNCED_HOST      16 /* bytes of "255.255.255.255" */

struct td_announced_client {
    uint32_t ipv4; /* of the machine, in the host's byte order; with the port the key of the list */
    uint16_t port;
    char host[TD_ANNOUNCED_HOST];
    char program[64]; /* as it arrived, with NUL */
    uint32_t protocol;
    uint64_t pid;      /* 0: an old client, which does not send it */
    int32_t active_s;  /* seconds since the program's start, at heard_ms */
    int64_t heard_ms;  /* td_mono_ms() of the last datagram */
    int64_t begin_ms;  /* of the first one */
    uint64_t sequence; /* a number that no other program in the list has or had */
};

enum td_announced_change { TD_ANNOUNCED_NEW, TD_ANNOUNCED_CHANGED, TD_ANNOUNCED_GONE };
/* CHANGED: name, process or protocol at a known address are others. The client is valid during the call. */
typedef void td_announced_report(void *self, enum td_announced_change change,
                                 const struct td_announced_client *client);

struct td_announced_list;
/* Listens at a UDP port; other programs may do so at the same time. port 0: TD_WIRE_PORT. `report` may be
 * NULL. NULL: *err says why. */
struct td_announced_list *td_announced_open(int port, td_announced_report *report, void *self,
                                            struct td_err *err);
void td_announced_close(struct td_announced_list *announced); /* NULL is allowed */
int td_announced_fd(const struct td_announced_list *announced);
/* How long poll() may wait until a program may be lost; -1: no limit. */
int td_announced_wait_ms(const struct td_announced_list *announced, int64_t now_ms);
/* Takes the datagrams that have arrived, at most a bounded number, without waiting. 0 or a negative enum
 * td_e. */
int td_announced_take(struct td_announced_list *announced, int64_t now_ms, struct td_err *err);
/* Takes one datagram, for tests and for take(). Bytes that are no announcement are ignored. */
void td_announced_datagram(struct td_announced_list *announced, const uint8_t *bytes, size_t count,
                           uint32_t ipv4, int64_t now_ms);
/* In the order in which they appeared. */
size_t td_announced_count(const struct td_announced_list *announced);
const struct td_announced_client *td_announced_at(const struct td_announced_list *announced, size_t index);
uint64_t td_announced_refused(const struct td_announced_list *announced);
/* The releases of a protocol: "0.11.1", "0.11.0 or the fork"; "unknown". */
const char *td_announced_releases(uint32_t protocol);
/* A list without a socket, for tests. NULL: no memory. */
struct td_announced_list *td_announced_list_create(td_announced_report *report, void *self);
