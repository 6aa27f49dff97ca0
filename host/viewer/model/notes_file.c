#include "host/viewer/model/notes_file.h"
#include "host/base/path.h"
#include "host/viewer/model/json_print.h"
#include "host/base/stream.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (8 << 20)

/* The file's path; false: there is no folder for it. */
static bool notes_path(const struct td_trace_info *info, uint64_t sum, char path[PATH_MAX])
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    char name[64], file[20] = "";
    if (!data || *data != '/')
        data = NULL;
    if (!data && (!home || *home != '/'))
        return false;
    snprintf(name, sizeof name, "%s",
             info->program && *info->program ? td_path_name(info->program) : "trace");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_+", *c))
            *c = '_';
    if (sum)
        snprintf(file, sizeof file, "-%016" PRIx64, sum);
    int bytes =
        snprintf(path, PATH_MAX, "%s%s/tendril/notes/%s-%" PRIu64 "-%" PRIu64 "%s.json", data ? data : home,
                 data ? "" : "/.local/share", name, info->capture_time_s, info->pid, file);
    return bytes < PATH_MAX - 8;
}

static char *read_text(const char *path, struct td_err *err)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        if (errno != ENOENT)
            td_fail_errno(err, "cannot read %s", path);
        return NULL;
    }
    char *text = malloc(MOST_BYTES + 1);
    size_t bytes = text ? fread(text, 1, MOST_BYTES + 1, f) : 0;
    fclose(f);
    if (text && bytes <= MOST_BYTES) {
        text[bytes] = 0;
        return text;
    }
    free(text);
    td_fail(err, TD_E_LIMIT, "%s is too large", path);
    return NULL;
}

int td_notes_read(struct td_annotations *notes, const struct td_trace_info *info, uint64_t sum,
                  struct td_err *err)
{
    char path[PATH_MAX];
    struct td_err why = {0};
    if (!notes_path(info, sum, path))
        return 0;
    char *text = read_text(path, err);
    if (!text)
        return err && err->code ? err->code : 0;
    cJSON *object = cJSON_Parse(text);
    int rc = td_annotations_from_json(notes, cJSON_GetObjectItemCaseSensitive(object, "notes"), &why);
    cJSON_Delete(object);
    free(text);
    return rc < 0 ? td_fail(err, rc, "%s: %s", path, why.text) : 0;
}

static int write_text(char path[PATH_MAX], const char *text, struct td_err *err)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *f = fopen(temporary, "w");
    bool good = f && fputs(text, f) >= 0;
    good &= f && td_stream_close(f);
    if (good && rename(temporary, path) == 0)
        return 0;
    td_fail_errno(err, "cannot write %s", path);
    unlink(temporary);
    return TD_E_IO;
}

int td_notes_write(const struct td_annotations *notes, const struct td_trace_info *info, uint64_t sum,
                   struct td_err *err)
{
    char path[PATH_MAX];
    if (!notes_path(info, sum, path))
        return td_fail(err, TD_E_NOTFOUND, "notes are not kept: HOME is not set");
    if (!notes->count)
        return unlink(path) == 0 || errno == ENOENT ? 0 : td_fail_errno(err, "cannot remove %s", path);
    int rc = td_folders_make(path, 0777, err);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "notes", td_annotations_to_json(notes));
    char *text = td_json_print(object, false);
    if (rc == 0)
        rc = text ? write_text(path, text, err) : td_fail_no_memory(err, NULL);
    free(text);
    cJSON_Delete(object);
    return rc;
}
