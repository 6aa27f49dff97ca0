#include "host/symbols/offline/image_dictionary.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>
#include <zdict.h>

#define DICTIONARY_BYTES (4u << 20)   /* at most, as in Tracy */
#define SAMPLE_BYTES     (256u << 20) /* more samples do not make the dictionary better */

/* Copies every `every`-th image to `to`, one after the other, and its size to `sizes` (both may be NULL).
 * Returns how many there are, and their bytes in *total. */
static unsigned gather_images(const struct td_series *images, uint64_t every, char *to, size_t *sizes,
                              size_t *total)
{
    unsigned count = 0;
    *total = 0;
    for (uint64_t i = 0; i < td_series_count(images); i += every) {
        int64_t blob = td_series_get(images, i, TD_IMAGE_DATA);
        size_t bytes = (size_t)td_series_get(images, i, TD_IMAGE_BYTES);
        if (!blob || !bytes)
            continue;
        if (to) {
            memcpy(to + *total, td_trace_blob(blob), bytes);
            sizes[count] = bytes;
        }
        *total += bytes;
        count++;
    }
    return count;
}

static int add_dictionary(struct td_trace *trace, const void *data, size_t bytes)
{
    struct td_series *table = td_trace_fill_table(trace, TD_TABLE_IMAGE_DICTIONARY);
    int64_t row[] = {td_trace_fill_blob(trace, data, bytes), (int64_t)bytes};
    if (!table || !row[0])
        return TD_E_NOMEM;
    td_series_reopen(table);
    return td_series_append(table, row);
}

int td_image_dictionary(struct td_trace *trace, struct td_err *err)
{
    const struct td_series *images = td_trace_table(trace, TD_TABLE_IMAGE);
    size_t total;
    gather_images(images, 1, NULL, NULL, &total);
    uint64_t every = total / SAMPLE_BYTES + 1;
    unsigned count = gather_images(images, every, NULL, NULL, &total);
    if (!count || td_series_count(td_trace_table(trace, TD_TABLE_IMAGE_DICTIONARY)))
        return 0;
    size_t *sizes = malloc(count * sizeof *sizes);
    char *samples = malloc(total), *dictionary = malloc(DICTIONARY_BYTES);
    int rc = 0;
    if (!sizes || !samples || !dictionary) {
        rc = td_fail_no_memory(err, "for a dictionary of images");
    } else {
        gather_images(images, every, samples, sizes, &total);
        size_t bytes = ZDICT_trainFromBuffer(dictionary, DICTIONARY_BYTES, samples, sizes, count);
        if (!ZDICT_isError(bytes) && add_dictionary(trace, dictionary, bytes) < 0)
            rc = td_fail_no_memory(err, "for a dictionary of images");
    }
    free(sizes);
    free(samples);
    free(dictionary);
    return rc;
}
