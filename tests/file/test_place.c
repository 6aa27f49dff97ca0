/* A new file appears at its path whole or not at all; writing to pipes; stopping. */
#include "host/file/in.h"
#include "host/file/out.h"
#include "host/file/out_file.h"
#include "tests/file/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static size_t files_in_folder(void)
{
    return files_in(temporary_folder());
}

/* Writes bytes that do not compress. */
static void put_noise(struct td_out *out, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes / 8 && !out->failed; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        td_out_u64(out, seed ^ seed >> 31);
    }
}

static int write_noise(const char *path, size_t bytes, uint64_t seed, struct td_err *err)
{
    struct td_out out;
    int rc = td_out_open(&out, path, NULL, err);
    if (rc < 0)
        return rc;
    put_noise(&out, bytes, seed);
    return td_out_close(&out, 0, err);
}

/* 1: the file is what write_noise() makes. */
static int is_noise(const char *path, size_t bytes, uint64_t seed)
{
    struct td_in in;
    int same = td_in_open(&in, path, NULL, NULL) == 0;
    for (size_t i = 0; same && i < bytes / 8; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        same = td_in_u64(&in) == (seed ^ seed >> 31) && !in.failed;
    }
    if (same) {
        td_in_u8(&in);
        same = in.failed == TD_E_FORMAT;
    }
    td_in_close(&in);
    return same;
}

static void fails_without_a_trace(const char *path, size_t bytes)
{
    struct td_err err = {0};
    assert_int_equal(write_noise(path, bytes, 1, &err), TD_E_IO);
    assert_int_equal(err.code, TD_E_IO);
    assert_non_null(strstr(err.text, "cannot write"));
    assert_non_null(strstr(err.text, path));
}

static void a_limit_on_files_is_one_error_and_leaves_the_old_file_alone(void **state)
{
    char *path = temporary("kept");
    write_bytes(path, "old", 3);
    size_t files = files_in_folder();
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    fails_without_a_trace(path, 300000);   /* at the end */
    fails_without_a_trace(path, 4300000);  /* in the middle */
    fails_without_a_trace(path, 20000000); /* long before the end */
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(files_in_folder(), files);
    struct bytes kept = read_bytes(path);
    assert_int_equal(kept.count, 3);
    free(kept.data);
    free(path);
}

static int in_child(int (*run)(const char *path), const char *path)
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(run(path));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs in a child with its own mounts. 0: as expected, 77: a small disk cannot be mounted. */
static int write_to_small_disk(const char *folder)
{
    char path[300];
    struct td_err err = {0};
    snprintf(path, sizeof path, "%s/old", folder);
    if (mount("tendril", folder, "tmpfs", 0, "size=300k") < 0)
        return 77;
    if (write_noise(path, 100000, 5, NULL) < 0)
        return 1;
    if (write_noise(path, 4000000, 6, &err) != TD_E_IO || !strstr(err.text, "No space left"))
        return 2;
    if (!is_noise(path, 100000, 5))
        return 3;
    if (files_in(folder) != 1)
        return 4;
    if (write_noise(path, 120000, 7, NULL) < 0 || !is_noise(path, 120000, 7) || files_in(folder) != 1)
        return 5; /* a file is left over */
    return 0;
}

static int write_to_full_disk(const char *folder)
{
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return 77;
    return write_to_small_disk(folder);
}

/* Without /proc a file cannot get its name later, so it has one from the start. */
static int write_to_full_disk_without_proc(const char *folder)
{
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        umount2("/proc", MNT_DETACH) < 0)
        return 77;
    return write_to_small_disk(folder);
}

static void a_full_disk_is_one_error_and_leaves_the_old_file_alone(void **state)
{
    char *folder = temporary("disk");
    assert_int_equal(mkdir(folder, 0700), 0);
    int rcs[] = {in_child(write_to_full_disk, folder), in_child(write_to_full_disk_without_proc, folder)};
    for (size_t i = 0; i < 2; i++) {
        if (rcs[i] == 77)
            print_message("skipped: cannot mount a small disk here\n");
        else
            assert_int_equal(rcs[i], 0);
    }
    rmdir(folder);
    free(folder);
}

