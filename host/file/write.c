/* The writer: writes the sections in the order of host/file/schema.h, each by its description or by its own
 * function. */
#include "host/file/writer.h"

/* The functions of sections for which the description is not enough. */
static void (*const own[TD_SECTION_COUNT])(struct writer *w) = {
    [TD_P1] = td_writer_info_,
    [TD_P2] = td_writer_texts_,
    [TD_P4] = td_writer_crash_,
    [TD_P5] = td_writer_frames_,
    [TD_P6] = td_writer_sections_,
    [TD_P7] = td_writer_strings_,
    [TD_P8] = td_writer_pointers_,
    [TD_P9] = td_writer_thread_names_,
    [TD_P11] = td_writer_thread_table_,
    [TD_P12] = td_writer_foreign_table_,
    [TD_P13] = td_writer_static_locations_,
    [TD_P14] = td_writer_static_numbers_,
    [TD_P15] = td_writer_dynamic_locations_,
    [TD_P16] = td_writer_zone_counts_,
    [TD_P17] = td_writer_gpu_zone_counts_,
    [TD_P20] = td_writer_extras_,
    [TD_P21] = td_writer_threads_,
    [TD_P22] = td_writer_gpu_,
    [TD_P23] = td_writer_plots_,
    [TD_P24] = td_writer_memory_,
    [TD_P27] = td_writer_app_info_,
};

static void put_header(struct writer *w)
{
    td_out_bytes(&w->out, TD_FILE_MAGIC_PAYLOAD, 5);
    td_out_u8(&w->out, w->version >> 16);
    td_out_u8(&w->out, w->version >> 8 & 0xff);
    td_out_u8(&w->out, w->version & 0xff);
}

static void put_sections(struct writer *w)
{
    put_header(w);
    for (unsigned i = TD_P1; i < TD_SECTION_COUNT && !w->out.failed && !w->failed; i++) {
        if (w->version < td_sections[i].since)
            continue;
        if (own[i])
            own[i](w);
        else
            td_writer_section_(w, &td_sections[i]);
    }
}

/* The oldest version that can hold this trace like the others. 0.9.1 has no mark of a capture on demand (it
 * follows from frames before the connection) and no power plots. */
static uint32_t common_version(const struct td_trace *trace)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    const struct td_dict *dict = td_trace_dict(trace);
    if ((info->on_demand != 0) != (info->frame_offset != 0))
        return TD_FILE_VERSION(0, 10, 0);
    for (uint32_t i = 0; i < td_dict_plot_count(dict); i++) {
        const struct td_plot *plot = td_dict_get_plot(dict, i);
        if (plot->kind == TD_PLOT_POWER || plot->format == 3)
            return TD_FILE_VERSION(0, 10, 0);
    }
    return TD_FILE_VERSION(0, 9, 1);
}

/* The version to write; 0: it cannot be written. */
static uint32_t wanted_version(const struct td_trace *trace, const struct td_file_options *options)
{
    uint32_t fork = TD_FILE_VERSION(0, 10, 0);
    if (options->tenstorrent)
        return !options->version || options->version == fork ? fork : 0;
    if (!options->version)
        return common_version(trace);
    return options->version >= TD_FILE_VERSION_OLDEST && options->version <= TD_FILE_VERSION_NEWEST
               ? options->version
               : 0;
}

static uint64_t bytes_of_rows(const struct writer *w, const struct td_schema_list *list)
{
    static const uint8_t sizes[] = {
#define TD_X(name, bytes, class, text) bytes,
        TD_FIELD_KINDS(TD_X)
#undef TD_X
    };
    enum td_table table = (enum td_table)list->table;
    uint64_t bytes = 0, rows = 0, inner = 0;
    for (uint64_t i = 0; list->form == TD_LIST_ROWS && i < td_trace_lists(w->trace, table); i++)
        rows += td_series_count(td_trace_list(w->trace, table, i));
    for (unsigned i = 0; i < list->field_count; i++) {
        const struct td_field *field = &list->fields[i];
        if (field->list && field->list != list)
            inner += bytes_of_rows(w, field->list);
        else if (td_field_is_in(field, w->version))
            bytes += sizes[field->kind];
    }
    return rows * bytes + inner;
}

/* An estimate of the payload's size, for the progress. */
static uint64_t expected_bytes(const struct writer *w)
{
    uint64_t bytes = TD_FILE_BLOCK_BYTES;
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++) {
        if (!(w->strip & td_sections[i].strip))
            bytes += bytes_of_rows(w, &td_sections[i].body);
    }
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++)
        bytes += td_trace_track_zones(w->trace, t) * (td_writer_is_in_context_(w, t) ? 47 : 26);
    for (uint32_t i = 0; i < w->string_count; i++) {
        size_t text;
        td_writer_text_(w, i, &text);
        bytes += 16 + text;
    }
    return bytes;
}

static int write_as(struct writer *w, const char *path, const struct td_file_options *options,
                    struct td_err *err)
{
    struct td_out_options out_options = {.parallel = w->version > TD_FILE_VERSION(0, 10, 0),
                                         .packing = options->packing,
                                         .level = options->level,
                                         .streams = options->streams,
                                         .threads = options->threads,
                                         .file = options->file,
                                         .progress = options->progress};
    int rc = td_writer_number_(w, err);
    rc = rc ? rc : td_out_open(&w->out, path, &out_options, err);
    if (rc < 0)
        return rc;
    w->out.expected = expected_bytes(w);
    put_sections(w);
    rc = td_out_close(&w->out, w->failed, err);
    return rc == 0 && w->failed ? td_fail(err, TD_E_NOMEM, "out of memory while writing '%s'", path) : rc;
}

int td_file_write(const struct td_trace *trace, const char *path, const struct td_file_options *options,
                  struct td_err *err)
{
    const struct td_file_options defaults = {0};
    if (!options)
        options = &defaults;
    struct writer w = {.trace = trace,
                       .dict = td_trace_dict(trace),
                       .info = td_trace_get_info(trace),
                       .version = wanted_version(trace, options),
                       .tenstorrent = options->tenstorrent,
                       .strip = options->strip,
                       .contexts_wanted = options->contexts};
    if (!w.version)
        return td_fail(err, TD_E_USAGE,
                       options->tenstorrent ? "files for Tenstorrent's fork have version 0.10.0"
                                            : "files can be written for versions 0.9.0 to 0.14.0");
    int rc = write_as(&w, path, options, err);
    td_writer_free_(&w);
    td_writer_make_notice_(&w);
    if (options->notice)
        *options->notice = w.notice;
    return rc;
}
