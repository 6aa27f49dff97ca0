/* screenshot: `tendril view --screenshot` in a process of its own, which is ended when the request is. */
#include "host/agent/child.h"
#include "host/base/time_text.h"
#include "host/tools/mcp/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SIDE_MOST   4096     /* pixels */
#define PICTURE_MAX 16777216 /* bytes */
#define LOOK_NS     5000000
#define WORDS       12

/* Panels without texts of files, which could be any file's that the trace names. */
#define PANELS                                                                                               \
    "statistics|find|frames|locks|losses|memory|messages|operations|plots|waits|waitstacks|lanes|trace|"     \
    "instances|"                                                                                             \
    "details|cells|flame"

/* The words of a command line. */
struct picture_words {
    char *at[WORDS + 1];
    size_t count;
    bool failed;
};

static void add_word(struct picture_words *w, const char *option, const char *value)
{
    char *word = NULL;
    if (asprintf(&word, "%s%s", option, value) < 0 || w->count == WORDS) {
        free(word);
        w->failed = true;
        return;
    }
    w->at[w->count++] = word;
}

static void add_option(struct picture_words *w, const cJSON *arguments, const char *name, const char *option)
{
    const char *value = mcp_text(arguments, name);
    if (value)
        add_word(w, option, value);
}

static void make_words(struct picture_words *w, const cJSON *arguments, const char *program,
                       const char *trace, const char *picture)
{
    char size[40];
    snprintf(size, sizeof size, "%dx%d", (int)mcp_whole(arguments, "width", 1600),
             (int)mcp_whole(arguments, "height", 900));
    add_word(w, program, "");
    add_word(w, "view", "");
    add_word(w, "--screenshot=", picture);
    add_word(w, "--size=", size);
    add_option(w, arguments, "range", "--zoom=");
    add_option(w, arguments, "panel", "--open=");
    add_option(w, arguments, "find", "--find=");
    add_option(w, arguments, "lanes", "--lanes=");
    add_option(w, arguments, "chip", "--chip=");
    if (mcp_flag(arguments, "select"))
        add_word(w, "--select", "");
    add_word(w, trace, "");
}

static int read_picture(const char *path, struct mcp_answer *answer, struct td_err *err)
{
    struct stat st;
    FILE *file = fopen(path, "re");
    if (!file || fstat(fileno(file), &st) != 0)
        td_fail_errno(err, "cannot read the picture");
    else if (st.st_size <= 0 || st.st_size > PICTURE_MAX)
        td_fail(err, TD_E_LIMIT, "the picture has more than %d bytes", PICTURE_MAX);
    else if (!(answer->picture = malloc((size_t)st.st_size)))
        td_fail_no_memory(err, "for a picture");
    else if (fread(answer->picture, 1, (size_t)st.st_size, file) != (size_t)st.st_size)
        td_fail(err, TD_E_IO, "cannot read the picture");
    answer->picture_bytes = answer->picture ? (size_t)st.st_size : 0;
    if (file)
        fclose(file);
    return err->code;
}

/* What the viewer has printed: a line that says why there is no picture. */
static int fail_drawing(const char *path, const char *how, struct td_err *err)
{
    char text[300];
    FILE *file = fopen(path, "re");
    const size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[bytes] = 0;
    const char *why = strstr(text, "tendril view: ");
    text[strcspn(text, "\n")] = 0;
    return td_fail(err, TD_E_FORMAT, "no picture: %.280s",
                   why == text ? text + strlen("tendril view: ") : how);
}

/* The child's errors go to `log`, and nothing of it to the client. */
static int draw(struct mcp *m, char *const words[], const char *log, struct td_err *err)
{
    struct td_child child = {0};
    char how[100];
    const int own = dup(STDERR_FILENO), to = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (own < 0 || to < 0 || dup2(to, STDERR_FILENO) < 0)
        td_fail_errno(err, "cannot make a file for the viewer");
    const int rc = err->code ? err->code : td_child_start(&child, words, NULL, 1, err);
    if (own >= 0)
        dup2(own, STDERR_FILENO);
    close(own);
    close(to);
    if (rc < 0)
        return rc;
    while (td_child_is_running(&child) && !td_job_cancelled(&m->job))
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    if (td_child_is_running(&child)) {
        td_child_stop(&child, 0);
        return mcp_fail_stopped(m, TD_E_STOPPED, err);
    }
    return td_child_has_failed(&child, how, sizeof how) ? fail_drawing(log, how, err) : 0;
}

static int check_arguments(const cJSON *arguments, struct td_err *err)
{
    int64_t from = 0, to = 0;
    if (mcp_whole(arguments, "width", 1600) > SIDE_MOST || mcp_whole(arguments, "height", 900) > SIDE_MOST)
        return td_fail(err, TD_E_USAGE, "\"width\" and \"height\" are at most %d", SIDE_MOST);
    return mcp_range(arguments, &from, &to, err);
}

static int screenshot(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const struct mcp_trace *t = mcp_trace_of(m, arguments, "trace", err);
    const char *temporary = getenv("TMPDIR");
    char folder[PATH_MAX - 20], picture[PATH_MAX], log[PATH_MAX];
    struct picture_words words = {0};
    if (!t || check_arguments(arguments, err) < 0)
        return err->code;
    snprintf(folder, sizeof folder, "%s/tendril-mcp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return td_fail_errno(err, "cannot make a folder for the picture");
    snprintf(picture, sizeof picture, "%s/picture.png", folder);
    snprintf(log, sizeof log, "%s/errors", folder);
    make_words(&words, arguments, "/proc/self/exe", t->path, picture);
    int rc = words.failed ? td_fail_no_memory(err, NULL) : draw(m, words.at, log, err);
    rc = rc ? rc : read_picture(picture, answer, err);
    unlink(picture);
    unlink(log);
    rmdir(folder);
    for (size_t i = 0; i < words.count; i++)
        free(words.at[i]);
    return rc;
}

const struct mcp_tool mcp_tool_screenshot = {
    .name = "screenshot",
    .title = "Picture of the timeline",
    .about = "A picture of the viewer's window: the timeline of a trace, and a panel.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"range", MCP_TEXT, "the times that are shown, as in 1.2ms..1.5ms; default: all", false,
                   NULL},
                  {"panel", MCP_TEXT, "a panel to open", false, PANELS},
                  {"find", MCP_TEXT, "search for zones whose name contains this", false, NULL},
                  {"select", MCP_FLAG, "select the first zone that is found", false, NULL},
                  {"lanes", MCP_TEXT, "only these lanes, such as 'tile 3,* and wait > 10 %'", false, NULL},
                  {"chip", MCP_TEXT, "show the chips, coloured by this", false,
                   "busy|wait|lost|zones|longest|end|found|noc"},
                  {"width", MCP_WHOLE, "pixels (default 1600)", false, NULL},
                  {"height", MCP_WHOLE, "pixels (default 900)", false, NULL}},
    .has_picture = true,
    .run = screenshot,
};
