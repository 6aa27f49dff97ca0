/* The program tendril-mpi: what tendril does with many traces, done by many ranks. To be started by mpirun or
 * srun. */
#include "host/base/memory.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/mpi/mpi_agree.h"
#include "host/mpi/mpi_merge.h"
#include "host/tools/files/format_option.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char details[] =
    "The ranks measure their clocks against each other, read the files of DIR, sort and pack their events at "
    "the same time, and give them to each other until rank 0 has all, which writes FILE. All ranks must see "
    "DIR. Traces are aligned by the clocks that their recorders stored; the clocks of the ranks' machines "
    "relate traces of several machines if these have not been started again since. For each file, a line "
    "says how far its times may be wrong.\n"
    "\n"
    "With --shards, each rank writes its part to a file in the folder, and nothing is sent. `tendril info`, "
    "`csvexport`, `view` and others open the folder as one trace.\n"
    "\n"
    "  mpirun -n 8 tendril record --rank-output ranks -- solver\n"
    "  mpirun -n 8 tendril-mpi merge ranks -o solver.tracy";

static int merge_command(int argc, char **argv, struct mpi_merge *m, struct td_err *err)
{
    const char *memory = NULL, *format = "any";
    long threads = 1;
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &m->output.path, "FILE", "trace to write", NULL, 0, 0},
        {0, "shards", TD_OPT_STRING, &m->shards, "DIR", "write a folder with a file of each rank instead",
         NULL, 0, 0},
        {0, "memory", TD_OPT_STRING, &memory, "SIZE",
         "keep about SIZE in memory in each rank (512M, 4G), the rest in a temporary file", NULL, 0, 0},
        {0, "threads", TD_OPT_INT, &threads, "N", "threads of each rank (default 1)", NULL, 1, 1024},
        FORMAT_OPTION_ANY(&format),
        {'q', "quiet", TD_OPT_FLAG, &m->quiet, NULL, "no line for each file", NULL, 0, 0},
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril-mpi",
        .usage = "merge -o FILE [options] DIR",
        .summary = "Merges the traces of a folder, with all ranks of an MPI job.",
        .options = options,
        .min_args = 1,
        .max_args = 1,
        .details = details,
    };
    struct td_command_args args;
    if (m->tree.rank && !freopen("/dev/null", "w", stdout)) /* one rank prints the help */
        return td_fail_errno(err, "cannot open /dev/null");
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc ? args.rc : 1;
    if (!m->output.path == !m->shards)
        return td_fail(err, TD_E_USAGE, "give -o FILE or --shards DIR: what to write");
    if (td_file_format(format, &m->options, err) < 0 ||
        (memory && td_memory_size(memory, "--memory", &m->memory_bytes, err) < 0))
        return err->code;
    m->dir = argv[1];
    m->tree.threads = (unsigned)threads;
    m->tree.memory_bytes = m->memory_bytes - m->memory_bytes / 3 * 2;
    m->options.threads = (int)threads;
    return 0;
}

static int run(int argc, char **argv, struct td_err *err)
{
    struct mpi_merge m = {.output = {.command = "tendril-mpi merge"}};
    MPI_Comm_rank(MPI_COMM_WORLD, &m.tree.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m.tree.ranks);
    const bool asks = argc == 2 && argv[1][0] == '-'; /* without an operand, only for help */
    if (!asks && (argc < 2 || strcmp(argv[1], "merge") != 0))
        return td_fail(err, TD_E_USAGE, "usage: mpirun -n RANKS tendril-mpi merge -o FILE DIR");
    int rc = merge_command(argc - !asks, argv + !asks, &m, err); /* the same on all ranks */
    if (rc)
        return rc;
    bool writes = m.tree.rank == 0 && !m.shards;
    rc = mpi_agree(writes ? output_open(&m.output, TD_OUT_KEEP_OLD, err) : 0, err);
    bool opened = writes && m.output.file;
    rc = rc ? rc : mpi_merge_run(&m, err);
    if (opened)
        output_close(&m.output);
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    int rank;
    if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
        printf("tendril-mpi %s\n", TD_VERSION);
        return fflush(stdout) != 0;
    }
    /* For man pages, also where no MPI job can start. */
    if (argc == 2 && !strncmp(argv[1], TD_DESCRIBE, strlen(TD_DESCRIBE)))
        return merge_command(argc, argv, &(struct mpi_merge){0}, &err) < 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int rc = run(argc, argv, &err);
    if (rc < 0 && rank == 0)
        fprintf(stderr, "tendril-mpi: %s\n", TD_PLAIN(err.text));
    MPI_Finalize();
    return rc < 0 ? (err.code == TD_E_USAGE ? 2 : 1) : 0;
}
