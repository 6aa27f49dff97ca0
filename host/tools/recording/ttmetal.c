#include "host/tools/recording/ttmetal.h"
#include "host/agent/child.h"
#include "host/base/path.h"
#include "host/base/process.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIGNAL_DONE = 0, CORES = 5 };

static void __attribute__((format(printf, 2, 3))) say(const char *what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "tendril record: %-10s ", what);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* A path that is too long is one that is not there. */
static bool __attribute__((format(printf, 3, 4))) put_path(char *to, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(to, bytes, format, args);
    va_end(args);
    return length >= 0 && (size_t)length < bytes;
}

/* ---- what there is of tt-metal ---- */

static int find_root(struct ttmetal *m, struct td_err *err)
{
    static const char *const names[] = {"TT_METAL_RUNTIME_ROOT", "TT_METAL_HOME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *root = getenv(names[i]);
        char path[PATH_MAX];
        if (!root || !*root)
            continue;
        if (!put_path(path, sizeof path, "%s/tt_metal/hw/inc", root) || access(path, R_OK) ||
            !put_path(m->root, sizeof m->root, "%s", root))
            return td_fail(err, TD_E_NOTFOUND, "--ttmetal: %s=%s is no tree of tt-metal", names[i], root);
        say("tt-metal", "%s (%s)", root, names[i]);
        return 0;
    }
    return td_fail(err, TD_E_USAGE,
                   "--ttmetal: set TT_METAL_RUNTIME_ROOT or TT_METAL_HOME to tt-metal's folder");
}

static int find_compiler(struct ttmetal *m, struct td_err *err)
{
    static const char name[] = "compiler/bin/riscv-tt-elf-g++";
    if (put_path(m->compiler, sizeof m->compiler, "%s/runtime/sfpi/%s", m->root, name) &&
        access(m->compiler, X_OK) == 0)
        return 0;
    if (put_path(m->compiler, sizeof m->compiler, "/opt/tenstorrent/sfpi/%s", name) &&
        access(m->compiler, X_OK) == 0)
        return 0;
    return td_fail(
        err, TD_E_NOTFOUND,
        "--ttmetal: tt-metal's compiler is neither in %s/runtime/sfpi nor in /opt/tenstorrent/sfpi", m->root);
}

/* By -b, by the name of the simulator's library, or by ARCH_NAME. */
static int find_chip(struct ttmetal *m, const char *board, struct td_err *err)
{
    const char *simulator = getenv("TT_METAL_SIMULATOR"), *arch = getenv("ARCH_NAME"), *chip = NULL;
    if (board && strcmp(board, "tensix_sim") != 0)
        chip = board;
    else if (simulator && strstr(simulator, "ttsim_wh"))
        chip = "wormhole";
    else if (simulator && strstr(simulator, "ttsim_bh"))
        chip = "blackhole";
    else if (arch)
        chip = strncmp(arch, "wormhole", 8) == 0 ? "wormhole" : arch;
    if (!chip || (strcmp(chip, "wormhole") != 0 && strcmp(chip, "blackhole") != 0))
        return td_fail(err, TD_E_USAGE, "--ttmetal: say which chip it is: -b wormhole or -b blackhole");
    snprintf(m->chip, sizeof m->chip, "%s", chip);
    return 0;
}

