#include "host/tools/query/shell.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/base/options.h"
#include "host/tools/query/questions.h"

#include <editline/readline.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define HISTORY_LINES 1000

static const char help[] = "A statement ends with a semicolon and may have several lines.\n"
                           "  .tables [TEXT]     the tables, or those with TEXT in their names\n"
                           "  .schema [TABLE]    the columns of all tables, or of one\n"
                           "  .questions         the questions that can be asked by name\n"
                           "  .question NAME     asks one; .show NAME prints its text\n"
                           "  .mode FORM         text, csv, tsv, json, jsonl or markdown\n"
                           "  .help, .quit\n"
                           "Ctrl-C ends a question that runs. docs/query.md has the tables and functions.\n";

/* ---- words for completion ---- */

static struct {
    const char **at;
    size_t count, room;
} words; /* libedit's functions have no argument for it */

static void add_word(const char *word)
{
    for (size_t i = 0; i < words.count; i++)
        if (!strcmp(words.at[i], word))
            return;
    (void)TD_APPEND(words.at, words.count, words.room, word); /* without memory, it is not offered */
}

static void list_words(const struct td_sql *sql)
{
    static const char *const known[] = {
        "SELECT",    "FROM",     "WHERE",     "GROUP BY",    "ORDER BY", "LIMIT",       "DESC",
        "JOIN",      "USING",    "HAVING",    "BETWEEN",     "AND",      "DISTINCT",    "WITH",
        "count(*)",  "sum(",     "avg(",      "min(",        "max(",     "percentile(", "histogram(",
        "duration(", "overlap(", "overlaps(", "stack_text(", ".tables",  ".schema",     ".questions",
        ".question", ".show",    ".mode",     ".help",       ".quit"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        add_word(known[i]);
    for (size_t t = 0; t < td_sql_tables(sql); t++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        add_word(td_sql_table(sql, t, &column, &columns, &table));
        for (size_t c = 0; c < columns; c++)
            add_word(column[c].name);
    }
    for (size_t i = 0; i < query_question_count; i++)
        add_word(query_questions[i].name);
}

static char *next_word(const char *begin, int state)
{
    static size_t at;
    const size_t bytes = strlen(begin);
    if (!state)
        at = 0;
    while (at < words.count)
        if (!strncasecmp(words.at[at++], begin, bytes))
            return strdup(words.at[at - 1]);
    return NULL;
}

static char **complete(const char *begin, int from, int to)
{
    return rl_completion_matches(begin, next_word);
}

/* ---- history ---- */

/* Makes the folders too. False: there is no place for it. */
static bool history_path(char *path, size_t bytes)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool has_state = state && *state == '/';
    if (!has_state && (!home || *home != '/'))
        return false;
    const int used = snprintf(path, bytes, "%s%s/tendril/query_history", has_state ? state : home,
                              has_state ? "" : "/.local/state");
    if (used < 0 || (size_t)used >= bytes)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    return true;
}

/* ---- commands ---- */

static void print_tables(const struct td_sql *sql, const char *part)
{
    for (size_t t = 0; t < td_sql_tables(sql); t++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        const char *name = td_sql_table(sql, t, &column, &columns, &table);
        if (!part || strstr(name, part))
            printf("%-24s %s\n", name, table->about);
    }
}

static bool print_schema(const struct td_sql *sql, const char *only)
{
    bool is_found = false;
    for (size_t t = 0; t < td_sql_tables(sql); t++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        const char *name = td_sql_table(sql, t, &column, &columns, &table);
        if (only && strcasecmp(only, name) != 0)
            continue;
        is_found = true;
        printf("%s: %s\n", name, table->about);
        for (size_t c = 0; c < columns; c++)
            printf("  %-16s %-8s %s%s\n", column[c].name, column[c].type,
                   *column[c].column->title ? column[c].column->title : column[c].name,
                   column[c].is_track_id ? ": its id in tracks" : "");
    }
    return is_found;
}

static int ask(const struct query_shell *shell, const char *text, struct td_err *err)
{
    const struct td_sql_sink sink = query_print_sink(shell->print);
    struct td_sql_question question = shell->limits;
    struct td_sql_answer answer;
    question.text = text;
    if (shell->grows)
        td_sql_forget(shell->sql);
    const int rc = td_sql_run(shell->sql, &question, &sink, &answer, err);
    if (rc == 0 && answer.more)
        fprintf(stderr, "tendril query: there are more than %llu rows\n", (unsigned long long)question.rows);
    return rc;
}

static int no_such(const char *what, const char *name, struct td_err *err)
{
    return td_fail(err, TD_E_NOTFOUND, "there is no %s %.60s", what, name ? name : "without a name");
}

