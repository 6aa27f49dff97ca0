#include "host/device/drain/sync.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/sorted.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAMPLES 4096 /* then every second one goes */
/* Knots of the map lie this many times further apart than they are uncertain: so no duration is stretched by
 * more than its inverse. */
#define SPACING 1e4
/* The reads of one sample end after this time. But where all of them were LATE times longer than the best one of
 * all samples, the machine has stopped this thread in between: then there are at least FEW_READS. */
#define SAMPLE_NS 3000000
#define FEW_READS 4
#define LATE      4
/* td_sync_freeze(): a knot that is wider than this, and this many times wider than the tightest one, waits
 * for a better one, */
#define GOOD_NS 500
#define TIGHT   2.0
#define WAIT_NS 1e9         /* but not longer than this */
#define NEWEST  MAX_SAMPLES /* segments that the rate after the last knot may depend on */
/* Beyond these a clock does not count in a lifetime; differences of such device times, sums of two such host
 * times are still numbers. */
#define MOST_TICKS      (uint64_t)(INT64_MAX - 1)
#define MOST_HOST_TICKS (UINT64_C(1) << 61)

/* At device time `ticks` the host's clock was host +- width. */
struct point {
    uint64_t ticks;
    int64_t host;
    double width;
};

struct td_sync {
    double nominal;        /* host ticks per device tick */
    struct point *samples; /* from the last fixed knot on, which is the first of them */
    size_t sample_count;   /* at most MAX_SAMPLES + 1 */
    uint64_t first_ticks;  /* of the first sample of all */
    struct point *knots;   /* the fixed ones first; room for MAX_SAMPLES + 1 after them */
    size_t knot_count, knot_capacity;
    size_t fixed;          /* knots that do not change any more */
    double fixed_bound;    /* of the segments that no further knot changes, and before the first knot */
    size_t fixed_segments; /* those */
    double tightest;       /* least width of a sample */
    double front_rate, back_rate;   /* slopes before the first and after the last knot */
    double front_error, back_error; /* of these, relatively */
    double front_bound, back_bound; /* of these */
    double bound;                   /* host ticks */
    uint64_t best_trip;             /* shortest round trip of a read so far */
};

struct td_sync *td_sync_create(double nominal_hz)
{
    struct td_sync *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    /* The knots are chosen from the samples; room for a sample more than is kept. */
    s->samples = malloc((MAX_SAMPLES + 1) * sizeof *s->samples);
    s->knot_capacity = MAX_SAMPLES + 1;
    s->knots = malloc(s->knot_capacity * sizeof *s->knots);
    s->tightest = INFINITY;
    s->nominal = 1e9 / nominal_hz / td_host_ns_per_tick(20);
    s->bound = INFINITY;
    if (!s->samples || !s->knots) {
        td_sync_destroy(s);
        return NULL;
    }
    return s;
}

void td_sync_set_host_tick(struct td_sync *sync, double nominal_hz, double ns_per_tick)
{
    sync->nominal = 1e9 / nominal_hz / ns_per_tick;
}

void td_sync_destroy(struct td_sync *sync)
{
    if (!sync)
        return;
    free(sync->samples);
    free(sync->knots);
    free(sync);
}

/* Differences are taken before they become doubles: times are large, spans are not. */
static double ticks_between(const struct point *a, const struct point *b)
{
    return (double)(int64_t)(b->ticks - a->ticks);
}

static double host_between(const struct point *a, const struct point *b)
{
    return (double)(b->host - a->host);
}

static double slope(const struct point *a, const struct point *b)
{
    return host_between(a, b) / ticks_between(a, b);
}

/* What the slope may be wrong by, relatively. */
static double slope_error(const struct point *a, const struct point *b)
{
    return (a->width + b->width) / host_between(a, b);
}

/* Samples that are wider than the ones on both sides let the line between those be: leaves them out, but not
 * the first `pinned`. `reach` is scratch. */
static size_t drop_outliers(const struct point *in, size_t count, size_t pinned, double *reach,
                            struct point *out)
{
    double best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (i)
            best += TD_SYNC_WANDER * host_between(&in[i - 1], &in[i]);
        reach[i] = best;
        best = fmin(best, in[i].width);
    }
    best = INFINITY;
    for (size_t i = count; i-- > 0;) {
        if (i + 1 < count)
            best += TD_SYNC_WANDER * host_between(&in[i], &in[i + 1]);
        reach[i] = fmax(reach[i], best);
        best = fmin(best, in[i].width);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (i < pinned || in[i].width <= reach[i])
            out[kept++] = in[i];
    return kept;
}

