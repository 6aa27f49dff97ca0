/* tendril report: what operations did on a device, as tt-metal's tools write it. */
#include "host/report/report.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/load.h"
#include "host/file/out_stream.h"
#include "host/report/html/html.h"
#include "host/tools/commands.h"
#include "host/tools/files/report_flame.h"
#include "host/base/json.h"
#include "host/tools/recording/on_op.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A trace of which more is kept in a temporary file. */
#define MEMORY_BYTES (UINT64_C(512) << 20)

struct report_command {
    const char *input;
    struct td_report_options options;
    struct td_report_result result;
    struct td_load_options load;
    struct td_words only;
    struct td_words calls;
    const char *follow;
    const char *html; /* the page's file; NULL: none */
    struct td_html_ops html_ops;
    int columns;
    int json, quiet;
    char date[TD_REPORT_DATE];
};

static const struct {
    const char *word, *what;
} kinds[] = {
#define TD_X(name, word, what) {word, what},
    TD_REPORT_FILES(TD_X)
#undef TD_X
};

/* Adds the files of "ops,perf" to *files. */
static int choose_files(const char *words, unsigned *files, struct td_err *err)
{
    while (*words) {
        const size_t bytes = strcspn(words, ",");
        unsigned i = 0;
        while (i < TD_REPORT_FILE_COUNT &&
               (strlen(kinds[i].word) != bytes || strncmp(kinds[i].word, words, bytes) != 0))
            i++;
        if (i == TD_REPORT_FILE_COUNT)
            return td_fail(
                err, TD_E_USAGE,
                "--only %.*s: no such file; they are ops, op-to-op, perf, device-log, zones, noc, sync",
                (int)bytes, words);
        *files |= 1u << i;
        words += bytes + (words[bytes] == ',');
    }
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A folder of logs, or a file that begins as a device log does. */
static bool is_logs(const char *path)
{
    static const char *const names[] = {"profile_log_device.csv", ".logs"};
    char inside[4200], head[5] = "";
    bool found = false;
    if (is_folder(path)) {
        for (unsigned i = 0; i < 2 && !found; i++) {
            snprintf(inside, sizeof inside, "%s/%s", path, names[i]);
            found = access(inside, F_OK) == 0;
        }
        return found;
    }
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, head, 4);
    if (fd >= 0)
        close(fd);
    return n == 4 && (!strcmp(head, "ARCH") || !strcmp(head, "Chip"));
}

/* The page, of a trace or (NULL) of the operations that were collected. */
static int write_page(struct report_command *c, const struct td_trace *trace, struct td_err *err)
{
    struct td_out_stream stream;
    struct report_flames flames = {0};
    int rc = td_out_stream_open(&stream, c->html, TD_OUT_TEXT, err);
    if (rc < 0)
        return rc;
    if (trace)
        rc = report_flames_make(&flames, trace, err);
    if (rc == 0)
        rc = trace ? td_html_write_trace(stream.to, c->input, trace, &flames.page, &c->html_ops, err)
                   : td_html_write(stream.to, c->input, NULL, NULL, &c->html_ops, err);
    report_flames_free(&flames);
    return td_out_stream_close(&stream, rc);
}

static int report_trace(struct report_command *c, struct td_err *err)
{
    struct td_trace *trace = NULL;
    c->load.memory_bytes = MEMORY_BYTES;
    int rc = td_load(c->input, &c->load, "tendril report", &trace, err);
    if (rc == 0 && (c->options.files || !c->html))
        rc = td_report_trace(trace, &c->options, &c->result, err);
    if (rc == 0 && c->html)
        rc = write_page(c, trace, err);
    td_trace_destroy(trace);
    return rc;
}

static int report_logs(struct report_command *c, struct td_err *err)
{
    if (c->html) {
        c->options.take = td_html_ops_add;
        c->options.self = &c->html_ops;
    }
    int rc = td_report_logs(c->input, &c->options, &c->result, err);
    if (rc == 0 && c->html)
        rc = write_page(c, NULL, err);
    return rc;
}

