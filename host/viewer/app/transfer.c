#include "host/viewer/app/transfer.h"
#include "host/viewer/model/file_sum.h"
#include "host/viewer/model/notes_file.h"
#include "host/viewer/model/settings.h"
#include "host/viewer/model/state_check.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/viewer/model/json_print.h"
#include "host/viewer/model/view_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (2 * TD_STORE_MAX) /* of a file: state and notes */

/* ---- out ---- */

static cJSON *read_state(const char *path, struct td_load_options *load, struct td_err *err)
{
    struct td_trace *trace = NULL;
    struct td_annotations notes = {0};
    if (td_load(path, load, "tendril view", &trace, err) < 0)
        return NULL;
    const struct td_view_model model = {.trace = trace,
                                        .file_sum = td_trace_file_sum(td_trace_get_info(trace), path)};
    cJSON *state = td_trace_state_read(&model);
    if (!state)
        state = cJSON_CreateObject();
    if (td_notes_read(&notes, td_trace_get_info(trace), model.file_sum, err) < 0) {
        cJSON_Delete(state);
        state = NULL;
    } else if (notes.count) {
        cJSON_AddItemToObject(state, "notes", td_annotations_to_json(&notes));
    }
    td_annotations_free(&notes);
    td_trace_destroy(trace);
    return state;
}

int td_settings_print(const char *path, struct td_load_options *load, struct td_err *err)
{
    struct td_settings settings;
    cJSON *state = path ? read_state(path, load, err) : NULL;
    if (path && !state)
        return err->code;
    td_settings_read(&settings);
    cJSON *all = cJSON_CreateObject();
    cJSON_AddItemToObject(all, "settings", td_settings_to_json(&settings));
    if (state)
        cJSON_AddItemToObject(all, "trace", state);
    char *text = td_json_print(all, false);
    if (text)
        puts(text);
    free(text);
    cJSON_Delete(all);
    return text ? 0 : td_fail_no_memory(err, NULL);
}

/* ---- in ---- */

/* The object in the file; NULL: *err says why there is none. */
static cJSON *read_object(const char *from, struct td_err *err)
{
    const bool is_input = !strcmp(from, "-");
    FILE *f = is_input ? stdin : fopen(from, "r");
    if (!f) {
        td_fail_errno(err, "cannot read %s", from);
        return NULL;
    }
    char *text = malloc(MOST_BYTES + 1);
    const size_t bytes = text ? fread(text, 1, MOST_BYTES + 1, f) : 0;
    const bool failed = ferror(f) != 0;
    cJSON *object = text && bytes <= MOST_BYTES ? cJSON_ParseWithLength(text, bytes) : NULL;
    if (failed)
        td_fail_errno(err, "cannot read %s", from);
    else if (!cJSON_IsObject(object))
        td_fail(err, TD_E_FORMAT, "%s is not what 'tendril view --settings' prints", from);
    if (!is_input)
        fclose(f);
    free(text);
    if (!failed && cJSON_IsObject(object))
        return object;
    cJSON_Delete(object);
    return NULL;
}

static int keep_notes(const cJSON *array, const struct td_view_model *model, struct td_err *err)
{
    struct td_annotations notes = {0};
    int rc = td_annotations_from_json(&notes, array, err);
    if (rc == 0)
        rc = td_notes_write(&notes, td_trace_get_info(model->trace), model->file_sum, err);
    td_annotations_free(&notes);
    return rc;
}

/* Replaces the state of the trace; its notes, if there are any in `state`, which loses them. */
static int keep_state(cJSON *state, const char *path, struct td_load_options *load, struct td_err *err)
{
    struct td_trace *trace = NULL;
    cJSON *notes = cJSON_DetachItemFromObjectCaseSensitive(state, "notes");
    int rc = td_load(path, load, "tendril view", &trace, err);
    const struct td_view_model model = {
        .trace = trace, .file_sum = rc == 0 ? td_trace_file_sum(td_trace_get_info(trace), path) : 0};
    if (rc == 0)
        rc = td_trace_state_put(&model, state, err);
    if (rc == 0 && notes)
        rc = keep_notes(notes, &model, err);
    cJSON_Delete(notes);
    td_trace_destroy(trace);
    return rc;
}

static int import_object(const cJSON *all, const char *path, struct td_load_options *load, struct td_err *err)
{
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(all, "settings");
    cJSON *state = cJSON_GetObjectItemCaseSensitive(all, "trace");
    struct td_settings read;
    td_settings_read(&read);
    if (!settings && !state)
        return td_fail(err, TD_E_FORMAT, "it has neither \"settings\" nor \"trace\"");
    int rc = settings ? td_settings_from_json(&read, settings, err) : 0;
    if (rc == 0 && state)
        rc = td_state_check(state, err);
    if (rc == 0 && path && !state)
        rc = td_fail(err, TD_E_FORMAT, "it has no \"trace\", the state of a trace");
    if (rc == 0 && path)
        rc = keep_state(state, path, load, err);
    if (rc == 0 && settings)
        rc = td_settings_write(&read, err);
    if (rc == 0 && state && !path)
        fprintf(stderr, "tendril view: the state of a trace is left out: add the trace's file\n");
    return rc;
}

int td_settings_import(const char *from, const char *path, struct td_load_options *load, struct td_err *err)
{
    struct td_err why = {0};
    cJSON *all = read_object(from, err);
    if (!all)
        return err->code;
    const int rc = import_object(all, path, load, &why);
    cJSON_Delete(all);
    return rc < 0 ? td_fail(err, rc, "%s: %s", from, why.text) : 0;
}