/* Of points too close together to show a rate the tightest stay, and the first `pinned`. */
static size_t thin(struct point *p, size_t count, size_t pinned)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        int drop = 0;
        while (kept && !drop &&
               host_between(&p[kept - 1], &p[i]) < SPACING * (p[kept - 1].width + p[i].width)) {
            if (kept <= pinned || p[kept - 1].width <= p[i].width)
                drop = 1;
            else
                kept--;
        }
        if (!drop)
            p[kept++] = p[i];
    }
    return kept;
}

/* The first or last knot goes if the line of the others is surer there than it is. A pinned one stays. */
static size_t trim_ends(struct point *p, size_t count, size_t pinned)
{
    while (count >= 3) {
        const struct point *l = &p[count - 1], *q = l - 1;
        if (l->width <= q->width + host_between(q, l) * (slope_error(&p[0], q) + TD_SYNC_WANDER))
            break;
        count--;
    }
    while (!pinned && count >= 3) {
        const struct point *f = p, *q = p + 1;
        if (f->width <= q->width + host_between(f, q) * (slope_error(q, &p[count - 1]) + TD_SYNC_WANDER))
            break;
        memmove(p, p + 1, --count * sizeof *p);
    }
    return count;
}

/* For samples that are close together: the tightest of the first and of the last third, if these two
 * determine the rate better than its nominal value does. */
static size_t two_of_close_ones(const struct point *in, size_t count, struct point *out)
{
    double span = host_between(&in[0], &in[count - 1]);
    const struct point *first = &in[0], *last = &in[count - 1];
    for (size_t i = 0; i < count; i++) {
        double at = host_between(&in[0], &in[i]);
        if (at < span / 3 && in[i].width < first->width)
            first = &in[i];
        if (at > span * 2 / 3 && in[i].width < last->width)
            last = &in[i];
    }
    if (last->ticks <= first->ticks || host_between(first, last) <= 0 ||
        slope_error(first, last) > TD_SYNC_NOMINAL)
        return 1;
    out[0] = *first;
    out[1] = *last;
    return 2;
}

static double deviation(const struct point *a, const struct point *b, const struct point *at)
{
    return fabs(host_between(a, at) - ticks_between(a, at) * slope(a, b));
}

/* Inserts samples that contradict the line between their knots: there the rate has changed. */
static void add_contradictions(struct td_sync *s)
{
    size_t next = 0;
    for (size_t k = s->fixed ? s->fixed - 1 : 0; k + 1 < s->knot_count;) {
        const struct point *a = &s->knots[k], *b = a + 1;
        double bound = fmax(a->width, b->width) + TD_SYNC_WANDER / 2 * host_between(a, b), worst = 0;
        size_t which = s->sample_count;
        while (next < s->sample_count && s->samples[next].ticks <= a->ticks)
            next++;
        for (size_t i = next; i < s->sample_count && s->samples[i].ticks < b->ticks; i++) {
            double excess = deviation(a, b, &s->samples[i]) - s->samples[i].width - bound;
            if (excess > worst) {
                worst = excess;
                which = i;
            }
        }
        if (which == s->sample_count || s->knot_count == s->knot_capacity) {
            k++;
            continue;
        }
        struct point p = s->samples[which];
        /* Never backwards; the host's time is somewhere in the sample's width anyway. */
        p.host = p.host <= a->host ? a->host + 1 : p.host >= b->host ? b->host - 1 : p.host;
        memmove(&s->knots[k + 2], &s->knots[k + 1], (s->knot_count - k - 1) * sizeof p);
        s->knots[k + 1] = p;
        s->knot_count++;
    }
}

/* Change of the rate from the segment before knot k to the one after it, beyond what the widths explain. */
static double rate_change(const struct td_sync *s, size_t k)
{
    if (k == 0 || k + 1 >= s->knot_count)
        return 0;
    const struct point *p = &s->knots[k];
    double before = slope(p - 1, p), after = slope(p, p + 1);
    return fmax(0, fabs(after - before) / before - slope_error(p - 1, p) - slope_error(p, p + 1));
}

/* Slope beyond the first (step 1) or last (step -1) knot, from the longest stretch of one rate; *error: its
 * own. */
