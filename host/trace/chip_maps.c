#include "host/trace/chip_maps.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

#define CHIPS_MAX 2048 /* that the ids of core tracks can hold */

TD_COMPARE(compare_chips, struct td_chip_map, TD_UP(chip))

/* The line's value; NULL: it is another note. */
static const char *map_note(const struct td_trace *trace, size_t index)
{
    static const char key[] = TD_NOTE_CHIP_MAP ": ";
    const char *text = td_dict_text(td_trace_dict(trace), td_trace_app_info(trace, index));
    return strncmp(text, key, sizeof key - 1) ? NULL : text + sizeof key - 1;
}

/* Sets the map of a chip that has none. */
static int add_map(struct td_chip_maps *maps, size_t *room, const char *text)
{
    if (td_grow(&maps->map, room, maps->count + 1, sizeof *maps->map) < 0)
        return TD_E_NOMEM;
    struct td_chip_map *map = &maps->map[maps->count];
    if (!td_chip_map_read(text, map) || map->chip >= CHIPS_MAX)
        return 0;
    for (size_t i = 0; i < maps->count; i++)
        if (maps->map[i].chip == map->chip)
            return 0;
    maps->count++;
    return 0;
}

int td_chip_maps_read(struct td_chip_maps *maps, const struct td_trace *trace)
{
    const size_t lines = td_trace_app_infos(trace);
    size_t room = 0;
    int rc = 0;
    td_chip_maps_free(maps);
    for (size_t i = 0; rc == 0 && i < lines && maps->count < CHIPS_MAX; i++) {
        const char *text = map_note(trace, i);
        rc = text ? add_map(maps, &room, text) : 0;
    }
    if (rc < 0)
        td_chip_maps_free(maps);
    else if (maps->count)
        qsort(maps->map, maps->count, sizeof *maps->map, compare_chips);
    return rc;
}

void td_chip_maps_free(struct td_chip_maps *maps)
{
    free(maps->map);
    *maps = (struct td_chip_maps){0};
}

const struct td_chip_map *td_chip_maps_get(const struct td_chip_maps *maps, uint32_t chip)
{
    size_t low = 0, high = maps->count;
    TD_BISECT(low, high, middle, maps->map[middle].chip < chip);
    return low < maps->count && maps->map[low].chip == chip ? &maps->map[low] : NULL;
}
