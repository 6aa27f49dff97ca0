/* Rules about which markers of kernels are recorded, without building the kernels again.
 *
 *   zones=GLOB     record markers whose names match; several such rules: those that match one of them. They do not
 *                  concern zones of whole kernels, and texts and values of zones
 *   not=GLOB       do not record markers whose names match
 *   tiles=X,Y      record markers of these tiles only: logical columns and rows, as 3, 0-3 or *; "0-3,2"
 *   cores=GLOB     record markers of cores with such names only: "TRISC*"
 *   every=K        record markers of the first of K launches
 *
 * A text has any number of rules with ';' or line ends between them. The name of a message or text is its format.
 * Values and numbered events have no names, so only the last three rules concern them. What kernels print is always
 * recorded. */
#pragma once
#include "host/base/err.h"
#include "proto/device/site.h"

#include <stdbool.h>
#include <stdint.h>

#define TD_ZONE_RULES_VARIABLE "TENDRIL_ZONES" /* td_device_open() heeds it */

struct td_zone_rules;
/* NULL with TD_E_USAGE: the text has what is no rule. NULL or empty text: all markers are recorded. */
struct td_zone_rules *td_zone_rules_create(const char *text, struct td_err *err);
void td_zone_rules_destroy(struct td_zone_rules *rules);
/* Whether markers of a core are recorded at all, x, y: its logical tile; in a launch, counted from 0; whether those
 * of this kind and name are. */
bool td_zone_rules_has_core(const struct td_zone_rules *rules, uint32_t x, uint32_t y, const char *core);
bool td_zone_rules_has_launch(const struct td_zone_rules *rules, uint64_t launch);
bool td_zone_rules_has_marker(const struct td_zone_rules *rules, enum td_site_kind kind, const char *name);
