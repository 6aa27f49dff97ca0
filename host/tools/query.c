/* tendril query: SQL over traces. */
#include "host/base/options.h"
#include "host/base/path.h"
#include "host/base/nearest.h"
#include "host/base/progress_bar.h"
#include "host/base/memory.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/tools/files/text_output.h"
#include "host/tools/query/live.h"
#include "host/tools/query/print.h"
#include "host/tools/query/questions.h"
#include "host/tools/query/session.h"
#include "host/tools/query/shell.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TRACES_MAX 10
#define FILE_MAX   (1 << 20) /* bytes of statements */

struct query_command {
    struct td_load_options load;
    struct td_words parameters;
    const char *file, *question, *output, *heap, *at;
    int form, lists, session;
    double seconds;
    long rows;
    /* From the operands. */
    char **traces;
    size_t trace_count;
    const char *text; /* NULL: the shell */
    char *file_text;

    struct td_trace *trace[TRACES_MAX];
    struct query_live *live; /* with --at */
    struct td_sql *sql;
    struct td_progress_bar bar;
    struct td_sql_parameter *parameter;
};

/* ---- Ctrl-C ---- */

/* The handler reaches only globals. */
static struct td_sql *running;
static volatile int interrupts;

static void on_interrupt(int number)
{
    interrupts++;
    if (running)
        td_sql_stop(running);
}

/* ---- operands ---- */

/* SQL has spaces, and is no file. */
static bool is_statement(const char *operand)
{
    struct stat st;
    return operand[strcspn(operand, " \t\n;")] && stat(operand, &st) != 0;
}

/* NAME=FILE, unless there is a file of that name: the bytes of the name, else 0. */
static size_t name_bytes(const char *operand)
{
    struct stat st;
    const char *equals = strchr(operand, '=');
    return equals && !memchr(operand, '/', (size_t)(equals - operand)) && stat(operand, &st) != 0
               ? (size_t)(equals - operand)
               : 0;
}

/* The name that a trace has in SQL: the user's, or that of its file. */
static void schema_of(const char *operand, char *schema, size_t bytes)
{
    const size_t named = name_bytes(operand);
    const char *name = named ? operand : td_path_name(operand);
    const size_t most = named ? named : strcspn(name, ".");
    snprintf(schema, bytes, "%.*s", (int)most, name);
    for (char *letter = schema; !named && *letter; letter++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *letter))
            *letter = '_';
}

static int read_statements(struct query_command *c, struct td_err *err)
{
    size_t bytes = 0;
    FILE *file = strcmp(c->file, "-") ? fopen(c->file, "r") : stdin;
    c->file_text = malloc(FILE_MAX + 1);
    if (file && c->file_text)
        bytes = fread(c->file_text, 1, FILE_MAX, file);
    const bool failed = !file || ferror(file), is_long = file && bytes == FILE_MAX;
    if (file && file != stdin)
        fclose(file);
    if (!c->file_text)
        return td_fail_no_memory(err, NULL);
    if (failed)
        return td_fail_errno(err, "cannot read %.200s", c->file);
    if (is_long || memchr(c->file_text, 0, bytes))
        return td_fail(err, TD_E_FORMAT, "%.200s is no text of statements below 1 MiB", c->file);
    c->file_text[bytes] = 0;
    c->text = c->file_text;
    return 0;
}

static int choose_text(struct query_command *c, struct td_err *err)
{
    if ((c->text != NULL) + (c->file != NULL) + (c->question != NULL) > 1)
        return td_fail(err, TD_E_USAGE, "give one of SQL, --file and --question");
    if (c->file)
        return read_statements(c, err);
    if (!c->question)
        return 0;
    const struct query_question *known = query_question_find(c->question);
    struct td_nearest nearest = {.word = c->question};
    for (size_t i = 0; !known && i < query_question_count; i++)
        td_nearest_offer(&nearest, query_questions[i].name);
    if (!known && nearest.name)
        return td_fail(err, TD_E_NOTFOUND, "no question '%.60s': did you mean %s?", c->question,
                       nearest.name);
    if (!known)
        return td_fail(err, TD_E_NOTFOUND, "no question '%.60s' (--questions lists them)", c->question);
    c->text = known->text;
    return 0;
}