/* Its own profiler, the watcher and kernel print use the memory in which the lanes are. */
static int check_environment(struct td_err *err)
{
    static const char *const names[] = {"TT_METAL_DEVICE_PROFILER", "TT_METAL_DEVICE_PROFILER_NOC_EVENTS",
                                        "TT_METAL_PROFILE_PERF_COUNTERS", "TT_METAL_STREAMING_PROFILER",
                                        "TT_METAL_USE_LLVM_SFPU"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return td_fail(err, TD_E_USAGE, "--ttmetal: unset %s; %s", names[i],
                           i + 1 == sizeof names / sizeof *names
                               ? "kernels of its compiler have no markers"
                               : "tt-metal's own profiler uses the memory in which the lanes are");
    return 0;
}

/* ---- where the lanes are ---- */

static const char question[] =
    "#include <cstddef>\n#include <cstdint>\n#include \"hostdev/dev_msgs.h\"\n"
    "void where() { asm volatile(\"# tendril %0 %1 %2 %3\" : : \"i\"(MEM_MAILBOX_BASE + "
    "offsetof(mailboxes_t, profiler)),"
    " \"i\"(sizeof(profiler_msg_t)), \"i\"(MEM_MAILBOX_BASE + offsetof(mailboxes_t, go_messages)),"
    " \"i\"(MEM_MAILBOX_BASE + offsetof(mailboxes_t, go_message_index))); }\n";

static int write_file(const struct ttmetal *m, const char *name, const char *text, char *path, size_t bytes,
                      struct td_err *err)
{
    if (!put_path(path, bytes, "%s/%s", m->folder.path, name))
        return td_fail(err, TD_E_LIMIT, "--ttmetal: the folder's path is too long");
    FILE *f = fopen(path, "w");
    const bool written = f && fputs(text, f) >= 0;
    if (!f || fclose(f) || !written)
        return td_fail_errno(err, "--ttmetal: %s", path);
    return 0;
}

static int read_answer(struct ttmetal *m, const char *path, struct td_err *err)
{
    char line[512];
    uint32_t bytes = 0;
    int found = 0;
    FILE *f = fopen(path, "r");
    while (f && found != 4 && fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "# tendril ");
        found = at ? sscanf(at, "# tendril %u %u %u %u", &m->lanes, &bytes, &m->go, &m->go_number) : 0;
    }
    if (f)
        fclose(f);
    const uint32_t control = TD_TILE_CTRL_BYTES + CORES * TD_LANE_CTRL_BYTES;
    const uint32_t slots = bytes > control ? (bytes - control) / (TD_SLOT_BYTES * CORES) : 0;
    for (m->ring_slots = 16; 2 * m->ring_slots <= slots;)
        m->ring_slots *= 2;
    if (found != 4 || slots < 16)
        return td_fail(err, TD_E_VERSION,
                       "--ttmetal: this release of tt-metal has no place for lanes that is known");
    return 0;
}

/* The compiler knows where tt-metal's own profiler would have its buffers: they are free. */
static int ask_compiler(struct ttmetal *m, struct td_err *err)
{
    char source[400], answer[400], include[7][800], arch[40];
    const char *alias = strcmp(m->chip, "wormhole") == 0 ? "wormhole_b0" : m->chip;
    static const char *const folders[] = {"", "/tt_metal", "/tt_metal/hw/inc", "/tt_metal/hostdevcommon/api",
                                          "/tt_metal/hw/inc/internal/tt-1xx"};
    const char *argv[32] = {
        m->compiler,           "-std=c++17",          "-fno-lto",         "-Os", "-w", "-S", "-DFW_BUILD",
        "-DCOMPILE_FOR_BRISC", "-DPROCESSOR_INDEX=0", "-DTENSIX_FIRMWARE"};
    int n = 10;
    bool fits = true;
    for (size_t i = 0; i < 5; i++) {
        fits &= put_path(include[i], sizeof include[i], "-I%s%s", m->root, folders[i]);
        argv[n++] = include[i];
    }
    fits &= put_path(include[5], sizeof include[5], "-I%s%s/%s", m->root, folders[4], m->chip);
    fits &=
        put_path(include[6], sizeof include[6], "-I%s%s/%s/%s_defines", m->root, folders[4], m->chip, alias);
    argv[n++] = include[5];
    argv[n++] = include[6];
    snprintf(arch, sizeof arch, "-DARCH_%s", strcmp(m->chip, "wormhole") == 0 ? "WORMHOLE" : "BLACKHOLE");
    argv[n++] = arch;
    int rc = write_file(m, "where.cpp", question, source, sizeof source, err);
    fits &= put_path(answer, sizeof answer, "%s/where.s", m->folder.path);
    argv[n++] = source;
    argv[n++] = "-o";
    argv[n++] = answer;
    struct td_child child = {0};
    if (rc == 0 && !fits)
        rc = td_fail(err, TD_E_LIMIT, "--ttmetal: the path of tt-metal is too long");
    rc = rc ? rc : td_child_start(&child, (char *const *)argv, NULL, 0, err);
    if (rc)
        return rc;
    while (td_child_is_running(&child))
        usleep(1000);
    if (td_child_has_failed(&child, NULL, 0))
        return td_fail(err, TD_E_FORMAT, "--ttmetal: %s does not compile tt-metal's headers (see above)",
                       m->compiler);
    return read_answer(m, answer, err);
}

