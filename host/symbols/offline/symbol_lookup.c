#include "host/symbols/offline/symbol_lookup.h"
#include "host/symbols/symbols.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX     65535
#define STEP_SECONDS 120 /* of processor time for one address: a damaged file may cause an endless loop */

/* Messages of the child: first OPENED or REFUSED, then ANSWERs, then WHOLE. */
enum { OPENED = 'O', REFUSED = 'R', ANSWER = 'A', WHOLE = 'W' };

/* ---- the child ---- */

struct sender {
    const struct td_lookup *lookup;
    struct td_symbol_file *file;
    FILE *to;
    size_t next;      /* number of the next address to answer */
    size_t *asked;    /* numbers of the addresses that the tool is asked for */
    uint64_t *places; /* their places */
};

static void put_number(struct sender *s, uint64_t number)
{
    fwrite(&number, sizeof number, 1, s->to);
}

/* As its length + 1, then its bytes; NULL: as 0. */
static void put_text(struct sender *s, const char *text)
{
    size_t bytes = text ? strnlen(text, TEXT_MAX) : 0;
    put_number(s, text ? bytes + 1 : 0);
    fwrite(text ? text : "", 1, bytes, s->to);
}

static void put_line(struct sender *s, const struct td_lookup_line *line)
{
    uint32_t begins = 0;
    const char *file = line->symbol ? td_symbol_file_begins(s->file, line->symbol, &begins) : NULL;
    put_text(s, line->function);
    put_text(s, line->file);
    put_number(s, line->line);
    put_number(s, line->symbol);
    put_number(s, line->bytes);
    put_text(s, file);
    put_number(s, begins);
}

/* Sends the answers so far, and restarts the time limit. */
static void begin_step(struct sender *s)
{
    const struct itimerval most = {.it_value = {.tv_sec = STEP_SECONDS}};
    fflush(s->to);
    setitimer(ITIMER_PROF, &most, NULL);
}

static void put_answer(struct sender *s, const struct td_lookup_line *lines, unsigned count)
{
    uint64_t place;
    int placed = td_symbol_file_place(s->file, &s->lookup->addresses[s->next++], &place);
    put_number(s, ANSWER);
    put_number(s, placed);
    put_number(s, place);
    put_number(s, count);
    for (unsigned i = 0; i < count; i++)
        put_line(s, &lines[i]);
}

static void answer_from_file(struct sender *s)
{
    struct td_lookup_line lines[TD_CODE_LINES];
    uint64_t place;
    while (s->next < s->lookup->count) {
        begin_step(s);
        int placed = td_symbol_file_place(s->file, &s->lookup->addresses[s->next], &place);
        unsigned count =
            placed && !s->lookup->places_only ? td_symbol_file_find(s->file, place, lines, TD_CODE_LINES) : 0;
        put_answer(s, lines, count);
    }
}

static void take_from_tool(void *self, size_t index, struct td_lookup_line *lines, unsigned count)
{
    struct sender *s = self;
    begin_step(s);
    while (s->next < s->asked[index])
        put_answer(s, NULL, 0);
    if (count)
        td_symbol_file_extent(s->file, s->places[index], &lines[count - 1]);
    put_answer(s, lines, count);
}

static int answer_from_tool(struct sender *s, struct td_err *err)
{
    size_t count = 0, all = s->lookup->count;
    s->asked = malloc((all - s->next + 1) * sizeof *s->asked);
    s->places = malloc((all - s->next + 1) * sizeof *s->places);
    if (!s->asked || !s->places)
        return td_fail_no_memory(err, NULL);
    for (size_t i = s->next; i < all; i++)
        if (td_symbol_file_place(s->file, &s->lookup->addresses[i], &s->places[count]))
            s->asked[count++] = i;
    int rc = td_symbol_tool_ask(s->lookup, s->places, count, take_from_tool, s, err);
    while (rc == 0 && s->next < all)
        put_answer(s, NULL, 0);
    return rc;
}

static void put_refusal(struct sender *s, const struct td_err *why)
{
    put_number(s, REFUSED);
    put_text(s, why->text);
}

static void send_answers(struct sender *s, int names_only)
{
    struct td_err why = {0};
    int by_tool = s->lookup->tool && !s->lookup->places_only;
    begin_step(s);
    s->file = td_symbol_file_open(s->lookup, names_only || by_tool || s->lookup->places_only, &why);
    if (!s->file) {
        put_refusal(s, &why);
        return;
    }
    put_number(s, OPENED);
    put_number(s, by_tool || td_symbol_file_has_lines(s->file));
    if (!by_tool)
        answer_from_file(s);
    else if (answer_from_tool(s, &why) < 0)
        put_refusal(s, &why);
    if (s->next == s->lookup->count)
        put_number(s, WHOLE);
}

