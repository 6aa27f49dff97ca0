/* Shorter forms of the names of zones, which may be whole signatures of functions. Pure functions. */
#pragma once
#include <stddef.h>

enum td_zone_names {
    TD_ZONE_NAMES_FULL,
    TD_ZONE_NAMES_NEEDED, /* shorter only where the full name has no room */
    TD_ZONE_NAMES_NORMAL, /* always without arguments and the like, but with namespaces */
    TD_ZONE_NAMES_SHORT,  /* the same, and without namespaces where there is no room */
    TD_ZONE_NAMES_SHORTEST
};

#define TD_ZONE_NAME_BYTES 400 /* longer names are cut */

/* Writes the name without arguments of functions and templates, return types of the language, and qualifiers
 * at the end: "bool ns::list<float>::add(float) const" becomes "ns::list<>::add()". */
void td_zone_name_normalize(char out[TD_ZONE_NAME_BYTES], const char *name);

/* The width of a name, in any unit. */
typedef float td_name_width(void *self, const char *name);
/* The form of the name for a place of that width: `name` itself, or a text in `out`. It may be too wide. */
const char *td_zone_name_fit(char out[TD_ZONE_NAME_BYTES], const char *name, enum td_zone_names how,
                             float room, td_name_width *width, void *self);
