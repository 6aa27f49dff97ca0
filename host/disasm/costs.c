#include "host/disasm/costs.h"
#include "host/base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUN_MS   20000 /* for one run of the program */
#define NAME_MAX 40    /* of a processor */
#define TRIES    4     /* with instructions left out that LLVM does not read */

extern char **environ;

/* One request: a line of text for each instruction. */
struct cost_request {
    enum td_code_arch arch;
    const char *processor;
    char **lines; /* NULL: not known */
    struct td_insn_cost *costs;
};
/* What a run printed. */
struct cost_answer {
    char *out, *errors;
};

static const char *triple_of(enum td_code_arch arch)
{
    switch (arch) {
    case TD_CODE_X86:
        return "-mtriple=i386";
    case TD_CODE_X64:
        return "-mtriple=x86_64";
    case TD_CODE_ARM64:
        return "-mtriple=aarch64";
    default:
        return NULL;
    }
}

/* ---- the program ---- */

static int spawn_mca(const char *const *arguments, int in, int out, int errors, pid_t *pid)
{
    static const char *const names[] = {"llvm-mca",    "llvm-mca-19", "llvm-mca-18", "llvm-mca-17",
                                        "llvm-mca-16", "llvm-mca-15", "llvm-mca-14"};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    failed = ENOENT;
    for (size_t i = 0; failed == ENOENT && i < sizeof names / sizeof *names; i++)
        failed = posix_spawnp(pid, names[i], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Negative: it did not end in time. */
static int wait_for_mca(pid_t pid)
{
    const int64_t until_ms = td_mono_ms() + RUN_MS;
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (td_mono_ms() > until_ms) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return TD_E_TIMEOUT;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return 0;
}

/* All of a file that was written, as a text; NULL: no memory. */
static char *read_back(int fd)
{
    const off_t bytes = lseek(fd, 0, SEEK_END);
    char *text = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    const ssize_t n = text ? pread(fd, text, (size_t)bytes, 0) : 0;
    if (text)
        text[n > 0 ? n : 0] = 0;
    return text;
}

/* Instructions that are not known are a nop, so that lines keep their numbers. */
static bool write_lines(int fd, const struct cost_request *r, size_t first, size_t count)
{
    FILE *file = fdopen(dup(fd), "w");
    if (!file)
        return false;
    for (size_t i = first; i < first + count; i++)
        fprintf(file, "%s\n", r->lines[i] ? r->lines[i] : "nop");
    return fclose(file) == 0 && lseek(fd, 0, SEEK_SET) == 0;
}

static int run_mca(const struct cost_request *r, size_t first, size_t count, struct cost_answer *answer,
                   struct td_err *err)
{
    char processor[NAME_MAX + 8];
    pid_t pid;
    const int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC),
              errors = memfd_create("errors", MFD_CLOEXEC);
    snprintf(processor, sizeof processor, "-mcpu=%s", r->processor);
    const char *const arguments[] = {"llvm-mca", triple_of(r->arch), processor, "-instruction-tables", NULL};
    int rc = 0;
    *answer = (struct cost_answer){0};
    if (in < 0 || out < 0 || errors < 0 || !write_lines(in, r, first, count))
        rc = td_fail_errno(err, "cannot run llvm-mca");
    const int failed = rc == 0 ? spawn_mca(arguments, in, out, errors, &pid) : 0;
    if (failed == ENOENT)
        rc = td_fail(err, TD_E_NOTFOUND,
                     "there is no program llvm-mca, which has the costs (Debian: package llvm)");
    else if (failed)
        rc = td_fail(err, TD_E_IO, "cannot run llvm-mca: %s", strerror(failed));
    if (rc == 0 && wait_for_mca(pid) < 0)
        rc = td_fail(err, TD_E_TIMEOUT, "llvm-mca does not end");
    if (rc == 0) {
        answer->out = read_back(out);
        answer->errors = read_back(errors);
        if (!answer->out || !answer->errors)
            rc = td_fail_no_memory(err, "for costs of instructions");
    }
    for (int i = 0; i < 3; i++)
        if ((const int[]){in, out, errors}[i] >= 0)
            close((const int[]){in, out, errors}[i]);
    return rc;
}

static void free_answer(struct cost_answer *answer)
{
    free(answer->out);
    free(answer->errors);
}

/* ---- its answer ---- */

/* The table after "[1] [2] [3] ... Instructions:". False: it is missing or short. */
static bool take_table(const struct cost_request *r, size_t first, size_t count, const char *text)
{
    const char *at = strstr(text, "Instructions:\n");
    for (size_t i = 0; i < count; i++) {
        struct td_insn_cost cost = {.known = true};
        at = at ? strchr(at, '\n') : NULL;
        if (!at || sscanf(++at, "%u %u %lf", &cost.uops, &cost.latency_cycles, &cost.throughput_cycles) < 2)
            return false;
        if (r->lines[first + i])
            r->costs[first + i] = cost;
    }
    return true;
}

/* Forgets the lines that LLVM does not read ("<stdin>:12:1: error: ..."). Returns their number. */
static size_t drop_refused(const struct cost_request *r, size_t first, size_t count, const char *errors)
{
    size_t dropped = 0;
    for (const char *at = errors; (at = strstr(at, "<stdin>:")); at++) {
        char *end;
        const unsigned long line = strtoul(at + sizeof "<stdin>:" - 1, &end, 10);
        const char *line_end = strchrnul(at, '\n'), *word = strstr(end, ": error:");
        if (!line || line > count || !word || word > line_end || !r->lines[first + line - 1])
            continue;
        free(r->lines[first + line - 1]);
        r->lines[first + line - 1] = NULL;
        dropped++;
    }
    return dropped;
}

static int find_costs(const struct cost_request *r, size_t first, size_t count, struct td_err *err)
{
    struct cost_answer answer;
    bool found = false, again = true;
    int rc = 0;
    for (int tries = 0; rc == 0 && !found && again && tries < TRIES; tries++) {
        rc = run_mca(r, first, count, &answer, err);
        if (rc == 0 && strstr(answer.errors, "is not a recognized processor"))
            rc =
                td_fail(err, TD_E_USAGE, "LLVM knows no %s processor '%s'; llvm-mca %s -mcpu=help lists them",
                        td_code_arch_name(r->arch), r->processor, triple_of(r->arch));
        else if (rc == 0 && strstr(answer.errors, "unable to find instruction-level scheduling information"))
            rc = td_fail(err, TD_E_NOTFOUND, "LLVM has no costs of instructions for the processor '%s'",
                         r->processor);
        found = rc == 0 && take_table(r, first, count, answer.out);
        again = rc == 0 && !found && drop_refused(r, first, count, answer.errors) > 0;
        free_answer(&answer);
    }
    if (rc < 0 || found || count < 2)
        return rc;
    /* An instruction without a model, which the program does not point at: its costs stay unknown. */
    rc = find_costs(r, first, count / 2, err);
    return rc < 0 ? rc : find_costs(r, first + count / 2, count - count / 2, err);
}

/* ---- the code as text ---- */

static int make_lines(struct cost_request *r, const uint8_t *code, size_t bytes, uint64_t address,
                      size_t count, struct td_err *err)
{
    struct td_insn insn;
    struct td_disasm *d = td_disasm_open(&(struct td_disasm_options){.arch = r->arch, .att = true}, err);
    int rc = d ? 0 : TD_E_NOMEM;
    size_t at = 0;
    for (size_t i = 0; rc == 0 && i < count && at < bytes; i++, at += insn.length) {
        td_disasm_next(d, code + at, bytes - at, address + at, &insn);
        if (insn.kind != TD_INSN_BYTES && asprintf(&r->lines[i], "%s %s", insn.mnemonic, insn.operands) < 0) {
            r->lines[i] = NULL;
            rc = td_fail_no_memory(err, "for costs of instructions");
        }
    }
    td_disasm_close(d);
    return rc;
}

static bool is_name(const char *text)
{
    const size_t bytes = strlen(text);
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            return false;
    return bytes && bytes <= NAME_MAX && text[0] != '-';
}

int td_insn_costs_find(enum td_code_arch arch, const char *processor, const uint8_t *code, size_t bytes,
                       uint64_t address, struct td_insn_cost *costs, size_t count, struct td_err *err)
{
    struct cost_request r = {.arch = arch, .processor = processor, .costs = costs};
    memset(costs, 0, count * sizeof *costs);
    if (!is_name(processor) || !strcmp(processor, "help"))
        return td_fail(err, TD_E_USAGE, "'%.60s' is no name of a processor", processor);
    if (!triple_of(arch))
        return td_fail(err, TD_E_NOTFOUND, "there are no costs of instructions for %s code",
                       td_code_arch_name(arch));
    if (!count || count > TD_COSTS_MOST)
        return count ? td_fail(err, TD_E_LIMIT, "the function is too large for costs of instructions") : 0;
    r.lines = calloc(count, sizeof *r.lines);
    if (!r.lines)
        return td_fail_no_memory(err, "for costs of instructions");
    int rc = make_lines(&r, code, bytes, address, count, err);
    rc = rc ? rc : find_costs(&r, 0, count, err);
    for (size_t i = 0; i < count; i++)
        free(r.lines[i]);
    free(r.lines);
    return rc;
}