static double end_rate(const struct td_sync *s, int step, double *error)
{
    size_t end = step > 0 ? 0 : s->knot_count - 1, best = end;
    *error = TD_SYNC_NOMINAL;
    for (size_t k = end; k + (size_t)step < s->knot_count; k += (size_t)step) {
        size_t other = k + (size_t)step;
        if (k != end && (rate_change(s, k) > 0 || (step < 0 && end - k > NEWEST)))
            break;
        double e = step > 0 ? slope_error(&s->knots[end], &s->knots[other])
                            : slope_error(&s->knots[other], &s->knots[end]);
        if (e < *error) {
            *error = e;
            best = other;
        }
    }
    if (best == end)
        return s->nominal;
    *error += TD_SYNC_WANDER;
    return slope(&s->knots[end], &s->knots[best]);
}

static void set_front(struct td_sync *s)
{
    s->front_rate = end_rate(s, 1, &s->front_error);
    s->front_bound = s->knots[0].width + s->front_error * fabs(host_between(&s->samples[0], &s->knots[0]));
}

static void set_back(struct td_sync *s)
{
    const struct point *last = &s->knots[s->knot_count - 1];
    s->back_rate = end_rate(s, -1, &s->back_error);
    s->back_bound = last->width + s->back_error * fabs(host_between(last, &s->samples[s->sample_count - 1]));
}

/* Of the line from knot i to the next. However the rate changes, both clocks count upwards: no time is further
 * away than the two knots are apart. */
static double segment_bound(const struct td_sync *s, size_t i)
{
    const struct point *k = &s->knots[i];
    double wander = TD_SYNC_WANDER + fmax(rate_change(s, i), rate_change(s, i + 1));
    return fmax(k->width, k[1].width) + fmin(1, wander / 2) * host_between(k, k + 1);
}

static void set_bound(struct td_sync *s)
{
    if (!s->fixed)
        set_front(s);
    set_back(s);
    double bound = fmax(s->fixed ? s->fixed_bound : s->front_bound, s->back_bound);
    for (size_t i = s->fixed_segments; i + 1 < s->knot_count; i++)
        bound = fmax(bound, segment_bound(s, i));
    /* The device's clock counts whole ticks, and so does the result. */
    s->bound = bound + s->nominal + 1;
}

static void rebuild(struct td_sync *s)
{
    double *reach = malloc(s->sample_count * sizeof *reach);
    const size_t pinned = s->fixed ? 1 : 0;
    struct point *knots = s->knots + (s->fixed - pinned); /* samples[0] is the last fixed knot */
    size_t count = s->sample_count;
    if (reach) {
        count = drop_outliers(s->samples, s->sample_count, pinned, reach, knots);
        free(reach);
    } else {
        memcpy(knots, s->samples, s->sample_count * sizeof *knots);
    }
    count = trim_ends(knots, thin(knots, count, pinned), pinned);
    if (!s->fixed && count == 1 && s->sample_count > 1)
        count = two_of_close_ones(s->samples, s->sample_count, knots);
    s->knot_count = s->fixed - pinned + count;
    add_contradictions(s);
    set_bound(s);
}

/* The last knot that may be fixed now; SIZE_MAX: none that is not fixed yet. */
static size_t last_to_fix(const struct td_sync *s)
{
    if (s->knot_count < 3)
        return SIZE_MAX;
    const double ticks_per_ns = 1 / td_host_ns_per_tick(20), wait = WAIT_NS * ticks_per_ns;
    const double good = fmax(GOOD_NS * ticks_per_ns, TIGHT * s->tightest);
    size_t k = s->knot_count - 2;
    while (k && k >= s->fixed && s->knots[k].width > good &&
           host_between(&s->knots[k], &s->samples[s->sample_count - 1]) < wait)
        k--;
    return k && k >= s->fixed ? k : SIZE_MAX;
}

uint64_t td_sync_freeze(struct td_sync *s)
{
    const size_t last = last_to_fix(s);
    struct point *more = NULL;
    if (last != SIZE_MAX)
        more = realloc(s->knots, (last + 1 + MAX_SAMPLES + 1) * sizeof *more);
    if (more) { /* else what is fixed stays so */
        s->knots = more;
        s->knot_capacity = last + 1 + MAX_SAMPLES + 1;
        if (!s->fixed)
            s->fixed_bound = s->front_bound; /* rebuild() has set it */
        s->fixed = last + 1;
        /* What the line from i to i + 1 may be wrong by depends on knot i + 2. */
        for (; s->fixed_segments + 2 < s->fixed; s->fixed_segments++)
            s->fixed_bound = fmax(s->fixed_bound, segment_bound(s, s->fixed_segments));
        size_t gone = 0, kept = 1;
        while (gone < s->sample_count && s->samples[gone].ticks <= s->knots[last].ticks)
            gone++;
        /* Every knot is a sample, so at least one has gone. */
        memmove(s->samples + kept, s->samples + gone, (s->sample_count - gone) * sizeof *s->samples);
        s->samples[0] = s->knots[last];
        s->sample_count += kept - gone;
    }
    return s->fixed ? s->knots[s->fixed - 1].ticks : 0;
}

