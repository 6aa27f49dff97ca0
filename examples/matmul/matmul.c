/* matmul: multiplies two matrices on the board's cores and checks the product against its own.
 *
 * Usage: matmul [SIZE [RUNS]]      SIZE: rows and columns, a multiple of 16 (default 128); RUNS: default 3
 * Runs under `tendril record`, which gives it a board in $TENDRIL_BOARD.
 */
#include "examples/matmul/matmul.h"
#include "host/device/device.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tendril/ops.h>
#include <tracy/TracyC.h>
#include <unistd.h>

#define SHIFT  8
#define A_BASE 0u

static const char *const kernels[][2] = {{"BRISC", "reader.elf"},
                                         {"NCRISC", "writer.elf"},
                                         {"TRISC0", "unpack.elf"},
                                         {"TRISC1", "math.elf"},
                                         {"TRISC2", "pack.elf"}};
#define KERNELS (sizeof kernels / sizeof *kernels)

struct job {
    struct td_device *device;
    const struct td_board *board;
    uint32_t size, tiles; /* elements and tiles of a side */
    int16_t *a, *b, *c;   /* row-major */
    struct td_err err;
};

static uint32_t tile_address(const struct job *job, uint32_t matrix, uint32_t tile)
{
    uint32_t a_matrix =
        (job->tiles * job->tiles + job->board->dram_banks - 1) / job->board->dram_banks * MM_TILE_BYTES;
    return A_BASE + matrix * a_matrix + tile / job->board->dram_banks * MM_TILE_BYTES;
}

static int16_t *element(const struct job *job, int16_t *matrix, uint32_t tile, uint32_t i)
{
    uint32_t row = tile / job->tiles * MM_SIDE + i / MM_SIDE;
    uint32_t column = tile % job->tiles * MM_SIDE + i % MM_SIDE;
    return &matrix[(size_t)row * job->size + column];
}

/* Cuts a matrix into tiles and writes them over the DRAM banks. */
static int write_matrix(struct job *job, uint32_t number, int16_t *matrix)
{
    TracyCZoneN(zone, "tilize and write", 1);
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < job->tiles * job->tiles; t++) {
        int16_t tile[MM_ELEMENTS];
        for (uint32_t i = 0; i < MM_ELEMENTS; i++)
            tile[i] = *element(job, matrix, t, i);
        rc = td_device_dram_write(job->device, 0, t % job->board->dram_banks, tile_address(job, number, t),
                                  tile, sizeof tile, &job->err);
    }
    TracyCZoneEnd(zone);
    return rc;
}

static int read_matrix(struct job *job, uint32_t number, int16_t *matrix)
{
    TracyCZoneN(zone, "read and untilize", 1);
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < job->tiles * job->tiles; t++) {
        int16_t tile[MM_ELEMENTS];
        rc = td_device_dram_read(job->device, 0, t % job->board->dram_banks, tile_address(job, number, t),
                                 tile, sizeof tile, &job->err);
        for (uint32_t i = 0; rc == 0 && i < MM_ELEMENTS; i++)
            *element(job, matrix, t, i) = tile[i];
    }
    TracyCZoneEnd(zone);
    return rc;
}

/* Arguments and empty circular buffers in one Tensix tile. */
static int write_args(struct job *job, uint16_t x, uint16_t y)
{
    const struct td_board *board = job->board;
    struct mm_args args = {.mt = job->tiles,
                           .kt = job->tiles,
                           .nt = job->tiles,
                           .first = y * board->grid_width + x,
                           .stride = board->grid_width * board->grid_height,
                           .shift = SHIFT,
                           .banks = board->dram_banks,
                           .a_base = tile_address(job, 0, 0),
                           .b_base = tile_address(job, 1, 0),
                           .c_base = tile_address(job, 2, 0)};
    for (uint32_t i = 0; i < args.banks; i++) {
        args.bank_x[i] = board->dram_x[i];
        args.bank_y[i] = board->dram_y[i];
    }
    uint32_t next = board->data_base + (uint32_t)sizeof args;
    int rc = 0;
#define BUFFER(name, page_bytes, pages)                                                                      \
    rc = rc ? rc : td_device_cb(job->device, 0, x, y, page_bytes, pages, &next, &args.name, &job->err);
    MM_BUFFERS(BUFFER)
#undef BUFFER
    rc = rc ? rc : td_device_write(job->device, 0, x, y, board->data_base, &args, sizeof args, &job->err);
    return rc;
}

/* The kernels' ELFs are in this program's folder. */
static void kernel_path(const char *name, char *path, size_t bytes)
{
    char self[3800];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    snprintf(path, bytes, "%s/%s", self, name);
}

static int for_all_cores(struct job *job,
                         int (*do_core)(struct job *, struct td_core_at, size_t kernel, uint32_t op),
                         uint32_t op)
{
    for (uint16_t y = 0; y < job->board->grid_height; y++)
        for (uint16_t x = 0; x < job->board->grid_width; x++)
            for (size_t k = 0; k < KERNELS; k++) {
                int core = td_device_core(job->device, kernels[k][0]);
                if (core < 0)
                    return td_fail(&job->err, core, "this board has no core %s", kernels[k][0]);
                struct td_core_at at = {.x = x, .y = y, .core = (uint16_t)core};
                int rc = do_core(job, at, k, op);
                if (rc < 0)
                    return rc;
            }
    return 0;
}

static int load(struct job *job, struct td_core_at at, size_t kernel, uint32_t op)
{
    (void)op;
    char path[4096];
    kernel_path(kernels[kernel][1], path, sizeof path);
    return td_device_load(job->device, at, path, &job->err);
}

