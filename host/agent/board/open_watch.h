/* Open watch: the words of .td_open (proto/device/site.h) of one core, as they were last read.
 *
 * A word has the low half of its zone's begin. The high half follows from the time when the word was
 * written: not before the launch, and not before an earlier read that found another value. Where 2^32
 * ticks or more have passed since then (the agent had no processor for so long), more than one begin is
 * possible. Does no I/O. Not thread-safe. */
#pragma once
#include "host/device/image/image.h"

struct td_open_watch {
    const struct td_image *image; /* that the words belong to; NULL: never read */
    uint32_t count;
    uint32_t *words;
    uint64_t *begins; /* of each word's zone, the first possible one; undefined if the word is 0 */
    bool *unsure;     /* of each word that is not 0: there are later possible ones */
    uint64_t since;   /* the clock before the last read */
};

void td_open_watch_free(struct td_open_watch *watch);
/* Makes room for an image's words, and drops those of another image. 0 or TD_E_NOMEM. */
int td_open_watch_set_image(struct td_open_watch *watch, const struct td_image *image);
/* Stores a read of the words, between the clock's `before` and `after`, in a launch that began at `launch`
 * (0: not known). */
void td_open_watch_note(struct td_open_watch *watch, const uint32_t *words, uint64_t launch, uint64_t before,
                        uint64_t after);
/* Whether this may be the begin of the word's zone. */
bool td_open_watch_may_begin(const struct td_open_watch *watch, uint32_t word, uint64_t begin);
/* Whether a word's begin is not sure. */
bool td_open_watch_is_unsure(const struct td_open_watch *watch);
/* The begin of the zone whose word was `low` at the clock's `now`. */
uint64_t td_open_watch_begin(const struct td_open_watch *watch, const struct td_image *image, uint32_t word,
                             uint32_t low, uint64_t launch, uint64_t now);
