/* tendril completion: prints the scripts with which shells complete commands, options and their values. Each
 * command prints its part from its option table (host/base/completion.c). */
#include "host/base/options.h"
#include "host/tools/command.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNWRITTEN 99 /* status of a child that cannot write, or has no memory */

/* Lets the command print its part, in a child process, because `tendril sim` replaces its process by another
 * program. */
static int print_part(const struct td_command *command, const char *shell, struct td_err *err)
{
    char name[40], option[100];
    snprintf(name, sizeof name, "%s", command->name);
    snprintf(option, sizeof option, TD_DESCRIBE "%s,tendril %s", shell, command->name);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        return td_fail_errno(err, "cannot start a process");
    if (child == 0) {
        char *asked[] = {name, option, NULL};
        struct td_err ignored = {0};
        command->run(2, asked, &ignored); /* without the simulator, the script has no part for `sim` */
        const bool bad = fflush(stdout) != 0 || ferror(stdout);
        _exit(bad || ignored.code == TD_E_NOMEM ? UNWRITTEN : 0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == UNWRITTEN
               ? td_fail(err, TD_E_IO, "the part of %s could not be made or written", command->name)
               : 0;
}

static int print_parts(const struct td_commands *all, const char *shell, struct td_err *err)
{
    for (size_t i = 0; i < all->count; i++)
        if (print_part(&all->at[i], shell, err) < 0)
            return err->code;
    return 0;
}

static void print_names(const struct td_commands *all, const char *separator)
{
    for (size_t i = 0; i < all->count; i++)
        printf("%s%s", i ? separator : "", all->at[i].name);
}

static int print_bash(const struct td_commands *all, struct td_err *err)
{
    fputs("# bash completion for tendril\n"
          "_tendril() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "  local kind=words words options=\n"
          "  COMPREPLY=()\n"
          "  if [[ $word == '=' ]]; then\n" /* --style=<TAB>: for bash, '=' is a word */
          "    word=\n"
          "  elif [[ $before == '=' ]]; then\n"
          "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "  fi\n"
          "  if ((COMP_CWORD == 1)); then\n"
          "    words='",
          stdout);
    print_names(all, " ");
    puts("'\n    options='--help --version'\n  else\n    case ${COMP_WORDS[1]} in");
    if (print_parts(all, "bash", err) < 0)
        return err->code;
    puts("    esac\n  fi\n"
         "  if [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  elif [[ $kind == words ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "  elif [[ $kind == path ]]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -F _tendril tendril");
    return 0;
}

static int print_zsh(const struct td_commands *all, struct td_err *err)
{
    puts("#compdef tendril\n"
         "_tendril() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands=(");
    for (size_t i = 0; i < all->count; i++) {
        printf("      '%s:", all->at[i].name);
        for (const char *p = all->at[i].summary; *p; p++)
            fputs(*p == '\'' ? "'\\''" : *p == ':' ? "\\:" : (char[]){*p, 0}, stdout);
        puts("'");
    }
    puts("    )\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in");
    if (print_parts(all, "zsh", err) < 0)
        return err->code;
    puts("  esac\n"
         "}\n"
         "if [[ $funcstack[1] == _tendril ]]; then\n"
         "  _tendril \"$@\"\n"
         "else\n"
         "  compdef _tendril tendril\n"
         "fi");
    return 0;
}

static int print_fish(const struct td_commands *all, struct td_err *err)
{
    puts("# fish completion for tendril\n"
         "complete -c tendril -n __fish_use_subcommand -f");
    for (size_t i = 0; i < all->count; i++) {
        printf("complete -c tendril -n __fish_use_subcommand -a %s -d '", all->at[i].name);
        for (const char *p = all->at[i].summary; *p; p++)
            fputs(*p == '\'' ? "\\'" : (char[]){*p, 0}, stdout);
        puts("'");
    }
    return print_parts(all, "fish", err);
}

const char td_summary_completion[] =
    "Prints a script that lets a shell complete commands, options and their values.";

int td_commands_completion(const struct td_commands *all, int argc, char **argv, struct td_err *err)
{
    static const char shells[] = "bash|zsh|fish";
    const struct td_option options[] = {{0}};
    const struct td_command_line line = {
        .name = "tendril completion",
        .usage = "bash|zsh|fish",
        .summary = td_summary_completion,
        .options = options,
        .min_args = 1,
        .max_args = 1,
        .operands = shells,
        .details = "Installed, the scripts are where the shells look. Otherwise:\n"
                   "\n"
                   "  source <(tendril completion bash)      # zsh alike\n"
                   "  tendril completion fish | source",
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    static const struct {
        const char *shell;
        int (*print)(const struct td_commands *all, struct td_err *err);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (!strcmp(argv[1], scripts[i].shell))
            return scripts[i].print(all, err);
    return td_fail(err, TD_E_USAGE, "'%s' is not one of %s", argv[1], shells);
}
