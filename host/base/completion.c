/* Prints a command's part of a completion script from its option table. host/tools/completion.c joins the
 * parts of all commands. */
#include "host/base/describe.h"
#include "host/base/options_config.h"

#include <string.h>

/* ---- for all three shells ---- */

static bool takes_value(const struct td_option *o)
{
    return td_option_kind(o) != TD_OPT_FLAG && td_option_kind(o) != TD_OPT_MAYBE;
}

static bool takes_path(const struct td_option *o)
{
    static const char *const paths[] = {"FILE", "DIR", "PNG", "ELF"};
    for (size_t i = 0; o->arg && i < sizeof paths / sizeof *paths; i++)
        if (!strcmp(o->arg, paths[i]))
            return true;
    return false;
}

/* A shell command that prints the words which the value may be, one a line; NULL: they are not known. */
static const char *words_command(const struct td_option *o)
{
    return o->arg && !strcmp(o->arg, "BOARD") ? "tendril boards 2>/dev/null | sed -n \"2,/^$/s/ .*//p\""
                                              : NULL;
}

/* Prints "a|b|c" with another separator. */
static void print_choices(const char *choices, char separator)
{
    for (const char *p = choices; *p; p++)
        putchar(*p == '|' ? separator : *p);
}

/* Prints a text that is between single quotes: `quote` in place of a quote, a backslash before characters of
 * `escaped`. */
static void print_quoted(const char *text, const char *escaped, const char *quote)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\'')
            fputs(quote, stdout);
        else if (strchr(escaped, *p))
            printf("\\%c", *p);
        else
            putchar(*p);
    }
}

/* ---- bash: a branch that sets $options, and $kind and $words of the word to complete, after $before ---- */

static void bash_value(const struct td_option *o)
{
    fputs("        ", stdout);
    if (o->short_name)
        printf("-%c | ", o->short_name);
    printf("--%s) kind=", o->long_name);
    if (o->choices) {
        fputs("words words='", stdout);
        print_choices(o->choices, ' ');
        fputs("'", stdout);
    } else if (words_command(o)) {
        printf("words words=$(%s)", words_command(o));
    } else {
        fputs(takes_path(o) ? "path" : "none", stdout);
    }
    puts(" ;;");
}

void td_describe_bash(const struct td_command_line *line)
{
    printf("    %s)\n      options='", td_describe_last_word(line));
    int values = 0;
    for (const struct td_option *o = line->options; o->long_name; o++) {
        printf("--%s ", o->long_name);
        values += takes_value(o);
    }
    puts(td_options_section(line) ? "--print-config --help'" : "--help'");
    if (line->operands) {
        fputs("      kind=words words='", stdout);
        print_choices(line->operands, ' ');
        puts("'");
    } else {
        printf("      kind=%s\n", line->max_args == 0 ? "none" : "path");
    }
    if (values) {
        puts("      case $before in");
        for (const struct td_option *o = line->options; o->long_name; o++)
            if (takes_value(o))
                bash_value(o);
        puts("      esac");
    }
    puts("      ;;");
}

/* ---- zsh: a call of _arguments ---- */

static void zsh_help(const char *help)
{
    putchar('[');
    print_quoted(help, "[]\\:", "'\\''");
    putchar(']');
}

static void zsh_action(const struct td_option *o)
{
    if (!takes_value(o))
        return;
    putchar(':');
    print_quoted(o->arg ? o->arg : "value", ":\\", "'\\''");
    putchar(':');
    if (o->choices) {
        putchar('(');
        print_choices(o->choices, ' ');
        putchar(')');
    } else if (words_command(o)) {
        printf("{compadd $(%s)}", words_command(o));
    } else {
        fputs(takes_path(o) ? "_files" : " ", stdout);
    }
}

static void zsh_option(const struct td_option *o, const char *repeat)
{
    const char *equals = takes_value(o) ? "=" : td_option_kind(o) == TD_OPT_MAYBE ? "=-" : "";
    if (o->short_name) {
        printf("        '%s-%c%s", repeat, o->short_name, takes_value(o) ? "+" : "");
        zsh_help(o->help);
        zsh_action(o);
        puts("' \\");
    }
    printf("        '%s--%s%s", repeat, o->long_name, equals);
    zsh_help(o->help);
    zsh_action(o);
    puts("' \\");
}

void td_describe_zsh(const struct td_command_line *line)
{
    printf("    %s)\n      _arguments -s \\\n", td_describe_last_word(line));
    for (const struct td_option *o = line->options; o->long_name; o++)
        zsh_option(o, td_option_kind(o) == TD_OPT_WORDS || td_option_kind(o) == TD_OPT_ORDERED ? "*" : "");
    if (td_options_section(line))
        puts("        '--print-config[" TD_PRINT_CONFIG_HELP "]' \\");
    fputs("        '--help[a summary of the options]'", stdout);
    if (line->operands) {
        fputs(" \\\n        '*:argument:(", stdout);
        print_choices(line->operands, ' ');
        fputs(")'", stdout);
    } else if (line->max_args != 0) {
        fputs(" \\\n        '*:file:_files'", stdout);
    }
    puts("\n      ;;");
}

/* ---- fish: `complete` commands ---- */

static void fish_begin(const char *command)
{
    printf("complete -c tendril -n '__fish_seen_subcommand_from %s'", command);
}

void td_describe_fish(const struct td_command_line *line)
{
    const char *command = td_describe_last_word(line);
    if (line->operands || line->max_args == 0) {
        fish_begin(command);
        fputs(" -f", stdout);
        if (line->operands) {
            fputs(" -a '", stdout);
            print_choices(line->operands, ' ');
            putchar('\'');
        }
        putchar('\n');
    }
    for (const struct td_option *o = line->options; o->long_name; o++) {
        fish_begin(command);
        if (o->short_name)
            printf(" -s %c", o->short_name);
        printf(" -l %s", o->long_name);
        if (takes_value(o))
            fputs(takes_path(o) ? " -r -F" : " -x", stdout);
        if (o->choices) {
            fputs(" -a '", stdout);
            print_choices(o->choices, ' ');
            putchar('\'');
        } else if (words_command(o)) {
            printf(" -a '(%s)'", words_command(o));
        }
        fputs(" -d '", stdout);
        print_quoted(o->help, "\\", "\\'");
        puts("'");
    }
    if (td_options_section(line)) {
        fish_begin(command);
        puts(" -l print-config -d '" TD_PRINT_CONFIG_HELP "'");
    }
    fish_begin(command);
    puts(" -l help -d 'a summary of the options'");
}