/* Every second sample goes: of each two the wider one. The first and the last stay. */
static void halve(struct td_sync *s)
{
    size_t kept = 1;
    for (size_t i = 1; i + 2 < s->sample_count; i += 2)
        s->samples[kept++] = s->samples[i + (s->samples[i + 1].width < s->samples[i].width)];
    s->samples[kept++] = s->samples[s->sample_count - 1];
    s->sample_count = kept;
}

int td_sync_add(struct td_sync *sync, const struct td_clock_sample *sample)
{
    if (sample->host_after < sample->host_before || sample->host_after > MOST_HOST_TICKS ||
        sample->ticks > MOST_TICKS)
        return TD_E_FORMAT;
    uint64_t trip = sample->host_after - sample->host_before;
    struct point p = {sample->ticks, (int64_t)(sample->host_before + trip / 2), (double)trip / 2 + 0.5};
    size_t at = sync->sample_count;
    while (at && sync->samples[at - 1].ticks > p.ticks)
        at--;
    /* A later device time needs a later host time, within the widths of the two samples. */
    const struct point *before = at ? &sync->samples[at - 1] : NULL;
    const struct point *after = at < sync->sample_count ? &sync->samples[at] : NULL;
    if ((before && host_between(before, &p) < -before->width - p.width) ||
        (after && host_between(&p, after) < -after->width - p.width))
        return TD_E_FORMAT;
    sync->tightest = fmin(sync->tightest, p.width);
    if (sync->fixed && at <= 1 && p.ticks <= sync->samples[0].ticks)
        return 0; /* the map is fixed there */
    if (!sync->fixed && at == 0)
        sync->first_ticks = p.ticks;
    if (before && before->ticks == p.ticks) {
        if (p.width < before->width)
            sync->samples[at - 1] = p;
    } else {
        memmove(&sync->samples[at + 1], &sync->samples[at], (sync->sample_count - at) * sizeof p);
        sync->samples[at] = p;
        sync->sample_count++;
    }
    if (sync->sample_count > MAX_SAMPLES)
        halve(sync);
    rebuild(sync);
    return 0;
}

int td_sync_sample(struct td_sync *sync, struct td_transport *t, struct td_tile_at at, int reads,
                   struct td_clock_sample *taken, struct td_err *err)
{
    struct td_clock_sample best = {0}, sample;
    int64_t until_ns = td_mono_ns() + SAMPLE_NS;
    for (int i = 0; i < reads; i++) {
        int rc = t->ops->clock(t, at, &sample, err);
        if (rc)
            return rc;
        uint64_t trip = sample.host_after - sample.host_before;
        if (i == 0 || trip < best.host_after - best.host_before)
            best = sample;
        if (sync->best_trip == 0 || trip < sync->best_trip)
            sync->best_trip = trip;
        const bool is_late =
            !sync->sample_count || best.host_after - best.host_before > LATE * sync->best_trip;
        /* The read is as good as the best, or the machine is too busy: the caller has lanes to drain. */
        if ((sync->sample_count && trip <= sync->best_trip + sync->best_trip / 8) ||
            (td_mono_ns() > until_ns && (i + 1 >= FEW_READS || !is_late)))
            break;
    }
    if (reads <= 0)
        return td_fail(err, TD_E_USAGE, "a clock sample needs a read");
    if (best.ticks == UINT64_MAX)
        return td_fail(err, TD_E_GONE, "the device does not answer (all ones)");
    if (best.ticks > MOST_TICKS)
        return td_fail(err, TD_E_FORMAT, "the clock of tile %u,%u on chip %u reads 0x%016" PRIx64, at.x, at.y,
                       at.chip, best.ticks);
    *taken = best;
    const int refused = td_sync_add(sync, &best);
    td_debug(sync,
             "chip %u, tile (%u,%u): device %" PRIu64 ", host %" PRIu64 " + %" PRIu64
             " ticks of round trip%s",
             at.chip, at.x, at.y, best.ticks, best.host_before, best.host_after - best.host_before,
             refused ? ": refused" : "");
    if (refused)
        return td_fail(err, TD_E_FORMAT, "the clock of tile %u,%u on chip %u went backwards", at.x, at.y,
                       at.chip);
    return 0;
}