/* Said also where there is no summary: what is in doubt is in no sum. */
static void say_doubts(const struct report_command *c)
{
    const struct td_html_doubt *on_page = c->html_ops.doubts;
    const uint64_t doubted = c->result.doubted ? c->result.doubted : c->html_ops.doubted;
    char first[160];
    snprintf(first, sizeof first, "%s", c->result.first_doubted);
    if (!c->result.doubted && doubted)
        snprintf(first, sizeof first, "op %" PRIu32 " on device %" PRIu32 ": %s", on_page->run_id,
                 on_page->device, td_op_doubt_text(on_page->doubt));
    if (doubted)
        fprintf(stderr,
                "tendril report: %s: %" PRIu64 " operation%s implausible times and no part in sums: %s%s\n",
                TD_PLAIN(c->input), doubted, doubted == 1 ? " has" : "s have", first,
                doubted > 1 ? ", and others" : "");
}

static void print_number(const char *name, uint64_t value)
{
    if (value)
        printf("%-12s %" PRIu64 "\n", name, value);
}

static void print_text(const struct report_command *c)
{
    const struct td_report_result *r = &c->result;
    printf("operations   %" PRIu64 " on devices, %" PRIu64 " announced by the program\n", r->operations,
           r->host_operations);
    if (!r->operations && !r->host_operations)
        printf("hint         operations are launches with an op id, given to td_device_prepare() or by "
               "tt-metal\n");
    print_number("signposts", r->signposts);
    if (r->open)
        printf("open         %" PRIu64 " operations have no end on some core\n", r->open);
    if (r->doubted)
        printf("implausible  %" PRIu64 " operations have times that cannot be right (%s)\n", r->doubted,
               r->first_doubted);
    if (r->overlaps)
        printf("overlapping  %" PRIu64
               " operations began while another one ran on their device: their latencies "
               "are no sum\n",
               r->overlaps);
    if (r->unmatched)
        printf("unmatched    %" PRIu64 " operations were not announced\n", r->unmatched);
    if (r->cut)
        printf("cut          %" PRIu64 " messages of operations, by Tracy's limit of 64 KiB\n", r->cut);
    if (r->log_cut)
        printf("cut          the device log ends inside of a row; the rows before it are counted\n");
    print_number("zones", r->zones);
    print_number("log rows", r->log_rows);
    if (r->no_op_rows)
        printf("no operation %" PRIu64 " rows have the run host id 0, and are in no operation\n",
               r->no_op_rows);
    for (unsigned i = 0; i < TD_REPORT_FILE_COUNT; i++) {
        const bool report = (1u << i) & (TD_REPORT_BIT(OPS) | TD_REPORT_BIT(OP_TO_OP));
        if (r->written >> i & 1)
            printf("wrote        %s in %s\n", kinds[i].what, TD_PLAIN(report ? r->reports : r->logs));
    }
}

static void print_json(const struct report_command *c)
{
    const struct td_report_result *r = &c->result;
    struct td_json j = {.to = stdout};
    td_json_object(&j, NULL);
    td_json_uint(&j, "operations", r->operations);
    td_json_uint(&j, "open", r->open);
    td_json_uint(&j, "implausible", r->doubted);
    td_json_uint(&j, "overlapping", r->overlaps);
    td_json_uint(&j, "host_operations", r->host_operations);
    td_json_uint(&j, "signposts", r->signposts);
    td_json_uint(&j, "unmatched", r->unmatched);
    td_json_uint(&j, "cut_messages", r->cut);
    td_json_uint(&j, "zones", r->zones);
    td_json_uint(&j, "log_rows", r->log_rows);
    td_json_uint(&j, "no_operation_rows", r->no_op_rows);
    td_json_bool(&j, "log_cut", r->log_cut);
    td_json_string(&j, "reports", r->reports);
    td_json_string(&j, "logs", r->logs);
    td_json_array(&j, "written");
    for (unsigned i = 0; i < TD_REPORT_FILE_COUNT; i++)
        if (r->written >> i & 1)
            td_json_string(&j, NULL, kinds[i].word);
    td_json_end_array(&j);
    td_json_end_object(&j);
}

