/* Run folders: what a start of a program removes of others' and of killed ones', and what it never touches.
 *
 * A table of folders as hostile users, accidents and other programs leave them. Each is made in a folder of
 * its own that all users share; then a user of its own starts, sweeps, and the rest is looked at. Where the
 * test runs as root these are three users; else the cases of one user run, and the others are named as
 * skipped. */
#include "host/base/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { MAKES = 300, SWEEPS = 3, NO_MEMORY_HOLDS = 62 };

enum user { SELF, OTHER, ROOT }; /* SELF sweeps */

static uid_t uid_of(enum user user)
{
    static const uid_t uids[] = {65534, 65533, 0};
    return geteuid() == 0 ? uids[user] : geteuid();
}

/* A folder where all users make files (as mode says), and one that only SELF may touch. */
struct place {
    char top[40], base[60];
};

static void shell(const char *folder, const char *command)
{
    char line[500];
    snprintf(line, sizeof line, "cd '%s' && %s", folder, command);
    if (system(line) != 0) {
        fprintf(stderr, "failed: %s\n", line);
        _exit(9);
    }
}

/* The rest of this process is `user`'s. No exit handlers run: a sanitizer's look for leaks needs rights that
 * are gone then. */
static void become(enum user user)
{
    if (geteuid() == 0 && uid_of(user) != 0 &&
        (setgroups(0, NULL) || setgid(uid_of(user)) || setuid(uid_of(user))))
        _exit(8);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a change of the user ends what was asked for before */
}

static int ended_well(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void set_up(struct place *p, mode_t mode)
{
    strcpy(p->top, "/tmp/td-folders-XXXXXX");
    assert_non_null(mkdtemp(p->top));
    snprintf(p->base, sizeof p->base, "%s/base", p->top);
    /* The precious folder looks like a killed process's, but for its name: what leads there must not be
     * followed. */
    shell(p->top, "chmod 0755 . && mkdir -m 700 base precious && echo precious >precious/data && "
                  ": >precious/tendril.lock && chmod 600 precious/tendril.lock");
    assert_int_equal(chmod(p->base, mode), 0);
    if (geteuid() == 0) {
        char line[80];
        snprintf(line, sizeof line, "chown -R %u precious", (unsigned)uid_of(SELF));
        shell(p->top, line);
    }
    setenv("TMPDIR", p->base, 1);
}

static void tear_down(struct place *p)
{
    shell("/", "rm -rf \"${TMPDIR%/base}\"");
    unsetenv("TMPDIR");
}

/* All that is in the base: names, kinds, owners, modes and links, but no times. */
static void list(const struct place *p, char *text, size_t bytes)
{
    char command[200];
    snprintf(command, sizeof command, "find '%s' -mindepth 1 -printf '%%P %%y %%U %%m %%n %%l %%s\\n' | sort",
             p->base);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    text[fread(text, 1, bytes - 1, f)] = 0;
    assert_int_equal(pclose(f), 0);
}

static void precious_is_whole(const struct place *p)
{
    char command[200];
    snprintf(command, sizeof command, "test \"$(cat '%s/precious/data')\" = precious", p->top);
    assert_int_equal(system(command), 0);
}

static int make(struct td_run_folder *f, struct td_err *err)
{
    return td_run_folder_make(f, UINT64_C(1) << NO_MEMORY_HOLDS, err);
}

/* What a killed process leaves: its lock is gone, its files are there. */
static void make_dead(struct td_run_folder *f)
{
    struct td_err err = {0};
    if (make(f, &err)) {
        fprintf(stderr, "%s\n", err.text);
        _exit(7);
    }
    close(f->lock);
    close(f->folder);
    close(f->base);
    shell(f->path, "echo board >board.bar && echo elf >.1234.elf");
}

static void sweep_as(enum user user)
{
    pid_t pid = fork();
    if (pid == 0) {
        become(user);
        td_run_folder_sweep();
        _exit(0);
    }
    assert_true(ended_well(pid));
}

#define SOCKET NULL /* instead of a command: a socket in the marker's place */

static void plant_socket(const char *folder)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = "tendril.lock"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (chdir(folder) || unlink(at.sun_path) || bind(fd, (struct sockaddr *)&at, sizeof at))
        _exit(6);
}

