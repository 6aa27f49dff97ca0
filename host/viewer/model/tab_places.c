#include "host/viewer/model/tab_places.h"
#include "host/base/plain_text.h"

#include <string.h>

static const struct {
    const char *word;
    enum td_dock dock;
} regions[TD_REGION_COUNT] = {
#define TD_X(id, word, dock, key, size) {#word, dock},
    TD_REGIONS(TD_X)
#undef TD_X
};

static const char *const panels[TD_PANEL_COUNT] = {
#define TD_X(id, name) #name,
    TD_PANELS(TD_X)
#undef TD_X
};

const char *td_region_word(int region)
{
    return regions[region].word;
}

int td_region_named(const char *word)
{
    int r = TD_REGION_COUNT - 1;
    while (r >= 0 && strcmp(regions[r].word, word) != 0)
        r--;
    return r;
}

int td_region_of_dock(enum td_dock dock)
{
    int r = TD_REGION_COUNT - 1;
    while (r >= 0 && regions[r].dock != dock)
        r--;
    return r;
}

cJSON *td_tab_places_to_json(const struct td_tab_places *places)
{
    cJSON *object = NULL;
    for (int r = 0; r < TD_REGION_COUNT; r++) {
        cJSON *region = cJSON_CreateObject(), *tabs = NULL;
        if (places->size[r] > 0)
            cJSON_AddNumberToObject(region, "size", (double)places->size[r]);
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (places->region[i] == r + 1) {
                tabs = tabs ? tabs : cJSON_AddArrayToObject(region, "tabs");
                cJSON_AddItemToArray(tabs, cJSON_CreateString(panels[i]));
            }
        if (cJSON_GetArraySize(region)) {
            object = object ? object : cJSON_CreateObject();
            cJSON_AddItemToObject(object, regions[r].word, region);
        } else {
            cJSON_Delete(region);
        }
    }
    return object;
}

static int take_tab(struct td_tab_places *places, int region, const cJSON *tab, struct td_err *err)
{
    for (int i = 0; i < TD_PANEL_COUNT && cJSON_IsString(tab); i++)
        if (!strcmp(panels[i], tab->valuestring)) {
            places->region[i] = (unsigned char)(region + 1);
            return 0;
        }
    return td_fail(err, TD_E_FORMAT, "\"tabs\" of \"%s\" has what is no panel", regions[region].word);
}

static int take_region(struct td_tab_places *places, int region, const cJSON *object, struct td_err *err)
{
    const cJSON *size = cJSON_GetObjectItemCaseSensitive(object, "size"), *tab;
    if (size && !(cJSON_IsNumber(size) && size->valuedouble >= TD_REGION_LEAST &&
                  size->valuedouble <= TD_REGION_MOST))
        return td_fail(err, TD_E_FORMAT, "\"size\" of \"%s\" is not between %d and %d", regions[region].word,
                       TD_REGION_LEAST, TD_REGION_MOST);
    if (size)
        places->size[region] = (float)size->valuedouble;
    cJSON_ArrayForEach(tab, cJSON_GetObjectItemCaseSensitive(object, "tabs"))
    {
        if (take_tab(places, region, tab, err) < 0)
            return TD_E_FORMAT;
    }
    return 0;
}

int td_tab_places_from_json(struct td_tab_places *places, const cJSON *object, struct td_err *err)
{
    const cJSON *region;
    cJSON_ArrayForEach(region, object)
    {
        const int r = region->string ? td_region_named(region->string) : -1;
        if (r < 0)
            return td_fail(err, TD_E_FORMAT, "\"%.60s\" is not left, bottom or right",
                           TD_PLAIN(region->string ? region->string : ""));
        if (take_region(places, r, region, err) < 0)
            return TD_E_FORMAT;
    }
    return 0;
}
