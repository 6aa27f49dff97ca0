#include "host/mpi/mpi_tree.h"
#include "host/file/file.h"
#include "host/mpi/mpi_agree.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES (1 << 20)
#define NO_TRACE    UINT64_MAX
enum { TAG_SIZE = 10, TAG_PIECE };

static void part_path(const struct mpi_tree *tree, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/part.tracy", tree->folder.path);
}

/* ---- one file ---- */

/* Sends `size` bytes. What cannot be read is sent as zeros, so that the other rank gets what it waits for. */
static int send_file(int fd, uint64_t size, int to, struct td_err *err)
{
    char *piece = malloc(PIECE_BYTES);
    int rc = piece ? 0 : td_fail_no_memory(err, "for sending a trace");
    uint64_t announced = rc == 0 ? size : NO_TRACE;
    MPI_Send(&announced, 1, MPI_UINT64_T, to, TAG_SIZE, MPI_COMM_WORLD);
    for (uint64_t done = 0; piece && done < size;) {
        size_t want = size - done < PIECE_BYTES ? (size_t)(size - done) : PIECE_BYTES;
        ssize_t n = rc == 0 ? pread(fd, piece, want, (off_t)done) : 0;
        if (n <= 0 && rc == 0)
            rc = n < 0 ? td_fail_errno(err, "cannot read a part of the trace")
                       : td_fail(err, TD_E_IO, "a part of the trace has become shorter");
        n = n > 0 ? n : (ssize_t)want;
        MPI_Send(piece, (int)n, MPI_BYTE, to, TAG_PIECE, MPI_COMM_WORLD);
        done += (uint64_t)n;
    }
    free(piece);
    return rc;
}

static int write_all(int fd, const char *data, size_t bytes, struct td_err *err)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(fd, data + done, bytes - done);
        if (n < 0)
            return td_fail_errno(err, "cannot write a part of the trace");
        done += (size_t)n;
    }
    return 0;
}

/* Receives all bytes, also after an error. */
static int receive_file(int fd, uint64_t size, int from, struct td_err *err)
{
    char *piece = malloc(PIECE_BYTES), small[4096];
    int rc = piece ? 0 : td_fail_no_memory(err, "for receiving a trace");
    for (uint64_t done = 0; done < size;) {
        MPI_Status status;
        int n;
        MPI_Probe(from, TAG_PIECE, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &n);
        char *to = piece ? piece : n <= (int)sizeof small ? small : NULL;
        if (!to) /* it cannot be taken: ends the program on all ranks */
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Recv(to, n, MPI_BYTE, from, TAG_PIECE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rc = rc == 0 ? write_all(fd, to, (size_t)n, err) : rc;
        done += (uint64_t)n;
    }
    free(piece);
    return rc;
}

/* ---- traces ---- */

static int add_file(struct mpi_tree *tree, struct td_copier *copier, const char *path, struct td_err *err)
{
    struct td_file_read_options options = {.memory_bytes = tree->memory_bytes, .threads = (int)tree->threads};
    struct td_trace *trace;
    int rc = td_file_read_with(path, &options, &trace, err);
    if (rc < 0)
        return rc;
    rc = td_copier_add(copier, trace, &(struct td_copy_options){.label = "", .threads = tree->threads}, err);
    td_trace_destroy(trace);
    return rc;
}

static int receive_one(struct mpi_tree *tree, struct td_copier *copier, int from, int failed,
                       struct td_err *err)
{
    uint64_t size;
    char path[300];
    mpi_probe_idle(from, TAG_SIZE);
    MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (size == NO_TRACE)
        return failed < 0 ? failed : TD_E_STOPPED; /* that rank reports why */
    part_path(tree, path, sizeof path);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int rc = fd < 0 ? td_fail_errno(err, "cannot write %s", path) : 0;
    int received = receive_file(fd, size, from, rc == 0 ? err : &(struct td_err){0});
    rc = rc < 0 ? rc : received;
    if (fd >= 0 && close(fd) < 0 && rc == 0)
        rc = td_fail_errno(err, "cannot write %s", path);
    if (rc == 0 && failed == 0)
        rc = add_file(tree, copier, path, err);
    unlink(path);
    return rc < 0 ? rc : failed;
}

/* In the round of `step`, rank r gives its trace to r - step if r is an odd multiple of it. */
int mpi_tree_receive(struct mpi_tree *tree, struct td_copier *copier, struct td_err *err)
{
    int rc = copier ? 0 : TD_E_STOPPED;
    for (int step = 1; step < tree->ranks && tree->rank % (2 * step) == 0; step *= 2)
        if (tree->rank + step < tree->ranks)
            rc = receive_one(tree, copier, tree->rank + step, rc, err);
    return rc;
}

int mpi_tree_send(struct mpi_tree *tree, const struct td_trace *trace, struct td_err *err)
{
    const struct td_file_options options = {
        .version = TD_FILE_VERSION_NEWEST, .packing = TD_PACK_LZ4, .threads = (int)tree->threads};
    uint64_t none = NO_TRACE;
    char path[300];
    struct stat st;
    if (tree->rank == 0)
        return 0;
    int to = tree->rank & (tree->rank - 1); /* without the lowest bit, which is the step */
    part_path(tree, path, sizeof path);
    int rc = trace ? td_file_write(trace, path, &options, err) : TD_E_STOPPED;
    int fd = rc == 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (rc == 0 && (fd < 0 || fstat(fd, &st) < 0))
        rc = td_fail_errno(err, "cannot read %s", path);
    if (rc == 0)
        rc = send_file(fd, (uint64_t)st.st_size, to, err);
    else
        MPI_Send(&none, 1, MPI_UINT64_T, to, TAG_SIZE, MPI_COMM_WORLD);
    if (fd >= 0)
        close(fd);
    unlink(path);
    return rc;
}