static int write_for_ever(const char *path)
{
    for (uint64_t seed = 100;; seed++) {
        if (write_noise(path, 900000, seed % 4, NULL) < 0)
            return 1;
    }
}

static void a_kill_leaves_a_whole_file(void **state)
{
    char *path = temporary("killed");
    assert_int_equal(write_noise(path, 900000, 0, NULL), 0);
    size_t files = files_in_folder();
    fflush(NULL);
    for (unsigned i = 0; i < 40; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(write_for_ever(path));
        usleep(1000 + i * 977 % 30000);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        int whole = 0;
        for (uint64_t seed = 0; seed < 4 && !whole; seed++)
            whole = is_noise(path, 900000, seed);
        assert_true(whole);
    }
    print_message("%zu files left behind by 40 kills\n", files_in_folder() - files);
    free(path);
}

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

/* ---- files that are opened long before they are written ---- */

static int put_bytes(struct td_out_file *file)
{
    struct td_err err = {0};
    int rc = td_out_file_write(file, "bytes", 5, NULL, NULL, &err);
    return rc < 0 ? rc : td_out_file_commit(file, &err);
}

/* 0: as expected. A new file has no name before it is written; an older file at the path stays unchanged. */
static int open_early(const char *folder)
{
    char path[300];
    struct td_err err = {0};
    snprintf(path, sizeof path, "%s/early", folder);
    struct td_out_file *file = td_out_file_open(path, TD_OUT_REPLACE, &err);
    if (!file || files_in(folder) != 0)
        return 1;
    if (put_bytes(file) < 0 || files_in(folder) != 1)
        return 2;
    td_out_file_close(file);
    chmod(path, 0604);
    file = td_out_file_open(path, TD_OUT_REPLACE, &err);
    if (!file || files_in(folder) != 1 || put_bytes(file) < 0 || mode_of(path) != 0604)
        return 3;
    td_out_file_close(file);
    if (td_out_file_open(path, TD_OUT_NEW, &err) || err.code != TD_E_EXISTS)
        return 4;
    unlink(path);
    return files_in(folder) == 0 ? 0 : 5;
}

/* 0: as expected. A file that appears at the path meanwhile is kept. */
static int keep_what_appears(const char *folder, unsigned how)
{
    char path[300];
    struct td_err err = {0};
    snprintf(path, sizeof path, "%s/meanwhile", folder);
    struct td_out_file *file = td_out_file_open(path, how, &err);
    if (!file)
        return 11;
    write_bytes(path, "precious", 8);
    int rc = put_bytes(file);
    td_out_file_close(file);
    struct bytes kept = read_bytes(path);
    int same = kept.count == 8;
    free(kept.data);
    if (rc != TD_E_EXISTS || !same || files_in(folder) != 1)
        return 12;
    unlink(path);
    return 0;
}

static int open_all_early(const char *folder)
{
    int rc = open_early(folder);
    rc = rc ? rc : keep_what_appears(folder, TD_OUT_NEW);
    return rc ? rc : keep_what_appears(folder, TD_OUT_NEW | TD_OUT_CLAIM);
}

static int open_all_early_without_proc(const char *folder)
{
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        umount2("/proc", MNT_DETACH) < 0)
        return 77;
    return open_all_early(folder);
}

