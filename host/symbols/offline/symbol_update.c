#include "host/symbols/offline/symbol_update.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/event/map.h"
#include "host/symbols/offline/symbol_lookup.h"
#include "host/base/path_substitutions.h"
#include "host/symbols/offline/symbol_tables.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_MASK UINT64_C(4095)
#define FAR       (UINT64_C(1) << 20) /* no function is longer */

/* Frames of one image. */
struct group {
    uint32_t image;
    uint32_t *frames; /* those to look up */
    size_t count, room;
};
struct update_work {
    const struct td_symbol_update *update;
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_stack_frames frames;
    struct td_path_substitutions paths;
    struct td_map symbols; /* rows of SYMBOL by address */
    struct group *groups;
    size_t group_count, group_room;
    uint32_t unresolved, unknown; /* strings */
    struct td_err *err;
    /* the group that is looked up now */
    const struct group *group;
    const char *path;
    size_t done;
};

/* ---- which frames ---- */

static const struct td_stack_line *last_line(const struct td_stack_frame *frame)
{
    return &frame->lines[frame->count - 1];
}

static bool is_left_to_tools(const struct update_work *w, const struct td_stack_frame *frame)
{
    return td_symbol_is_unresolved(w->trace, last_line(frame)->function);
}

/* Sets the frame's place in the image's file. False: the trace does not have it. Frames that were left to
 * tools have it as their symbol; so have frames that other tools resolved, where it is far from the frame's
 * own address. */
static bool has_place(const struct update_work *w, const struct td_stack_frame *frame, uint64_t *place)
{
    uint64_t distance = frame->address - last_line(frame)->symbol;
    *place = last_line(frame)->symbol;
    return is_left_to_tools(w, frame) || (*place && distance >= FAR && !(distance & PAGE_MASK));
}

static bool is_wanted(const struct update_work *w, const struct td_stack_frame *frame)
{
    if (!frame->count || frame->id & TD_FRAME_SCRIPTED)
        return 0;
    if (is_left_to_tools(w, frame))
        return w->update->resolve;
    if (w->update->reset)
        return 1;
    for (int i = 0; i < frame->count; i++)
        if (td_symbol_is_nothing(w->trace, frame->lines[i].function) ||
            td_symbol_is_nothing(w->trace, frame->lines[i].file))
            return 1;
    return 0;
}

static int gather_groups(struct update_work *w)
{
    struct td_map group_of = {0};
    int rc = 0;
    for (size_t i = 0; rc >= 0 && i < w->frames.count; i++) {
        const struct td_stack_frame *frame = &w->frames.at[i];
        if (!is_wanted(w, frame))
            continue;
        uint32_t number = td_map_get(&group_of, frame->image, UINT32_MAX);
        if (number == UINT32_MAX) {
            number = (uint32_t)w->group_count;
            rc = td_grow(&w->groups, &w->group_room, w->group_count + 1, sizeof *w->groups);
            if (rc < 0 || (rc = td_map_set(&group_of, frame->image, number)) < 0)
                break;
            w->groups[w->group_count++] = (struct group){.image = frame->image};
        }
        struct group *group = &w->groups[number];
        rc = td_grow(&group->frames, &group->room, group->count + 1, sizeof *group->frames);
        if (rc == 0)
            group->frames[group->count++] = (uint32_t)i;
    }
    td_map_finish(&group_of);
    return rc < 0 ? td_fail_no_memory(w->err, "for call stack frames") : 0;
}

/* ---- one image ---- */

static uint32_t text_or_unknown(const struct update_work *w, const char *text)
{
    return text ? td_dict_cstring(w->dict, text) : w->unknown;
}

static int reset_frame(struct update_work *w, struct td_stack_frame *frame, uint64_t place)
{
    struct td_stack_line *line = td_stack_frame_change(frame, 1);
    if (!line)
        return TD_E_NOMEM;
    *line = (struct td_stack_line){
        .function = w->unresolved, .file = w->unknown, .symbol = place, .symbol_file = w->unknown};
    return 0;
}

/* The look-up knows more about the frame than the trace does. */
static bool is_news(const struct update_work *w, const struct td_stack_frame *frame,
                    const struct td_lookup_line *lines, unsigned count)
{
    int function = 0, file = 0;
    for (unsigned i = 0; i < count; i++) {
        function |= lines[i].function != NULL;
        file |= lines[i].file != NULL;
    }
    if (is_left_to_tools(w, frame) || w->update->reset)
        return function;
    const struct td_stack_line *old = last_line(frame);
    return function && (td_symbol_is_nothing(w->trace, old->function) || file);
}

