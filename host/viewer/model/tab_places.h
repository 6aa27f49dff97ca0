/* Where the user has put the tabs, and how large the regions are: a part of the settings. */
#pragma once
#include "host/base/err.h"
#include "host/viewer/model/region.h"

#include <cjson/cJSON.h>

#define TD_REGION_LEAST 120 /* size at 96 dpi */
#define TD_REGION_MOST  10000

struct td_tab_places {                    /* all zero: as at first */
    unsigned char region[TD_PANEL_COUNT]; /* enum td_region_id + 1 of tabs that were moved */
    float size[TD_REGION_COUNT];          /* at 96 dpi, of regions that were resized */
};

const char *td_region_word(int region);   /* "left" ... */
int td_region_named(const char *word);    /* -1: there is no such region */
int td_region_of_dock(enum td_dock dock); /* -1: it is no edge with a region */
/* NULL: all is as at first. */
cJSON *td_tab_places_to_json(const struct td_tab_places *places);
/* Changes what the object has. TD_E_FORMAT: *err names the first field that is unknown or wrong. */
int td_tab_places_from_json(struct td_tab_places *places, const cJSON *object, struct td_err *err);
