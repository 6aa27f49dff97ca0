#include "host/agent/board/lane_names.h"
#include "host/agent/board/board_tap.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STALL_COLOR    0xc2571a
#define NO_NAME_PREFIX "site "

int td_lane_names_init(struct td_lane_names *names, struct td_dict *dict, struct td_images *images,
                       struct td_store *store)
{
    *names = (struct td_lane_names){.dict = dict, .images = images, .store = store};
    struct td_srcloc stall = {.name = td_dict_cstring(dict, TD_NAME_STALL),
                              .function = td_dict_cstring(dict, "lane"),
                              .file = td_dict_cstring(dict, "tendril"),
                              .color = STALL_COLOR,
                              .flags = TD_SRCLOC_LOST};
    struct td_srcloc lost = stall;
    lost.name = td_dict_cstring(dict, TD_NAME_LOST);
    lost.color = TD_LOST_COLOR;
    names->stall_srcloc = td_dict_srcloc(dict, &stall);
    names->lost_srcloc = td_dict_srcloc(dict, &lost);
    return names->stall_srcloc == UINT32_MAX || names->lost_srcloc == UINT32_MAX ? TD_E_NOMEM : 0;
}

void td_lane_names_free(struct td_lane_names *names)
{
    for (struct td_site_numbers *s = names->sites, *next; s; s = next) {
        next = s->next;
        free(s->numbers);
        free(s);
    }
    names->sites = NULL;
}

static void report_image(const struct td_lane_names *names, const struct td_site_numbers *sites)
{
    size_t count;
    if (!names->tap || !sites->image)
        return;
    const void *bytes = td_image_bytes(sites->image, &count);
    names->tap->image(names->tap->self, sites->build_id, bytes, count);
}

struct td_site_numbers *td_lane_names_find(struct td_lane_names *names, uint64_t build_id)
{
    struct td_site_numbers *s = names->sites;
    while (s && s->build_id != build_id)
        s = s->next;
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s)
            return NULL;
        s->build_id = build_id;
        s->next = names->sites;
        names->sites = s;
    }
    if (!s->image) {
        s->image = td_images_find(names->images, build_id, NULL);
        report_image(names, s);
    }
    return s;
}

struct td_site td_lane_site(struct td_lane_events *lane, uint32_t id, char *buffer, size_t bytes)
{
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    const struct td_site *site = image ? td_image_site(image, id) : NULL;
    if (site)
        return *site;
    lane->names->unnamed_sites++;
    snprintf(buffer, bytes, NO_NAME_PREFIX "%" PRIu32 " of image %016" PRIx64, id,
             lane->sites ? lane->sites->build_id : 0);
    return (struct td_site){.kind = TD_SITE_ZONE, .name = buffer, .file = "", .function = ""};
}

static uint32_t new_srcloc(struct td_lane_events *lane, const struct td_site *of)
{
    struct td_dict *dict = lane->names->dict;
    const struct td_site site = *of;
    struct td_srcloc s = {.name = site.name[0] ? td_dict_cstring(dict, site.name) : 0,
                          .function = td_dict_cstring(dict, site.function),
                          .file = td_dict_cstring(dict, site.file),
                          .line = site.line,
                          .color = site.color,
                          .flags = site.kind == TD_SITE_WAIT ? TD_SRCLOC_WAIT : 0};
    if (site.kind == TD_SITE_WAIT && !s.color)
        s.color = TD_WAIT_COLOR;
    return td_dict_srcloc(dict, &s);
}

uint32_t td_lane_srcloc(struct td_lane_events *lane, uint32_t id)
{
    struct td_site_numbers *sites = lane->sites;
    char buffer[64];
    if (sites && id < sites->count && sites->numbers[id].srcloc)
        return sites->numbers[id].srcloc;
    const struct td_site site = td_lane_site(lane, id, buffer, sizeof buffer);
    const uint32_t srcloc = new_srcloc(lane, &site);
    if (!sites || srcloc == UINT32_MAX)
        return srcloc;
    if (id >= sites->count) {
        const size_t had = sites->count;
        if (td_grow(&sites->numbers, &sites->count, (size_t)id + 64, sizeof *sites->numbers))
            return UINT32_MAX;
        memset(sites->numbers + had, 0, (sites->count - had) * sizeof *sites->numbers);
    }
    sites->numbers[id] = (struct td_site_number){srcloc, td_zone_cost(&site)};
    return srcloc;
}
