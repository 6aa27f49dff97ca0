#include "host/agent/program.h"
#include "host/device/image/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL_PATH "/bin:/usr/bin"

enum { HEAD_BYTES = 256 };

/* The first bytes of a file; the text always ends with a NUL. */
struct elf_head {
    char bytes[HEAD_BYTES + 1];
    size_t count;
};

static void read_head(struct elf_head *head, const char *path)
{
    memset(head, 0, sizeof *head);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, head->bytes, HEAD_BYTES);
    head->count = n > 0 ? (size_t)n : 0;
    if (fd >= 0)
        close(fd);
}

/* The machine that an ELF is for; EM_NONE: not an ELF. Reads little-endian ELFs only. */
static unsigned machine_of(const struct elf_head *head)
{
    uint16_t machine = EM_NONE;
    const size_t at = offsetof(Elf32_Ehdr, e_machine); /* the same for 32 and 64 bits */
    if (head->count >= at + sizeof machine && memcmp(head->bytes, ELFMAG, SELFMAG) == 0)
        memcpy(&machine, head->bytes + at, sizeof machine);
    return machine;
}

static bool is_text(const struct elf_head *head)
{
    return !memchr(head->bytes, 0, head->count);
}

static int fail_kernel(const char *name, struct td_err *err)
{
    return td_fail(err, TD_E_USAGE,
                   "cannot start %s: it is code for RISC-V cores, not a program of this machine; name the "
                   "program that loads it onto the board's cores (td_device_load())",
                   name);
}

/* A kernel that was built with this project's runtime. Without this check, a machine that emulates RISC-V
 * programs would run it without a board. */
static bool is_kernel(const char *path, const struct elf_head *head)
{
    struct td_image *image = machine_of(head) == EM_RISCV ? td_image_open(path, NULL) : NULL;
    const int is_ours = image && td_image_table(image);
    td_image_close(image);
    return is_ours;
}

/* Searches PATH for a name without a slash. False: not found. A file that is not executable is found only if
 * there is no other. */
static bool search_path(const char *name, char *path, size_t bytes)
{
    const char *folders = getenv("PATH");
    char one[4096];
    bool found = false;
    for (const char *f = folders ? folders : USUAL_PATH; f; f = strchr(f, ':') ? strchr(f, ':') + 1 : NULL) {
        struct stat st;
        const int length = (int)strcspn(f, ":");
        int n = snprintf(one, sizeof one, "%.*s%s%s", length, f, length ? "/" : "./", name);
        if (n < 0 || (size_t)n >= sizeof one || (size_t)n >= bytes || stat(one, &st) || !S_ISREG(st.st_mode))
            continue;
        const int may_run = access(one, X_OK) == 0;
        if (may_run || !found)
            memcpy(path, one, (size_t)n + 1);
        found = true;
        if (may_run)
            break;
    }
    return found;
}

static int fail_folder(const char *name, struct td_err *err)
{
    return td_fail(err, TD_E_USAGE, "cannot start %s: it is a folder, not a program", name);
}

static int fail_missing(const char *name, struct td_err *err)
{
    struct stat st;
    const int is_here = stat(name, &st) == 0;
    if (is_here && S_ISDIR(st.st_mode))
        return fail_folder(name, err);
    if (is_here)
        return td_fail(err, TD_E_NOTFOUND,
                       "cannot start %s: no folder in PATH has it; for the file in this folder write ./%s",
                       name, name);
    return td_fail(err, TD_E_NOTFOUND, "cannot start %s: no folder in PATH has it", name);
}

static int locate(struct td_program *p, const char *name, struct td_err *err)
{
    if (!*name)
        return td_fail(err, TD_E_USAGE, "cannot start a program without a name");
    if (strlen(name) >= sizeof p->path) {
        errno = ENAMETOOLONG;
        return td_fail_errno(err, "cannot start %.100s...", name);
    }
    if (!strchr(name, '/'))
        return search_path(name, p->path, sizeof p->path) ? 0 : fail_missing(name, err);
    strcpy(p->path, name);
    return 0;
}

int td_program_find(struct td_program *p, const char *name, struct td_err *err)
{
    struct stat st;
    struct elf_head head;
    int rc = locate(p, name, err);
    if (rc < 0)
        return rc;
    if (stat(p->path, &st) != 0) {
        const int is_missing = errno == ENOENT;
        rc = td_fail_errno(err, "cannot start %s", name);
        return is_missing ? TD_E_NOTFOUND : rc;
    }
    if (S_ISDIR(st.st_mode))
        return fail_folder(name, err);
    if (!S_ISREG(st.st_mode))
        return td_fail(err, TD_E_USAGE, "cannot start %s: it is not a regular file", name);
    read_head(&head, p->path);
    p->is_binary = !is_text(&head);
    if (is_kernel(p->path, &head))
        return fail_kernel(name, err);
    if (access(p->path, X_OK) == 0)
        return 0;
    const int error = errno;
    if (machine_of(&head) == EM_RISCV && head.bytes[EI_CLASS] == ELFCLASS32)
        return fail_kernel(name, err);
    if (error == EACCES && !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        return td_fail(err, TD_E_USAGE,
                       "cannot start %s: it is not executable; if it is a program, chmod +x makes it so",
                       name);
    errno = error;
    return td_fail_errno(err, "cannot start %s", name);
}

/* Fails for a script, or a binary, whose interpreter is missing. */
static int fail_interpreter(const char *name, struct elf_head *head, struct td_err *err)
{
    char *what = head->bytes + 2 + strspn(head->bytes + 2, " \t");
    what[strcspn(what, " \t\r\n")] = 0;
    return td_fail(err, TD_E_NOTFOUND,
                   "cannot start %s: its first line names the interpreter %s, which is missing", name, what);
}

int td_program_refused(const struct td_program *p, const char *name, int why, struct td_err *err)
{
    struct elf_head head;
    read_head(&head, p->path);
    const unsigned machine = machine_of(&head);
    if (why == ENOEXEC && machine == EM_RISCV)
        return fail_kernel(name, err);
    if (why == ENOEXEC && machine != EM_NONE)
        return td_fail(err, TD_E_USAGE,
                       "cannot start %s: it is an ELF that this machine does not run (of machine number %u)",
                       name, machine);
    if (why == ENOEXEC)
        return td_fail(err, TD_E_USAGE, "cannot start %s: it is neither a program nor a script", name);
    if (why == ENOENT && strncmp(head.bytes, "#!", 2) == 0)
        return fail_interpreter(name, &head, err);
    if (why == ENOENT && machine != EM_NONE)
        return td_fail(err, TD_E_NOTFOUND, "cannot start %s: the loader that it asks for is missing", name);
    errno = why;
    return td_fail_errno(err, "cannot start %s", name);
}
