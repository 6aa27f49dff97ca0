/* What compare's tables have, and what rules say of it. */
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/query/diff/samples.h"
#include "host/tools/compare/compare.h"
#include "host/trace/own_names.h"

#include <stdlib.h>
#include <string.h>

bool compare_rule_guards(const struct compare *c, const struct td_compare_rule *rule)
{
    const struct td_compare_table *table = compare_rule_table(c, rule);
    for (size_t i = 0; i < table->count; i++) {
        enum td_compare_verdict verdict = compare_judge(c, rule, &table->entries[i]);
        /* A limit of the second trace guards nothing where only the first one has the names. */
        if (verdict != TD_COMPARE_NO_MATCH &&
            (verdict != TD_COMPARE_ONE_SIDED || td_compare_rule_needs_base(rule)))
            return true;
    }
    return false;
}

/* ---- the traces ---- */

/* The launches of each core: its outermost zones, without gaps and stalls of the lane. */
static int add_cores(struct td_compare_samples *samples, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        const size_t zones = td_track_is_core(track) ? td_trace_row_zones(trace, t, 0) : 0;
        for (size_t i = 0; i < zones; i++) {
            const struct td_zone zone = td_trace_zone(trace, t, 0, i);
            if (zone.end_ns == TD_OPEN || td_dict_get_srcloc(dict, zone.srcloc)->flags & TD_SRCLOC_LOST)
                continue;
            if (td_compare_samples_add(samples, td_dict_text(dict, track->name),
                                       zone.end_ns - zone.start_ns) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

struct own_names {
    struct td_compare_samples samples;
    const struct td_dict *dict;
    char *name; /* of the zone with its text */
    size_t name_bytes;
};

static int add_named_zone(void *self, const struct td_own_zone *zone)
{
    struct own_names *own = self;
    return zone->name
               ? td_compare_samples_add(&own->samples, td_dict_text(own->dict, zone->name), zone->length_ns)
               : 0;
}

static int add_text_zone(void *self, const struct td_own_zone *zone)
{
    struct own_names *own = self;
    const char *name =
        zone->name ? td_dict_text(own->dict, zone->name) : td_dict_zone_name(own->dict, zone->srcloc);
    const char *text = td_dict_text(own->dict, zone->text);
    const size_t bytes = strlen(name) + strlen(text) + sizeof ": ";
    if (!zone->text)
        return 0;
    if (td_grow(&own->name, &own->name_bytes, bytes, 1) < 0)
        return TD_E_NOMEM;
    snprintf(own->name, bytes, "%s: %s", name, text);
    return td_compare_samples_add(&own->samples, own->name, zone->length_ns);
}

/* Adds zones by what they got at run time. */
static int add_own_zones(struct compare *c, enum td_compare_by by, const struct td_trace *trace, int side,
                         struct td_err *err)
{
    struct own_names own = {.samples.percentiles = c->percentiles, .dict = td_trace_dict(trace)};
    int rc = 0;
    if (td_trace_each_own_zone(trace, by == TD_COMPARE_BY_TEXT ? add_text_zone : add_named_zone, &own) < 0)
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0 && own.samples.count)
        rc = td_compare_table_add_samples(&c->tables[by], &own.samples, side, err);
    td_compare_samples_free(&own.samples);
    free(own.name);
    return rc;
}

/* Names that zones got at run time are entries, too. */
static int add_zones(struct compare *c, const struct td_trace *trace, int side, struct td_err *err)
{
    const int rc = td_compare_table_add(&c->tables[TD_COMPARE_BY_ZONE], trace, side, err);
    return rc < 0 ? rc : add_own_zones(c, TD_COMPARE_BY_ZONE, trace, side, err);
}

int compare_add_trace(struct compare *c, const struct td_trace *trace, int side, struct td_err *err)
{
    int rc = 0;
    if (c->wanted[TD_COMPARE_BY_ZONE])
        rc = add_zones(c, trace, side, err);
    if (rc == 0 && c->wanted[TD_COMPARE_BY_OP])
        rc = compare_add_ops(c, trace, side, err);
    if (rc == 0 && c->wanted[TD_COMPARE_BY_CORE]) {
        struct td_compare_samples samples = {.percentiles = c->percentiles};
        if (add_cores(&samples, trace) < 0)
            rc = td_fail_no_memory(err, NULL);
        else
            rc = td_compare_table_add_samples(&c->tables[TD_COMPARE_BY_CORE], &samples, side, err);
        td_compare_samples_free(&samples);
    }
    if (rc == 0 && c->wanted[TD_COMPARE_BY_TEXT])
        rc = add_own_zones(c, TD_COMPARE_BY_TEXT, trace, side, err);
    return rc;
}

/* ---- text ---- */

static void format_value(char *to, size_t bytes, enum td_compare_metric metric, double value)
{
    if (td_compare_metric_is_time(metric))
        td_time_text(to, bytes, value, TD_TIME_PARTS);
    else
        snprintf(to, bytes, "%.0f", value);
}

static void describe_values(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e)
{
    char before[32], after[32], part[32];
    fprintf(to, ": %s ", td_compare_metric_name(rule->metric));
    format_value(after, sizeof after, rule->metric, td_compare_value(&e->side[1], rule->metric));
    if (!td_compare_rule_needs_base(rule)) {
        fputs(after, to);
        return;
    }
    format_value(before, sizeof before, rule->metric, td_compare_value(&e->side[0], rule->metric));
    fprintf(to, "%s -> %s (%s)", before, after, td_compare_change_text(e, rule->metric, part));
}

void compare_describe(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e)
{
    if (rule->budget)
        fprintf(to, "budget '%s' (%s) is not kept: ", TD_PLAIN(rule->budget), TD_PLAIN(rule->text));
    else
        fprintf(to, "rule '%s' fires: ", TD_PLAIN(rule->text));
    fputs(TD_PLAIN(e->name), to);
    if (*e->file)
        fprintf(to, " (%s)", TD_PLAIN(e->file));
    if (rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new)
        fprintf(to, " is %s", td_compare_metric_name(rule->metric));
    else
        describe_values(to, rule, e);
}