/* *ends: the shell is to end. */
static int run_command(const struct query_shell *shell, char *line, bool *ends, struct td_err *err)
{
    char *rest, *name = strtok_r(line, " \t\n", &rest), *word = strtok_r(NULL, " \t\n", &rest);
    const struct query_question *question = word ? query_question_find(word) : NULL;
    if (!strcmp(name, ".quit") || !strcmp(name, ".exit")) {
        *ends = true;
    } else if (!strcmp(name, ".help")) {
        fputs(help, stdout);
    } else if (!strcmp(name, ".tables")) {
        print_tables(shell->sql, word);
    } else if (!strcmp(name, ".schema")) {
        return print_schema(shell->sql, word) ? 0 : no_such("table", word, err);
    } else if (!strcmp(name, ".questions")) {
        for (size_t i = 0; i < query_question_count; i++)
            printf("%-24s %s\n", query_questions[i].name, query_questions[i].about);
    } else if (!strcmp(name, ".question")) {
        return question ? ask(shell, question->text, err) : no_such("question", word, err);
    } else if (!strcmp(name, ".show")) {
        return question ? (fputs(question->text, stdout), 0) : no_such("question", word, err);
    } else if (!strcmp(name, ".mode")) {
        const int form = td_option_choice(QUERY_FORMS, word ? word : "");
        if (form < 0)
            return td_fail(err, TD_E_USAGE, ".mode takes one of " QUERY_FORMS);
        query_print_choose(shell->print, (enum query_form)form);
    } else {
        return td_fail(err, TD_E_USAGE, "there is no command %.60s (.help)", name);
    }
    return 0;
}

/* ---- lines ---- */

struct line_reader {
    bool is_terminal;
    char *line; /* malloc'ed */
    size_t room;
    const volatile int *interrupts;
};

/* NULL: the input has ended. Ctrl-C at the prompt gives an empty line. */
static const char *read_line(struct line_reader *r, const char *prompt)
{
    if (!r->is_terminal)
        return getline(&r->line, &r->room, stdin) < 0 ? NULL : r->line;
    const int interrupts = *r->interrupts;
    free(r->line);
    r->line = readline(prompt);
    if (!r->line && *r->interrupts != interrupts) {
        putchar('\n');
        r->line = strdup("");
    } else if (!r->line) {
        putchar('\n');
    }
    return r->line;
}

/* What was typed so far. */
struct typed {
    char *text;
    size_t bytes, room;
};

static int add_line(struct typed *typed, const char *line)
{
    const size_t bytes = strlen(line);
    if (td_grow(&typed->text, &typed->room, typed->bytes + bytes + 2, 1) < 0)
        return TD_E_NOMEM;
    memcpy(typed->text + typed->bytes, line, bytes);
    typed->bytes += bytes;
    if (!bytes || line[bytes - 1] != '\n')
        typed->text[typed->bytes++] = '\n';
    typed->text[typed->bytes] = 0;
    return 0;
}

static bool is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n;")];
}

/* One line of input. */
static int take_line(const struct query_shell *shell, struct typed *typed, const char *line, bool *ends,
                     struct td_err *err)
{
    if (!typed->bytes && is_blank(line))
        return 0;
    if (add_line(typed, line) < 0)
        return td_fail_no_memory(err, NULL);
    const bool is_command = typed->text[0] == '.';
    if (!is_command && !td_sql_is_complete(typed->text))
        return 0;
    const int rc = is_command ? run_command(shell, typed->text, ends, err) : ask(shell, typed->text, err);
    typed->bytes = 0;
    fflush(stdout);
    return rc;
}

static int read_all(const struct query_shell *shell, struct line_reader *reader, struct td_err *err)
{
    struct typed typed = {0};
    const char *line;
    bool ends = false;
    int rc = 0;
    while (!ends && rc == 0 && (line = read_line(reader, typed.bytes ? "    ...> " : "tendril> "))) {
        const int interrupts = *shell->interrupts;
        struct td_err mistake = {0};
        if (reader->is_terminal && !*line)
            typed.bytes = typed.bytes && interrupts ? 0 : typed.bytes;
        if (reader->is_terminal && !is_blank(line))
            add_history(line);
        rc = take_line(shell, &typed, line, &ends, &mistake);
        if (rc && reader->is_terminal) {
            fprintf(stderr, "%s\n", TD_PLAIN(mistake.text));
            rc = 0;
        } else if (rc) {
            *err = mistake;
        }
    }
    if (rc == 0 && !reader->is_terminal && typed.bytes && !is_blank(typed.text))
        rc = ask(shell, typed.text, err); /* the last semicolon may be missing */
    free(typed.text);
    return rc;
}

int query_shell(const struct query_shell *shell, struct td_err *err)
{
    char path[1000];
    struct line_reader reader = {.is_terminal = isatty(STDIN_FILENO), .interrupts = shell->interrupts};
    const bool keeps_history = reader.is_terminal && history_path(path, sizeof path);
    if (reader.is_terminal) {
        list_words(shell->sql);
        rl_readline_name = "tendril";
        rl_attempted_completion_function = complete;
        using_history();
        stifle_history(HISTORY_LINES);
        puts("SQL over the trace; .help lists commands.");
    }
    if (keeps_history)
        read_history(path);
    const int rc = read_all(shell, &reader, err);
    if (keeps_history)
        write_history(path);
    free(reader.line);
    free(words.at);
    words.at = NULL;
    words.count = words.room = 0;
    return rc;
}
