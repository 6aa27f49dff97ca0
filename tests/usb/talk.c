/* The host's end of a link test, against echo_probe.
 *
 *   talk SERIAL echo     messages of many lengths come back as they went
 *   talk SERIAL stream   many long ones inwards, in order and complete; prints bytes a second
 *   talk SERIAL hang     asks for a stream and takes nothing until it is killed
 *   talk SERIAL gone     waits until the probe is unplugged, says so, waits for it again, and echoes
 *   talk SERIAL end      ends echo_probe
 *   talk SERIAL open     opens and closes */
#include "host/base/clock.h"
#include "host/transport/link/usb.h"
#include "proto/probe/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAM 500

static union {
    struct td_probe_head head;
    uint8_t bytes[TD_PROBE_MAX_BYTES];
    uint32_t words[TD_PROBE_MAX_BYTES / 4];
} out, in;

static int fail(const char *what, long a, long b, struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "%s: %ld, not %ld", what, a, b);
}

static int send_one(struct td_link *l, unsigned type, unsigned seq, size_t bytes, struct td_err *err)
{
    for (size_t i = sizeof out.head; i < bytes; i++)
        out.bytes[i] = (uint8_t)(i * 7 + seq);
    out.head = (struct td_probe_head){
        .type = (uint8_t)type, .seq = (uint16_t)seq, .bytes = (uint16_t)(bytes - sizeof out.head)};
    return l->ops->send(l, &out, bytes, err);
}

static int echo_one(struct td_link *l, unsigned type, unsigned seq, size_t bytes, struct td_err *err)
{
    int rc = send_one(l, type, seq, bytes, err);
    if (rc)
        return rc;
    rc = l->ops->receive(l, &in, sizeof in, 5000, err);
    if (rc < 0)
        return rc;
    if ((size_t)rc != bytes)
        return fail("length of the echo", rc, (long)bytes, err);
    out.head.type |= TD_PROBE_ANSWER;
    return memcmp(&out, &in, bytes) ? fail("the echo differs at length", rc, 0, err) : TD_OK;
}

static int echo_notified(struct td_link *l, unsigned seq, struct td_err *err)
{
    int rc = l->ops->notified(l, 0, err);
    if (rc == 0)
        rc = echo_one(l, TD_PROBE_WRITE, seq, 100, err);
    if (rc == 0)
        rc = l->ops->notified(l, 3000, err);
    return rc == 1 ? TD_OK : rc < 0 ? rc : fail("notifications", rc, 1, err);
}

static int echo(struct td_link *l, struct td_err *err)
{
    int rc = TD_OK;
    unsigned seq = 0;
    for (size_t bytes = 8; bytes <= 1600 && rc == TD_OK; bytes += bytes < 80 || bytes % 512 > 500 ? 1
                                                                  : bytes % 512 < 2               ? 1
                                                                                                  : 11)
        rc = echo_one(l, TD_PROBE_PING, ++seq, bytes, err);
    for (size_t bytes = 4096 - 2; bytes <= 4096 + 2 && rc == TD_OK; bytes++)
        rc = echo_one(l, TD_PROBE_PING, ++seq, bytes, err);
    for (size_t bytes = TD_PROBE_MAX_BYTES - 13; bytes <= TD_PROBE_MAX_BYTES && rc == TD_OK; bytes++)
        rc = echo_one(l, TD_PROBE_PING, ++seq, bytes, err);
    for (int i = 0; i < 3 && rc == TD_OK; i++)
        rc = echo_notified(l, ++seq, err);
    if (rc == TD_OK && l->stats.bad_frames)
        rc = fail("damaged frames", (long)l->stats.bad_frames, 0, err);
    if (rc == TD_OK)
        printf("%u messages echoed\n", seq);
    return rc;
}

static int stream(struct td_link *l, struct td_err *err)
{
    int64_t begin = td_mono_ns();
    int rc = send_one(l, TD_PROBE_READ, STREAM, sizeof out.head, err);
    for (uint32_t i = 0; i < STREAM && rc == TD_OK; i++) {
        rc = l->ops->receive(l, &in, sizeof in, 5000, err);
        if (rc >= 0)
            rc = rc != TD_PROBE_MAX_BYTES ? fail("length", rc, TD_PROBE_MAX_BYTES, err)
                 : in.words[2] != i       ? fail("order", in.words[2], i, err)
                                          : TD_OK;
    }
    if (rc == TD_OK)
        printf("stream: %.1f MB/s\n",
               (double)STREAM * TD_PROBE_MAX_BYTES / 1e6 / ((double)(td_mono_ns() - begin) / 1e9));
    return rc;
}

static int gone(struct td_link **l, const char *serial, struct td_err *err)
{
    int rc;
    puts("waiting to be unplugged");
    fflush(stdout);
    while ((rc = (*l)->ops->receive(*l, &in, sizeof in, 60000, err)) >= 0)
        ;
    if (rc != TD_E_GONE)
        return rc;
    printf("%s\n", err->text);
    fflush(stdout);
    if ((*l)->ops->receive(*l, &in, sizeof in, 0, NULL) != TD_E_GONE ||
        (*l)->ops->send(*l, &out, 8, NULL) != TD_E_GONE)
        return fail("gone is not for good", 0, 1, err);
    (*l)->ops->close(*l);
    *err = (struct td_err){0};
    *l = td_usb_link_open(serial, 60000, err);
    return *l ? echo(*l, err) : err->code;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    if (argc != 3)
        return 2;
    const char *serial = argv[1], *what = argv[2];
    struct td_link *l = td_usb_link_open(serial, 10000, &err);
    int rc = l ? TD_OK : err.code;
    if (rc == TD_OK && strcmp(what, "echo") == 0)
        rc = echo(l, &err);
    else if (rc == TD_OK && strcmp(what, "stream") == 0)
        rc = stream(l, &err);
    else if (rc == TD_OK && strcmp(what, "hang") == 0) {
        rc = send_one(l, TD_PROBE_READ, STREAM, sizeof out.head, &err);
        puts("hanging");
        fflush(stdout);
        sleep(60);
    } else if (rc == TD_OK && strcmp(what, "gone") == 0)
        rc = gone(&l, serial, &err);
    else if (rc == TD_OK && strcmp(what, "end") == 0)
        rc = send_one(l, TD_PROBE_FINISH, 1, sizeof out.head, &err);
    if (rc < 0)
        fprintf(stderr, "talk: %s\n", err.text);
    if (l)
        l->ops->close(l);
    return rc < 0;
}
