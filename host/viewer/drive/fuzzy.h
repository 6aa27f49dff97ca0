/* How well a name fits what was typed of it. Pure. */
#pragma once

/* 0: the text does not have all characters of `typed` in their order; else the more, the better: letters at the starts of
 * words and letters that follow each other count most. Case and spaces of `typed` do not count. "": 1. */
int td_fuzzy_score(const char *text, const char *typed);
