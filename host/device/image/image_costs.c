/* What each zone of an image costs: the instructions of its marker, and the constants among them that are
 * executed with each zone because no loop keeps them in a register. Known from the switches, which list the
 * instructions of each zone's site (proto/device/site.h). */
#include "host/device/image/image_internal.h"
#include "proto/device/cost.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_MOST       24 /* bytes of the begin of a zone; an inlined end has more */
#define CONSTANT_BYTES  4
#define TINY_CLOSE_MOST 8      /* bytes: the call and a store */
#define LOOP_BYTES      0x1000 /* loops that are searched: longer ones count as none */
#define SITE_SPREAD     1024   /* entries between two of one site, at most */
#define OPCODE_STORE    0x23
#define OPCODE_BRANCH   0x63
#define OPCODE_JUMP     0x6f /* without a return address */
#define OPCODE_MASK     0x7f
#define REGISTER_RD     0xf80

/* The parts of one site: its markers in one or several copies. */
struct site_parts {
    unsigned opens, closes, tiny_closes, constants, alone, stamps;
    uint32_t open_bytes, close_bytes;
};

static uint32_t bits(uint32_t word, unsigned from, unsigned count, unsigned to)
{
    return (word >> from & ((1u << count) - 1)) << to;
}

/* Where a branch or jump backward goes; 0: the instruction is none. */
static uint32_t backward_target(uint32_t at, uint32_t word)
{
    const uint32_t sign = word >> 31;
    uint32_t offset;
    if (!sign)
        return 0;
    if ((word & OPCODE_MASK) == OPCODE_BRANCH)
        offset = 0xfffff000 | bits(word, 7, 1, 11) | bits(word, 25, 6, 5) | bits(word, 8, 4, 1);
    else if ((word & (OPCODE_MASK | REGISTER_RD)) == OPCODE_JUMP)
        offset = 0xfff00000 | bits(word, 12, 8, 12) | bits(word, 20, 1, 11) | bits(word, 21, 10, 1);
    else
        return 0;
    return at + offset;
}

/* Whether a loop repeats the code at `user` without the constant, which is before it. */
static bool is_hoisted(const struct td_image *image, uint32_t constant, uint32_t user)
{
    const size_t next = td_image_symbol_after(image, user);
    const uint32_t end = next < image->symbol_count ? image->symbols[next].address : UINT32_MAX;
    for (uint32_t at = user; at < end && at - user < LOOP_BYTES; at += 4) {
        const char *bytes = td_image_loaded(image, at, 4);
        uint32_t word;
        if (!bytes)
            break;
        memcpy(&word, bytes, 4);
        const uint32_t target = backward_target(at, word);
        if (target > constant && target <= user)
            return true;
    }
    return false;
}

/* A begin or end by the timestamper is one store. */
static bool is_stamp(const struct td_image *image, const struct td_switch *s)
{
    const char *bytes = td_image_loaded(image, s->first, 4);
    uint32_t word = 0;
    if (bytes)
        memcpy(&word, bytes, 4);
    return s->end - s->first == CONSTANT_BYTES && (word & OPCODE_MASK) == OPCODE_STORE;
}

/* The next instructions of the site after the constant. */
static const struct td_switch *find_user(const struct td_image *image, size_t constant)
{
    const struct td_switch *s = &image->switches[constant];
    for (size_t i = constant + 1; i < image->switch_count && i - constant < SITE_SPREAD; i++)
        if (image->switches[i].id == s->id &&
            (image->switches[i].end - image->switches[i].first > CONSTANT_BYTES ||
             is_stamp(image, &image->switches[i])))
            return &image->switches[i];
    return NULL;
}

static void count_part(const struct td_image *image, size_t index, struct site_parts *parts)
{
    const struct td_switch *s = &image->switches[index];
    const uint32_t bytes = s->end - s->first;
    if (s->id == TD_SWITCH_NO_SITE || s->end & TD_SWITCH_SKIPS)
        return; /* no zone */
    struct site_parts *p = &parts[s->id];
    if (is_stamp(image, s)) {
        p->stamps++;
    } else if (!s->end) { /* the site is passed on as a value */
        p->alone++;
    } else if (bytes == CONSTANT_BYTES) {
        const struct td_switch *user = find_user(image, index);
        p->constants += !user || !is_hoisted(image, s->first, user->first);
    } else if (bytes > TINY_CLOSE_MOST && bytes <= OPEN_MOST) {
        p->opens++;
        p->open_bytes += bytes;
    } else {
        p->closes++;
        p->close_bytes += bytes;
        p->tiny_closes += bytes <= TINY_CLOSE_MOST;
    }
}

static double instructions_of(const struct td_site *site, const struct site_parts *p)
{
    const double constant = td_cost_of(TD_COST_CONSTANT).instructions;
    if (site->kind == TD_SITE_SUM)
        return td_cost_of(TD_COST_SUM).instructions;
    if (site->kind != TD_SITE_ZONE && site->kind != TD_SITE_WAIT)
        return 0;
    if (p->stamps)
        return td_cost_of(TD_COST_STAMPED).instructions + 2 * constant * p->constants / p->stamps;
    if (p->alone)
        return td_cost_of(TD_COST_SPAN).instructions;
    if (!p->opens || !p->closes) /* not known: as outside of a loop */
        return td_cost_of(TD_COST_ZONE).instructions + 3 * constant;
    const double constants = constant * p->constants / p->opens;
    if (p->tiny_closes) /* the id has to be in a certain register */
        return td_cost_of(TD_COST_TINY).instructions + (constants < 1 ? 1 : constants);
    return (double)p->open_bytes / p->opens / 4 + (double)p->close_bytes / p->closes / 4 + constants;
}

int td_image_find_costs(struct td_image *image, struct td_err *err)
{
    struct site_parts *parts = calloc(image->site_count + 1, sizeof *parts);
    if (!parts)
        return td_fail_no_memory(err, "for the costs of zones");
    for (size_t i = 0; i < image->switch_count; i++)
        count_part(image, i, parts);
    for (size_t i = 0; i < image->site_count; i++)
        image->sites[i].instructions = instructions_of(&image->sites[i], &parts[i]);
    free(parts);
    return 0;
}