static void plant(enum user user, const char *in_folder, const char *in_base)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct td_run_folder f;
        become(user);
        umask(022);
        if (!in_base)
            make_dead(&f);
        if (in_base)
            shell(getenv("TMPDIR"), in_base);
        else if (in_folder)
            shell(f.path, in_folder);
        else
            plant_socket(f.path);
        _exit(0);
    }
    assert_true(ended_well(pid));
}

enum { STAYS, GOES };

static const struct hostile {
    const char *name;
    enum user user; /* who makes it */
    int fate;
    const char *in_folder; /* what is done in a killed process's folder */
    const char *in_base;   /* or, instead of that, next to such folders */
    const char *by_root;   /* done by root afterwards */
} cases[] = {
    {"as a killed process left it", SELF, GOES, ":", NULL, NULL},
    {"another user's", OTHER, STAYS, ":", NULL, NULL},
    {"root's", ROOT, STAYS, ":", NULL, NULL},
    {"entered by the group", SELF, STAYS, "chmod 0710 .", NULL, NULL},
    {"written to by all", SELF, STAYS, "chmod 0777 .", NULL, NULL},
    {"written to by all, sticky", SELF, STAYS, "chmod 1777 .", NULL, NULL},
    {"another user's, given to all", OTHER, STAYS, "chmod 0777 . *", NULL, NULL},
    {"the marker is another user's", SELF, STAYS, ":", NULL, "chown 65533 */tendril.lock"},
    {"the marker is root's", SELF, STAYS, ":", NULL, "chown 0 */tendril.lock"},
    {"the marker is read by all", SELF, STAYS, "chmod 0644 tendril.lock", NULL, NULL},
    {"the marker is a FIFO", SELF, STAYS, "rm tendril.lock && mkfifo -m 600 tendril.lock", NULL, NULL},
    {"the marker is a socket", SELF, STAYS, SOCKET, NULL, NULL},
    {"the marker is a folder", SELF, STAYS, "rm tendril.lock && mkdir -m 700 tendril.lock", NULL, NULL},
    {"the marker is a device", SELF, STAYS, ":", NULL,
     "cd * && rm tendril.lock && mknod -m 600 tendril.lock c 1 3 && chown 65534 tendril.lock"},
    {"the marker is a link to one", SELF, STAYS, "mv tendril.lock x && ln -s x tendril.lock", NULL, NULL},
    {"the marker is a link to a file elsewhere", SELF, STAYS,
     "rm tendril.lock && ln -s ../../precious/data tendril.lock", NULL, NULL},
    {"the marker is a link to nothing", SELF, STAYS, "ln -sf nothing tendril.lock", NULL, NULL},
    {"the marker has a second name", SELF, STAYS, "ln tendril.lock second", NULL, NULL},
    {"the marker is a second name of a file elsewhere", SELF, STAYS,
     "ln -f ../../precious/data tendril.lock && chmod 600 tendril.lock", NULL, NULL},
    {"the marker has another text", SELF, STAYS, "echo no run folder >tendril.lock", NULL, NULL},
    {"the marker begins like one", SELF, STAYS, "echo more >>tendril.lock", NULL, NULL},
    {"killed before the marker's text", SELF, GOES, ": >tendril.lock", NULL, NULL},
    {"killed before the marker", SELF, GOES, "rm -f tendril.lock board.bar .1234.elf", NULL, NULL},
    {"no marker, files", SELF, STAYS, "rm tendril.lock", NULL, NULL},
    {"links to files elsewhere in it", SELF, GOES,
     "ln -s ../../precious/data a && ln -s ../../precious b && ln -s nothing c", NULL, NULL},
    {"a second name of a file elsewhere in it", SELF, GOES, "ln ../../precious/data a", NULL, NULL},
    {"a FIFO in it", SELF, GOES, "mkfifo fifo", NULL, NULL},
    {"a link to a folder elsewhere", OTHER, STAYS, NULL, "ln -s ../precious tendril-run.XyZabc", NULL},
    {"the same in the old form", OTHER, STAYS, NULL, "ln -s ../precious tendril-run-99999999-XyZabc", NULL},
    {"a link of one's own", SELF, STAYS, NULL, "ln -s ../precious tendril-run.XyZabc", NULL},
    {"a link to nothing", OTHER, STAYS, NULL, "ln -s nothing tendril-run.XyZabc", NULL},
    {"a link to itself", OTHER, STAYS, NULL, "ln -s tendril-run.XyZabc tendril-run.XyZabc", NULL},
    {"a file of that name", OTHER, STAYS, NULL, "echo x >tendril-run.XyZabc", NULL},
    {"a second name of that kind", SELF, STAYS, NULL, "ln ../precious/data tendril-run.XyZabc", NULL},
    {"a FIFO of that name", OTHER, STAYS, NULL, "mkfifo -m 666 tendril-run.XyZabc", NULL},
    {"an empty folder of another user", OTHER, STAYS, NULL, "mkdir -m 777 tendril-run.XyZabc", NULL},
    {"a folder of other names", SELF, STAYS, NULL, "mkdir -m 700 tendril-walk-XyZabc tendril-ru", NULL},
};

