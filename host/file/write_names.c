/* Writes strings, threads and source locations, to which later sections refer by number. */
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "host/trace/work.h"

/* A string's token is its number + 1. */
void td_writer_strings_(struct writer *w)
{
    td_out_u64(&w->out, w->string_count);
    for (uint32_t i = 0; i < w->string_count; i++) {
        size_t bytes;
        const char *text = td_writer_text_(w, i, &bytes);
        td_out_u64(&w->out, (uint64_t)i + 1);
        td_out_text(&w->out, text, bytes);
        td_trace_work_touch(w->trace, bytes);
    }
}

static void put_name(struct writer *w, uint64_t key, uint32_t string)
{
    td_out_u64(&w->out, key);
    td_out_u64(&w->out, (uint64_t)td_writer_string_(w, string) + 1);
}

static bool is_pool_name(const struct td_series *pools, uint64_t pool)
{
    return td_series_get(pools, pool, TD_POOL_NAME) != 0;
}

/* Names that are found by a key. Equal names give equal entries, which readers accept. */
void td_writer_pointers_(struct writer *w)
{
    const struct td_crash *crash = td_trace_crash(w->trace);
    const struct td_series *pools = td_trace_table(w->trace, TD_TABLE_POOL);
    uint32_t plots = td_dict_plot_count(w->dict), sets = td_dict_frame_set_count(w->dict);
    uint64_t named = 0, pool_count = td_series_count(pools);
    for (uint64_t i = 0; i < pool_count; i++)
        named += (uint64_t)is_pool_name(pools, i);
    uint64_t base = td_writer_has_base_frames_(w) != 0;
    td_out_u64(&w->out, base + plots + (sets - 1) + named + (crash != NULL));
    if (base) {
        td_out_u64(&w->out, 0);
        td_out_u64(&w->out, (uint64_t)w->frame_string + 1);
    }
    for (uint32_t i = 0; i < plots; i++) {
        uint32_t name = td_dict_get_plot(w->dict, i)->name;
        put_name(w, td_writer_pointer_(w, name), name);
    }
    for (uint32_t i = 1; i < sets; i++) {
        uint32_t name = td_dict_get_frame_set(w->dict, i, NULL);
        put_name(w, td_writer_pointer_(w, name), name);
    }
    for (uint64_t i = 0; i < pool_count; i++) {
        uint32_t name = (uint32_t)td_series_get(pools, i, TD_POOL_NAME);
        if (is_pool_name(pools, i))
            put_name(w, td_writer_pointer_(w, name), name);
    }
    if (crash)
        put_name(w, td_writer_pointer_(w, crash->text), crash->text);
}

void td_writer_thread_names_(struct writer *w)
{
    const struct td_series *more = td_trace_table(w->trace, TD_TABLE_THREAD_NAME);
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t named = td_series_count(more);
    for (uint32_t i = 0; i < tracks; i++)
        named += td_dict_get_track(w->dict, i)->name != 0;
    td_out_u64(&w->out, named);
    for (uint32_t i = 0; i < tracks; i++) {
        const struct td_track *track = td_dict_get_track(w->dict, i);
        if (track->name)
            put_name(w, track->thread, track->name);
    }
    for (uint64_t i = 0; i < td_series_count(more); i++)
        put_name(w, (uint64_t)td_series_get(more, i, TD_THREAD_NAME_THREAD),
                 (uint32_t)td_series_get(more, i, TD_THREAD_NAME_NAME));
}

static void put_threads(struct writer *w, const uint64_t *threads, size_t count)
{
    td_out_u64(&w->out, count);
    for (size_t i = 0; i < count; i++)
        td_out_u64(&w->out, threads[i]);
}

void td_writer_thread_table_(struct writer *w)
{
    put_threads(w, w->threads, w->thread_count);
}

void td_writer_foreign_table_(struct writer *w)
{
    put_threads(w, w->foreign, w->foreign_count);
}

static void put_location(struct writer *w, size_t place)
{
    const struct td_srcloc *s = td_dict_get_srcloc(w->dict, w->used[place]);
    if (s->name || s->flags & TD_SRCLOC_EMPTY_NAME) {
        td_writer_reference_(w, td_writer_string_(w, s->name));
    } else {
        td_out_u64(&w->out, 0);
        td_out_u8(&w->out, TD_FILE_REF_NONE);
    }
    td_writer_reference_(w, td_writer_string_(w, s->function));
    td_writer_reference_(w, td_writer_string_(w, s->file));
    td_out_u32(&w->out, s->line);
    td_out_u32(&w->out, td_file_color(s));
}

void td_writer_static_locations_(struct writer *w)
{
    td_out_u64(&w->out, w->static_count);
    for (uint32_t i = 0; i < w->static_count; i++) {
        td_out_u64(&w->out, (uint64_t)i + 1);
        size_t place = w->dynamic_count + i;
        if (place < w->first_folded) {
            put_location(w, place);
            continue;
        }
        for (int k = 0; k < 3; k++)
            td_writer_reference_(w, w->catch_all_string);
        td_out_u32(&w->out, 0);
        td_out_u32(&w->out, 0);
    }
}

void td_writer_static_numbers_(struct writer *w)
{
    td_out_u64(&w->out, 1 + (uint64_t)w->static_count);
    for (uint32_t i = 0; i <= w->static_count; i++)
        td_out_u64(&w->out, i);
}

void td_writer_dynamic_locations_(struct writer *w)
{
    td_out_u64(&w->out, w->dynamic_count);
    for (uint32_t i = 0; i < w->dynamic_count; i++)
        put_location(w, i);
}

/* Every used location has an entry in both lists, even if it is 0: readers look them up unchecked. */
static void put_counts(struct writer *w, const uint64_t *zones)
{
    uint64_t folded = 0;
    for (size_t i = w->first_folded; i < w->used_count; i++)
        folded += zones[w->used[i]];
    int catch_all = w->first_folded < w->used_count;
    td_out_u64(&w->out, w->first_folded + (catch_all != 0));
    for (size_t i = 0; i < w->first_folded; i++) {
        td_out_u16(&w->out, (uint16_t)w->location[w->used[i]]);
        td_out_u64(&w->out, zones[w->used[i]]);
    }
    if (catch_all) {
        td_out_u16(&w->out, w->static_count);
        td_out_u64(&w->out, folded);
    }
}

void td_writer_zone_counts_(struct writer *w)
{
    put_counts(w, w->cpu_zones);
}

void td_writer_gpu_zone_counts_(struct writer *w)
{
    if (w->context_count)
        put_counts(w, w->gpu_zones);
    else
        td_out_u64(&w->out, 0);
}
