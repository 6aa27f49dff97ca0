#include "host/tools/files/tt_inputs.h"
#include "host/agent/import/importer.h"
#include "host/base/grow.h"
#include "proto/tt/device_log.h"
#include "proto/tt/messages.h"
#include "proto/tt/noc_trace.h"
#include "proto/tt/ops_report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LOGS ".logs" /* the folder in which tt-metal's tools leave the files */

static const char purpose[] = "for the names of files"; /* of td_fail_no_memory() */

static int add_path(struct tt_inputs *inputs, const char *path, struct td_err *err)
{
    if (td_grow(&inputs->paths, &inputs->capacity, inputs->count + 1, sizeof *inputs->paths))
        return td_fail_no_memory(err, purpose);
    char *copy = strdup(path);
    if (!copy)
        return td_fail_no_memory(err, purpose);
    inputs->paths[inputs->count++] = copy;
    return 0;
}

static bool has_ends(const char *name, const char *prefix, const char *suffix)
{
    const size_t bytes = strlen(name), end = strlen(suffix);
    return !strncmp(name, prefix, strlen(prefix)) && bytes > end && !strcmp(name + bytes - end, suffix);
}

static enum td_tt_file_kind kind_of(const char *name)
{
    if (!strcmp(name, TD_TT_DEVICE_LOG))
        return TD_TT_FILE_LOG;
    if (has_ends(name, TD_TT_OPS_PREFIX, ".csv"))
        return TD_TT_FILE_REPORT;
    if (!strcmp(name, TD_TT_OPS_DATA_FILE))
        return TD_TT_FILE_MESSAGES;
    if (!strcmp(name, TD_TT_SYNC_FILE))
        return TD_TT_FILE_CLOCKS;
    return has_ends(name, TD_TT_NOC_PREFIX, ".json") ? TD_TT_FILE_NOC : TD_TT_FILE_NONE;
}

/* Adds the files of one kind in a folder, in order of their names. A folder that is missing has none. */
static int add_kind(struct tt_inputs *inputs, const char *folder, enum td_tt_file_kind kind,
                    struct td_err *err)
{
    struct dirent **names;
    char path[4200];
    const int count = scandir(folder, &names, NULL, alphasort);
    int bad = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (!bad && kind_of(names[i]->d_name) == kind)
            bad = add_path(inputs, path, err);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return count < 0 && errno != ENOENT && errno != ENOTDIR ? td_fail_errno(err, "cannot read %s", folder)
                                                            : bad;
}

static int add_folder(struct tt_inputs *inputs, const char *path, struct td_err *err)
{
    static const enum td_tt_file_kind kinds[] = {TD_TT_FILE_REPORT, TD_TT_FILE_MESSAGES, TD_TT_FILE_LOG,
                                                 TD_TT_FILE_NOC};
    char logs[4200];
    snprintf(logs, sizeof logs, "%s/" LOGS, path);
    int bad = add_kind(inputs, path, TD_TT_FILE_CLOCKS, err);
    bad = bad ? bad : add_kind(inputs, logs, TD_TT_FILE_CLOCKS, err);
    const size_t before = inputs->count; /* clocks alone are no input */
    size_t had = before;
    bool has_log = false;
    for (unsigned i = 0; i < 4 && !bad; i++) {
        if (kinds[i] == TD_TT_FILE_MESSAGES && inputs->count > before)
            continue; /* the report has the operations */
        had = inputs->count;
        bad = add_kind(inputs, path, kinds[i], err);
        bad = bad ? bad : add_kind(inputs, logs, kinds[i], err);
        has_log |= kinds[i] == TD_TT_FILE_LOG && inputs->count > had;
    }
    for (; has_log && inputs->count > had; inputs->left_out++)
        free(inputs->paths[--inputs->count]);
    if (bad || inputs->count > before)
        return bad;
    return td_fail(err, TD_E_NOTFOUND,
                   "%s: neither this folder nor its folder " LOGS " has " TD_TT_DEVICE_LOG
                   ", " TD_TT_OPS_PREFIX "*.csv, " TD_TT_OPS_DATA_FILE " or " TD_TT_NOC_PREFIX
                   "*.json, and no CTF trace is in it",
                   path);
}

int tt_inputs_add(struct tt_inputs *inputs, const char *path, struct td_err *err)
{
    struct stat st;
    const bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    return is_folder && !td_importer_of_folder(path) ? add_folder(inputs, path, err)
                                                     : add_path(inputs, path, err);
}

void tt_inputs_free(struct tt_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->paths[i]);
    free(inputs->paths);
}