/* The host's time this many ticks after (or before) the point, within the range of times. */
static int64_t behind(const struct point *p, double host_ticks)
{
    const double most = (double)MOST_HOST_TICKS;
    const double ticks = host_ticks > -most ? host_ticks : -most;
    return p->host + (int64_t)floor(ticks < most ? ticks : most);
}

/* Knots up to that time. */
static size_t knots_until(const struct td_sync *sync, uint64_t ticks)
{
    return TD_SORTED_UP_TO(sync->knots, sync->knot_count, ticks, ticks);
}

void td_sync_line_at(const struct td_sync *sync, uint64_t ticks, struct td_sync_line *line)
{
    const size_t after = knots_until(sync, ticks);
    *line = (struct td_sync_line){0};
    if (after == 0 || after == sync->knot_count)
        return;
    const struct point *a = &sync->knots[after - 1];
    *line = (struct td_sync_line){a->ticks, a[1].ticks - a->ticks, a->host, a[1].host, slope(a, a + 1)};
}

int64_t td_sync_to_host(const struct td_sync *sync, uint64_t ticks)
{
    const struct point *k = sync->knots;
    struct td_sync_line line;
    if (sync->knot_count == 0)
        return 0;
    td_sync_line_at(sync, ticks, &line);
    if (line.ticks)
        return td_sync_to_host_near(sync, ticks, &line);
    if (ticks < k->ticks)
        return behind(k, (double)(int64_t)(ticks - k->ticks) * sync->front_rate);
    const struct point *last = &k[sync->knot_count - 1];
    return behind(last, (double)(int64_t)(ticks - last->ticks) * sync->back_rate);
}

double td_sync_bound_ns(const struct td_sync *sync, double host_ns_per_tick)
{
    return sync->bound * host_ns_per_tick;
}

double td_sync_bound_at(const struct td_sync *sync, uint64_t ticks)
{
    if (!sync->knot_count)
        return INFINITY;
    const struct point at = {.ticks = ticks};
    const struct point *first = &sync->knots[0], *last = &sync->knots[sync->knot_count - 1];
    const double before = ticks_between(&at, first) * sync->front_rate,
                 after = ticks_between(last, &at) * sync->back_rate;
    double bound = sync->bound;
    if (before > 0)
        bound = fmax(bound, first->width + sync->front_error * before);
    if (after > 0)
        bound = fmax(bound, last->width + sync->back_error * after);
    return bound;
}

/* Span 0 is what is before the first knot, span k what follows knot k - 1. */
static struct td_sync_part span_at(const struct td_sync *sync, size_t span)
{
    const double bound = !span                      ? sync->front_bound
                         : span == sync->knot_count ? sync->back_bound
                                                    : segment_bound(sync, span - 1);
    return (struct td_sync_part){span ? sync->knots[span - 1].host : td_sync_to_host(sync, sync->first_ticks),
                                 bound + sync->nominal + 1};
}

size_t td_sync_parts(const struct td_sync *sync, struct td_sync_part *parts, size_t room)
{
    size_t count = 0;
    if (!sync->knot_count)
        return 0;
    const struct point *last_sample = &sync->samples[sync->sample_count - 1];
    const bool has_front = sync->first_ticks < sync->knots[0].ticks;
    const bool has_back =
        sync->knot_count == 1 || sync->knots[sync->knot_count - 1].ticks < last_sample->ticks;
    const size_t first = has_front ? 0 : 1, end = sync->knot_count + (has_back ? 1 : 0),
                 step = room ? (end - first + room - 1) / room : 0;
    for (size_t i = first; step && i < end; i += step) {
        struct td_sync_part *part = &parts[count++];
        *part = span_at(sync, i);
        for (size_t k = i + 1; k < i + step && k < end; k++)
            part->bound = fmax(part->bound, span_at(sync, k).bound);
    }
    return count;
}

size_t td_sync_span(const struct td_sync *sync, uint64_t *first_ticks, uint64_t *last_ticks)
{
    if (sync->sample_count) {
        *first_ticks = sync->first_ticks;
        *last_ticks = sync->samples[sync->sample_count - 1].ticks;
    }
    return sync->sample_count;
}
