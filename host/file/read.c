/* The reader: reads the sections in the order of host/file/schema.h, each by its description or by its own
 * function. */
#include "host/file/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of sections for which the description is not enough. */
static void (*const own[TD_SECTION_COUNT])(struct reader *r) = {
    [TD_P0] = td_reader_header_,
    [TD_P1] = td_reader_info_,
    [TD_P2] = td_reader_texts_,
    [TD_P4] = td_reader_crash_,
    [TD_P5] = td_reader_frames_,
    [TD_P7] = td_reader_strings_,
    [TD_P8] = td_reader_pointers_,
    [TD_P9] = td_reader_thread_names_,
    [TD_P11] = td_reader_thread_table_,
    [TD_P12] = td_reader_foreign_table_,
    [TD_P13] = td_reader_static_locations_,
    [TD_P14] = td_reader_static_numbers_,
    [TD_P15] = td_reader_dynamic_locations_,
    [TD_P16] = td_reader_zone_locations_,
    [TD_P17] = td_reader_gpu_locations_,
    [TD_P20] = td_reader_extras_,
    [TD_P21] = td_reader_threads_,
    [TD_P22] = td_reader_gpu_,
    [TD_P23] = td_reader_plots_,
    [TD_P24] = td_reader_memory_,
    [TD_P27] = td_reader_app_info_,
};

static void free_reader(struct reader *r)
{
    struct td_map *maps[] = {&r->tokens, &r->pointers,    &r->thread_names, &r->thread_numbers,
                             &r->tracks, &r->static_keys, &r->dynamic_seen, &r->message_places};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        td_map_finish(maps[i]);
    free(r->strings);
    free(r->thread_ids);
    free(r->foreign_ids);
    free(r->frame_sets);
    free(r->static_locations);
    free(r->static_numbers);
    free(r->dynamic_numbers);
    free(r->locations);
    free(r->message_tokens);
    free(r->depth_left);
    free(r->scratch);
    td_in_close(&r->in);
    free(r);
}

#define FIRST_SHOWN TD_P18 /* the sections before it have facts, names and source locations */

/* Returns the section in which reading failed; TD_SECTION_COUNT: none. */
static unsigned read_sections(struct reader *r, const struct td_file_growth *growth)
{
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++) {
        if (i == FIRST_SHOWN && growth->begun)
            growth->begun(growth->self, r->trace);
        r->in.section = td_sections[i].what;
        if (i > TD_P0 && r->in.version < td_sections[i].since)
            continue;
        if (own[i])
            own[i](r);
        else
            td_reader_section_(r, &td_sections[i]);
        if (r->in.failed)
            return i;
    }
    return TD_SECTION_COUNT;
}

/* Writes a line about the data missing from section `at` on; `why` is the error's text. */
static void describe_salvaged(char *to, size_t bytes, const struct reader *r, unsigned at, const char *why)
{
    const char *what = strstr(why, "is damaged: ");
    unsigned missing = 0;
    int n = snprintf(to, bytes, "damaged at byte %" PRIu64 " of its content: %s; the rest of it is missing",
                     td_in_offset(&r->in), what ? what + strlen("is damaged: ") : why);
    for (unsigned i = at + 1; i < TD_SECTION_COUNT; i++)
        missing += r->in.version >= td_sections[i].since;
    if (missing && n > 0 && (size_t)n < bytes)
        snprintf(to + n, bytes - (size_t)n, ", and %u section%s: %s%s", missing, missing == 1 ? "" : "s",
                 td_sections[at + 1].what, missing > 1 ? " and so on" : "");
}

static bool can_be_salvaged(const struct reader *r, unsigned section)
{
    return section > TD_P0 && (r->in.failed == TD_E_FORMAT || r->in.failed == TD_E_IO);
}

static int read_payload(struct reader *r, struct td_file_read_options *options, struct td_err *err)
{
    unsigned end = read_sections(r, &options->growth);
    if (end >= FIRST_SHOWN && options->growth.begun)
        options->growth.ending(options->growth.self);
    options->version = r->in.version;
    if (r->in.failed && options->salvage && can_be_salvaged(r, end)) {
        describe_salvaged(options->salvaged, sizeof options->salvaged, r, end, err->text);
        *err = (struct td_err){0};
        r->in.failed = 0;
        if (td_trace_set_string(&td_trace_edit_info(r->trace)->salvaged, options->salvaged) < 0)
            td_in_no_memory(&r->in);
    }
    if (!r->in.failed)
        td_reader_link_(r);
    return r->in.failed;
}

static int create_model(struct reader *r, uint64_t memory_bytes)
{
    r->dict = td_dict_create();
    if (!r->dict)
        return TD_E_NOMEM;
    r->trace = td_trace_create_within(r->dict, memory_bytes);
    if (!r->trace)
        return TD_E_NOMEM;
    r->unknown = td_dict_cstring(r->dict, "???");
    return r->unknown == UINT32_MAX ? TD_E_NOMEM : 0;
}

int td_file_read(const char *path, struct td_trace **trace, struct td_err *err)
{
    return td_file_read_with(path, NULL, trace, err);
}

int td_file_read_with(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                      struct td_err *err)
{
    struct td_file_read_options defaults = {0};
    struct td_err first = {0};
    options = options ? options : &defaults;
    options->salvaged[0] = 0;
    options->version = 0;
    *trace = NULL;
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return td_fail(err, TD_E_NOMEM, "out of memory while reading '%s'", path);
    struct td_in_options in_options = {.threads = options->threads, .progress = options->progress};
    int rc = td_in_open(&r->in, path, &in_options, &first);
    if (rc == 0) {
        if (create_model(r, options->memory_bytes) < 0)
            td_in_no_memory(&r->in);
        rc = r->in.failed ? r->in.failed : read_payload(r, options, &first);
    }
    rc = rc ? rc : td_trace_finish(r->trace, &first);
    if (rc == 0)
        *trace = r->trace;
    else
        td_trace_destroy(r->trace);
    if (rc < 0)
        td_fail(err, rc, "%s", first.text);
    free_reader(r);
    return rc;
}
