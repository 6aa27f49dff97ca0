/* libtendril-ttsim.so: a library in front of the vendor's simulator (libttsim_wh.so ...), with the same functions.
 * tt-umd loads it in that one's place. It forwards each call, and serves the chip to recorders at a Unix socket as
 * tt-umd of August 2026 does (proto/sim/umd.h).
 *
 *   TENDRIL_TTSIM=LIBRARY          the vendor's library
 *   TENDRIL_TTSIM_SOCKET=SOCKET    where recorders connect to; without it only the calls are forwarded
 *   TENDRIL_TTSIM_HOLD=ADDRESS     of tt-metal's signals of launches in a tile's memory: the first launch waits until there
 *                                  is the file SOCKET.recorded, which the recorder makes that has started the program
 *
 * The vendor's library may be called by one thread at a time, and time moves only when the program says so. A
 * recorder's accesses go through one window, whose register gets back what the program has written there. */
#include "host/device/board/attach.h"
#include "host/transport/card/window.h"
#include "host/transport/link/socket.h"
#include "host/transport/sim/plain_memory.h"
#include "host/transport/sim/socket_all.h"
#include "host/transport/sim/umd_message.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum {
    CLIENTS = 16,
    MOST_MESSAGE = 1 << 20,
    MOST_DATA = 1 << 20,
    LEAVE_MS = 5000, /* for recorders to take the rest, when the program ends the simulator */
    SEND_S = 20,
    HOLD_MS = 30000, /* the first launch, at most */
    SIGNALS = 9,     /* tt-metal's signals of launches, words of a tile */
    SIGNAL_GO = 0x80 /* in the last byte of such a word */
};

/* X(name, result, parameters, arguments) */
#define CALLS(X)                                                                                             \
    X(init, void, (void), ())                                                                                \
    X(exit, void, (void), ())                                                                                \
    X(set_pci_dma_mem_callbacks, void,                                                                       \
      (void (*read)(uint64_t, void *, uint32_t), void (*write)(uint64_t, const void *, uint32_t)),           \
      (read, write))                                                                                         \
    X(pci_config_rd32, uint32_t, (uint32_t device, uint32_t offset), (device, offset))                       \
    X(pci_config_wr32, void, (uint32_t device, uint32_t offset, uint32_t data), (device, offset, data))      \
    X(pci_mem_rd_bytes, void, (uint64_t at, void *to, uint32_t bytes), (at, to, bytes))                      \
    X(pci_mem_wr_bytes, void, (uint64_t at, const void *from, uint32_t bytes), (at, from, bytes))            \
    X(tile_rd_bytes, void, (uint32_t x, uint32_t y, uint64_t at, void *to, uint32_t bytes),                  \
      (x, y, at, to, bytes))                                                                                 \
    X(tile_wr_bytes, void, (uint32_t x, uint32_t y, uint64_t at, const void *from, uint32_t bytes),          \
      (x, y, at, from, bytes))                                                                               \
    X(clock, void, (uint32_t clocks), (clocks))

static struct {
#define X(name, result, parameters, arguments) result(*name) parameters;
    CALLS(X)
#undef X
} real;

/* Descriptions of the boards with one chip of a kind. The program that loads this library may be anywhere, so they are
 * part of it. */
