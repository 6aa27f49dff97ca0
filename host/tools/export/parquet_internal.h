/* What the files of the writer of Parquet share. */
#pragma once
#include "host/base/byte_buffer.h"
#include "host/tools/export/parquet_file.h"
#include "host/tools/export/parquet_format.h"
#include "host/tools/export/parquet_texts.h"
#include "host/tools/export/thrift.h"

#include <zstd.h>

struct parquet_chunk { /* the column that is being written */
    uint64_t bytes, packed_bytes;
    uint64_t values; /* rows */
    uint64_t nulls;
    int64_t dictionary_at, data_at; /* in the file; -1: there is none yet */
    uint32_t encodings;             /* bits */
    struct td_byte_buffer least, most;
    bool has_ends;
    struct td_byte_buffer held; /* pages that follow a dictionary that is not complete */
    bool holds;
};

struct parquet_rows { /* of a page of texts */
    uint32_t *present, *number;
    size_t rows, values;
    struct td_byte_buffer plain; /* texts that are in no dictionary */
    bool is_plain;
};

struct parquet_file {
    FILE *to;
    uint64_t at; /* bytes written */
    const struct parquet_column *column;
    size_t columns, next; /* the column that comes next */
    uint64_t rows, group_rows, group_at, group_bytes, groups;
    struct td_byte_buffer described; /* groups */
    struct thrift group;
    struct td_byte_buffer page, packed, header;
    ZSTD_CCtx *zstd;
    struct parquet_chunk chunk;
    struct parquet_texts texts;
    struct parquet_rows text_rows;
    uint32_t *number; /* of whole numbers in a dictionary, by row of the group */
    size_t number_room;
    bool failed; /* no memory */
};

#define PARQUET_PAGE_ROWS 20480 /* of texts */

/* Packs the bytes of file->page as a page. */
void parquet_put_page_(struct parquet_file *file, enum parquet_encoding encoding, size_t rows);
/* Writes the dictionary before the pages that were held; `bytes` is its content. */
void parquet_put_dictionary_(struct parquet_file *file, const void *data, size_t bytes, size_t count);
void parquet_begin_chunk_(struct parquet_file *file, bool holds);
void parquet_end_chunk_(struct parquet_file *file);
/* Which rows have values. */
void parquet_put_levels_(struct parquet_file *file, const uint32_t *present, size_t rows, size_t values);