static const char *skipped(const struct hostile *c)
{
    return geteuid() != 0 && (c->user != SELF || c->by_root) ? "skipped, needs root" : NULL;
}

static void run_case(const struct hostile *c, mode_t mode)
{
    struct place p;
    char before[4000], after[4000];
    set_up(&p, 01777);
    plant(c->user, c->in_folder, c->in_base);
    assert_int_equal(chmod(p.base, mode), 0);
    if (c->by_root)
        shell(p.base, c->by_root);
    list(&p, before, sizeof before);
    assert_true(before[0]);
    sweep_as(SELF);
    list(&p, after, sizeof after);
    assert_string_equal(after, c->fate == GOES ? "" : before);
    precious_is_whole(&p);
    tear_down(&p);
}

static void only_folders_of_killed_processes_of_this_user_go(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = skipped(&cases[i]);
        print_message("%s: %s\n", cases[i].name, why ? why : cases[i].fate == GOES ? "goes" : "stays");
        if (!why)
            run_case(&cases[i], 01777);
        if (!why) /* no sticky bit: all users may rename and remove what others made */
            run_case(&cases[i], 0777);
    }
}

/* A folder that root has taken over from a user, as in a container: root sweeps only what is root's. */
static void root_leaves_folders_of_other_users(void **state)
{
    struct place p;
    char before[4000], after[4000];
    if (geteuid() != 0) {
        print_message("skipped, needs root\n");
        return;
    }
    set_up(&p, 01777);
    plant(OTHER, ":", NULL);
    plant(OTHER, NULL, "ln -s ../precious tendril-run.XyZabc");
    list(&p, before, sizeof before);
    plant(ROOT, ":", NULL);
    sweep_as(ROOT);
    list(&p, after, sizeof after);
    assert_string_equal(after, before);
    precious_is_whole(&p);
    tear_down(&p);
}

/* What cannot be removed does not make the folder unknown. */
static void a_folder_that_resists_goes_later(void **state)
{
    struct place p;
    char text[4000];
    set_up(&p, 01777);
    plant(SELF, "mkdir sub && echo x >sub/x", NULL);
    sweep_as(SELF);
    list(&p, text, sizeof text);
    assert_non_null(strstr(text, "tendril.lock"));
    assert_null(strstr(text, "board.bar"));
    shell(p.base, "rm -r */sub");
    sweep_as(SELF);
    list(&p, text, sizeof text);
    assert_string_equal(text, "");
    tear_down(&p);
}

