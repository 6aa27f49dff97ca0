#include "host/agent/board/open_watch.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD (UINT64_C(1) << 32)

void td_open_watch_free(struct td_open_watch *watch)
{
    free(watch->words);
    free(watch->begins);
    free(watch->unsure);
    memset(watch, 0, sizeof *watch);
}

int td_open_watch_set_image(struct td_open_watch *watch, const struct td_image *image)
{
    uint32_t address;
    if (watch->image == image)
        return 0;
    td_open_watch_free(watch);
    const uint32_t count = td_image_open_words(image, &address);
    watch->words = calloc(count + 1, sizeof *watch->words);
    watch->begins = calloc(count + 1, sizeof *watch->begins);
    watch->unsure = calloc(count + 1, sizeof *watch->unsure);
    if (!watch->words || !watch->begins || !watch->unsure) {
        td_open_watch_free(watch);
        return TD_E_NOMEM;
    }
    watch->image = image;
    watch->count = count;
    return 0;
}

/* The first time from `least` on whose low half is `low`, but not long after `now`. (It may be a little
 * after: in virtual time, a core may be ahead of the clock that the host reads.) */
static uint64_t first_from(uint64_t least, uint32_t low, uint64_t now)
{
    uint64_t ticks = (least & ~(PERIOD - 1)) | low;
    if (ticks < least && ticks <= UINT64_MAX - PERIOD)
        ticks += PERIOD;
    if (ticks > now && ticks - now > PERIOD / 2 && ticks >= PERIOD)
        ticks -= PERIOD;
    return ticks;
}

uint64_t td_open_watch_begin(const struct td_open_watch *watch, const struct td_image *image, uint32_t word,
                             uint32_t low, uint64_t launch, uint64_t now)
{
    uint64_t least = launch;
    if (watch->image == image && word < watch->count) {
        if (watch->words[word] == low)
            return watch->begins[word];
        if (watch->since > least)
            least = watch->since;
    }
    if (least == 0 || least > now)
        least = now > PERIOD ? now - PERIOD + 1 : 0;
    return first_from(least, low, now);
}

void td_open_watch_note(struct td_open_watch *watch, const uint32_t *words, uint64_t launch, uint64_t before,
                        uint64_t after)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        if (words[i] && words[i] != watch->words[i]) {
            watch->begins[i] = td_open_watch_begin(watch, watch->image, i, words[i], launch, after);
            watch->unsure[i] = after > PERIOD && watch->begins[i] <= after - PERIOD;
        }
        watch->words[i] = words[i];
    }
    watch->since = before;
}

bool td_open_watch_may_begin(const struct td_open_watch *watch, uint32_t word, uint64_t begin)
{
    if (word >= watch->count || !watch->words[word])
        return false;
    return watch->begins[word] == begin || (watch->unsure[word] && watch->words[word] == (uint32_t)begin);
}

bool td_open_watch_is_unsure(const struct td_open_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++)
        if (watch->words[i] && watch->unsure[i])
            return true;
    return false;
}