/* "n=3" */
static int read_parameters(struct query_command *c, struct td_err *err)
{
    c->parameter = calloc(c->parameters.count + 1, sizeof *c->parameter);
    for (size_t i = 0; c->parameter && i < c->parameters.count; i++) {
        const char *equals = strchr(c->parameters.words[i], '=');
        char *name =
            equals ? strndup(c->parameters.words[i], (size_t)(equals - c->parameters.words[i])) : NULL;
        if (!equals)
            return td_fail(err, TD_E_USAGE, "--parameter %.100s: not NAME=VALUE", c->parameters.words[i]);
        if (!name)
            return td_fail_no_memory(err, NULL);
        c->parameter[i] = (struct td_sql_parameter){name, equals + 1};
    }
    return c->parameter ? 0 : td_fail_no_memory(err, NULL);
}

/* ---- output ---- */

/* What is printed takes the place of the bar. */
static void hide_bar(void *self)
{
    struct td_progress_bar *bar = self;
    td_progress_bar_end(bar);
    bar->on_terminal = 0;
}

/* ---- the question ---- */

/* A shell asks about a trace that grows; a question about what the program has marked so far. */
static int open_live(struct query_command *c, struct td_err *err)
{
    c->live = query_live_open(c->at, &interrupts, err);
    int rc = c->live ? 0 : err->code;
    if (rc == 0 && c->text)
        rc = query_live_finish(c->live, err);
    return rc ? rc : td_sql_add(c->sql, NULL, query_live_trace(c->live), err);
}

static int open_traces(struct query_command *c, struct td_err *err)
{
    uint64_t heap = 0;
    int rc = c->heap ? td_memory_size(c->heap, "--heap", &heap, err) : 0;
    if (rc == 0 && !(c->sql = td_sql_open(heap, err)))
        rc = err->code;
    if (rc == 0 && c->at)
        rc = open_live(c, err);
    for (size_t t = 0; rc == 0 && t < c->trace_count; t++) {
        const size_t named = name_bytes(c->traces[t]);
        char schema[64];
        schema_of(c->traces[t], schema, sizeof schema);
        rc = td_load(c->traces[t] + (named ? named + 1 : 0), &c->load, "tendril query", &c->trace[t], err);
        rc = rc ? rc : td_sql_add(c->sql, named || c->trace_count > 1 ? schema : NULL, c->trace[t], err);
    }
    return rc;
}

static int ask(struct query_command *c, struct query_print *print, const struct td_progress *progress,
               struct td_err *err)
{
    const struct td_sql_sink sink = query_print_sink(print);
    const struct td_sql_question question = {.text = c->text,
                                             .parameters = c->parameter,
                                             .parameter_count = c->parameters.count,
                                             .seconds = c->seconds,
                                             .rows = (uint64_t)c->rows,
                                             .progress = progress};
    struct td_sql_answer answer;
    if (c->session)
        return query_session(
            &(struct query_session){
                .sql = c->sql, .limits = question, .live = c->live, .from = stdin, .to = stdout},
            err);
    if (!c->text)
        return query_shell(&(struct query_shell){c->sql, print, question, &interrupts, c->at != NULL}, err);
    const int rc = td_sql_run(c->sql, &question, &sink, &answer, err);
    if (rc == 0 && answer.more)
        fprintf(stderr, "tendril query: there are more than %ld rows\n", c->rows);
    return rc;
}

static int run_query(struct query_command *c, struct td_err *err)
{
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    struct text_output output = {0};
    int rc = choose_text(c, err);
    rc = rc ? rc : read_parameters(c, err);
    rc = rc ? rc : text_output_open(&output, c->output, 0, false, err);
    sigaction(SIGINT, &action, &before);
    rc = rc ? rc : open_traces(c, err);
    if (rc == 0) {
        const struct td_progress progress = td_progress_bar_show(&c->bar, "reading rows", 0);
        struct query_print *print =
            query_print_create(output.to, (enum query_form)c->form, hide_bar, &c->bar);
        running = c->sql;
        rc = print ? ask(c, print, &progress, err) : td_fail_no_memory(err, NULL);
        running = NULL;
        td_progress_bar_end(&c->bar);
        query_print_destroy(print);
    }
    rc = text_output_close(&output, rc, err);
    sigaction(SIGINT, &before, NULL);
    td_sql_close(c->sql);
    query_live_close(c->live);
    for (size_t t = 0; t < c->trace_count; t++)
        td_trace_destroy(c->trace[t]);
    for (size_t i = 0; c->parameter && i < c->parameters.count; i++)
        free((void *)(uintptr_t)c->parameter[i].name);
    free(c->parameter);
    free(c->file_text);
    return rc;
}