/* A process that has a folder; it says so on `ready`, and waits until it is killed. */
static pid_t start_holder(int new_namespace)
{
    int ready[2];
    char note;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct td_run_folder f;
        struct td_err err = {0};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (new_namespace && unshare(CLONE_NEWPID))
            _exit(3);
        pid_t inner = new_namespace ? fork() : 0;
        if (inner == 0) {
            become(SELF);
            if (make(&f, &err) || write(ready[1], "r", 1) != 1)
                _exit(4);
            for (;;)
                pause();
        }
        close(ready[1]);
        _exit(ended_well(inner));
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &note, 1), 1);
    close(ready[0]);
    return pid;
}

static void end_holder(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* After that the inner process of a namespace ends as well, soon. */
static void goes_in_the_end(struct place *p)
{
    char text[4000] = "?";
    for (int i = 0; i < 2000 && text[0]; i++) {
        sweep_as(SELF);
        list(p, text, sizeof text);
        usleep(10000);
    }
    assert_string_equal(text, "");
}

static void the_lock_says_who_lives(int in_namespace)
{
    struct place p;
    char before[4000], after[4000];
    set_up(&p, 01777);
    pid_t pid = start_holder(in_namespace);
    list(&p, before, sizeof before);
    assert_non_null(strstr(before, "tendril.lock"));
    sweep_as(SELF);
    list(&p, after, sizeof after);
    assert_string_equal(after, before);
    end_holder(pid);
    goes_in_the_end(&p);
    tear_down(&p);
}

static void a_living_process_keeps_its_folder_until_it_is_killed(void **state)
{
    the_lock_says_who_lives(0);
}

static int can_make_namespaces(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(unshare(CLONE_NEWPID) != 0);
    return ended_well(pid);
}

static void so_does_one_of_another_pid_namespace(void **state)
{
    if (can_make_namespaces())
        the_lock_says_who_lives(1);
    else
        print_message("skipped, this user makes no PID namespace\n");
}

/* From inside of a namespace no process outside has a number. */
static void one_outside_keeps_its_folder_from_a_namespace(void **state)
{
    struct place p;
    char before[4000], after[4000];
    if (!can_make_namespaces()) {
        print_message("skipped, this user makes no PID namespace\n");
        return;
    }
    set_up(&p, 01777);
    pid_t holder = start_holder(0);
    list(&p, before, sizeof before);
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWPID))
            _exit(3);
        sweep_as(SELF);
        _exit(0);
    }
    assert_true(ended_well(pid));
    list(&p, after, sizeof after);
    assert_string_equal(after, before);
    end_holder(holder);
    tear_down(&p);
}

