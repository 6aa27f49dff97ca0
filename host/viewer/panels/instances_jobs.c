/* The name whose instances the panel shows, and the jobs that make them, their groups and the list. */
#include "host/event/map.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/panels/instances.h"
#include "host/viewer/timeline/view.h"

#include <stdlib.h>
#include <string.h>

#define FOLLOW_MOST 1000000 /* zones among which the list looks for the selected one */

bool td_instances_shown(const struct instances *s)
{
    return s->set.shown_as.name && s->set.shown.count;
}

/* ---- the name ---- */

static void set_name(struct instances *s, const char *name)
{
    if (name == s->name || (name && s->name && !strcmp(name, s->name)))
        return;
    s->name = name;
    s->ranged = false;
    s->group = SIZE_MAX;
    s->zone_list.list.selected = 0;
}

/* The name that the filter means: the shortest one that passes. */
static const char *name_for(const struct td_view *view, const char *text)
{
    const char *best = NULL;
    for (uint32_t i = 1; *text && i < td_dict_srcloc_count(view->model.dict); i++) {
        const char *name = td_dict_zone_name(view->model.dict, i);
        if (td_text_is_name(text, name))
            return name;
        if (td_text_passes(text, name, NULL) && (!best || strlen(name) < strlen(best)))
            best = name;
    }
    return best;
}

/* The name is the one that the user chose last: by typing, by a search or by selecting a zone. */
void td_instances_choose_name(struct td_view *view, struct instances *s)
{
    if (strcmp(s->field, s->made_of)) {
        memcpy(s->made_of, s->field, sizeof s->made_of);
        const char *name = name_for(view, s->field);
        if (name)
            set_name(s, name);
    }
    if (strcmp(s->search, view->find.text) || s->search_only != view->find.only) {
        memcpy(s->search, view->find.text, sizeof s->search);
        s->search_only = view->find.only;
        const char *name = s->search_only ? s->search_only : name_for(view, s->search);
        if (view->find.active && name)
            set_name(s, name);
    }
    if (!td_ref_equal(s->selected, view->selection.zone)) {
        s->selected = view->selection.zone;
        if (td_ref_valid(s->selected)) {
            struct td_zone zone = td_view_zone(view, s->selected);
            set_name(s, td_instances_name(view->model.dict, &zone));
        }
    }
}

/* ---- the jobs ---- */

void td_instances_stop_jobs(struct instances *s)
{
    td_job_stop(&s->group_job);
    td_job_stop(&s->list_job);
}

static void make_groups(void *self, struct td_job *job)
{
    struct instances *s = self;
    td_instance_groups_free(&s->groups_made);
    td_instance_groups_make(&s->groups_made, s->trace, &s->set.shown, s->grouping, s->request_low,
                            s->request_high, job);
}

static void make_list(void *self, struct td_job *job)
{
    struct instances *s = self;
    td_instance_list_free(&s->list_made);
    td_instance_list_make(&s->list_made, s->trace, &s->set.shown, &s->groups, s->request_group,
                          s->request_low, s->request_high, s->request_sort, job);
}

void td_instances_ranks(const struct instances *s, size_t *low, size_t *high)
{
    *low = s->ranged ? td_instances_below(&s->set.shown, s->from_ns) : 0;
    *high = s->ranged && s->to_ns < INT64_MAX ? td_instances_below(&s->set.shown, s->to_ns + 1)
                                              : s->set.shown.count;
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return td_mix64(td_mix64(td_mix64(a) ^ b) + td_mix64(c) * 3 + d);
}

static void run_groups(struct td_view *view, struct instances *s, size_t low, size_t high)
{
    bool fresh;
    uint64_t key = key_of(s->set.version, (uint64_t)s->grouping, low, high);
    enum td_job_state state = td_job_want(&s->group_job, key, &fresh);
    if (fresh) {
        bool other = s->groups_made.grouping != s->groups.grouping;
        td_job_stop(&s->list_job);
        TD_JOB_TAKE(&s->groups, &s->groups_made, td_instance_groups_free);
        s->groups_version++;
        if (other || s->group >= s->groups.count)
            s->group = SIZE_MAX;
    }
    if (state == TD_JOB_WANTED && !s->list_job.running) {
        s->trace = view->model.trace;
        s->request_low = low;
        s->request_high = high;
        td_job_start(&s->group_job, key, make_groups, s);
    }
}

/* Keeps the selected zone in sight after the list has changed, or the zone. */
void td_instances_follow_selection(struct td_view *view, struct instances *s)
{
    size_t number = td_ref_valid(view->selection.zone)
                        ? td_instances_find(&s->set.shown, view->selection.zone)
                        : SIZE_MAX;
    if (number == SIZE_MAX || s->list.count > FOLLOW_MOST)
        return;
    size_t row = 0;
    while (row < s->list.count && s->list.number[row] != number)
        row++;
    const int selected = s->zone_list.list.selected;
    const bool shows = s->zone_list.list.show;
    td_table_select(&s->zone_list, row < s->list.count ? row : TD_NO_ROW);
    s->zone_list.list.show = shows || s->zone_list.list.selected != selected;
}

static enum td_instance_sort sort_of(const struct td_table_list *list)
{
    const char *key = list->order.sort ? list->order.sort->key : "length_ns";
    return !strcmp(key, "start_ns") ? TD_SORT_TIME
           : !strcmp(key, "track")  ? TD_SORT_TRACK
           : !strcmp(key, "name")   ? TD_SORT_NAME
                                    : TD_SORT_LENGTH;
}

static void run_list(struct td_view *view, struct instances *s, size_t low, size_t high)
{
    bool fresh;
    uint64_t key =
        key_of(s->groups_version, s->group, td_mix64(low) ^ high, (uint64_t)sort_of(&s->zone_list));
    enum td_job_state state = td_job_want(&s->list_job, key, &fresh);
    if (fresh) {
        td_table_list_free(&s->zone_list);
        TD_JOB_TAKE(&s->list, &s->list_made, td_instance_list_free);
        s->list_version++;
    }
    if (state == TD_JOB_WANTED && !s->group_job.running) {
        s->trace = view->model.trace;
        s->request_low = low;
        s->request_high = high;
        s->request_group = s->group;
        s->request_sort = sort_of(&s->zone_list);
        td_job_start(&s->list_job, key, make_list, s);
    }
}

void td_instances_run_jobs(struct td_view *view, struct instances *s)
{
    size_t low, high;
    if (s->name && td_instances_want(view, &s->set, s->name, s->length, true)) {
        td_instances_stop_jobs(s);
        td_table_list_free(&s->zone_list);
        td_instances_take(&s->set);
        td_instance_groups_free(&s->groups);
        td_instance_list_free(&s->list);
        s->groups_version++;
        s->list_version++;
    }
    if (!td_instances_shown(s))
        return;
    td_instances_ranks(s, &low, &high);
    run_groups(view, s, low, high);
    /* The list needs the groups, whose numbers it is filtered by. */
    if (!s->group_job.running)
        run_list(view, s, low, high);
}

bool td_instances_busy(const struct td_view *view)
{
    const struct instances *s = view->panels.slot[TD_PANEL_INSTANCES].state;
    return s->set.job.running || s->group_job.running || s->list_job.running || s->group_list.job.running ||
           s->zone_list.job.running;
}