static int prepare(struct job *job, struct td_core_at at, size_t kernel, uint32_t op)
{
    (void)kernel;
    return td_device_prepare(job->device, at, op, job->board->data_base, &job->err);
}

static int run(struct job *job, uint32_t op)
{
    int code = 0, rc = 0;
    TracyCZoneN(arguments, "write arguments", 1);
    for (uint16_t y = 0; rc == 0 && y < job->board->grid_height; y++)
        for (uint16_t x = 0; rc == 0 && x < job->board->grid_width; x++)
            rc = write_args(job, x, y);
    rc = rc ? rc : for_all_cores(job, prepare, op);
    TracyCZoneEnd(arguments);
    if (rc < 0)
        return rc;
    TracyCZoneN(zone, "launch and wait", 1);
    char text[48]; /* joins this zone to the kernels' own ones */
    int length = snprintf(text, sizeof text, TD_FLOW_TEXT_FORMAT, "out", TD_FLOW_LAUNCH, (unsigned long)op);
    TracyCZoneText(zone, text, (size_t)length);
    (void)length;
    rc = td_device_launch(job->device, &job->err);
    rc = rc ? rc : td_device_wait(job->device, 60000, &code, &job->err);
    TracyCZoneEnd(zone);
    if (rc == 0 && code != 0)
        rc = td_fail(&job->err, TD_E_FORMAT, "a kernel returned %d", code);
    return rc;
}

static int16_t saturate(int64_t v)
{
    return (int16_t)(v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v);
}

static int verify(struct job *job)
{
    TracyCZoneN(zone, "verify", 1);
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < job->size; i++)
        for (uint32_t j = 0; rc == 0 && j < job->size; j++) {
            int64_t sum = 0;
            for (uint32_t k = 0; k < job->size; k++)
                sum += (int32_t)job->a[i * job->size + k] * job->b[k * job->size + j];
            int16_t want = saturate((sum + (1 << (SHIFT - 1))) >> SHIFT), got = job->c[i * job->size + j];
            if (want != got)
                rc = td_fail(&job->err, TD_E_FORMAT, "element %u,%u is %d, not %d", i, j, got, want);
        }
    TracyCZoneEnd(zone);
    return rc;
}

/* Announces the run as an operation, for `tendril report`. */
static int run_operation(struct job *job, uint32_t number)
{
    char tensor[200], inputs[420], attributes[40];
    snprintf(attributes, sizeof attributes, "{\"shift\": %d}", SHIFT);
    snprintf(tensor, sizeof tensor,
             "{\"shape\": {\"W\": \"1\", \"Z\": \"1\", \"Y\": \"%u\", \"X\": \"%u\"}, \"layout\": \"TILE\", "
             "\"dtype\": \"INT16\", \"storage_type\": \"HOST\"}",
             job->size, job->size);
    snprintf(inputs, sizeof inputs, "[%s, %s]", tensor, tensor);
    struct td_op_call op =
        td_op_begin(&(struct td_op_about){.name = "Matmul", .attributes = attributes, .inputs = inputs});
    const int rc = run(job, op.id ? op.id : number);
    td_op_end(op);
    return rc;
}

static int multiply(struct job *job, unsigned runs)
{
    size_t n = (size_t)job->size * job->size;
    uint32_t seed = 1;
    for (size_t i = 0; i < 2 * n; i++) {
        seed = seed * 1664525u + 1013904223u;
        job->a[i] = (int16_t)(seed >> 24) - 128; /* b follows a */
    }
    int rc = write_matrix(job, 0, job->a);
    rc = rc ? rc : write_matrix(job, 1, job->b);
    TracyCZoneN(zone, "load kernels", 1);
    rc = rc ? rc : for_all_cores(job, load, 0);
    TracyCZoneEnd(zone);
    for (unsigned op = 1; rc == 0 && op <= runs; op++) {
        TracyCFrameMarkStart("matmul");
        rc = run_operation(job, op);
        TracyCFrameMarkEnd("matmul");
        TracyCPlot("runs done", op);
    }
    rc = rc ? rc : read_matrix(job, 2, job->c);
    return rc == 0 ? verify(job) : rc;
}

int main(int argc, char **argv)
{
    struct job job = {.size = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 128};
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 3;
    if (job.size == 0 || job.size % MM_SIDE || job.size > 4096) {
        fprintf(stderr, "matmul: the size must be a multiple of %d up to 4096\n", MM_SIDE);
        return 2;
    }
    TracyCSetThreadName("matmul host");
    TracyCZoneN(zone, "main", 1);
    job.tiles = job.size / MM_SIDE;
    job.a = malloc(3 * sizeof(int16_t) * job.size * job.size);
    job.device = job.a ? td_device_open(NULL, &job.err) : NULL;
    int rc = -1;
    if (job.device) {
        job.b = job.a + (size_t)job.size * job.size;
        job.c = job.b + (size_t)job.size * job.size;
        job.board = td_device_board(job.device);
        rc = multiply(&job, runs);
    }
    if (rc == 0) {
        printf("matmul: %ux%u on %u cores, %u runs, product verified\n", job.size, job.size,
               job.board->grid_width * job.board->grid_height * job.board->core_count, runs);
        TracyCMessageL("product verified");
    } else {
        fprintf(stderr, "matmul: %s\n", job.err.code ? job.err.text : "out of memory");
    }
    td_device_close(job.device);
    free(job.a);
    TracyCZoneEnd(zone);
    return rc == 0 ? 0 : 1;
}