static void run_child(const struct td_lookup *lookup, size_t next, int names_only, int out)
{
    const struct rlimit none = {0, 0};
    const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGPROF, SIGPIPE, SIGTERM};
    struct sender s = {.lookup = lookup, .next = next, .to = fdopen(out, "w")};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);
    if (s.to) {
        send_answers(&s, names_only);
        fflush(s.to);
    }
    _exit(0);
}

/* ---- the parent ---- */

struct receiver {
    FILE *from;
    bool broken; /* the child ended in the middle of a message */
    char *texts[3 * TD_CODE_LINES];
    unsigned text_count;
};

static uint64_t get_number(struct receiver *r)
{
    uint64_t number = 0;
    if (!r->broken && fread(&number, sizeof number, 1, r->from) != 1)
        r->broken = true;
    return r->broken ? 0 : number;
}

static const char *get_text(struct receiver *r)
{
    uint64_t bytes = get_number(r);
    if (!bytes || bytes > TEXT_MAX + 1 || r->text_count == 3 * TD_CODE_LINES)
        return NULL;
    char *text = malloc(bytes);
    if (!text || fread(text, 1, bytes - 1, r->from) != bytes - 1) {
        r->broken = true;
        free(text);
        return NULL;
    }
    text[bytes - 1] = 0;
    r->texts[r->text_count++] = text;
    return text;
}

static void drop_texts(struct receiver *r)
{
    while (r->text_count)
        free(r->texts[--r->text_count]);
}

static int get_answer(struct receiver *r, size_t index, td_lookup_take *take, void *self)
{
    struct td_lookup_line lines[TD_CODE_LINES];
    int placed = (int)get_number(r);
    uint64_t place = get_number(r), count = get_number(r);
    r->broken |= count > TD_CODE_LINES;
    for (uint64_t i = 0; i < count && !r->broken; i++) {
        lines[i].function = get_text(r);
        lines[i].file = get_text(r);
        lines[i].line = (uint32_t)get_number(r);
        lines[i].symbol = get_number(r);
        lines[i].bytes = get_number(r);
        lines[i].symbol_file = get_text(r);
        lines[i].symbol_line = (uint32_t)get_number(r);
    }
    int rc = r->broken ? 0 : take(self, index, placed, place, lines, (unsigned)count);
    drop_texts(r);
    return rc;
}

/* Takes answers from *next on. 1: the child has sent all, or refused; 0: it died before. */
static int get_answers(struct receiver *r, const struct td_lookup *lookup, size_t *next, td_lookup_take *take,
                       void *self, struct td_lookup_end *end)
{
    for (;;) {
        uint64_t what = get_number(r);
        const char *refused;
        int rc = 0;
        switch (r->broken ? 0 : what) {
        case OPENED:
            end->names_only = !get_number(r);
            break;
        case ANSWER:
            rc = *next < lookup->count ? get_answer(r, *next, take, self) : 0;
            *next += !r->broken;
            break;
        case REFUSED:
            refused = get_text(r);
            td_fail(&end->notice, TD_E_NOTFOUND, "%s", refused ? refused : "it cannot be read");
            drop_texts(r);
            return 1;
        case WHOLE:
            return 1;
        default:
            return 0;
        }
        if (rc < 0)
            return rc;
    }
}

static int run_once(const struct td_lookup *lookup, size_t *next, int names_only, td_lookup_take *take,
                    void *self, struct td_lookup_end *end, struct td_err *err)
{
    int ends[2];
    if (pipe(ends) != 0)
        return td_fail_errno(err, "cannot make a pipe");
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return td_fail_errno(err, "cannot start a process that reads symbols");
    }
    if (child == 0) {
        close(ends[0]);
        run_child(lookup, *next, names_only, ends[1]);
    }
    close(ends[1]);
    struct receiver r = {.from = fdopen(ends[0], "r")};
    int rc = r.from ? get_answers(&r, lookup, next, take, self, end) : td_fail_no_memory(err, "for symbols");
    kill(child, SIGKILL); /* if it still runs: its answers are not read any more */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (r.from)
        fclose(r.from);
    else
        close(ends[0]);
    return rc;
}

int td_lookup_run(const struct td_lookup *lookup, td_lookup_take *take, void *self, struct td_lookup_end *end,
                  struct td_err *err)
{
    size_t next = 0;
    *end = (struct td_lookup_end){0};
    int rc = run_once(lookup, &next, 0, take, self, end, err);
    if (rc == 0) {
        *end = (struct td_lookup_end){0};
        td_fail(&end->notice, TD_E_FORMAT, "its debug information is broken: names only");
        rc = run_once(lookup, &next, 1, take, self, end, err);
    }
    if (rc == 0) {
        *end = (struct td_lookup_end){0};
        td_fail(&end->notice, TD_E_FORMAT, "it cannot be read");
    }
    for (; rc >= 0 && next < lookup->count; next++)
        rc = take(self, next, lookup->addresses[next].placed, lookup->addresses[next].place, NULL, 0);
    return rc < 0 ? td_fail(err, rc, "out of memory for symbols") : 0;
}
