/* Numbers of Parquet's format: of enums, and of the fields of its structs, which are written by Thrift's compact protocol
 * (thrift.h). Only those that the writer uses. */
#pragma once

#define PARQUET_MAGIC "PAR1"

enum parquet_type { PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_BYTE_ARRAY = 6 };
enum parquet_converted { PARQUET_AS_UTF8 = 0, PARQUET_AS_INT64 = 18 };
enum parquet_encoding {
    PARQUET_PLAIN = 0,
    PARQUET_RLE = 3,
    PARQUET_DELTA_BINARY_PACKED = 5,
    PARQUET_RLE_DICTIONARY = 8
};
enum { PARQUET_OPTIONAL = 1 };                               /* repetition */
enum { PARQUET_ZSTD = 6 };                                   /* codec */
enum { PARQUET_DATA_PAGE = 0, PARQUET_DICTIONARY_PAGE = 2 }; /* page */

enum { FILE_VERSION = 1, FILE_SCHEMA, FILE_ROWS, FILE_GROUPS, FILE_KEYS, FILE_CREATED_BY, FILE_ORDERS };
enum {
    SCHEMA_TYPE = 1,
    SCHEMA_REPETITION = 3,
    SCHEMA_NAME = 4,
    SCHEMA_CHILDREN = 5,
    SCHEMA_CONVERTED = 6,
    SCHEMA_LOGICAL = 10
};
enum { LOGICAL_STRING = 1, LOGICAL_INTEGER = 10 };
enum { INTEGER_BITS = 1, INTEGER_SIGNED };
enum { KEY_NAME = 1, KEY_VALUE };
enum { ORDER_OF_TYPE = 1 };
enum { GROUP_COLUMNS = 1, GROUP_BYTES, GROUP_ROWS, GROUP_OFFSET = 5, GROUP_PACKED_BYTES, GROUP_NUMBER };
enum { CHUNK_OFFSET = 2, CHUNK_META };
enum {
    META_TYPE = 1,
    META_ENCODINGS,
    META_PATH,
    META_CODEC,
    META_VALUES,
    META_BYTES,
    META_PACKED_BYTES,
    META_DATA_OFFSET = 9,
    META_DICTIONARY_OFFSET = 11,
    META_STATISTICS
};
enum { STATISTICS_NULLS = 3, STATISTICS_MAX = 5, STATISTICS_MIN };
enum { PAGE_TYPE = 1, PAGE_BYTES, PAGE_PACKED_BYTES, PAGE_DATA = 5, PAGE_DICTIONARY = 7 };
enum { DATA_VALUES = 1, DATA_ENCODING, DATA_DEFINITION_LEVELS, DATA_REPETITION_LEVELS };
enum { DICTIONARY_VALUES = 1, DICTIONARY_ENCODING };
