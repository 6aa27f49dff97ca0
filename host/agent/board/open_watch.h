/* Open watch: what one core's words of .td_open (proto/device/site.h) said when they were last looked at.
 *
 * A word has the low half of its zone's begin. The high half follows from when the word came to be: not
 * before the launch, and not before an earlier look that found another value there. Knows no transport. */
#ifndef TD_HOST_AGENT_BOARD_OPEN_WATCH_H
#define TD_HOST_AGENT_BOARD_OPEN_WATCH_H
#include "host/device/image/image.h"

struct td_open_watch {
    const struct td_image *image; /* whose words they are; NULL: never looked at */
    uint32_t count;
    uint32_t *words;
    uint64_t *begins; /* of each word's zone; meaningless where the word is 0 */
    uint64_t since;   /* the clock before that look */
};

void td_open_watch_free(struct td_open_watch *watch);
/* Makes room for an image's words; what was known of another image is forgotten. 0 or TD_E_NOMEM. */
int td_open_watch_take(struct td_open_watch *watch, const struct td_image *image);
/* Notes a look: `words` as they were between the clock's `before` and `after`, in a launch that began at
 * `launch` (0: not known). */
void td_open_watch_note(struct td_open_watch *watch, const uint32_t *words, uint64_t launch, uint64_t before,
                        uint64_t after);
/* When the zone began whose word was `low` at the clock's `now`. */
uint64_t td_open_watch_begin(const struct td_open_watch *watch, const struct td_image *image, uint32_t word,
                             uint32_t low, uint64_t launch, uint64_t now);
#endif
