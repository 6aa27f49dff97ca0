/* Prints help texts and man pages from option tables. */
#include "host/base/describe.h"
#include "host/base/options_config.h"

#include <string.h>

#define HELP_COLUMN 33
#define HELP_WIDTH  100

const char *td_describe_last_word(const struct td_command_line *line)
{
    const char *space = strrchr(line->name, ' ');
    return space ? space + 1 : line->name;
}

bool td_describe_has_short_help(const struct td_command_line *line)
{
    for (const struct td_option *o = line->options; o->long_name; o++)
        if (o->short_name == 'h')
            return false;
    return true;
}

/* ---- --help ---- */

/* Prints the text from column `from` on, with line breaks between words. */
static void print_wrapped(const char *text, int from)
{
    int column = from;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > from && column + 1 + n > HELP_WIDTH) {
            printf("\n%*s", from, "");
            column = from;
        }
        if (column > from)
            column += printf(" ");
        column += printf("%.*s", n, text);
        text += n;
        text += strspn(text, " ");
    }
}

static void print_option(char short_name, const char *long_name, const char *argument, const char *help)
{
    char name[80];
    snprintf(name, sizeof name, "%c%c%s--%s%s", short_name ? '-' : ' ', short_name ? short_name : ' ',
             short_name ? ", " : "  ", long_name, argument);
    printf("  %-30s ", name);
    if (strlen(name) > 30)
        printf("\n%*s", HELP_COLUMN, "");
    print_wrapped(help, HELP_COLUMN);
    putchar('\n');
}

/* What follows the option's name: " TEXT", "[=N]" or "". */
static const char *argument_of(const struct td_option *o, char *to, size_t bytes)
{
    if (td_option_kind(o) == TD_OPT_FLAG)
        return "";
    snprintf(to, bytes, td_option_kind(o) == TD_OPT_MAYBE ? "[=%s]" : " %s", o->arg ? o->arg : "VALUE");
    return to;
}

/* The option's help, with its choices, if any: "HELP (a, b, c)". */
static void help_of(const struct td_option *o, char *to, size_t bytes)
{
    int n = snprintf(to, bytes, o->choices ? "%s (" : "%s", o->help);
    size_t at = n < 0 ? 0 : (size_t)n;
    for (const char *p = o->choices; p && *p && at + 4 < bytes; p++) {
        to[at++] = *p == '|' ? ',' : *p;
        if (*p == '|')
            to[at++] = ' ';
    }
    if (o->choices && at + 2 < bytes) {
        to[at++] = ')';
        to[at] = 0;
    }
}

/* Calls print() for each line of `details`. */
static void each_line(const char *details, void (*print)(const char *line, size_t bytes))
{
    for (const char *p = details; p && *p;) {
        size_t n = strcspn(p, "\n");
        print(p, n);
        p += n + (p[n] == '\n');
    }
}

static void help_line(const char *line, size_t bytes)
{
    char text[2000];
    if (line[0] == ' ' || bytes >= sizeof text) {
        printf("%.*s\n", (int)bytes, line);
        return;
    }
    snprintf(text, sizeof text, "%.*s", (int)bytes, line);
    print_wrapped(text, 0);
    putchar('\n');
}

void td_describe_help(const struct td_command_line *line)
{
    printf("Usage: %s %s\n%s\n", line->name, line->usage, line->summary);
    printf("\nOptions:\n");
    for (const struct td_option *o = line->options; o->long_name; o++) {
        char argument[40], help[600];
        help_of(o, help, sizeof help);
        print_option(o->short_name, o->long_name, argument_of(o, argument, sizeof argument), help);
    }
    if (td_options_section(line))
        print_option(0, "print-config", "", TD_PRINT_CONFIG_HELP);
    print_option(td_describe_has_short_help(line) ? 'h' : 0, "help", "", "this text");
    if (line->details) {
        putchar('\n');
        each_line(line->details, help_line);
    }
}

/* ---- options ---- */

void td_describe_options(const struct td_command_line *line)
{
    static const char *const types[] = {
        [TD_OPT_FLAG] = "flag",     [TD_OPT_STRING] = "text",   [TD_OPT_INT] = "number",
        [TD_OPT_DOUBLE] = "number", [TD_OPT_CHOICE] = "choice", [TD_OPT_MAYBE] = "number",
        [TD_OPT_WORDS] = "texts",   [TD_OPT_ORDERED] = "texts", [TD_OPT_DEBUG] = "areas"};
    for (const struct td_option *o = line->options; o->long_name; o++)
        printf("%s %s %s %s %s\n", td_describe_last_word(line), o->long_name, types[td_option_kind(o)],
               o->arg ? o->arg : "-", td_option_is_looks(o) ? "yes" : "no");
}

