#include "host/base/rank.h"

#include <stdlib.h>

#define RANKS_MAX 100000000L

/* In the order in which they are looked for. Slurm's are last: OpenMPI's ranks inside a Slurm job have them,
 * too, and there they may be those of the daemons. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "PMIX_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
};

static long read_number(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;
    return text && end != text && !*end && number >= 0 && number < RANKS_MAX ? number : -1;
}

int td_rank_find(struct td_rank *rank, struct td_err *err)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (!getenv(launchers[i].rank))
            continue;
        *rank = (struct td_rank){read_number(launchers[i].rank), read_number(launchers[i].size),
                                 launchers[i].rank};
        if (rank->rank < 0)
            return td_fail(err, TD_E_USAGE, "%s is not the number of a rank: '%.60s'", launchers[i].rank,
                           getenv(launchers[i].rank));
        return 0;
    }
    return td_fail(err, TD_E_NOTFOUND,
                   "no launcher of ranks found: none of OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK and "
                   "SLURM_PROCID is set; start this command with mpirun or srun");
}