static void list_questions(void)
{
    for (size_t i = 0; i < query_question_count; i++)
        printf("%-24s %s\n", query_questions[i].name, query_questions[i].about);
}

static const char details[] =
    "The last operand is SQL if it has a space and is no file. Without SQL, --file and --question, "
    "statements are "
    "read from the terminal, with history and completion (.help), or from standard input. docs/query.md has "
    "the "
    "tables, their columns and the functions.\n"
    "\n"
    "A question only reads: statements that write, other files and extensions are refused. Several traces "
    "are "
    "schemas, named by their files or as NAME=FILE; tables without a schema are those of the first one.\n"
    "\n"
    "In text and markdown, numbers whose column ends in _ns are times with units.\n"
    "\n"
    "  tendril query trace.tracy 'SELECT name, count(*), sum(duration_ns) AS total_ns FROM zones GROUP BY "
    "name'\n"
    "  tendril query -p n=17 trace.tracy 'SELECT * FROM operations WHERE run_id = :n'\n"
    "  tendril query --question slowest trace.tracy\n"
    "  tendril query --format csv -o waits.csv trace.tracy 'SELECT * FROM waits'\n"
    "  tendril query old=a.tracy new=b.tracy 'SELECT count(*) FROM new.zones'";

const char td_summary_query[] = "Asks traces a question in SQL.";

int td_cmd_query(int argc, char **argv, struct td_err *err)
{
    struct query_command c = {0};
    const struct td_option options[] = {
        {'p', "parameter", TD_OPT_WORDS, &c.parameters, "NAME=VALUE", "the value of :NAME; may be repeated",
         NULL, 0, 0},
        {'f', "file", TD_OPT_STRING, &c.file, "FILE", "read the statements from a file; - is standard input",
         NULL, 0, 0},
        {'q', "question", TD_OPT_STRING, &c.question, "NAME", "ask a question of docs/queries", NULL, 0, 0},
        {0, "questions", TD_OPT_FLAG, &c.lists, NULL, "list these questions", NULL, 0, 0},
        {0, "format", TD_OPT_CHOICE | TD_OPT_LOOKS, &c.form, "FORM", "how rows are printed (default text)",
         QUERY_FORMS, 0, 0},
        {'o', "output", TD_OPT_STRING, &c.output, "FILE", "write to a file", NULL, 0, 0},
        {0, "at", TD_OPT_STRING, &c.at, "HOST:PORT",
         "ask a program that runs, or a served trace, instead of files; a shell sees it grow", NULL, 0, 0},
        {0, "timeout", TD_OPT_DOUBLE, &c.seconds, "SECONDS", "end a question that takes longer", NULL, 0, 0},
        {0, "rows", TD_OPT_INT, &c.rows, "N", "print at most N rows of each statement", NULL, 0, 0},
        {0, "heap", TD_OPT_STRING, &c.heap, "SIZE", "memory to sort and to group (default 1G)", NULL, 0, 0},
        {0, "session", TD_OPT_FLAG, &c.session, NULL,
         "answer the questions of a program on standard input, as the Python package asks them", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril query",
        .usage = "[options] [NAME=]TRACE... [SQL]  or  --at HOST:PORT [SQL]",
        .summary = td_summary_query,
        .options = options,
        .max_args = TRACES_MAX + 1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (c.lists) {
        list_questions();
        return 0;
    }
    c.traces = argv + 1;
    c.trace_count = (size_t)args.count;
    if (args.count > (c.at ? 0 : 1) && is_statement(argv[args.count])) {
        c.text = argv[args.count];
        c.trace_count--;
    }
    if (c.at && c.trace_count)
        return td_fail(err, TD_E_USAGE, "--at and files exclude each other");
    if (!c.at && (!c.trace_count || c.trace_count > TRACES_MAX))
        return td_fail(err, TD_E_USAGE, "give one trace to ten (see tendril query --help)");
    if (c.session && (c.text || c.file || c.question || c.output || c.form || c.parameters.count))
        return td_fail(err, TD_E_USAGE, "--session takes traces and limits only");
    if (c.rows < 0 || c.seconds < 0)
        return td_fail(err, TD_E_USAGE, "--rows and --timeout take more than 0");
    return run_query(&c, err);
}