/* ---- a page's table ---- */

/* Signs that Markdown or its tables would read are escaped, in `code` only the bar. */
static void print_cell(const char *text, bool code)
{
    for (; *text; text++) {
        if (*text == '|' || (!code && strchr("*<[]", *text)))
            putchar('\\');
        putchar(*text);
    }
}

void td_describe_page(const struct td_command_line *line)
{
    for (const struct td_option *o = line->options; o->long_name; o++) {
        char argument[40], help[600];
        help_of(o, help, sizeof help);
        fputs("| ", stdout);
        if (o->short_name)
            printf("`-%c`, ", o->short_name);
        printf("`--%s", o->long_name);
        print_cell(argument_of(o, argument, sizeof argument), true);
        fputs("` | ", stdout);
        print_cell(help, false);
        puts(" |");
    }
}

/* ---- man ---- */

static void print_roff(const char *text, size_t bytes)
{
    if (bytes && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[i]);
    }
}

static void print_roff_text(const char *text)
{
    print_roff(text, strlen(text));
}

static void man_line(const char *line, size_t bytes)
{
    if (bytes == 0) {
        puts(".PP");
        return;
    }
    if (line[0] == ' ') {
        puts(".nf");
        print_roff(line, bytes);
        puts("\n.fi");
        return;
    }
    print_roff(line, bytes);
    putchar('\n');
}

static void man_option(char short_name, const char *long_name, const struct td_option *o, const char *help)
{
    puts(".TP");
    if (short_name) {
        char name[3] = {'-', short_name, 0};
        fputs("\\fB", stdout);
        print_roff_text(name);
        fputs("\\fR, ", stdout);
    }
    fputs("\\fB\\-\\-", stdout);
    print_roff_text(long_name);
    fputs("\\fR", stdout);
    if (o && td_option_kind(o) != TD_OPT_FLAG) {
        fputs(td_option_kind(o) == TD_OPT_MAYBE ? "[=\\fI" : " \\fI", stdout);
        print_roff_text(o->arg ? o->arg : "VALUE");
        fputs(td_option_kind(o) == TD_OPT_MAYBE ? "\\fR]" : "\\fR", stdout);
    }
    putchar('\n');
    print_roff_text(help);
    putchar('\n');
}

static void man_head(const struct td_command_line *line)
{
    char title[80], upper[80];
    size_t i = 0;
    snprintf(title, sizeof title, "%s", line->name);
    for (char *p = title; *p; p++, i++) {
        *p = *p == ' ' ? '-' : *p;
        upper[i] = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    }
    upper[i] = 0;
    printf(".TH %s 1 \"\" \"tendril " TD_VERSION "\" \"Tendril\"\n.SH NAME\n", upper);
    print_roff_text(title);
    fputs(" \\- ", stdout);
    size_t n = strlen(line->summary);
    print_roff(line->summary, n && line->summary[n - 1] == '.' ? n - 1 : n);
    printf("\n.SH SYNOPSIS\n.B %s\n", line->name);
    print_roff_text(line->usage);
    puts("\n.SH DESCRIPTION");
    print_roff_text(line->summary);
    putchar('\n');
}

void td_describe_man(const struct td_command_line *line)
{
    man_head(line);
    if (line->details) {
        puts(".PP");
        each_line(line->details, man_line);
    }
    puts(".SH OPTIONS");
    for (const struct td_option *o = line->options; o->long_name; o++) {
        char help[600];
        help_of(o, help, sizeof help);
        man_option(o->short_name, o->long_name, o, help);
    }
    if (td_options_section(line))
        man_option(0, "print-config", NULL, TD_PRINT_CONFIG_HELP);
    man_option(td_describe_has_short_help(line) ? 'h' : 0, "help", NULL, "Prints a summary of this.");
    puts(".SH EXIT STATUS\n0: done. 1: it could not be done; one line on the standard error says why. 2: "
         "wrong "
         "usage. 130: stopped by Ctrl\\-C.\n.SH SEE ALSO\n.BR tendril (1)");
}
