/* Keeps a folder of traces within limits of size and age: deletes the oldest finished files. Not
 * thread-safe. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct retention {
    uint64_t size_bytes; /* of all files together; 0: no limit */
    int64_t age_s;       /* since a file's last change; 0: no limit */
};

/* "90s", "30m", "12h", "7d"; NULL: no limit. 0 or TD_E_USAGE, which names `option`. */
int retention_parse_age(const char *text, const char *option, int64_t *age_s, struct td_err *err);
/* PROGRAM_YYYYMMDD-HHMMSS_PID.tracy, which no other name in the folder begins with. Characters of the program's
 * name that are not harmless in a file name are replaced by '_'. 0, or TD_E_NOMEM; the caller frees *path. */
int retention_file_name(const char *folder, const char *program, uint64_t pid, char **path,
                        struct td_err *err);
struct retention_calls {
    void *self;
    bool (*is_in_use)(void *self, const char *path);
    void (*deleted)(void *self, const char *path);
    /* The newest file, of so many bytes, stays although all together are larger than the limit. */
    void (*kept)(void *self, const char *path, uint64_t bytes);
};

/* Deletes files whose names retention_file_name() made, except those for which is_in_use() is true. The newest
 * one is only deleted by its age: it may just have been saved. Unfinished files (host/file/out_claim.h) and all
 * other names are left alone. 0, or TD_E_IO, TD_E_NOMEM. */
int retention_apply(const struct retention *retention, const char *folder,
                    const struct retention_calls *calls, struct td_err *err);