static void removing_leaves_nothing(void **state)
{
    struct place p;
    struct td_run_folder f, none = {.path = ""};
    struct td_err err = {0};
    struct stat st;
    char text[4000];
    set_up(&p, 01777);
    assert_int_equal(make(&f, &err), 0);
    assert_int_equal(stat(f.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    shell(f.path, "echo x >board.bar && echo x >.hidden && ln -s ../../precious/data link");
    td_run_folder_remove(&f);
    assert_string_equal(f.path, "");
    td_run_folder_remove(&f);
    td_run_folder_remove(&none);
    list(&p, text, sizeof text);
    assert_string_equal(text, "");
    precious_is_whole(&p);
    tear_down(&p);
}

static void a_base_where_others_replace_folders_is_refused(void **state)
{
    struct place p;
    struct td_run_folder f;
    struct td_err err = {0};
    char text[4000];
    set_up(&p, 0777);
    assert_int_equal(make(&f, &err), TD_E_USAGE);
    assert_non_null(strstr(err.text, "chmod +t"));
    list(&p, text, sizeof text);
    assert_string_equal(text, "");
    shell(p.base, "chmod 0700 .");
    setenv("TMPDIR", "/nonexistent/folder", 1);
    err = (struct td_err){0};
    assert_int_equal(make(&f, &err), TD_E_IO);
    assert_non_null(strstr(err.text, "/nonexistent/folder"));
    setenv("TMPDIR", p.base, 1);
    tear_down(&p);
}

/* Exchanges a folder and a link to the precious one, for ever. */
static pid_t start_exchanger(const struct place *p)
{
    pid_t pid = fork();
    if (pid == 0) {
        become(OTHER);
        if (chdir(p->base) || symlink("../precious", "tendril-run.link"))
            _exit(5);
        for (;;)
            renameat2(AT_FDCWD, "tendril-run.race", AT_FDCWD, "tendril-run.link", RENAME_EXCHANGE);
    }
    return pid;
}

static void a_folder_that_is_exchanged_meanwhile_leads_nowhere(void **state)
{
    struct place p;
    set_up(&p, 01777);
    chmod(p.base, 0777);
    pid_t exchanger = start_exchanger(&p), pid = fork();
    if (pid == 0) {
        become(SELF);
        for (int i = 0; i < MAKES; i++) {
            struct stat st;
            /* What the table shows to be removed, made without commands: there are many. */
            const char *const names[] = {"tendril-run.race", "tendril-run.race/tendril.lock",
                                         "tendril-run.race/data"};
            chdir(p.base);
            mkdir(names[0], 0700);
            if (lstat(names[0], &st) == 0 && S_ISDIR(st.st_mode))
                for (int k = 1; k < 3; k++) {
                    int fd = open(names[k], O_WRONLY | O_CREAT | O_EXCL, 0600);
                    if (fd >= 0)
                        close(fd);
                }
            for (int k = 0; k < SWEEPS; k++)
                td_run_folder_sweep();
        }
        _exit(0);
    }
    assert_true(ended_well(pid));
    kill(exchanger, SIGKILL);
    waitpid(exchanger, NULL, 0);
    precious_is_whole(&p);
    tear_down(&p);
}

/* Between making a folder and locking it another start may take it for a killed process's. */
static void making_and_sweeping_at_once_never_fails(void **state)
{
    struct place p;
    char text[4000];
    set_up(&p, 01777);
    pid_t sweeper = fork();
    if (sweeper == 0) {
        become(SELF);
        for (;;)
            td_run_folder_sweep();
    }
    pid_t maker = fork();
    if (maker == 0) {
        become(SELF);
        for (int i = 0; i < MAKES; i++) {
            struct td_run_folder f;
            struct stat st, named;
            if (make(&f, NULL) || chdir(f.path) || stat("tendril.lock", &named) || fstat(f.lock, &st) ||
                st.st_ino != named.st_ino || st.st_nlink != 1)
                _exit(1);
            td_run_folder_remove(&f);
        }
        _exit(0);
    }
    assert_true(ended_well(maker));
    kill(sweeper, SIGKILL);
    waitpid(sweeper, NULL, 0);
    sweep_as(SELF);
    list(&p, text, sizeof text);
    assert_string_equal(text, "");
    tear_down(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_folders_of_killed_processes_of_this_user_go),
        cmocka_unit_test(root_leaves_folders_of_other_users),
        cmocka_unit_test(a_folder_that_resists_goes_later),
        cmocka_unit_test(a_living_process_keeps_its_folder_until_it_is_killed),
        cmocka_unit_test(so_does_one_of_another_pid_namespace),
        cmocka_unit_test(one_outside_keeps_its_folder_from_a_namespace),
        cmocka_unit_test(removing_leaves_nothing),
        cmocka_unit_test(a_base_where_others_replace_folders_is_refused),
        cmocka_unit_test(a_folder_that_is_exchanged_meanwhile_leads_nowhere),
        cmocka_unit_test(making_and_sweeping_at_once_never_fails),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
