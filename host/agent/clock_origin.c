#include "host/agent/clock_origin.h"
#include "host/base/clock.h"
#include "host/base/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#define TRIES     8
#define SECOND_NS INT64_C(1000000000)
/* Of a sound note: until 2043; 4 years of uptime. Sums of several do not overflow. */
#define REAL_LIMIT_NS (INT64_MAX / 4)
#define MONO_LIMIT_NS (INT64_MAX / 64)

void td_clock_moment_take(struct td_clock_moment *moment)
{
    moment->error_ns = INT64_MAX;
    for (int i = 0; i < TRIES; i++) { /* the shortest try was not interrupted */
        struct timespec real;
        int64_t before_ns = td_mono_ns();
        uint64_t ticks = td_host_ticks_ordered();
        clock_gettime(CLOCK_REALTIME, &real);
        int64_t after_ns = td_mono_ns();
        if (after_ns - before_ns >= moment->error_ns)
            continue;
        *moment =
            (struct td_clock_moment){ticks, before_ns + (after_ns - before_ns) / 2,
                                     (int64_t)real.tv_sec * SECOND_NS + real.tv_nsec, after_ns - before_ns};
    }
}

/* The kernel's bound, which the programs that set the clock maintain. */
static int64_t real_error_ns(void)
{
    struct timex state = {0};
    int rc = adjtimex(&state);
    return rc < 0 || rc == TIME_ERROR || state.status & STA_UNSYNC ? SECOND_NS
                                                                   : (int64_t)state.maxerror * 1000;
}

void td_clock_origin_of_ticks(struct td_clock_origin *origin, const struct td_clock_moment *begin,
                              uint64_t zero_ticks, double ns_per_tick)
{
    struct td_clock_moment end;
    td_clock_moment_take(&end);
    const struct td_clock_moment *moments[] = {begin, &end};
    *origin = (struct td_clock_origin){.real_error_ns = real_error_ns(), .pairs = 2};
    for (int i = 0; i < 2; i++) {
        int64_t error_ns = moments[i]->error_ns;
        origin->pair[i].at_ns = (int64_t)((double)(int64_t)(moments[i]->ticks - zero_ticks) * ns_per_tick);
        origin->pair[i].mono_ns = moments[i]->mono_ns;
        origin->error_ns = error_ns > origin->error_ns ? error_ns : origin->error_ns;
    }
    if (origin->pair[1].at_ns - origin->pair[0].at_ns < SECOND_NS / 100)
        origin->pairs = 1; /* too near to each other for a speed */
    origin->real_ns = begin->real_ns - origin->pair[0].at_ns;
    origin->real_error_ns += begin->error_ns;
    td_process_boot(origin->boot, sizeof origin->boot);
}

void td_clock_origin_move(struct td_clock_origin *origin, int64_t at_ns)
{
    for (unsigned i = 0; i < origin->pairs; i++)
        origin->pair[i].at_ns -= at_ns;
    origin->real_ns += at_ns;
}

void td_clock_origin_of_day(struct td_clock_origin *origin, uint64_t epoch_s)
{
    *origin = (struct td_clock_origin){.real_ns = (int64_t)epoch_s * SECOND_NS, .real_error_ns = SECOND_NS};
}

void td_clock_origin_text(const struct td_clock_origin *origin, char *text)
{
    const size_t room = TD_CLOCK_ORIGIN_TEXT;
    int n =
        snprintf(text, room, "real=%" PRId64 " real_error=%" PRId64, origin->real_ns, origin->real_error_ns);
    if (!origin->boot[0])
        return;
    n += snprintf(text + n, room - (size_t)n, " boot=%s error=%" PRId64, origin->boot, origin->error_ns);
    for (unsigned i = 0; i < origin->pairs; i++)
        n += snprintf(text + n, room - (size_t)n, " at=%" PRId64 " mono=%" PRId64, origin->pair[i].at_ns,
                      origin->pair[i].mono_ns);
}

int td_clock_origin_note(struct td_trace *trace, const struct td_clock_origin *origin)
{
    char text[TD_CLOCK_ORIGIN_TEXT];
    td_clock_origin_text(origin, text);
    return td_trace_note(trace, TD_NOTE_CLOCK_ORIGIN, "%s", text);
}

/* One KEY=VALUE. False: it makes no sense. Unknown keys are skipped. */
static bool read_word(struct td_clock_origin *origin, const char *word, size_t bytes)
{
    const char *value = memchr(word, '=', bytes);
    size_t key = value ? (size_t)(value - word) : 0;
    if (!key)
        return false;
    if (key == 4 && !memcmp(word, "boot", 4)) {
        snprintf(origin->boot, sizeof origin->boot, "%.*s", (int)(bytes - key - 1), value + 1);
        return true;
    }
    struct {
        const char *key;
        int64_t *to;
    } numbers[] = {{"real", &origin->real_ns},
                   {"real_error", &origin->real_error_ns},
                   {"error", &origin->error_ns},
                   {"at", origin->pairs < 2 ? &origin->pair[origin->pairs].at_ns : NULL},
                   {"mono", origin->pairs < 2 ? &origin->pair[origin->pairs].mono_ns : NULL}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end;
        if (strlen(numbers[i].key) != key || memcmp(numbers[i].key, word, key))
            continue;
        int64_t number = strtoll(value + 1, &end, 10);
        int64_t limit = i == 0 ? REAL_LIMIT_NS : MONO_LIMIT_NS;
        if (!numbers[i].to || end != word + bytes || number > limit || number < -limit)
            return false;
        *numbers[i].to = number;
        origin->pairs += !strcmp(numbers[i].key, "mono");
    }
    return true;
}

bool td_clock_origin_read(const struct td_trace *trace, struct td_clock_origin *origin)
{
    return td_clock_origin_parse(td_trace_get_note(trace, TD_NOTE_CLOCK_ORIGIN, 0), origin);
}

bool td_clock_origin_parse(const char *text, struct td_clock_origin *origin)
{
    *origin = (struct td_clock_origin){0};
    while (text && *text) {
        size_t bytes = strcspn(text, " ");
        if (bytes && !read_word(origin, text, bytes))
            return false;
        text += bytes + (text[bytes] == ' ');
    }
    if (!origin->pairs)
        origin->boot[0] = 0;
    /* A later pair has a later time, at about the same speed. */
    if (origin->pairs == 2) {
        double at = (double)(origin->pair[1].at_ns - origin->pair[0].at_ns);
        double mono = (double)(origin->pair[1].mono_ns - origin->pair[0].mono_ns);
        if (at <= 0 || mono < at * 0.9 || mono > at * 1.1)
            return false;
    }
    return origin->real_ns > 0 && origin->real_error_ns >= 0 && origin->error_ns >= 0;
}