static void print_frame(const struct update_work *w, const struct td_stack_frame *frame)
{
    if (!w->update->verbose)
        return;
    for (int i = 0; i < frame->count; i++)
        fprintf(w->update->out ? w->update->out : stderr, "%llx %s: %s %s:%u\n",
                (unsigned long long)frame->address, TD_PLAIN(w->path),
                TD_PLAIN(td_dict_text(w->dict, frame->lines[i].function)),
                TD_PLAIN(td_dict_text(w->dict, frame->lines[i].file)), frame->lines[i].line);
}

static int update_frame(void *self, size_t index, int placed, uint64_t place,
                        const struct td_lookup_line *found, unsigned count)
{
    struct update_work *w = self;
    struct td_stack_frame *frame = &w->frames.at[w->group->frames[index]];
    if (!w->update->resolve) {
        w->done += placed != 0;
        return placed ? reset_frame(w, frame, place) : 0;
    }
    if (!count || !is_news(w, frame, found, count))
        return 0;
    struct td_stack_line *lines = td_stack_frame_change(frame, (int)count);
    for (unsigned i = 0; lines && i < count; i++) {
        lines[i] = (struct td_stack_line){
            .function = text_or_unknown(w, found[i].function),
            .file = text_or_unknown(w, found[i].file),
            .line = found[i].line,
            .symbol = found[i].symbol ? found[i].symbol + (frame->address - place) : place,
            .bytes = found[i].bytes,
            .symbol_file = text_or_unknown(w, found[i].symbol_file),
            .symbol_line = found[i].symbol_line,
        };
        if (lines[i].function == UINT32_MAX || lines[i].file == UINT32_MAX ||
            lines[i].symbol_file == UINT32_MAX)
            return TD_E_NOMEM;
    }
    w->done++;
    if (lines)
        print_frame(w, frame);
    return lines ? 0 : TD_E_NOMEM;
}

/* Functions of the image that the trace knows, with their addresses in the program. */
static size_t find_hints(const struct update_work *w, uint32_t image, struct td_lookup_hint *hints,
                         size_t most)
{
    const struct td_series *symbols = td_trace_table(w->trace, TD_TABLE_SYMBOL);
    size_t count = 0;
    for (size_t i = 0; i < w->frames.count && count < most; i++) {
        const struct td_stack_frame *frame = &w->frames.at[i];
        uint64_t place;
        if (frame->image != image || frame->changed || !frame->count || frame->id & TD_FRAME_SCRIPTED ||
            has_place(w, frame, &place) || !place ||
            td_symbol_is_nothing(w->trace, last_line(frame)->function))
            continue;
        uint32_t row = td_map_get(&w->symbols, place, UINT32_MAX);
        hints[count++] = (struct td_lookup_hint){
            .address = place,
            .bytes = row == UINT32_MAX ? 0 : (uint64_t)td_series_get(symbols, row, TD_SYMBOL_BYTES),
            .name = td_dict_text(w->dict, last_line(frame)->function)};
    }
    return count;
}

static int look_up(struct update_work *w, struct td_lookup_end *end)
{
    struct td_lookup_hint hints[256];
    struct td_lookup_address *addresses = malloc((w->group->count + 1) * sizeof *addresses);
    if (!addresses)
        return td_fail_no_memory(w->err, "for addresses");
    for (size_t i = 0; i < w->group->count; i++) {
        const struct td_stack_frame *frame = &w->frames.at[w->group->frames[i]];
        addresses[i].address = frame->address;
        addresses[i].placed = has_place(w, frame, &addresses[i].place);
    }
    struct td_lookup lookup = {
        .path = w->path,
        .addresses = addresses,
        .count = w->group->count,
        .hints = hints,
        .hint_count = find_hints(w, w->group->image, hints, sizeof hints / sizeof *hints),
        .places_only = !w->update->resolve,
        .tool = w->update->tool,
        .arguments = w->update->arguments,
    };
    int rc = td_lookup_run(&lookup, update_frame, w, end, w->err);
    free(addresses);
    return rc;
}

