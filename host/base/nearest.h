/* The name that a user probably meant by a word that is none. */
#pragma once

/* Set `word` and nothing else, offer names, then read `name`: the one that needs the fewest changed, missing,
 * added or swapped letters; NULL if none is near: one letter, and one more for each six letters of the word, or
 * the word begins it. It points to what was offered. */
struct td_nearest {
    const char *word;
    const char *name;
    unsigned distance;
};

void td_nearest_offer(struct td_nearest *nearest, const char *name);
