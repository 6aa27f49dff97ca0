/* What the panel Flame keeps, and its work in the background: the sums of zones or samples, and what is around a name. */
#pragma once
#include "host/query/sums/zone_tree.h"
#include "host/query/task/job.h"
#include "host/viewer/panels/flame_picture.h"

enum flame_of { FLAME_ZONES, FLAME_SAMPLES };
enum flame_difference { FLAME_ALONE, FLAME_NOW, FLAME_BEFORE, FLAME_DIFFERENCES };

struct flame_request {
    const struct td_trace *trace, *other; /* other NULL: no difference */
    enum flame_of of;
    bool by_track, before;
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: all */
    struct td_lane_choice lanes;
};

struct flame_panel {
    int of, by_track, upwards, difference; /* of: enum flame_of; difference: enum flame_difference */
    int operation;                         /* 1: of the chosen one only */
    char search[96];
    char wanted[300];   /* a name to zoom to when it is counted; "": none */
    char around[300];   /* the name with callers and callees; "": none */
    const char *reason; /* why there is nothing; NULL: there is, or it is being counted */
    bool begun;

    struct td_job job;
    struct flame_request request;
    struct td_flame made;
    uint64_t made_cut;
    int made_rc;

    struct td_job turn_job; /* reads `whole` */
    char turn_name[300];
    struct td_flame made_callers, made_callees;

    struct td_job search_job; /* reads the pictures */
    char search_text[96];
    struct flame_found {
        uint8_t *hits;
        uint64_t sum;
    } found[3]; /* in whole, callers, callees */
    uint64_t search_version;

    struct flame_picture whole, callers, callees;
    uint64_t version; /* of `whole` */
    uint64_t cut;     /* zones without a box of their own */
    int shown_of, shown_rc;
    bool shown_swapped;
    double sample_ns;
};

struct flame_panel *flame_panel_of(const struct td_view *view);
/* Starts the work that is wanted, and takes what was made. */
void flame_update(struct td_view *view, struct flame_panel *panel);
bool flame_is_busy(const struct td_view *view);
void flame_free(struct td_view *view);
/* It is counted, and has no box of that name. */
bool flame_lacks_name(const struct flame_panel *panel, const char *name);
/* Zooms to the widest box of that name, as soon as it is counted. */
void flame_zoom_name(struct flame_panel *panel, const char *name);
/* Shows callers and callees of a name, or ("") the whole again. */
void flame_set_around(struct flame_panel *panel, const char *name);
