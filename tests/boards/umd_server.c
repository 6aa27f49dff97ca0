/* umd_server WHERE BOARD SOCKET [NAME=VALUE ...]: serves the chip of a transport (td_transport_open) at a Unix
 * socket as tt-umd serves its simulated chips (proto/sim/umd.h), to several clients at once.
 *
 *   arch=N tensix=MASK dram=MASK ethernet=MASK translation=0|1   what it says about the chip
 *   after=N what=vanish|silent|junk|long|short|failed|empty      from request N on it lies
 */
#include "host/agent/board/attach.h"
#include "host/transport/sim/socket_all.h"
#include "host/transport/sim/umd_message.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct td_transport *t;
    struct td_umd_info info;
    const char *what;
    long after, requests;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .info = {.translation = 1}, .after = -1};

static int send_answer(int fd, int32_t status, const uint8_t *data, uint32_t bytes)
{
    uint8_t head[TD_UMD_ANSWER_BYTES];
    td_umd_put_answer(head, &(struct td_umd_answer){.status = status, .data_bytes = bytes});
    return td_send_all(fd, head, sizeof head, bytes != 0) || td_send_all(fd, data, bytes, 0) ? -1 : 0;
}

static int send_info(int fd)
{
    uint8_t head[TD_UMD_INFO_BYTES];
    char layout[] = "arch: test\n";
    struct td_umd_info info = server.info;
    info.layout_bytes = sizeof layout - 1;
    td_umd_put_info(head, &info);
    return td_send_all(fd, head, sizeof head, 1) || td_send_all(fd, layout, sizeof layout, 0) ? -1 : 0;
}

static int lie(int fd, const struct td_umd_request *r)
{
    uint8_t bytes[64] = {60, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f};
    if (strcmp(server.what, "vanish") == 0)
        _exit(0);
    if (strcmp(server.what, "silent") == 0)
        return 0;
    if (strcmp(server.what, "long") == 0)
        memset(bytes, 0xff, sizeof bytes);
    if (strcmp(server.what, "failed") == 0)
        return send_answer(fd, -1, NULL, 0);
    if (strcmp(server.what, "short") == 0)
        return send_answer(fd, 0, bytes, r->size > 1 ? 1 : 2);
    if (strcmp(server.what, "empty") == 0)
        return td_send_all(fd, (uint8_t[4]){0}, 4, 0);
    return td_send_all(fd, bytes, sizeof bytes, 0);
}

static int serve_one(int fd, uint8_t *message, uint8_t *data, size_t room)
{
    uint8_t length[4];
    struct td_umd_request r;
    if (td_receive_all(fd, length, 4))
        return -1;
    const size_t bytes = td_umd_message_bytes(length);
    if (bytes > room || td_receive_all(fd, message, bytes) || td_umd_get_request(message, bytes, &r))
        return -1;
    const struct td_tile_at at = {0, (uint16_t)r.x, (uint16_t)r.y};
    int rc = -1;
    pthread_mutex_lock(&server.lock);
    const int is_lie = server.after >= 0 && server.requests++ >= server.after;
    if (!is_lie && r.command == TD_UMD_READ && r.size <= room)
        rc = server.t->ops->read(server.t, at, r.address, data, r.size, NULL);
    if (!is_lie && r.command == TD_UMD_WRITE && r.data_bytes >= r.size)
        rc = server.t->ops->write(server.t, at, r.address, r.data, r.size, NULL);
    pthread_mutex_unlock(&server.lock);
    if (is_lie)
        return lie(fd, &r);
    if (r.command == TD_UMD_DEVICE_INFO)
        return send_info(fd);
    return send_answer(fd, rc ? -1 : 0, data, rc == 0 && r.command == TD_UMD_READ ? r.size : 0);
}

static void *serve(void *self)
{
    enum { ROOM = 1 << 20 };
    const int fd = (int)(intptr_t)self;
    uint8_t *message = malloc(ROOM), *data = malloc(ROOM);
    while (message && data && serve_one(fd, message, data, ROOM) == 0)
        ;
    free(message);
    free(data);
    close(fd);
    return NULL;
}

static void take_option(const char *option)
{
    const char *value = strchr(option, '=');
    const uint32_t number = value ? (uint32_t)strtoul(value + 1, NULL, 0) : 0;
    if (!value)
        exit(2);
    if (strncmp(option, "arch", 4) == 0)
        server.info.arch = (int32_t)number;
    else if (strncmp(option, "tensix", 6) == 0)
        server.info.tensix = number;
    else if (strncmp(option, "dram", 4) == 0)
        server.info.dram = number;
    else if (strncmp(option, "ethernet", 8) == 0)
        server.info.ethernet = number;
    else if (strncmp(option, "translation", 11) == 0)
        server.info.translation = number != 0;
    else if (strncmp(option, "after", 5) == 0)
        server.after = (long)number;
    else if (strncmp(option, "what", 4) == 0)
        server.what = value + 1;
    else
        exit(2);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_board *board = calloc(1, sizeof *board);
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    if (argc < 4 || !board || strlen(argv[3]) >= sizeof at.sun_path)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    for (int i = 4; i < argc; i++)
        take_option(argv[i]);
    const struct td_attach attach = {.where = argv[1], .board = *argv[2] ? argv[2] : NULL, .wait_ms = 10000};
    if (td_attach_open(&attach, &server.t, board, NULL, &err)) {
        fprintf(stderr, "umd_server: %s\n", err.text);
        return 1;
    }
    strcpy(at.sun_path, argv[3]);
    unlink(argv[3]);
    const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listening < 0 || bind(listening, (const struct sockaddr *)&at, sizeof at) || listen(listening, 8))
        return 1;
    printf("ready\n");
    fflush(stdout);
    for (;;) {
        pthread_t thread;
        const int fd = accept(listening, NULL, NULL);
        if (fd >= 0 && pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd) == 0)
            pthread_detach(thread);
    }
}
