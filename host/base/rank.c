#include "host/base/rank.h"

#include <stdlib.h>

#define RANKS_MAX 100000000L

/* In the order in which they are looked for. Slurm's are last: OpenMPI's ranks inside a Slurm job have them,
 * too, and there they may be those of the daemons. */
static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};

int td_rank_find(long *rank, struct td_err *err)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        char *end;
        if (!text)
            continue;
        *rank = strtol(text, &end, 10);
        if (end == text || *end || *rank < 0 || *rank >= RANKS_MAX)
            return td_fail(err, TD_E_USAGE, "%s is not the number of a rank: '%.60s'", variables[i], text);
        return 0;
    }
    return td_fail(err, TD_E_NOTFOUND,
                   "no launcher of ranks found: none of OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK and "
                   "SLURM_PROCID is set; start this command with mpirun or srun");
}