static int make_report(struct report_command *c, struct td_err *err)
{
    const bool logs = is_logs(c->input);
    unsigned files = 0;
    for (size_t i = 0; i < c->only.count; i++)
        if (choose_files(c->only.words[i], &files, err) < 0)
            return err->code;
    const bool page_alone = c->html && !files && !c->options.out;
    if (!files && logs)
        files = TD_REPORT_BIT(OPS) | TD_REPORT_BIT(OP_TO_OP) |
                (c->options.out ? TD_REPORT_BIT(PERF) | TD_REPORT_BIT(SYNC) : 0);
    c->options.files = page_alone ? 0 : files ? files : (1u << TD_REPORT_FILE_COUNT) - 1;
    if (!c->options.out)
        c->options.out = logs && is_folder(c->input) ? c->input : ".";
    if (c->options.name && (strchr(c->options.name, '/') || !*c->options.name))
        return td_fail(err, TD_E_USAGE, "--name is part of a file's name: '%s' cannot be", c->options.name);
    td_report_date(c->date, time(NULL));
    c->options.date = c->date;
    c->options.calls = c->calls.words;
    c->options.call_count = c->calls.count;
    c->options.log_columns = c->columns ? 13 : 15;
    int rc = logs ? report_logs(c, err) : report_trace(c, err);
    if (rc == 0)
        say_doubts(c);
    td_html_ops_free(&c->html_ops);
    if (rc == 0 && !c->quiet && !page_alone)
        (c->json ? print_json : print_text)(c);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot print the summary");
    return rc;
}

static const char details[] =
    "INPUT is a trace, a folder of tt-metal's logs (with profile_log_device.csv in it or in its .logs), or a "
    "device log. In OUT, reports/[NAME/]DATE gets the reports and .logs the logs. Without -o, a folder of "
    "logs "
    "gets the reports itself and its logs stay as they are; a trace is reported into the current folder.\n"
    "\n"
    "--only chooses files: ops (ops_perf_results_*.csv), op-to-op (per_core_op_to_op_times_*.csv), perf "
    "(cpp_device_perf_report.csv), device-log (profile_log_device.csv), zones (zone_src_locations.log), noc "
    "(noc_trace_*.json), sync (sync_device_info.csv). Separate several with commas. The device log and the "
    "zones are made of traces alone.\n"
    "\n"
    "--follow connects to `tendril record --serve`, or to a program, and prints a line for each operation "
    "that "
    "has ended.\n"
    "\n"
    "  tendril report trace.tracy\n"
    "  tendril report --only ops -n resnet -o generated/profiler trace.tracy\n"
    "  tendril report generated/profiler\n"
    "  tendril report --html report.html trace.tracy";

const char td_summary_report[] = "Reports what operations did on a device, in the files of tt-metal's tools.";

int td_cmd_report(int argc, char **argv, struct td_err *err)
{
    struct report_command c = {.columns = 0};
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &c.options.out, "DIR", "folder that gets .logs and reports", NULL, 0,
         0},
        {'n', "name", TD_OPT_STRING, &c.options.name, "NAME", "part of the reports' names and folder", NULL,
         0, 0},
        {0, "only", TD_OPT_WORDS, &c.only, "FILES", "write only these files; may be repeated", NULL, 0, 0},
        {0, "html", TD_OPT_STRING, &c.html, "FILE",
         "write a page for people; without -o and --only, nothing else", NULL, 0, 0},
        {0, "columns", TD_OPT_CHOICE, &c.columns, "N", "columns of the device log (default 15)", "15|13", 0,
         0},
        {0, "child-function", TD_OPT_WORDS, &c.calls, "NAME",
         "sum the zones of this host function for each operation; may be repeated", NULL, 0, 0},
        {0, "follow", TD_OPT_STRING, &c.follow, "HOST:PORT",
         "print the operations of a recording that runs, as they end", NULL, 0, 0},
        {'j', "json", TD_OPT_FLAG | TD_OPT_LOOKS, &c.json, NULL,
         "print the summary, or each operation, as JSON", NULL, 0, 0},
        {'q', "quiet", TD_OPT_FLAG, &c.quiet, NULL, "no summary", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril report",
        .usage = "[options] INPUT  or  --follow HOST:PORT [--json]",
        .summary = td_summary_report,
        .options = options,
        .max_args = 1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (c.follow && args.count)
        return td_fail(err, TD_E_USAGE, "--follow reads no file: '%s' is one too many", argv[1]);
    if (c.follow)
        return on_op_print_all(c.follow, c.json, err);
    if (!args.count)
        return td_fail(err, TD_E_USAGE, "INPUT is missing: a trace or a folder of logs");
    c.input = argv[1];
    return make_report(&c, err);
}
