#include "host/report/html/html.h"
#include "host/base/markup.h"
#include "host/base/path.h"
#include "host/report/html/html_internal.h"
#include "host/report/ops/trace_ops.h"

#include <string.h>

static void begin_section(FILE *to, const char *id, const char *title)
{
    fprintf(to, "<section id=\"%s\"><h2>%s</h2>\n", id, title);
}

static void end_section(FILE *to)
{
    fputs("</section>\n", to);
}

static void begin_page(FILE *to, const char *title, bool has_trace)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; "
          "script-src 'unsafe-inline'\">\n<title>",
          to);
    td_markup_cut(to, td_path_name(title), 200);
    fputs(" - Tendril</title>\n<style>\n", to);
    fputs(td_html_css, to);
    fputs("</style></head>\n<body>\n<header><h1>", to);
    td_markup_cut(to, td_path_name(title), 200);
    fputs("</h1>\n<nav><a href=\"#operations\">Operations</a>", to);
    if (has_trace)
        fputs(" <a href=\"#overview\">Host and device</a> <a href=\"#flame\">Flame graph</a> <a "
              "href=\"#cores\">Cores</a> <a "
              "href=\"#waits\">Waits</a> "
              "<a href=\"#losses\">Losses</a> <a href=\"#clock\">Clock</a>",
              to);
    fputs(" <label class=\"filter\" hidden>Filter <input type=\"search\" id=\"filter\" "
          "placeholder=\"name\"></label>"
          "</nav></header>\n<main>\n",
          to);
}

static void end_page(FILE *to)
{
    fputs("</main>\n<footer>Made by <code>tendril report --html</code>.</footer>\n<script>\n", to);
    fputs(td_html_js, to);
    fputs("</script>\n</body></html>\n", to);
}

static int write_operations(FILE *to, const struct td_html_ops *ops, struct td_err *err)
{
    int rc = 0;
    begin_section(to, "operations", "Operations");
    td_html_write_op_times(to, ops);
    if (ops->count) {
        rc = td_html_write_op_chart(to, ops);
        rc = rc ? rc : td_html_write_op_table(to, ops);
    } else if (!ops->doubted) {
        fputs("<p>There are no operations of devices: no launch of a kernel began and ended.</p>\n", to);
    }
    end_section(to);
    return rc ? td_fail_no_memory(err, "for the page") : 0;
}

static int write_trace_sections(FILE *to, const struct td_html_cores *cores, const struct td_trace *trace,
                                const struct td_html_flames *flames, const struct td_html_ops *ops,
                                struct td_err *err)
{
    begin_section(to, "overview", "Host and device over time");
    int rc = td_html_write_overview(to, cores, trace, err);
    end_section(to);
    begin_section(to, "flame", "Flame graph");
    if (rc == 0 && td_html_write_flames(to, flames) < 0)
        rc = td_fail_no_memory(err, "for the page");
    end_section(to);
    begin_section(to, "cores", "Utilisation of the cores");
    if (cores->count)
        td_html_write_chips(to, cores, trace);
    else
        fputs("<p>The trace has no cores.</p>\n", to);
    end_section(to);
    begin_section(to, "waits", "Waits and stragglers");
    td_html_write_waits(to, cores, ops, trace);
    end_section(to);
    begin_section(to, "losses", "Losses");
    td_html_write_losses(to, cores, trace);
    end_section(to);
    begin_section(to, "clock", "Clock");
    td_html_write_clock(to, trace);
    end_section(to);
    return rc;
}

int td_html_write(FILE *to, const char *title, const struct td_trace *trace,
                  const struct td_html_flames *flames, const struct td_html_ops *ops, struct td_err *err)
{
    struct td_html_cores cores = {0};
    int rc = trace ? td_html_cores_read(&cores, trace, err) : 0;
    if (rc == 0) {
        begin_page(to, title, trace != NULL);
        td_html_write_facts(to, title, trace, ops, &cores);
        rc = write_operations(to, ops, err);
        if (rc == 0 && trace)
            rc = write_trace_sections(to, &cores, trace, flames, ops, err);
        end_page(to);
    }
    if (rc == 0 && ferror(to))
        rc = td_fail(err, TD_E_IO, "cannot write the page");
    td_html_cores_free(&cores);
    return rc;
}

/* ---- the operations of a trace ---- */

static int add_operation(void *self, struct td_op_sum *op, struct td_err *err)
{
    return td_html_ops_add(self, op, err);
}

int td_html_write_trace(FILE *to, const char *title, const struct td_trace *trace,
                        const struct td_html_flames *flames, struct td_html_ops *ops, struct td_err *err)
{
    const struct td_op_sums_options options = {.self = ops, .give = add_operation};
    const int rc = td_trace_ops_read(trace, &options, err);
    return rc ? rc : td_html_write(to, title, trace, flames, ops, err);
}
