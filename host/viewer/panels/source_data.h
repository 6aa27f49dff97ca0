/* What the panel Source shows of one function or file: made by a job. */
#pragma once
#include "host/query/code/code.h"
#include "host/query/code/line_sums.h"
#include "host/query/code/source_text.h"
#include "host/viewer/panels/lexer.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/source.h"

#define TD_JUMPS_MOST      512 /* are drawn */
#define TD_PROCESSOR_BYTES 48

struct td_code_jump {
    size_t from, to; /* instructions */
    uint16_t lane;   /* 0: next to the text */
};

struct td_source_data {
    struct td_source_place place; /* what was asked for; of a zone with its code, if that is known */
    struct td_source_text text;
    enum td_language language;
    td_lex_state *states; /* of each line */
    struct td_line_sums lines;
    struct td_code_view code; /* count 0: none */
    struct td_code_jump *jumps;
    size_t jump_count;
    uint16_t lanes;
    uint64_t samples; /* all that were counted, of any function */
    bool has_hardware;
    uint32_t hot_line;    /* with most samples of its own; 0: none has any */
    uint64_t hot_address; /* the instruction with most samples; 0: none has any */
    const char *codeless; /* why no code is known of a zone; NULL: nothing is wrong */
    char costless[120];   /* why there are no costs of instructions; "": nothing is wrong */
};

struct td_source_request {
    struct td_sampled sampled;
    struct td_source_place place;
    const struct td_path_substitutions *paths;
    bool att, whole_file; /* lines count samples of all functions */
    char processor[TD_PROCESSOR_BYTES];
};

/* Without memory, parts are empty. */
void td_source_data_make(struct td_source_data *data, const struct td_source_request *request,
                         struct td_job *job);
void td_source_data_free(struct td_source_data *data);
/* What each line begins in (lexer.h); NULL: no memory. The caller frees it. */
td_lex_state *td_source_states(const struct td_source_text *text, enum td_language language);
/* Samples of a line or an instruction; `inlined`, `called`: with those of inlined and called functions. */
uint64_t td_source_line_cost(const struct td_line_sum *sum, bool inlined, bool called);
uint64_t td_source_insn_cost(const struct td_code_insn *insn, bool called);
/* The bytes of an instruction, such as "48 89 e5"; "": not known. Returns `text`. */
#define TD_INSN_BYTES_TEXT 48
const char *td_source_insn_bytes(const struct td_source_data *data, size_t insn,
                                 char text[TD_INSN_BYTES_TEXT]);
/* The line of this file that an instruction belongs to; 0: none. */
uint32_t td_source_insn_line(const struct td_source_data *data, const struct td_code_insn *insn,
                             uint32_t file);