static int write_board(struct ttmetal *m, struct td_err *err)
{
    char text[300];
    snprintf(text, sizeof text,
             "[board]\nbase=%s\nname=%s_ttmetal\n[tensix]\nlane_base=0x%X\nring_slots=%u\n", m->chip, m->chip,
             m->lanes, m->ring_slots);
    say("lanes", "at 0x%X of each tile's L1, rings of %u slots, in the buffers of tt-metal's own profiler",
        m->lanes, m->ring_slots);
    return write_file(m, "ttmetal.board", text, m->board, sizeof m->board, err);
}

/* ---- the program's environment ---- */

static int set(const char *name, const char *value, struct td_err *err)
{
    say("sets", "%s=%s", name, value);
    return setenv(name, value, 1) ? td_fail_errno(err, "--ttmetal: %s", name) : 0;
}

/* A file of this installation, or of the build. */
static int find_part(const char *const *places, size_t count, char *path, size_t bytes, struct td_err *err)
{
    char real[PATH_MAX];
    for (size_t i = 0; i < count; i++)
        if (td_process_find(places[i], F_OK, path, bytes) && realpath(path, real) &&
            put_path(path, bytes, "%s", real))
            return 0;
    return td_fail(err, TD_E_NOTFOUND, "--ttmetal: %s is not next to this program",
                   strrchr(places[0], '/') + 1);
}

static int link_to(const struct ttmetal *m, const char *target, const char *name, struct td_err *err)
{
    char path[400];
    if (!put_path(path, sizeof path, "%s/%s", m->folder.path, name) || symlink(target, path))
        return td_fail_errno(err, "--ttmetal: %s", name);
    return 0;
}

/* tt-metal calls its compiler through `ccache`, which is looked for in PATH. */
static int set_compiler(const struct ttmetal *m, struct td_err *err)
{
    static const char *const places[] = {"../share/tendril/device/guest-compiler.sh"};
    char script[PATH_MAX], path[PATH_MAX], lanes[20];
    const char *old = getenv("PATH");
    int rc = find_part(places, 1, script, sizeof script, err);
    rc = rc ? rc : link_to(m, script, "ccache", err);
    if (rc == 0 && !put_path(path, sizeof path, "%s:%s", m->folder.path, old ? old : "/usr/bin:/bin"))
        rc = td_fail(err, TD_E_LIMIT, "--ttmetal: PATH is too long");
    snprintf(lanes, sizeof lanes, "0x%X", m->lanes);
    rc = rc ? rc : set("TENDRIL_GUEST_LANES", lanes, err);
    rc = rc ? rc : set("TT_METAL_CCACHE_KERNEL_SUPPORT", "1", err);
    if (rc)
        return rc;
    say("sets", "PATH=%s:..., so that tt-metal calls %s as ccache", m->folder.path, script);
    return setenv("PATH", path, 1) ? td_fail_errno(err, "--ttmetal: PATH") : 0;
}

/* Kernels that were compiled without markers, or for other lanes, are in other folders. */
static int set_cache(struct ttmetal *m, struct td_err *err)
{
    const char *cache = getenv("TT_METAL_CACHE"), *home = getenv("HOME");
    char with_slash[620];
    bool fits = cache && *cache
                    ? put_path(m->kernels, sizeof m->kernels, "%s/tendril-%s-%X", cache, m->chip, m->lanes)
                    : put_path(m->kernels, sizeof m->kernels, "%s/.cache/tt-metal-tendril-%s-%X",
                               home && *home ? home : "/tmp", m->chip, m->lanes);
    if (!fits)
        return td_fail(err, TD_E_LIMIT, "--ttmetal: the path of compiled kernels is too long: %s",
                       m->kernels);
    snprintf(with_slash, sizeof with_slash, "%s/", m->kernels);
    const int rc = td_folders_make(with_slash, 0777, err);
    return rc ? rc : set("TT_METAL_CACHE", with_slash, err);
}

