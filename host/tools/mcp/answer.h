/* What a tool answers: the members of an object, and rows, of which the client gets a page. The others are kept for its
 * next questions, which have a cursor: "ANSWER.ROW". */
#pragma once
#include "host/tools/mcp/mcp.h"

struct mcp_answer {
    uint64_t serial;
    struct td_json object; /* open: a tool adds members */
    char *object_text;
    size_t object_bytes;
    struct td_json row;
    char *row_text;
    size_t row_bytes, *ends, count, room;
    size_t next; /* the first row that was not sent */
    bool has_rows, has_more;
    uint8_t *picture; /* PNG; NULL: none */
    size_t picture_bytes;
};

struct mcp_answer *mcp_answer_create(void); /* NULL: no memory */
void mcp_answer_destroy(struct mcp_answer *a);
/* Ends the object and the rows: then pages can be written. */
int mcp_answer_finish(struct mcp_answer *a, struct td_err *err);

/* ---- for tools ---- */

void mcp_begin_rows(struct mcp_answer *a, const char *const *names, size_t count);
/* An array to which the values of the row are added. */
struct td_json *mcp_begin_row(struct mcp_answer *a);
/* 0, 1: no more rows are wanted (has_more is set), or TD_E_NOMEM. */
int mcp_end_row(struct mcp_answer *a);
void mcp_put_text(struct td_json *j, const char *text, size_t bytes);
void mcp_put_value(struct td_json *j, const struct td_query_value *value);

/* ---- pages ---- */

/* The answer to which a cursor belongs, with `next` set; NULL: err. */
struct mcp_answer *mcp_find_answer(struct mcp *m, const char *cursor, struct td_err *err);
/* The next page as an object. */
void mcp_write_page(struct mcp_answer *a, uint64_t rows, uint64_t bytes, FILE *to);
/* Keeps an answer that has more pages; else frees it. */
void mcp_keep_answer(struct mcp *m, struct mcp_answer *a);