static void files_opened_early_appear_when_they_are_whole_and_replace_what_they_may(void **state)
{
    char *folder = temporary("early");
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(in_child(open_all_early, folder), 0);
    int rc = in_child(open_all_early_without_proc, folder);
    if (rc == 77)
        print_message("skipped: /proc cannot be taken away here\n");
    else
        assert_int_equal(rc, 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

static void an_abandoned_file_never_appears(void **state)
{
    char *path = temporary("abandoned");
    size_t files = files_in_folder();
    struct td_out out;
    assert_int_equal(td_out_open(&out, path, NULL, NULL), 0);
    put_noise(&out, 5000000, 1);
    assert_int_equal(td_out_close(&out, 1, NULL), 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(files_in_folder(), files);
    free(path);
}

static void places_that_cannot_be_written_are_named(void **state)
{
    struct td_out out;
    struct td_err err = {0};
    assert_int_equal(td_out_open(&out, "/nowhere/at/all.tracy", NULL, &err), TD_E_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all.tracy"));
    err = (struct td_err){0};
    assert_int_equal(td_out_open(&out, temporary_folder(), NULL, &err), TD_E_USAGE);
    err = (struct td_err){0};
    assert_int_equal(td_out_open(&out, "/dev/fd/987", NULL, &err), TD_E_IO);
    assert_non_null(strstr(err.text, "/dev/fd/987"));
}

static void options_that_cannot_be_are_refused(void **state)
{
    static const struct td_out_options bad[] = {{.streams = 256},
                                                {.streams = -1},
                                                {.level = 23},
                                                {.level = -1},
                                                {.packing = (enum td_file_packing)9}};
    char *path = temporary("bad");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct td_out out;
        struct td_err err = {0};
        assert_int_equal(td_out_open(&out, path, &bad[i], &err), TD_E_USAGE);
        assert_int_equal(err.code, TD_E_USAGE);
        assert_int_equal(access(path, F_OK), -1);
    }
    free(path);
}

static void links_stay_links_and_lead_to_the_new_file(void **state)
{
    char *path = temporary("target"), *link = temporary("link"), *chain = temporary("chain"), where[256];
    write_bytes(path, "old", 3);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(symlink("link", chain), 0);
    assert_int_equal(write_noise(chain, 1000, 1, NULL), 0);
    assert_true(readlink(link, where, sizeof where) > 0);
    assert_true(is_noise(path, 1000, 1));
    assert_int_equal(unlink(path), 0); /* now the links are dangling */
    assert_int_equal(write_noise(chain, 1000, 2, NULL), 0);
    assert_true(readlink(chain, where, sizeof where) > 0);
    assert_true(is_noise(path, 1000, 2));
    free(path);
    free(link);
    free(chain);
}

static void permissions_are_kept_and_new_files_get_the_usual_ones(void **state)
{
    char *path = temporary("mode");
    mode_t before = umask(027);
    assert_int_equal(write_noise(path, 1000, 1, NULL), 0);
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0606), 0);
    assert_int_equal(write_noise(path, 1000, 2, NULL), 0);
    assert_int_equal(mode_of(path), 0606);
    assert_true(is_noise(path, 1000, 2));
    umask(before);
    free(path);
}

/* ---- pipes ---- */

static int pipe_from_child(int (*run)(int fd), pid_t *pid)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    *pid = fork();
    assert_true(*pid >= 0);
    if (*pid == 0) {
        close(ends[0]);
        _exit(run(ends[1]));
    }
    close(ends[1]);
    return ends[0];
}

static int write_to_standard_output(int fd)
{
    return dup2(fd, STDOUT_FILENO) < 0 || close(fd) < 0 || write_noise("-", 3000000, 9, NULL) < 0;
}

static void standard_output_and_input_are_pipes_as_well(void **state)
{
    pid_t pid;
    int status, fd = pipe_from_child(write_to_standard_output, &pid), before = dup(STDIN_FILENO);
    assert_true(dup2(fd, STDIN_FILENO) >= 0);
    assert_true(is_noise("-", 3000000, 9));
    assert_true(dup2(before, STDIN_FILENO) >= 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fd);
    close(before);
}

static int write_to_folder_of_descriptors(int fd)
{
    char path[40];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    return write_noise(path, 400000, 3, NULL) < 0;
}

static void pipes_have_names_too(void **state)
{
    pid_t pid;
    char path[40];
    int status, fd = pipe_from_child(write_to_folder_of_descriptors, &pid);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_true(is_noise(path, 400000, 3));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(fd);
}

static void devices_are_written_directly(void **state)
{
    assert_int_equal(write_noise("/dev/null", 1000000, 1, NULL), 0);
    assert_int_equal(access("/dev/null", W_OK), 0);
}

/* ---- stopping ---- */

struct stopper {
    uint64_t done, total;
    unsigned calls, stop_at;
};

static int step(void *self, uint64_t done, uint64_t total)
{
    struct stopper *s = self;
    assert_true(done >= s->done);
    s->done = done;
    s->total = total;
    return ++s->calls >= s->stop_at;
}