/* The library in front of the vendor's lets this process reach the chip. */
static int set_simulator(struct ttmetal *m, struct td_err *err)
{
    static const char *const places[] = {"../lib/libtendril-ttsim.so",
                                         "../" TD_LIBDIR "/libtendril-ttsim.so"};
    const char *simulator = getenv("TT_METAL_SIMULATOR");
    char front[PATH_MAX], real[PATH_MAX], yaml[PATH_MAX], path[400], hold[20];
    if (!simulator || !*simulator)
        return 0;
    if (!realpath(simulator, real))
        return td_fail_errno(err, "--ttmetal: TT_METAL_SIMULATOR=%s", simulator);
    const char *name = strrchr(simulator, '/');
    name = name ? name + 1 : simulator;
    int rc = 0;
    if (strstr(real, ".so") && (strstr(strrchr(real, '/'), "_x") || strstr(name, "_x")))
        rc = td_fail(err, TD_E_USAGE, "--ttmetal: %s is of several chips; one chip can be recorded so", name);
    rc = rc ? rc : find_part(places, 2, front, sizeof front, err);
    rc = rc ? rc : link_to(m, front, name, err);
    if (rc == 0 &&
        put_path(yaml, sizeof yaml, "%.*s/soc_descriptor.yaml", (int)(strrchr(real, '/') - real), real) &&
        access(yaml, R_OK) == 0)
        rc = link_to(m, yaml, "soc_descriptor.yaml", err);
    snprintf(m->at, sizeof m->at, "umd:%s/chip.sock", m->folder.path);
    snprintf(path, sizeof path, "%s/%s", m->folder.path, name);
    rc = rc ? rc : set("TENDRIL_TTSIM", real, err);
    rc = rc ? rc : set("TENDRIL_TTSIM_SOCKET", m->at + strlen("umd:"), err);
    snprintf(hold, sizeof hold, "0x%X", m->go);
    rc = rc ? rc : set("TENDRIL_TTSIM_HOLD", hold, err);
    return rc ? rc : set("TT_METAL_SIMULATOR", path, err);
}

/* ---- the firmware ---- */

/* On each tile, BRISC runs and has answered the first signal: before that, tt-metal clears the memory of the lanes. */
static int is_ready(void *self, struct td_transport *t, const struct td_board *b, struct td_err *err)
{
    const struct ttmetal *m = self;
    for (uint32_t i = 0; i < b->grid_width * b->grid_height; i++) {
        const struct td_tile_at tile = td_board_tile(b, 0, i % b->grid_width, i / b->grid_width);
        uint32_t reset = 0, number = 0, go = 0;
        int rc = t->ops->read(t, tile, b->soft_reset, &reset, sizeof reset, err);
        rc = rc ? rc : t->ops->read(t, tile, m->go_number, &number, sizeof number, err);
        rc = rc || number > 64 ? rc : t->ops->read(t, tile, m->go + 4 * number, &go, sizeof go, err);
        if (rc)
            return rc;
        if (reset & 1u << b->cores[0].reset_bit || number > 64 || go >> 24 != SIGNAL_DONE)
            return 0;
    }
    say("firmware", "runs on %ux%u tiles; lanes are set up", b->grid_width, b->grid_height);
    return 1;
}

/* Lets the program launch kernels: the library in front of the simulator's waits for this file. */
static void let_go(void *self)
{
    const struct ttmetal *m = self;
    char path[400];
    if (!put_path(path, sizeof path, "%s/chip.sock.recorded", m->folder.path))
        return;
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

int ttmetal_begin(struct ttmetal *m, struct td_recorder_board_options *board,
                  struct td_recorder_options *options, struct td_err *err)
{
    int rc = check_environment(err);
    rc = rc ? rc : find_root(m, err);
    rc = rc ? rc : find_compiler(m, err);
    rc = rc ? rc : find_chip(m, board->board, err);
    rc = rc ? rc : td_run_folder_make(&m->folder, 1 << 20, err);
    rc = rc ? rc : ask_compiler(m, err);
    rc = rc ? rc : write_board(m, err);
    rc = rc ? rc : set_compiler(m, err);
    rc = rc ? rc : set_cache(m, err);
    if (rc == 0 && !board->at)
        rc = set_simulator(m, err);
    if (rc)
        return rc;
    board->board = m->board;
    if (!board->at && m->at[0])
        board->at = m->at;
    options->ready = (struct td_recorder_ready){m, is_ready, let_go};
    return 0;
}

void ttmetal_end(struct ttmetal *m)
{
    td_run_folder_remove(&m->folder);
}
