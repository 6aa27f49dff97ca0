/* Writes a file of Parquet with numbers and texts of all kinds, in groups of all sizes, and prints what is in it: a line of
 * JSON for each column of each group. Usage: write_parquet FILE */
#include "host/base/json_text.h"
#include "host/tools/export/parquet_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 42000

static const struct parquet_column columns[] = {
    {"whole", PARQUET_INTEGERS}, {"real", PARQUET_REALS}, {"text", PARQUET_TEXTS}};
enum { WHOLE, REAL, TEXT, COLUMNS };

static uint64_t next_random(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* How values follow each other. */
enum pattern { ANY, SAME, FEW, RISING, ENDS, THOUSAND, RUNS, PATTERNS };

static uint64_t value_of(enum pattern pattern, size_t row)
{
    switch (pattern) {
    case SAME:
        return 5;
    case FEW:
        return next_random() % 9;
    case RISING:
        return row * 1000 + next_random() % 7;
    case ENDS:
        return row % 2 ? (uint64_t)INT64_MAX : (uint64_t)INT64_MIN;
    case THOUSAND: /* one more than a dictionary of numbers has */
        return row % 1025;
    case RUNS:
        return row / 11;
    default:
        return next_random();
    }
}

static uint32_t is_present(unsigned holes, size_t row)
{
    return holes == 0 || (holes == 2 && row % 2) || (holes == 3 && next_random() % 5) ||
           (holes == 4 && row / 30 % 2);
}

static double real_of(uint64_t value)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, 1e-310, 1.5};
    return value % 16 < 6 ? special[value % 16] : (double)(int64_t)value / 3;
}

static void print_number(enum parquet_kind kind, uint64_t value)
{
    const double real = real_of(value);
    if (kind == PARQUET_INTEGERS)
        printf("%" PRId64, (int64_t)value);
    else if (isinf(real))
        printf(real < 0 ? "-1e999" : "1e999");
    else
        printf("%.17g", real);
}

static void put_numbers(struct parquet_file *file, enum parquet_kind kind, size_t rows, enum pattern pattern,
                        unsigned holes)
{
    static uint32_t present[MOST_ROWS];
    static int64_t values[MOST_ROWS];
    size_t count = 0;
    putchar('[');
    for (size_t row = 0; row < rows; row++) {
        const uint64_t value = value_of(pattern, row);
        const double real = real_of(value);
        present[row] = is_present(holes, row);
        printf(row ? "," : "");
        if (!present[row]) {
            printf("null");
            continue;
        }
        memcpy(&values[count++], kind == PARQUET_REALS ? (const void *)&real : (const void *)&value,
               sizeof value);
        print_number(kind, value);
    }
    puts("]");
    parquet_put_numbers(file, present, values, count);
}

/* Texts of some lengths, some of them not UTF-8; `long` ones fill the dictionary. */
static void put_texts(struct parquet_file *file, size_t rows, enum pattern pattern, unsigned holes,
                      bool is_long)
{
    static char room[3000];
    uint32_t known = UINT32_MAX;
    putchar('[');
    for (size_t row = 0; row < rows; row++) {
        const uint64_t value = value_of(pattern, row);
        printf(row ? "," : "");
        if (!is_present(holes, row)) {
            printf("null");
            parquet_add_no_text(file);
            continue;
        }
        if (known != UINT32_MAX && row % 13 == 0) { /* the text before, by its number */
            parquet_add_text_again(file, known);
        } else {
            const int bytes =
                snprintf(room, sizeof room, value % 5 ? "%" PRIx64 "%*s" : "\xff%" PRIx64 "\xc3\xa4%*s",
                         value, is_long ? 2000 : 0, "");
            known = parquet_add_text(file, room, (size_t)bytes, false);
        }
        td_json_write_string(stdout, room, strlen(room), "");
    }
    puts("]");
    parquet_end_texts(file);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1, 7, 8, 9, 16, 31, 33, 127, 128, 129, 130, 257, 4100, 3000, 1, MOST_ROWS};
    static const struct parquet_key keys[] = {{"name", "value"}};
    FILE *to = fopen(argv[argc - 1], "w");
    struct parquet_file *file = to ? parquet_create(to, columns, COLUMNS) : NULL;
    struct td_err err = {0};
    if (!file)
        return 1;
    for (size_t g = 0; g < sizeof sizes / sizeof *sizes; g++)
        for (unsigned k = 0; k < (sizes[g] > 5000 ? 1 : PATTERNS); k++) {
            parquet_begin_group(file, sizes[g]);
            put_numbers(file, PARQUET_INTEGERS, sizes[g], k, (unsigned)(g + k) % 5);
            put_numbers(file, PARQUET_REALS, sizes[g], (k + 3) % PATTERNS, (unsigned)(g + k + 1) % 5);
            put_texts(file, sizes[g], (k + 5) % PATTERNS, (unsigned)(g + k + 2) % 5, sizes[g] == 3000);
            parquet_end_group(file);
        }
    const int rc = parquet_end(file, keys, 1, &err);
    parquet_destroy(file);
    return fclose(to) == 0 && rc == 0 ? 0 : 1;
}
