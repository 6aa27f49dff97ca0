/* source and disassembly: what `tendril annotate` knows of a function or of a zone's marker. */
#include "host/base/path.h"
#include "host/tools/annotate/annotate.h"
#include "host/tools/mcp/answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is shown ---- */

struct shown {
    struct annotate annotate;
    struct annotate_zone zone;
    struct annotate_function function;
    struct td_source_text file; /* of an answer about a file */
};

static void free_shown(struct shown *s)
{
    annotate_function_free(&s->function);
    annotate_zone_free(&s->zone);
    td_source_text_free(&s->file);
    td_symbol_sums_free(&s->annotate.sums);
    td_stack_counts_free(&s->annotate.counts);
}

static int count_samples(struct mcp *m, struct annotate *a, bool inlines, struct td_err *err)
{
    const struct td_progress progress = mcp_progress(m);
    td_symbol_sums_free(&a->sums);
    td_stack_counts_free(&a->counts);
    int rc = td_stack_counts_make(a->trace, &a->choice, &progress, &a->counts, err);
    return rc ? rc : td_symbol_sums_make(a->trace, &a->choice, &a->counts, inlines, &progress, &a->sums, err);
}

/* A function that samples are in; also one that is known as inlined only. */
static int find_function(struct mcp *m, struct shown *s, const char *name, struct td_err *err)
{
    struct annotate *a = &s->annotate;
    const struct td_symbol_sum *sum = td_symbol_sums_find(&a->sums, a->trace, name, NULL);
    int rc = 0;
    if (!sum && (rc = count_samples(m, a, true, err)) == 0)
        sum = td_symbol_sums_find(&a->sums, a->trace, name, NULL);
    if (rc < 0)
        return rc;
    return sum ? annotate_function_make(a, sum, &s->function, err)
               : td_fail(err, TD_E_NOTFOUND,
                         "no sample is in a function '%.200s': the table symbols lists those with samples; "
                         "the code at a "
                         "zone's marker is found with \"zone\"",
                         name);
}

static int make_shown(struct mcp *m, const cJSON *arguments, struct shown *s, struct td_err *err)
{
    static const struct td_words no_elfs = {0};
    const struct mcp_trace *t = mcp_trace_of(m, arguments, "trace", err);
    const char *function = mcp_text(arguments, "function"), *zone = mcp_text(arguments, "zone"),
               *file = mcp_text(arguments, "file");
    if (!t)
        return err->code;
    if ((function != NULL) + (zone != NULL) + (file != NULL) != 1)
        return td_fail(err, TD_E_USAGE, "give one of the arguments that say what is shown");
    s->annotate.trace = t->trace;
    s->annotate.dict = td_trace_dict(t->trace);
    s->annotate.rules = &m->sources;
    s->annotate.paths = m->paths; /* which frees them */
    if (file)
        return 0;
    int rc = count_samples(m, &s->annotate, false, err);
    if (rc == 0 && function)
        return find_function(m, s, function, err);
    s->zone.name = zone;
    return rc ? rc : annotate_zone_make(&s->annotate, t->trace, &no_elfs, &s->zone, &s->function, err);
}

static int fail_shown(struct mcp *m, int rc, struct td_err *err)
{
    if (rc != TD_E_STOPPED)
        return rc < 0 && !err->code ? td_fail_no_memory(err, NULL) : rc;
    *err = (struct td_err){0};
    return mcp_fail_stopped(m, rc, err);
}

static const char *string_of(const struct shown *s, uint32_t string)
{
    return td_dict_text(s->annotate.dict, string);
}

/* ---- source ---- */

static bool is_file(const char *path, const char *wanted)
{
    const size_t bytes = strlen(path), end = strlen(wanted);
    return bytes >= end && !strcmp(path + bytes - end, wanted) &&
           (bytes == end || *wanted == '/' || path[bytes - end - 1] == '/');
}

/* A file that a source location of a zone is in, by its path or the end of it. 0: none. */
static uint32_t find_file(const struct td_dict *dict, const char *wanted)
{
    for (uint32_t l = 0; *wanted && l < td_dict_srcloc_count(dict); l++) {
        const uint32_t file = td_dict_get_srcloc(dict, l)->file;
        if (is_file(td_dict_text(dict, file), wanted))
            return file;
    }
    return 0;
}

static int put_lines(struct mcp_answer *answer, const struct shown *s, const struct td_source_text *source,
                     uint32_t file, uint32_t first, uint32_t last)
{
    static const char *const names[] = {"line", "text", "self", "inlined", "called"};
    int rc = 0;
    td_json_string(&answer->object, "file", string_of(s, file));
    td_json_string(&answer->object, "origin", td_source_origin_name(source->origin));
    td_json_uint(&answer->object, "samples", s->annotate.counts.total);
    mcp_begin_rows(answer, names, sizeof names / sizeof *names);
    for (uint64_t line = first; rc == 0 && line && line <= last; line++) {
        const struct td_line_sum *sum = td_line_sums_find(&s->function.lines, (uint32_t)line);
        size_t bytes = 0;
        const char *text = td_source_text_line(source, (uint32_t)line, &bytes);
        if (!text && !sum && line > source->line_count && !s->function.lines.count)
            break;
        if (!text && !sum)
            continue;
        struct td_json *j = mcp_begin_row(answer);
        td_json_uint(j, NULL, line);
        if (text)
            mcp_put_text(j, text, bytes);
        else
            td_json_null(j, NULL);
        td_json_uint(j, NULL, sum ? sum->self : 0);
        td_json_uint(j, NULL, sum ? sum->inlined : 0);
        td_json_uint(j, NULL, sum ? sum->called : 0);
        rc = mcp_end_row(answer);
    }
    return rc < 0 ? rc : 0;
}

