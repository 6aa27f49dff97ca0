/* What stress_crossing marks and test_crossing.c looks for. */
#pragma once

#define CROSSING_PARAMETERS 4
#define CROSSING_SET        "parameter %u is %d"
#define CROSSING_FILE       "made-up.source"
#define CROSSING_TEXT_1     "one text\n"
#define CROSSING_TEXT_2     "another text, which is longer\n"
#define CROSSING_PROGRAM_1  "crossing one"
#define CROSSING_PROGRAM_2  "crossing, the longer name"
#define CROSSING_THREAD     "crossing thread whose name is never the same"
#define CROSSING_SECTION    "section"
#define CROSSING_LOCK       "lock"
