#include "host/mpi/mpi_clock.h"
#include "host/base/clock.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 200
enum { TAG_ASK = 1, TAG_CLOCK };

static void answer_rank_0(void)
{
    for (int i = 0; i < TRIES; i++) {
        int64_t now_ns;
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        now_ns = td_mono_ns();
        MPI_Send(&now_ns, 1, MPI_INT64_T, 0, TAG_CLOCK, MPI_COMM_WORLD);
    }
}

static void ask_rank(int rank, struct mpi_clock *clock)
{
    int64_t shortest_ns = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int64_t theirs_ns, before_ns = td_mono_ns();
        MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_ASK, MPI_COMM_WORLD);
        MPI_Recv(&theirs_ns, 1, MPI_INT64_T, rank, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int64_t trip_ns = td_mono_ns() - before_ns;
        if (trip_ns >= shortest_ns)
            continue;
        shortest_ns = trip_ns;
        clock->now_ns = theirs_ns;
        clock->offset_ns = before_ns + trip_ns / 2 - theirs_ns;
        clock->error_ns = trip_ns / 2 + 1;
    }
}

void mpi_clock_measure(struct mpi_clock *clocks)
{
    int rank, ranks;
    struct td_clock_origin here;
    struct td_clock_moment now;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    td_clock_moment_take(&now);
    td_clock_origin_of_ticks(&here, &now, now.ticks, 1);
    MPI_Gather(here.boot, sizeof here.boot, MPI_BYTE, clocks, sizeof here.boot, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        char(*boots)[sizeof here.boot] = calloc((size_t)ranks, sizeof *boots);
        if (boots)
            memcpy(boots, clocks->boot, (size_t)ranks * sizeof *boots);
        memset(clocks, 0, (size_t)ranks * sizeof *clocks);
        for (int r = 0; boots && r < ranks; r++)
            memcpy(clocks[r].boot, boots[r], sizeof *boots);
        free(boots);
        clocks[0].now_ns = td_mono_ns();
    }
    for (int r = 1; r < ranks; r++) {
        MPI_Barrier(MPI_COMM_WORLD); /* the other ranks do not disturb the measurement */
        if (rank == 0)
            ask_rank(r, &clocks[r]);
        else if (rank == r)
            answer_rank_0();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void mpi_clock_apply(const struct mpi_clock *clocks, int ranks, struct td_clock_origin *origin)
{
    const struct mpi_clock *best = NULL;
    if (!origin->boot[0] || !strcmp(origin->boot, clocks[0].boot))
        return;
    for (int r = 1; r < ranks; r++)
        if (!strcmp(clocks[r].boot, origin->boot) && (!best || clocks[r].error_ns < best->error_ns))
            best = &clocks[r];
    if (!best)
        return;
    int64_t ago_ns = best->now_ns - origin->pair[0].mono_ns;
    int64_t error_ns = origin->error_ns + best->error_ns + ago_ns / 1000000 * MPI_CLOCK_DRIFT_PPM;
    if (ago_ns < 0 || error_ns >= origin->real_error_ns)
        return;
    for (unsigned i = 0; i < origin->pairs; i++)
        origin->pair[i].mono_ns += best->offset_ns;
    origin->error_ns = error_ns;
    memcpy(origin->boot, clocks[0].boot, sizeof origin->boot);
}
