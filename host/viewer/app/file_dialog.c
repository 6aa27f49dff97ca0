#include "host/viewer/app/file_dialog.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts the first of the programs that there is. False: there is none. */
static bool spawn_dialog(struct td_file_dialog *dialog, int to)
{
    static const char *const commands[][6] = {
        {"zenity", "--file-selection", "--title=Open a trace",
         "--file-filter=Traces | *.tracy *.json *.zst *.pb *.fxt *", NULL},
        {"kdialog", "--title", "Open a trace", "--getopenfilename", ".", NULL},
    };
    posix_spawn_file_actions_t actions;
    bool started = false;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    for (size_t i = 0; i < sizeof commands / sizeof *commands && !started; i++)
        started = posix_spawnp(&dialog->pid, commands[i][0], &actions, NULL, (char *const *)commands[i],
                               environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

bool td_file_dialog_open(struct td_file_dialog *dialog)
{
    int ends[2];
    if (dialog->pid)
        return true;
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *dialog = (struct td_file_dialog){.from = ends[0]};
    const bool started = spawn_dialog(dialog, ends[1]);
    close(ends[1]);
    if (started)
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    else
        close(ends[0]);
    if (!started)
        dialog->pid = 0;
    return started;
}

static void end_dialog(struct td_file_dialog *dialog)
{
    close(dialog->from);
    waitpid(dialog->pid, NULL, 0);
    dialog->pid = 0;
}

bool td_file_dialog_step(struct td_file_dialog *dialog)
{
    ssize_t got = 1;
    while (dialog->pid && got > 0 && dialog->used < sizeof dialog->text - 1) {
        got = read(dialog->from, dialog->text + dialog->used, sizeof dialog->text - 1 - dialog->used);
        dialog->used += got > 0 ? (size_t)got : 0;
    }
    if (!dialog->pid || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return false;
    end_dialog(dialog);
    dialog->text[dialog->used] = 0;
    dialog->text[strcspn(dialog->text, "\n")] = 0;
    return got == 0 && dialog->text[0] == '/';
}

void td_file_dialog_close(struct td_file_dialog *dialog)
{
    if (!dialog->pid)
        return;
    kill(dialog->pid, SIGTERM);
    end_dialog(dialog);
}
