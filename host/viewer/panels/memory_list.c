/* The lists of allocations. */
#include "host/viewer/panels/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the field means; false: it is empty or no address. */
static bool read_address(const char *text, uint64_t *address)
{
    char *end;
    errno = 0;
    *address = strtoull(text, &end, 16);
    return end != text && !*end && !errno;
}

static uint64_t list_key(const struct td_view *view)
{
    const struct memory_panel *s = memory_panel_of(view);
    uint64_t address = 0;
    const bool at = read_address(s->address, &address);
    return td_mix64(td_mix64(memory_key(view) + (s->page == MEMORY_ACTIVE) + 2 * s->stacks_version) ^
                    address) +
           at;
}

static bool ask_for_list(struct td_view *view, struct td_query_request *of)
{
    const struct memory_panel *s = memory_panel_of(view);
    struct td_allocations_wanted *wanted = malloc(sizeof *wanted + s->stack_count);
    of->with = wanted;
    if (!wanted)
        return false;
    *wanted = (struct td_allocations_wanted){.pool = s->pool,
                                             .part = s->page == MEMORY_ACTIVE ? TD_ALLOCATIONS_ACTIVE
                                                     : s->stack_count         ? s->part
                                                                              : TD_ALLOCATIONS_ALL,
                                             .stack_count = s->stack_count};
    wanted->at = read_address(s->address, &wanted->address);
    if (s->stack_count)
        memcpy(wanted->stacks, s->stacks, s->stack_count);
    return true;
}

/* ---- drawing ---- */

static bool draw_zone_name(struct td_list_drawing *d, int column, struct td_zone_ref ref, bool same)
{
    if (!td_ref_valid(ref))
        return false;
    const struct td_zone zone = td_view_zone(d->view, ref);
    td_list_name(d, column, td_color_of_zone(d->view->model.dict, &zone), same ? TD_C(MATCH) : TD_C(TEXT_DIM),
                 td_zone_label(d->view->model.dict, &zone));
    return true;
}

/* Zones have boxes, what is active has its colour, and an address says how far the one in the field is behind it. */
static bool draw_list_cell(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row,
                           int column, const char *key)
{
    const struct td_allocation a = td_allocations_at(rows, row);
    uint64_t at;
    char text[TD_FORMAT_BYTES];
    if (!strcmp(key, "zone"))
        return draw_zone_name(d, column, td_allocations_zone(rows, a.thread, a.time_ns), false);
    if (!strcmp(key, "free_zone") && a.free_ns >= 0) {
        const struct td_zone_ref gone = td_allocations_zone(rows, a.free_thread, a.free_ns);
        return draw_zone_name(d, column, gone,
                              td_ref_equal(gone, td_allocations_zone(rows, a.thread, a.time_ns)));
    }
    if (!strcmp(key, "free_zone"))
        td_list_text(d, column, TD_MEMORY_ACTIVE_COLOR, "active");
    else if (!strcmp(key, "duration_ns") && a.free_ns < 0)
        td_list_text(d, column, TD_MEMORY_ACTIVE_COLOR,
                     td_format_ns(text, (double)rows->of.now_ns - (double)a.time_ns));
    else if (!strcmp(key, "address") && read_address(memory_panel_of(d->view)->address, &at) &&
             at != a.address) {
        snprintf(text, sizeof text, "0x%" PRIx64 "+%" PRIu64, a.address, at - a.address);
        td_list_text(d, column, TD_C(TEXT), text);
    } else
        return false;
    return true;
}

static void choose_allocation(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                              enum td_row_choice how)
{
    const struct td_query_place place = td_query_place_of(rows, row);
    memory_select(view, td_allocations_at(rows, row).row + 1);
    td_view_show_place(view, &place, how == TD_ROW_BY_ENTER);
}

const struct td_table_panel memory_list = {
    .table = &td_table_allocations,
    .id = TD_PANEL_MEMORY,
    .at = offsetof(struct memory_panel, list),
    .columns = "address bytes time_ns duration_ns threads zone free_zone stack",
    .sort = "time_ns",
    .row = "allocation",
    .key = list_key,
    .ask = ask_for_list,
    .draw = draw_list_cell,
    .choose = choose_allocation,
};

static void draw_state(struct td_view *view, const struct memory_panel *s, const struct td_rect *place)
{
    const struct td_query_rows *rows = s->list.shown;
    char text[200], count[TD_FORMAT_BYTES], bytes[TD_FORMAT_BYTES];
    if (rows)
        snprintf(text, sizeof text, "%s allocations, %s%s", td_format_count(count, rows->count),
                 td_format_value(bytes, (double)td_allocations_bytes(rows), 1),
                 s->stack_count ? ", of the chosen function" : "");
    else
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->list.job) * 100);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 3),
                   place->right - place->left, TD_C(TEXT_FAINT), text);
}

void memory_draw_list(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    struct td_rect rows = *place;
    const uint64_t selected = memory_selected(view);
    td_table_panel_update(view, &memory_list);
    if (s->list.shown && s->seen != s->list.shown_key) { /* the rows of others may have other numbers */
        s->seen = s->list.shown_key;
        td_table_select(&s->list, selected ? td_allocations_find(s->list.shown, selected - 1) : TD_NO_ROW);
        s->list.list.show = s->shows_selected && s->list.list.selected;
        s->shows_selected = false;
    }
    draw_state(view, s, place);
    rows.top += TD_U(view, 18);
    td_table_panel_draw_rows(view, &memory_list, &rows);
}
