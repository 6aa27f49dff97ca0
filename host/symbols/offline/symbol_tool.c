/* Runs addr2line or a program with its interface: TOOL -C -f ARGUMENTS -e IMAGE -a ADDRESS... prints a line
 * with each address; then, for its function (with -i also for the functions inlined there), a line with the
 * name and a line with FILE:LINE. */
#include "host/symbols/offline/symbol_lookup.h"
#include "host/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 64
#define AT_ONCE   256 /* addresses in one call */

struct words {
    char *text; /* memory of all words */
    char *at[WORDS_MAX];
    size_t count;
};
struct answers {
    FILE *from;
    size_t first, count; /* places of this call */
    size_t next;         /* addresses that the tool has printed so far */
    void (*take)(void *self, size_t index, struct td_lookup_line *lines, unsigned count);
    void *self;
    struct td_lookup_line lines[TD_CODE_LINES];
    unsigned line_count;
};

/* ---- arguments: words and quotes as in a shell ---- */

static int split_words(const char *arguments, struct words *words, struct td_err *err)
{
    *words = (struct words){0};
    char *to = words->text = malloc(strlen(arguments) + 1), quote = 0;
    int inside = 0;
    if (!to)
        return td_fail_no_memory(err, "for arguments");
    for (const char *at = arguments; *at; at++) {
        if (!quote && strchr(" \t\n", *at)) {
            if (inside)
                *to++ = 0;
            inside = 0;
            continue;
        }
        if (!inside && words->count == WORDS_MAX)
            return td_fail(err, TD_E_USAGE, "more than %d arguments for the tool", WORDS_MAX);
        if (!inside)
            words->at[words->count++] = to;
        inside = 1;
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *to = 0;
    return quote ? td_fail(err, TD_E_USAGE, "unclosed quote in '%s'", arguments) : 0;
}

/* ---- running it ---- */

static void run_tool(const struct td_lookup *lookup, const struct words *more, const uint64_t *places,
                     size_t count, int out)
{
    char hex[AT_ONCE][20], *arguments[WORDS_MAX + AT_ONCE + 8];
    size_t n = 0;
    arguments[n++] = (char *)(uintptr_t)lookup->tool;
    arguments[n++] = "-C";
    arguments[n++] = "-f";
    for (size_t i = 0; i < more->count; i++)
        arguments[n++] = more->at[i];
    arguments[n++] = "-e";
    arguments[n++] = (char *)(uintptr_t)lookup->path;
    arguments[n++] = "-a";
    for (size_t i = 0; i < count; i++) {
        snprintf(hex[i], sizeof hex[i], "0x%llx", (unsigned long long)places[i]);
        arguments[n++] = hex[i];
    }
    arguments[n] = NULL;
    if (dup2(out, STDOUT_FILENO) >= 0)
        execvp(lookup->tool, arguments);
    _exit(127);
}

/* ---- what it prints ---- */

static void pass_answer(struct answers *a)
{
    if (a->next > 0 && a->next <= a->count)
        a->take(a->self, a->first + a->next - 1, a->lines, a->line_count);
    for (unsigned i = 0; i < a->line_count; i++) {
        free((char *)(uintptr_t)a->lines[i].function);
        free((char *)(uintptr_t)a->lines[i].file);
    }
    a->line_count = 0;
}

static bool is_address(const char *text)
{
    return !strncmp(text, "0x", 2) && text[2] &&
           strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2);
}

/* Parses "/src/main.c:12 (discriminator 3)", "??:0", "??:?", "main.c:?". */
static void set_place(struct td_lookup_line *line, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !strncmp(text, "??:", 3))
        return;
    line->file = strndup(text, (size_t)(colon - text));
    line->line = (uint32_t)strtoul(colon + 1, NULL, 10);
}

static char *next_line(struct answers *a, char **text, size_t *room)
{
    ssize_t n = getline(text, room, a->from);
    while (n > 0 && ((*text)[n - 1] == '\n' || (*text)[n - 1] == '\r'))
        (*text)[--n] = 0;
    return n < 0 ? NULL : *text;
}

static void read_answers(struct answers *a)
{
    char *text = NULL;
    size_t room = 0;
    while (next_line(a, &text, &room)) {
        if (is_address(text)) {
            pass_answer(a);
            a->next++;
            continue;
        }
        struct td_lookup_line line = {0};
        if (strcmp(text, "??") != 0)
            line.function = strdup(text);
        if (next_line(a, &text, &room))
            set_place(&line, text);
        if (a->next && a->line_count < TD_CODE_LINES) {
            a->lines[a->line_count++] = line;
            continue;
        }
        free((char *)(uintptr_t)line.function);
        free((char *)(uintptr_t)line.file);
    }
    pass_answer(a);
    free(text);
}

static int ask_tool(const struct td_lookup *lookup, const struct words *words, const uint64_t *places,
                    struct answers *a, struct td_err *err)
{
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        return td_fail_errno(err, "%s", lookup->tool);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_tool(lookup, words, places + a->first, a->count, ends[1]);
    }
    close(ends[1]);
    a->from = child > 0 ? fdopen(ends[0], "r") : NULL;
    if (a->from) {
        read_answers(a);
        fclose(a->from);
    } else {
        close(ends[0]);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return td_fail(err, TD_E_NOTFOUND, "%s cannot be run", lookup->tool);
    return 0;
}

int td_symbol_tool_ask(const struct td_lookup *lookup, const uint64_t *places, size_t count,
                       void (*take)(void *self, size_t index, struct td_lookup_line *lines, unsigned count),
                       void *self, struct td_err *err)
{
    struct words words;
    int rc = split_words(lookup->arguments ? lookup->arguments : "", &words, err);
    for (size_t first = 0; rc == 0 && first < count; first += AT_ONCE) {
        struct answers a = {.first = first, .count = count - first, .take = take, .self = self};
        a.count = a.count < AT_ONCE ? a.count : AT_ONCE;
        rc = ask_tool(lookup, &words, places, &a, err);
    }
    free(words.text);
    return rc;
}
