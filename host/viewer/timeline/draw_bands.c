/* Chooses the bands of a picture: those of its scale, or what is there of other scales. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define COARSER 10 /* levels that stand in for one that is being made */

void td_view_begin_bands(struct td_view *view)
{
    if (td_ghost_cache_update(&view->drawn.ghosts))
        view->model.refreshes++;
    struct td_band_state state = {.generation = view->model.refreshes,
                                  .settled_ns = view->model.settled_ns,
                                  .deep = view->model.has_waits || view->model.has_losses,
                                  .last_ns = (double)view->model.last_ns,
                                  .matches = view->find.active ? view->find.matches : NULL,
                                  .match_generation = view->find.generation,
                                  .coloring = td_view_coloring(view)};
    td_bands_begin_frame(view->drawn.bands, &state);
    view->drawn.has_found = false;
}

struct band_pass {
    struct td_view *view;
    td_band_draw *draw;
    void *self;
};

static double end_of(const struct td_band_key *key)
{
    return td_band_start_ns(key) + TD_BAND_CELLS * td_band_cell_ns(key->level);
}

/* True: the band is there and was drawn. */
static bool draw_present(const struct band_pass *pass, struct td_band_key key, double from_ns, double to_ns)
{
    const struct td_band *band = td_bands_peek(pass->view->drawn.bands, &key);
    if (band)
        pass->draw(pass->self, band, &key, from_ns, to_ns);
    return band != NULL;
}

/* A band with longer cells, else the two with shorter ones. */
static void draw_instead(const struct band_pass *pass, struct td_band_key key)
{
    const double start_ns = td_band_start_ns(&key), end_ns = end_of(&key),
                 middle_ns = (start_ns + end_ns) / 2;
    struct td_band_key other = key;
    for (int up = 0; up < COARSER && other.level < TD_BAND_MAX_LEVEL; up++) {
        other.level++;
        other.index >>= 1;
        if (draw_present(pass, other, start_ns, end_ns))
            return;
    }
    key.level--;
    key.index *= 2;
    draw_present(pass, key, start_ns, middle_ns);
    key.index++;
    draw_present(pass, key, middle_ns, end_ns);
}

/* What panning and zooming out by a step would need. */
static void prefetch(struct td_view *view, struct td_band_key key, struct td_track_list *list, int64_t first,
                     int64_t last)
{
    const int64_t beside[2] = {first - 1, last + 1};
    for (int i = 0; i < 2; i++) {
        key.index = beside[i];
        td_bands_prefetch(view->drawn.bands, &key, list);
    }
    key.level++;
    for (key.index = (first >> 1) - 1; key.index <= (last >> 1) + 1; key.index++)
        if (end_of(&key) > view->camera.full_start_ns && td_band_start_ns(&key) < view->camera.full_end_ns)
            td_bands_prefetch(view->drawn.bands, &key, list);
}

void td_draw_bands(struct td_view *view, uint32_t track, uint32_t row, struct td_track_list *list,
                   double start_ns, double end_ns, double cell_ns, td_band_draw *draw, void *self)
{
    const struct band_pass pass = {view, draw, self};
    struct td_band_key key = {.track = track, .row = row, .level = td_band_level_for(cell_ns)};
    start_ns = fmax(start_ns, (double)view->model.first_ns - 1);
    end_ns = fmin(end_ns, (double)view->model.last_ns + 1);
    if (start_ns >= end_ns)
        return;
    const int64_t first = td_band_index_at(key.level, start_ns), last = td_band_index_at(key.level, end_ns);
    for (key.index = first; key.index <= last; key.index++) {
        const struct td_band *band = td_bands_get(view->drawn.bands, &key, list);
        if (band)
            draw(self, band, &key, td_band_start_ns(&key), end_of(&key));
        else
            draw_instead(&pass, key);
    }
    prefetch(view, key, list, first, last);
}

struct item_pass {
    struct td_view *view;
    uint64_t *next;
    td_item_draw *draw;
    void *self;
};

static void draw_items(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                       double to_ns)
{
    const struct item_pass *pass = self;
    const struct td_view *view = pass->view;
    from_ns = fmax(from_ns, view->camera.start_ns);
    to_ns = fmin(to_ns, view->camera.end_ns);
    for (uint32_t i = 0; i < band->data.count; i++) {
        const struct td_band_item *item = &band->data.items[i];
        const int64_t end_ns = item->end_ns == TD_OPEN ? view->model.last_ns : item->end_ns;
        if (item->first + item->count <= *pass->next || (double)end_ns < from_ns)
            continue;
        if ((double)item->start_ns > to_ns)
            break;
        pass->draw(pass->self, item, end_ns, td_band_cell_ns(key->level));
        *pass->next = item->first + item->count;
    }
}

void td_draw_items(struct td_view *view, uint32_t track, uint32_t row, float pixels, uint64_t *next,
                   td_item_draw *draw, void *self)
{
    struct item_pass pass = {view, next, draw, self};
    td_draw_bands(view, track, row, NULL, view->camera.start_ns, view->camera.end_ns,
                  view->area.ns_per_pixel * TD_U(view, pixels), draw_items, &pass);
}