#define DESCRIPTION(name)                                                                                    \
    __asm__(".section .rodata\n.type front_" #name ", @object\nfront_" #name ":\n.incbin \"" TD_BOARDS       \
            "/" #name "/" #name ".board\"\n.byte 0\n.previous");                                             \
    extern const char front_##name[]
DESCRIPTION(wormhole);
DESCRIPTION(blackhole);

struct chip {
    int32_t arch;
    const char *description;
};
static const struct chip chips[] = {{TD_UMD_WORMHOLE, front_wormhole}, {TD_UMD_BLACKHOLE, front_blackhole}};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static uint64_t tickets, served; /* in order of arrival, so that a program that only polls lets others in */

static struct {
    const struct chip *chip;
    /* The window that recorders use: the last one of 2 MiB, which tt-umd hands out last, if ever. */
    struct td_window_kind kind;
    uint32_t index; /* among the windows of its kind */
    uint64_t bar0;
    uint32_t saved[TD_WINDOW_MAX_WORDS]; /* the window's register, as the program has left it */
    int listening, wake[2];
    int clients[CLIENTS];
    int ending, running;
    uint32_t signals; /* address of those whose first one waits for the recorder; 0: none does */
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    pthread_t thread;
} front = {.listening = -1};

static void take_turn(void)
{
    pthread_mutex_lock(&mutex);
    const uint64_t mine = tickets++;
    while (served != mine)
        pthread_cond_wait(&turn, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void give_turn(void)
{
    pthread_mutex_lock(&mutex);
    served++;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&mutex);
}

static void give_up(const char *why, const char *what)
{
    fprintf(stderr, "libtendril-ttsim.so: %s%s\n", why, what);
    _exit(1);
}

static void load(void)
{
    const char *path = getenv("TENDRIL_TTSIM");
    if (real.init)
        return;
    if (!path || !*path)
        give_up("TENDRIL_TTSIM does not name the vendor's library", "");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        give_up("", dlerror());
        /* The last two are not in every library. */
#define X(name, result, parameters, arguments) *(void **)&real.name = dlsym(library, "libttsim_" #name);
    CALLS(X)
#undef X
    if (!real.init || !real.exit || !real.pci_config_rd32 || !real.pci_mem_rd_bytes ||
        !real.pci_mem_wr_bytes || !real.clock)
        give_up(path, " is not the vendor's simulator");
}

/* ---- a recorder's accesses ---- */

static uint64_t register_at(void)
{
    const struct td_window_kind *k = &front.kind;
    return front.bar0 + k->registers + (uint64_t)(k->first_index + front.index) * k->register_bytes;
}

static void write_register(const uint32_t *words)
{
    for (uint32_t i = 0; i < front.kind.register_bytes / 4; i++)
        real.pci_mem_wr_bytes(register_at() + 4 * (uint64_t)i, &words[i], 4);
}

/* The program's write to the window's register is kept. */
static void note_write(uint64_t at, const void *from, uint32_t bytes)
{
    if (!front.chip)
        return;
    const uint64_t first = register_at(), last = first + front.kind.register_bytes;
    for (uint32_t i = 0; i < bytes; i++)
        if (at + i >= first && at + i < last)
            ((uint8_t *)front.saved)[at + i - first] = ((const uint8_t *)from)[i];
}

/* All at one moment of the chip. */
static int access_tile(const struct td_umd_request *r, uint8_t *to)
{
    const struct td_window_kind *k = &front.kind;
    uint32_t words[TD_WINDOW_MAX_WORDS];
    int rc = 0;
    take_turn();
    for (size_t done = 0, part; done < r->size && rc == 0; done += part) {
        const uint64_t address = r->address + done, inside = address % k->bytes;
        const struct td_window_target target = {
            {0, (uint16_t)r->x, (uint16_t)r->y}, address - inside, TD_WINDOW_STRICT};
        size_t most = k->bytes - inside < MOST_DATA ? (size_t)(k->bytes - inside) : MOST_DATA;
        part = td_plain_part(address, r->size - done, most);
        rc = r->x > 63 || r->y > 63 || td_window_encode(k, &target, words, NULL) < 0 ? -1 : 0;
        if (rc)
            break;
        write_register(words);
        const uint64_t at = front.bar0 + k->bar_offset + front.index * k->bytes + inside;
        if (to)
            real.pci_mem_rd_bytes(at, to + done, (uint32_t)part);
        else
            real.pci_mem_wr_bytes(at, r->data + done, (uint32_t)part);
    }
    write_register(front.saved);
    give_turn();
    return rc;
}

/* ---- the socket ---- */

static int answer(int fd, int32_t status, const uint8_t *data, uint32_t bytes)
{
    uint8_t head[TD_UMD_ANSWER_BYTES];
    td_umd_put_answer(head, &(struct td_umd_answer){.status = status, .data_bytes = bytes});
    return td_send_all(fd, head, sizeof head, bytes != 0) || td_send_all(fd, data, bytes, 0) ? -1 : 0;
}

/* The layout says that it is this library. */
static int answer_info(int fd)
{
    uint8_t head[TD_UMD_INFO_BYTES];
    char layout[] = "tendril";
    td_umd_put_info(head, &(struct td_umd_info){
                              .arch = front.chip->arch, .translation = 1, .layout_bytes = sizeof layout - 1});
    return td_send_all(fd, head, sizeof head, 1) || td_send_all(fd, layout, sizeof layout, 0) ? TD_E_GONE : 0;
}

/* One request; a negative enum td_e: the connection is over. */
static int serve(int fd)
{
    static uint8_t message[MOST_MESSAGE], data[MOST_DATA];
    uint8_t length[4];
    struct td_umd_request r;
    if (td_receive_all(fd, length, 4))
        return TD_E_GONE;
    const size_t bytes = td_umd_message_bytes(length);
    if (bytes > sizeof message || td_receive_all(fd, message, bytes) ||
        td_umd_get_request(message, bytes, &r))
        return TD_E_FORMAT;
    if (r.command == TD_UMD_DEVICE_INFO)
        return answer_info(fd);
    if (r.command == TD_UMD_ENDS)
        return answer(fd, __atomic_load_n(&front.ending, __ATOMIC_ACQUIRE), NULL, 0);
    if (r.size > MOST_DATA || (r.command != TD_UMD_READ && r.command != TD_UMD_WRITE) ||
        (r.command == TD_UMD_WRITE && r.data_bytes < r.size))
        return answer(fd, -1, NULL, 0);
    const int is_read = r.command == TD_UMD_READ;
    const int rc = access_tile(&r, is_read ? data : NULL);
    return answer(fd, rc, data, rc == 0 && is_read ? r.size : 0);
}

static void take_client(void)
{
    const int fd = accept4(front.listening, NULL, NULL, SOCK_CLOEXEC);
    const struct timeval patience = {SEND_S, 0};
    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (int i = 0; i < CLIENTS; i++)
        if (front.clients[i] < 0) {
            front.clients[i] = fd;
            return;
        }
    close(fd);
}

static int has_clients(void)
{
    int is = 0;
    for (int i = 0; i < CLIENTS; i++)
        is |= front.clients[i] >= 0;
    return is;
}

static void *run(void *unused)
{
    struct timespec until = {0}, now;
    (void)unused;
    for (;;) {
        struct pollfd fds[CLIENTS + 2] = {{front.listening, POLLIN, 0}, {front.wake[0], POLLIN, 0}};
        const int ending = __atomic_load_n(&front.ending, __ATOMIC_ACQUIRE);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (ending && !until.tv_sec)
            until.tv_sec = now.tv_sec + LEAVE_MS / 1000;
        if (ending && (!has_clients() || now.tv_sec > until.tv_sec))
            return NULL;
        for (int i = 0; i < CLIENTS; i++)
            fds[2 + i] = (struct pollfd){front.clients[i], POLLIN, 0};
        if (ending)
            fds[1].fd = -1;
        if (poll(fds, CLIENTS + 2, ending ? 100 : -1) <= 0)
            continue;
        if (fds[0].revents)
            take_client();
        for (int i = 0; i < CLIENTS; i++)
            if (fds[2 + i].revents && serve(fds[2 + i].fd)) {
                close(fds[2 + i].fd);
                front.clients[i] = -1;
            }
    }
}

/* What the description of the chip's board says about windows. */
static int take_window(struct td_err *err)
{
    struct td_board board;
    int rc = td_board_parse(&board, front.chip->description, "the chip's description", NULL, err);
    for (uint32_t i = 0; rc == 0 && i < board.window_count; i++)
        if (board.windows[i].bytes == 0x200000) {
            front.kind = td_board_window_kind(&board.windows[i]);
            front.index = front.kind.count - 1;
        }
    return rc;
}

static int start_thread(const char *path, struct td_err *err)
{
    const uint32_t id = real.pci_config_rd32(0, 0), low = real.pci_config_rd32(0, 0x10);
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        if (td_umd_pci_device(chips[i].arch) == id >> 16)
            front.chip = &chips[i];
    if (!front.chip)
        return td_fail(err, TD_E_USAGE, "the chip is of a kind that is not known (device %04x)", id >> 16);
    const int rc = take_window(err);
    if (rc)
        return rc;
    front.bar0 = (uint64_t)real.pci_config_rd32(0, 0x14) << 32 | (low & ~0xfu);
    for (int i = 0; i < CLIENTS; i++)
        front.clients[i] = -1;
    front.listening = td_unix_listen(path, err);
    if (front.listening < 0)
        return front.listening;
    snprintf(front.path, sizeof front.path, "%s", path);
    if (pipe2(front.wake, O_CLOEXEC) || pthread_create(&front.thread, NULL, run, NULL))
        return td_fail_errno(err, "no thread can be started");
    return TD_OK;
}

static void stop_listening(void)
{
    if (front.listening < 0)
        return;
    close(front.listening);
    unlink(front.path);
    front.listening = -1;
}

/* Without a socket the program runs all the same. */
static void start_serving(void)
{
    const char *path = getenv("TENDRIL_TTSIM_SOCKET");
    struct td_err err = {0};
    if (!path || !*path)
        return;
    if (start_thread(path, &err)) {
        fprintf(stderr, "libtendril-ttsim.so: nothing can be recorded at %s: %s\n", path, err.text);
        front.chip = NULL;
        stop_listening();
        return;
    }
    const char *hold = getenv("TENDRIL_TTSIM_HOLD");
    front.signals = hold ? (uint32_t)strtoul(hold, NULL, 0) : 0;
    front.running = 1;
    fprintf(stderr, "libtendril-ttsim.so: recorders connect with --at umd:%s\n", path);
}

static void stop_serving(void)
{
    if (!front.running)
        return;
    __atomic_store_n(&front.ending, 1, __ATOMIC_RELEASE);
    if (write(front.wake[1], "", 1) < 0)
        return;
    pthread_join(front.thread, NULL);
    for (int i = 0; i < CLIENTS; i++)
        if (front.clients[i] >= 0)
            close(front.clients[i]);
    stop_listening();
    front.running = 0;
}

/* Does the write launch a kernel? In each window a tile's memory begins at a multiple of 1 MiB. */
static int is_launch(uint64_t at, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && bytes <= 4; i++) {
        const uint32_t offset = (uint32_t)(at + i) % 0x100000 - front.signals;
        if (offset < 4 * SIGNALS && offset % 4 == 3 && from[i] == SIGNAL_GO)
            return 1;
    }
    return 0;
}

/* The chip's time stands meanwhile: the program moves it. */
static void await_recorder(void)
{
    char file[sizeof front.path + 16];
    int waited = 0;
    snprintf(file, sizeof file, "%s.recorded", front.path);
    front.signals = 0;
    while (access(file, F_OK) && access(front.path, F_OK) == 0 && waited++ < HOLD_MS)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (waited > HOLD_MS)
        fprintf(stderr,
                "libtendril-ttsim.so: the recorder is not ready; launches until then are not recorded\n");
}

/* ---- the library's functions ---- */

API void libttsim_init(void);
API void libttsim_init(void)
{
    load();
    real.init();
    start_serving();
}

API void libttsim_exit(void);
API void libttsim_exit(void)
{
    stop_serving();
    real.exit();
}

API void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t, void *, uint32_t),
                                            void (*write)(uint64_t, const void *, uint32_t));
