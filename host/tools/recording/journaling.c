#include "host/tools/recording/journaling.h"
#include "host/agent/journal/journal_file.h"
#include "host/agent/journal/journal_reader.h"
#include "host/base/plain_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define EMPTY_BYTES   65536 /* a journal with nothing to recover is smaller */
#define FOUND_CLIENTS 16

static void print_line(void *self, const char *line)
{
    const struct output *output = self;
    fprintf(stderr, "%s: %s\n", output->command, TD_PLAIN(line));
}

/* ---- journals that are left over ---- */

/* Not in the background, where reading from the terminal would suspend the process. */
static bool can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Asks whether to recover now. Anything but y means no. */
static bool wants_recovery(void)
{
    char line[80];
    fprintf(stderr, "Make its trace now (y, or Enter for no)? ");
    fflush(stderr);
    tcflush(STDIN_FILENO, TCIFLUSH);
    const ssize_t n = read(STDIN_FILENO, line, sizeof line);
    if (n <= 0)
        fputc('\n', stderr);
    return n > 0 && tolower((unsigned char)line[0]) == 'y';
}

/* What was received of a client: whether there is a whole frame. */
struct found_client {
    uint16_t source;
    uint64_t bytes;
    uint8_t frame_bytes[4];
};
struct found_data {
    bool has_data;
    struct found_client clients[FOUND_CLIENTS];
    size_t count;
};

static void take_received(struct found_data *found, uint16_t source, const uint8_t *bytes, size_t count)
{
    size_t i = 0;
    uint32_t whole;
    while (i < found->count && found->clients[i].source != source)
        i++;
    if (i == FOUND_CLIENTS) {
        found->has_data = true;
        return;
    }
    struct found_client *client = &found->clients[i];
    if (i == found->count)
        found->clients[found->count++] = (struct found_client){.source = source};
    for (size_t k = 0; k < count && client->bytes + k < sizeof client->frame_bytes; k++)
        client->frame_bytes[client->bytes + k] = bytes[k];
    client->bytes += count;
    memcpy(&whole, client->frame_bytes, sizeof whole);
    found->has_data |= client->bytes > sizeof whole && client->bytes >= sizeof whole + (uint64_t)whole;
}

static int find_data(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                     size_t count, struct td_err *err)
{
    struct found_data *found = self;
    if (kind == TD_JOURNAL_RECEIVED)
        take_received(found, source, bytes, count);
    found->has_data |= td_journal_is_written(kind);
    return 0;
}

/* The recording was killed before anything arrived. */
static bool is_empty(int fd)
{
    uint8_t bytes[EMPTY_BYTES];
    struct td_err unused = {0};
    struct found_data found = {0};
    const ssize_t n = pread(fd, bytes, sizeof bytes, 0);
    if (n < 0 || (size_t)n == sizeof bytes)
        return false;
    struct td_journal_reader *reader = td_journal_reader_create(find_data, &found);
    if (!reader)
        return false;
    int bad = td_journal_reader_feed(reader, bytes, (size_t)n, &unused);
    bad = bad ? bad : td_journal_reader_close(reader, &unused);
    const bool damaged = bad || td_journal_reader_state(reader)->damaged;
    td_journal_reader_destroy(reader);
    return !damaged && !found.has_data;
}

/* Removes a journal with nothing to recover. */
static bool remove_empty(const char *path)
{
    struct td_err unused = {0};
    const int fd = td_journal_file_open(path, &unused);
    if (fd < 0)
        return false;
    const bool gone = is_empty(fd);
    if (gone)
        td_journal_file_remove(fd, path);
    close(fd);
    return gone;
}

/* The trace gets a name of its own, because the new recording gets that of the output. */
static void offer_recovery(void *self, const char *path)
{
    const struct journaling *journaling = self;
    const struct output *output = journaling->output;
    char trace[TD_JOURNAL_PATH_MAX + 20];
    if (remove_empty(path))
        return;
    const size_t stem = strlen(path) - (sizeof TD_JOURNAL_SUFFIX - 1);
    snprintf(trace, sizeof trace, "%.*s.recovered.tracy", (int)stem, path);
    fprintf(stderr, "%s: '%s' is left from a recording that was killed: tendril recover '%s' -o '%s'\n",
            output->command, TD_PLAIN(path), TD_PLAIN(path), TD_PLAIN(trace));
    if (!can_ask() || !wants_recovery())
        return;
    char name[] = "recover", to[] = "-o";
    char *words[] = {name, (char *)path, to, trace, NULL};
    struct td_err why = {0};
    if (journaling->recover(4, words, &why) != 0 && why.text[0])
        print_line((void *)output, why.text);
}

/* ---- the journal ---- */

void journaling_begin(struct journaling *journaling, struct output *output,
                      const struct collect_options *given, struct td_collection_options *options)
{
    struct td_err why = {0};
    journaling->journal = NULL;
    journaling->output = output;
    options->tell = print_line;
    options->tell_self = output;
    options->folder = output_folder(output);
    if (td_out_file_is_direct(output->file))
        return;
    td_journal_file_left(output->path, offer_recovery, journaling);
    /* A journal of all would outgrow what --keep keeps. */
    if (given->no_journal || given->keep > 0)
        return;
    journaling->journal = options->journal = td_journal_create(output->path, &why);
    if (!journaling->journal) {
        char line[sizeof why.text + 80];
        snprintf(line, sizeof line, "no journal, so nothing is left if this recording is killed: %s",
                 why.text);
        print_line(output, line);
    }
    td_journal_put_setting(journaling->journal, "command", "%s", output->command);
    td_journal_put_setting(journaling->journal, "output", "%s", output->path);
    td_journal_put_setting(journaling->journal, "tendril", "%s", TD_VERSION);
}

/* The trace is safe, and may need the journal's room. */
static void remove_failed(void *self)
{
    struct journaling *journaling = self;
    td_journal_destroy(journaling->journal, false);
    journaling->journal = NULL;
}

void journaling_collected(struct journaling *journaling)
{
    struct td_journal *journal = journaling->journal;
    if (!journal)
        return;
    td_journal_put(journal, TD_JOURNAL_COLLECTED, 0, NULL, 0, NULL, 0);
    td_journal_flush(journal);
    if (!td_journal_has_failed(journal))
        return;
    journaling->output->make_room = remove_failed;
    journaling->output->room_self = journaling;
}

void journaling_end(struct journaling *journaling, struct td_err *err)
{
    struct td_journal *journal = journaling->journal;
    char path[TD_JOURNAL_PATH_MAX];
    if (!journal)
        return;
    const bool keep = !journaling->output->saved[0] && td_journal_has_data(journal);
    const bool is_whole = !td_journal_has_failed(journal);
    snprintf(path, sizeof path, "%s", td_journal_path(journal));
    td_journal_destroy(journal, keep);
    journaling->journal = NULL;
    if (!keep || remove_empty(path))
        return;
    const struct td_err why = *err;
    *err = (struct td_err){0};
    td_fail(err, why.code ? why.code : TD_E_IO, "%.240s%s'%s' still has %s (tendril recover)", why.text,
            why.text[0] ? "; but " : "", path, is_whole ? "the recording" : "the recording's first part");
}
