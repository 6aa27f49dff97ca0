/* An MPI program whose ranks have a board each. In every step, a rank runs a kernel and sends a number around
 * the ring of ranks. A trace for each rank, then one of all:
 *
 *   mpirun -n 8 tendril record --rank-output ranks --grid 2x2 -- mpi
 *   mpirun -n 8 tendril-mpi merge ranks -o mpi.tracy */
#include "host/device/device.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <tracy/TracyC.h>
#include <unistd.h>

#define STEPS 5

static int run_kernel(struct td_device *device, struct td_core_at core, int step, struct td_err *err)
{
    TracyCZoneN(zone, "board", 1);
    int code = 0, rc = td_device_prepare(device, core, (unsigned)step + 1, 0, err);
    rc = rc ? rc : td_device_launch(device, err);
    rc = rc ? rc : td_device_wait(device, 10000, &code, err);
    TracyCZoneEnd(zone);
    return rc < 0 ? rc : code;
}

/* Each rank gets the number of the rank before it. */
static int exchange(int rank, int ranks)
{
    TracyCZoneN(zone, "exchange", 1);
    int got = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    TracyCZoneEnd(zone);
    return got == (rank + ranks - 1) % ranks ? 0 : 1;
}

static int run_steps(int rank, int ranks, const char *elf, struct td_err *err)
{
    struct td_core_at core = {.core = 0}; /* BRISC of the first tile */
    struct td_device *device = td_device_open(NULL, err);
    int rc = device ? td_device_load(device, core, elf, err) : -1;
    /* A rank without a board still exchanges, so that the others do not wait for it. */
    for (int step = 0; step < STEPS; step++) {
        TracyCZoneN(zone, "step", 1);
        rc = rc == 0 ? run_kernel(device, core, step, err) : rc;
        int wrong = exchange(rank, ranks);
        rc = rc == 0 ? wrong : rc;
        TracyCZoneEnd(zone);
        TracyCFrameMark;
    }
    td_device_close(device);
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    char path[4096], text[40];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    path[n > 0 ? n : 0] = 0;
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, "step.elf");
    snprintf(text, sizeof text, "rank %d of %d", rank, ranks);
    TracyCMessage(text, strlen(text));
    MPI_Barrier(MPI_COMM_WORLD);
    TracyCMessageL("all ranks are here");
    int rc = run_steps(rank, ranks, path, &err);
    MPI_Finalize();
    if (err.code)
        fprintf(stderr, "mpi: rank %d: %s\n", rank, err.text);
    return rc != 0;
}