API void libttsim_set_pci_dma_mem_callbacks(void (*read)(uint64_t, void *, uint32_t),
                                            void (*write)(uint64_t, const void *, uint32_t))
{
    load();
    real.set_pci_dma_mem_callbacks(read, write);
}

API uint32_t libttsim_pci_config_rd32(uint32_t device, uint32_t offset);
API uint32_t libttsim_pci_config_rd32(uint32_t device, uint32_t offset)
{
    take_turn();
    const uint32_t value = real.pci_config_rd32(device, offset);
    give_turn();
    return value;
}

API void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t bytes);
API void libttsim_pci_mem_wr_bytes(uint64_t at, const void *from, uint32_t bytes)
{
    if (front.signals && is_launch(at, from, bytes))
        await_recorder();
    take_turn();
    note_write(at, from, bytes);
    real.pci_mem_wr_bytes(at, from, bytes);
    give_turn();
}

#define FORWARD(name, parameters, arguments)                                                                 \
    API void libttsim_##name parameters;                                                                     \
    API void libttsim_##name parameters                                                                      \
    {                                                                                                        \
        take_turn();                                                                                         \
        real.name arguments;                                                                                 \
        give_turn();                                                                                         \
    }
FORWARD(pci_config_wr32, (uint32_t device, uint32_t offset, uint32_t data), (device, offset, data))
FORWARD(pci_mem_rd_bytes, (uint64_t at, void *to, uint32_t bytes), (at, to, bytes))
FORWARD(tile_rd_bytes, (uint32_t x, uint32_t y, uint64_t at, void *to, uint32_t bytes), (x, y, at, to, bytes))
FORWARD(tile_wr_bytes, (uint32_t x, uint32_t y, uint64_t at, const void *from, uint32_t bytes),
        (x, y, at, from, bytes))
FORWARD(clock, (uint32_t clocks), (clocks))