static int put_file(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct shown *s,
                    struct td_err *err)
{
    const uint32_t file = find_file(s->annotate.dict, mcp_text(arguments, "file"));
    if (!file)
        return td_fail(err, TD_E_NOTFOUND, "no zone is in a file '%.200s' (table zones, column file)",
                       mcp_text(arguments, "file"));
    const int rc = td_source_text_open(&s->file, s->annotate.trace, file, &m->paths, &m->sources, err);
    const uint64_t first = mcp_whole(arguments, "first_line", 1),
                   last = mcp_whole(arguments, "last_line", UINT32_MAX);
    return rc ? rc
              : put_lines(answer, s, &s->file, file, first > UINT32_MAX ? UINT32_MAX : (uint32_t)first,
                          last > s->file.line_count ? s->file.line_count : (uint32_t)last);
}

static int source(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    struct shown s = {0};
    int rc = make_shown(m, arguments, &s, err);
    if (rc == 0 && mcp_text(arguments, "file"))
        rc = put_file(m, arguments, answer, &s, err);
    else if (rc == 0)
        rc = put_lines(answer, &s, &s.function.source, s.function.sum->file, s.function.first,
                       s.function.last);
    rc = fail_shown(m, rc, err);
    free_shown(&s);
    return rc;
}

const struct mcp_tool mcp_tool_source = {
    .name = "source",
    .title = "Source lines with samples",
    .about =
        "The source of a function, of the function around a zone's marker, or of a file, with the samples of "
        "each line. Texts "
        "are those in the trace; files of this machine are read only where the server's --sources allow it.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"function", MCP_TEXT, "name of a function with samples, or its address 0x...", false,
                   NULL},
                  {"zone", MCP_TEXT, "name of a zone", false, NULL},
                  {"file", MCP_TEXT, "path of a file with zones, or the end of it", false, NULL},
                  {"first_line", MCP_WHOLE, "of the file", false, NULL},
                  {"last_line", MCP_WHOLE, "of the file", false, NULL}},
    .has_rows = true,
    .run = source,
};

/* ---- disassembly ---- */

static int put_instruction(struct mcp_answer *answer, const struct shown *s, const struct td_code_view *code,
                           size_t index)
{
    const struct td_code_insn *row = &code->at[index];
    const struct td_level *level = row->level_count ? &code->levels.at[row->first_level] : NULL;
    struct td_json *j = mcp_begin_row(answer);
    struct td_insn insn = {0};
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, row->address);
    td_json_string(j, NULL, text);
    if (row->length)
        td_code_text(code, index, &insn);
    td_json_string(j, NULL, row->length ? insn.mnemonic : NULL);
    td_json_string(j, NULL, row->length ? insn.operands : NULL);
    td_json_uint(j, NULL, row->self);
    td_json_uint(j, NULL, row->called);
    td_json_string(j, NULL, level ? td_path_name(string_of(s, level->file)) : NULL);
    if (level)
        td_json_uint(j, NULL, level->line);
    else
        td_json_null(j, NULL);
    return mcp_end_row(answer);
}

static int disassembly(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    static const char *const names[] = {"address", "mnemonic", "operands", "self", "called", "file", "line"};
    struct shown s = {0};
    int rc = make_shown(m, arguments, &s, err);
    const struct td_code_view *code = &s.function.code;
    if (rc == 0) {
        td_json_string(&answer->object, "function",
                       string_of(&s, code->count ? code->name : s.function.sum->name));
        td_json_string(&answer->object, "architecture", td_code_arch_name(code->arch));
        td_json_uint(&answer->object, "bytes", code->byte_count);
        td_json_uint(&answer->object, "samples", s.annotate.counts.total);
        td_json_string(&answer->object, "missing",
                       code->missing || code->count ? code->missing : "the trace does not have this code");
        mcp_begin_rows(answer, names, sizeof names / sizeof *names);
    }
    for (size_t i = 0; rc == 0 && i < code->count; i++)
        rc = put_instruction(answer, &s, code, i);
    rc = fail_shown(m, rc > 0 ? 0 : rc, err);
    free_shown(&s);
    return rc;
}

const struct mcp_tool mcp_tool_disassembly = {
    .name = "disassembly",
    .title = "Instructions with samples",
    .about = "The machine code of a function, or of the function around a zone's marker, with the samples of "
             "each instruction and "
             "its source line.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"function", MCP_TEXT, "name of a function with samples, or its address 0x...", false,
                   NULL},
                  {"zone", MCP_TEXT, "name of a zone", false, NULL}},
    .has_rows = true,
    .run = disassembly,
};