/* False for the likes of "[vdso]" and "<kernel>". */
static bool is_path(const char *image)
{
    return *image && *image != '[' && *image != '<';
}

/* Reports an image that is not a file: what Tracy's clients send for programs at fixed addresses, and for
 * addresses where nothing was mapped. */
static int report_no_path(const struct update_work *w, const struct group *group, const char *image)
{
    size_t left = 0;
    for (size_t i = 0; i < group->count; i++)
        left += (size_t)is_left_to_tools(w, &w->frames.at[group->frames[i]]);
    if (left && w->update->out)
        fprintf(w->update->out, "%s: 0 of %zu frames resolved, not the name of a file; --path can give one\n",
                TD_PLAIN(image), left);
    return 0;
}

static int update_group(struct update_work *w, const struct group *group)
{
    const char *image = td_dict_text(w->dict, group->image);
    char *other;
    struct td_lookup_end end = {0};
    int rc = td_path_substitute(&w->paths, image, &other, w->err);
    if (rc < 0)
        return rc;
    if (!other && !is_path(image))
        return report_no_path(w, group, image);
    w->group = group;
    w->path = other ? other : image;
    w->done = 0;
    rc = look_up(w, &end);
    if (rc == 0 && w->update->out)
        fprintf(w->update->out, "%s%s%s%s: %zu of %zu frames %s%s\n", TD_PLAIN(image), other ? " (" : "",
                TD_PLAIN(other ? other : ""), other ? ")" : "", w->done, group->count,
                w->update->resolve ? "resolved" : "reset",
                w->update->resolve && w->done && end.names_only ? ", names only" : "");
    if (rc == 0 && end.notice.text[0])
        fprintf(stderr, "tendril update: %s: %s\n", TD_PLAIN(w->path), TD_PLAIN(end.notice.text));
    free(other);
    return rc;
}

/* ---- all ---- */

static int index_symbols(struct update_work *w)
{
    const struct td_series *symbols = td_trace_table(w->trace, TD_TABLE_SYMBOL);
    for (uint64_t i = 0; i < td_series_count(symbols); i++)
        if (td_map_set(&w->symbols, (uint64_t)td_series_get(symbols, i, TD_SYMBOL_ADDRESS), (uint32_t)i) < 0)
            return td_fail_no_memory(w->err, "for symbols");
    return 0;
}

static int update_all(struct update_work *w)
{
    w->unresolved = td_dict_cstring(w->dict, TD_SYMBOL_UNRESOLVED);
    w->unknown = td_dict_cstring(w->dict, TD_SYMBOL_UNKNOWN);
    if (w->unresolved == UINT32_MAX || w->unknown == UINT32_MAX)
        return td_fail_no_memory(w->err, "for names");
    int rc = td_stack_frames_init(&w->frames, w->trace, w->err);
    rc = rc ? rc : index_symbols(w);
    rc = rc ? rc : gather_groups(w);
    for (size_t i = 0; rc == 0 && i < w->group_count; i++)
        rc = update_group(w, &w->groups[i]);
    int changed = 0;
    for (size_t i = 0; i < w->frames.count; i++)
        changed |= w->frames.at[i].changed;
    return rc == 0 && changed ? td_stack_frames_write(&w->frames, w->trace, w->err) : rc;
}

int td_symbol_update_run(struct td_trace *trace, const struct td_symbol_update *update, struct td_err *err)
{
    struct update_work w = {.update = update, .trace = trace, .dict = td_trace_fill_dict(trace), .err = err};
    int rc = td_path_substitutions_init(&w.paths, &update->paths, err);
    rc = rc ? rc : update_all(&w);
    for (size_t i = 0; i < w.group_count; i++)
        free(w.groups[i].frames);
    free(w.groups);
    td_map_finish(&w.symbols);
    td_stack_frames_free(&w.frames);
    td_path_substitutions_free(&w.paths);
    return rc;
}

int td_symbol_update_check(const struct td_symbol_update *update, struct td_err *err)
{
    struct td_path_substitutions paths = {0};
    int rc = td_path_substitutions_init(&paths, &update->paths, err);
    td_path_substitutions_free(&paths);
    if (rc == 0 && update->tool && strchr(update->tool, '/') && access(update->tool, X_OK) != 0)
        return td_fail(err, TD_E_USAGE, "--addr2line: %s cannot be run", update->tool);
    return rc;
}
