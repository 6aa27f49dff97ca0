/* Profiles of pprof: a message Profile of Protocol Buffers (protobuf.h), packed with gzip. Texts are numbers of the
 * profile's table of strings, whose first is empty. A field's comment has its type: UINT, INT (a varint of two's
 * complement), BOOL, STRING (a number of the table), TEXT, or the name of a message. Repeated fields have an R before the
 * type; numbers may be packed. */
#pragma once

enum td_pprof_profile {
    TD_PPROF_PROFILE_SAMPLE_TYPE = 1,          /* RVALUE_TYPE: what each number of a sample is */
    TD_PPROF_PROFILE_SAMPLE = 2,               /* RSAMPLE */
    TD_PPROF_PROFILE_MAPPING = 3,              /* RMAPPING */
    TD_PPROF_PROFILE_LOCATION = 4,             /* RLOCATION */
    TD_PPROF_PROFILE_FUNCTION = 5,             /* RFUNCTION */
    TD_PPROF_PROFILE_STRING_TABLE = 6,         /* RTEXT */
    TD_PPROF_PROFILE_TIME_NS = 9,              /* INT: since 1970 */
    TD_PPROF_PROFILE_DURATION_NS = 10,         /* INT */
    TD_PPROF_PROFILE_PERIOD_TYPE = 11,         /* VALUE_TYPE */
    TD_PPROF_PROFILE_PERIOD = 12,              /* INT */
    TD_PPROF_PROFILE_COMMENT = 13,             /* RSTRING */
    TD_PPROF_PROFILE_DEFAULT_SAMPLE_TYPE = 14, /* STRING */
};

enum td_pprof_value_type {
    TD_PPROF_VALUE_TYPE_TYPE = 1, /* STRING */
    TD_PPROF_VALUE_TYPE_UNIT = 2, /* STRING: "nanoseconds", "count", "bytes" ... */
};

enum td_pprof_sample {
    TD_PPROF_SAMPLE_LOCATION_ID = 1, /* RUINT: the innermost comes first */
    TD_PPROF_SAMPLE_VALUE = 2,       /* RINT: one for each sample type */
    TD_PPROF_SAMPLE_LABEL = 3,       /* RLABEL */
};

enum td_pprof_label {
    TD_PPROF_LABEL_KEY = 1,      /* STRING */
    TD_PPROF_LABEL_STR = 2,      /* STRING */
    TD_PPROF_LABEL_NUM = 3,      /* INT */
    TD_PPROF_LABEL_NUM_UNIT = 4, /* STRING */
};

enum td_pprof_mapping {
    TD_PPROF_MAPPING_ID = 1,       /* UINT: not 0 */
    TD_PPROF_MAPPING_START = 2,    /* UINT */
    TD_PPROF_MAPPING_LIMIT = 3,    /* UINT */
    TD_PPROF_MAPPING_OFFSET = 4,   /* UINT */
    TD_PPROF_MAPPING_FILENAME = 5, /* STRING */
    TD_PPROF_MAPPING_BUILD_ID = 6, /* STRING */
    TD_PPROF_MAPPING_HAS_FUNCTIONS = 7,
    TD_PPROF_MAPPING_HAS_FILENAMES = 8,
    TD_PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
    TD_PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};

enum td_pprof_location {
    TD_PPROF_LOCATION_ID = 1,         /* UINT: not 0 */
    TD_PPROF_LOCATION_MAPPING_ID = 2, /* UINT; 0: none */
    TD_PPROF_LOCATION_ADDRESS = 3,    /* UINT */
    TD_PPROF_LOCATION_LINE = 4,       /* RLINE: inlined functions first, the real one last */
};

enum td_pprof_line {
    TD_PPROF_LINE_FUNCTION_ID = 1, /* UINT */
    TD_PPROF_LINE_LINE = 2,        /* INT */
};

enum td_pprof_function {
    TD_PPROF_FUNCTION_ID = 1,          /* UINT: not 0 */
    TD_PPROF_FUNCTION_NAME = 2,        /* STRING */
    TD_PPROF_FUNCTION_SYSTEM_NAME = 3, /* STRING */
    TD_PPROF_FUNCTION_FILENAME = 4,    /* STRING */
    TD_PPROF_FUNCTION_START_LINE = 5,  /* INT */
};
