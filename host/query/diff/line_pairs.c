/* Myers' way: the furthest line that each diagonal reaches with 0, 1, 2 ... lines in one version only. */
#include "host/query/diff/line_pairs.h"

#include <stdlib.h>
#include <string.h>

#define MOST_EDITS 1500 /* beyond these, lines are not compared one by one */

struct pairing {
    const struct td_source_text *text[2];
    struct td_line_pairs *pairs;
    int first, count[2]; /* of the lines between those that are the same at both ends */
    int *reached;        /* by diagonal, for each number of edits one row of 2 * edits + 1 */
    uint8_t *same;       /* of each of the lines before: it is in both */
};

static bool are_same(const struct pairing *p, int before, int now)
{
    size_t bytes[2];
    const char *a = td_source_text_line(p->text[0], (uint32_t)before + 1, &bytes[0]),
               *b = td_source_text_line(p->text[1], (uint32_t)now + 1, &bytes[1]);
    return a && b && bytes[0] == bytes[1] && !memcmp(a, b, bytes[0]);
}

static void add_pair(struct pairing *p, int before, int now, bool differs)
{
    struct td_line_pairs *pairs = p->pairs;
    const bool begins = differs && (!pairs->count || !pairs->at[pairs->count - 1].differs);
    pairs->parts += begins;
    pairs->at[pairs->count++] =
        (struct td_line_pair){{(uint32_t)(before + 1), (uint32_t)(now + 1)}, differs}; /* -1: none */
}

/* ---- the fewest edits ---- */

static int *row_of(const struct pairing *p, int edits)
{
    return p->reached + (size_t)edits * (size_t)edits + (size_t)edits; /* diagonal 0 of the row */
}

/* Whether diagonal k is reached from the one above it: by a line that is only in the version now. */
static bool comes_down(const int *last, int edits, int k)
{
    return k == -edits || (k != edits && last[k - 1] < last[k + 1]);
}

/* One more edit; true: the end is reached. */
static bool extend(const struct pairing *p, int edits)
{
    const int *last = edits ? row_of(p, edits - 1) : NULL;
    int *row = row_of(p, edits);
    for (int k = -edits; k <= edits; k += 2) {
        int x = !last ? 0 : comes_down(last, edits, k) ? last[k + 1] : last[k - 1] + 1;
        while (x < p->count[0] && x - k < p->count[1] && x - k >= 0 &&
               are_same(p, p->first + x, p->first + x - k))
            x++;
        row[k] = x;
        if (x >= p->count[0] && k == p->count[0] - p->count[1])
            return true;
    }
    return false;
}

/* Marks the lines that are in both, from the end backwards. */
static void mark_same(const struct pairing *p, int edits)
{
    int x = p->count[0], k = p->count[0] - p->count[1];
    for (; edits >= 0; edits--) {
        const int *last = edits ? row_of(p, edits - 1) : NULL;
        const bool down = last && comes_down(last, edits, k);
        const int start = !last ? 0 : down ? last[k + 1] : last[k - 1] + 1;
        while (x > start)
            p->same[--x] = 1;
        x = last && !down ? x - 1 : x;
        k = !last ? k : down ? k + 1 : k - 1;
    }
}

static int find_edits(struct pairing *p)
{
    for (int edits = 0; edits <= MOST_EDITS && edits <= p->count[0] + p->count[1]; edits++) {
        const size_t size = (size_t)(edits + 1) * (size_t)(edits + 1);
        int *more = realloc(p->reached, size * sizeof *more);
        if (!more)
            return TD_E_NOMEM;
        p->reached = more;
        if (extend(p, edits)) {
            mark_same(p, edits);
            break;
        }
    }
    return 0;
}

/* ---- the pairs ---- */

/* From the marks: the lines in both are in the same order in both. */
static void pair_middle(struct pairing *p)
{
    int before = 0, now = 0;
    while (before < p->count[0] || now < p->count[1]) {
        int to = before, until = now;
        while (to < p->count[0] && !p->same[to])
            to++;
        while (until < p->count[1] && (to == p->count[0] || !are_same(p, p->first + to, p->first + until)))
            until++;
        for (; before < to || now < until;) {
            const int a = before < to ? p->first + before++ : -1, b = now < until ? p->first + now++ : -1;
            add_pair(p, a, b, true);
        }
        if (to < p->count[0] && until < p->count[1])
            add_pair(p, p->first + before++, p->first + now++, false);
    }
}

int td_line_pairs_make(struct td_line_pairs *pairs, const struct td_source_text *before,
                       const struct td_source_text *now)
{
    struct pairing p = {.text = {before, now}, .pairs = pairs};
    const int lines[2] = {(int)before->line_count, (int)now->line_count};
    int first = 0, last = 0;
    *pairs = (struct td_line_pairs){.at = calloc((size_t)lines[0] + (size_t)lines[1] + 1, sizeof *pairs->at)};
    while (first < lines[0] && first < lines[1] && are_same(&p, first, first))
        first++;
    while (last < lines[0] - first && last < lines[1] - first &&
           are_same(&p, lines[0] - last - 1, lines[1] - last - 1))
        last++;
    p.first = first;
    p.count[0] = lines[0] - first - last;
    p.count[1] = lines[1] - first - last;
    p.same = calloc((size_t)p.count[0] + 1, 1);
    int rc = pairs->at && p.same ? find_edits(&p) : TD_E_NOMEM;
    for (int i = 0; rc == 0 && i < first; i++)
        add_pair(&p, i, i, false);
    if (rc == 0)
        pair_middle(&p);
    for (int i = last; rc == 0 && i > 0; i--)
        add_pair(&p, lines[0] - i, lines[1] - i, false);
    free(p.reached);
    free(p.same);
    return rc;
}

void td_line_pairs_free(struct td_line_pairs *pairs)
{
    free(pairs->at);
    *pairs = (struct td_line_pairs){0};
}

size_t td_line_pairs_step(const struct td_line_pairs *pairs, size_t from, bool forward)
{
    for (size_t i = forward ? from + 1 : from - 1; i < pairs->count; i += forward ? 1 : SIZE_MAX)
        if (pairs->at[i].differs && (!i || !pairs->at[i - 1].differs))
            return i;
    return SIZE_MAX;
}