static void writing_can_be_stopped_and_leaves_nothing(void **state)
{
    char *path = temporary("stopped");
    size_t files = files_in_folder();
    struct stopper s = {.stop_at = 2};
    struct td_out_options options = {.parallel = 1, .progress = {step, &s}};
    struct td_out out;
    struct td_err err = {0};
    assert_int_equal(td_out_open(&out, path, &options, &err), 0);
    out.expected = 20000000;
    put_noise(&out, 20000000, 1);
    assert_int_equal(out.failed, TD_E_STOPPED);
    assert_int_equal(td_out_close(&out, 0, &err), TD_E_STOPPED);
    assert_int_equal(err.code, TD_E_STOPPED);
    assert_int_equal(s.calls, 2);
    assert_int_equal(s.total, 20000000);
    assert_true(s.done > 0 && s.done < 20000000);
    assert_int_equal(files_in_folder(), files);
    free(path);
}

static void a_pipe_that_nobody_reads_can_be_stopped(void **state)
{
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    struct stopper s = {.stop_at = 3};
    struct td_out_options options = {.progress = {step, &s}};
    struct td_out out;
    struct td_err err = {0};
    assert_int_equal(td_out_open(&out, path, &options, &err), 0);
    put_noise(&out, 900000, 1);
    assert_int_equal(td_out_close(&out, 0, &err), TD_E_STOPPED);
    close(ends[0]);
    close(ends[1]);
}

static void reading_can_be_stopped(void **state)
{
    char *path = temporary("read");
    assert_int_equal(write_noise(path, 8000000, 1, NULL), 0);
    for (int threads = 1; threads <= 2; threads++) {
        struct stopper s = {.stop_at = 3};
        struct td_in_options options = {.threads = threads, .progress = {step, &s}};
        struct td_in in;
        struct td_err err = {0};
        assert_int_equal(td_in_open(&in, path, &options, &err), 0);
        td_in_skip(&in, 8000000);
        assert_int_equal(in.failed, TD_E_STOPPED);
        assert_int_equal(err.code, TD_E_STOPPED);
        assert_true(s.done > 0 && s.done < s.total);
        td_in_close(&in);
    }
    free(path);
}

/* Also while threads decode: 640 KiB come, then nothing. */
static void a_pipe_that_falls_silent_can_be_stopped(void **state)
{
    char *file = temporary("silent"), path[40];
    assert_int_equal(write_noise(file, 4000000, 1, NULL), 0);
    struct bytes whole = read_bytes(file);
    for (size_t some = 0; some <= 40 * 16384; some += 40 * 16384) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        if (some && fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0)
            some = 60000;
        assert_int_equal(write(ends[1], whole.data, some), some);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        struct stopper s = {.stop_at = 4};
        struct td_in_options options = {.threads = 2, .progress = {step, &s}};
        struct td_in in;
        struct td_err err = {0};
        if (td_in_open(&in, path, &options, &err) == 0)
            td_in_skip(&in, 4000000);
        assert_int_equal(err.code, TD_E_STOPPED);
        td_in_close(&in);
        close(ends[0]);
        close(ends[1]);
    }
    free(whole.data);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_on_files_is_one_error_and_leaves_the_old_file_alone),
        cmocka_unit_test(a_full_disk_is_one_error_and_leaves_the_old_file_alone),
        cmocka_unit_test(a_kill_leaves_a_whole_file),
        cmocka_unit_test(files_opened_early_appear_when_they_are_whole_and_replace_what_they_may),
        cmocka_unit_test(an_abandoned_file_never_appears),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(options_that_cannot_be_are_refused),
        cmocka_unit_test(links_stay_links_and_lead_to_the_new_file),
        cmocka_unit_test(permissions_are_kept_and_new_files_get_the_usual_ones),
        cmocka_unit_test(standard_output_and_input_are_pipes_as_well),
        cmocka_unit_test(pipes_have_names_too),
        cmocka_unit_test(devices_are_written_directly),
        cmocka_unit_test(writing_can_be_stopped_and_leaves_nothing),
        cmocka_unit_test(a_pipe_that_nobody_reads_can_be_stopped),
        cmocka_unit_test(reading_can_be_stopped),
        cmocka_unit_test(a_pipe_that_falls_silent_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
