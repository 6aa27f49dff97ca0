#include "host/query/sums/bins.h"
#include "host/base/sorted.h"
#include "host/base/wrap.h"

#include <math.h>

/* The scale ends with the longest length, which belongs to the last bin. */
static double scale_of(const struct td_bins *bins, double length)
{
    return bins->log ? log(fmax(length, .5)) : length;
}

double td_bins_place(const struct td_bins *bins, double length)
{
    double low = scale_of(bins, (double)bins->low), high = scale_of(bins, (double)bins->high + 1);
    return (scale_of(bins, length) - low) / (high - low);
}

double td_bins_length(const struct td_bins *bins, double place)
{
    double low = scale_of(bins, (double)bins->low), high = scale_of(bins, (double)bins->high + 1);
    double value = low + (high - low) * place;
    return bins->log ? exp(value) : value;
}

static void make_edges(struct td_bins *bins, int count)
{
    double room = (double)bins->high - (double)bins->low + 1;
    if (room < count)
        count = (int)room;
    count = count > TD_BINS_MOST ? TD_BINS_MOST : count < 1 ? 1 : count;
    bins->edge[0] = bins->low;
    for (int i = 1; i < count; i++) {
        double edge = ceil(td_bins_length(bins, (double)i / count));
        if (edge > (double)bins->edge[bins->count] && edge <= (double)bins->high && edge < 9.2e18)
            bins->edge[++bins->count] = (int64_t)edge;
    }
    bins->edge[++bins->count] = td_wrap_add(bins->high, 1);
}

void td_bins_make(struct td_bins *bins, const struct td_instances *instances, int64_t low, int64_t high,
                  int count, bool log)
{
    high = high < low ? low : high < INT64_MAX ? high : INT64_MAX - 1;
    *bins = (struct td_bins){.log = log, .low = low, .high = high, .all = instances->count};
    make_edges(bins, count);
    size_t rank = bins->before = td_instances_below(instances, low);
    int64_t sum = td_instances_sum(instances, rank);
    for (int i = 0; i < bins->count; i++) {
        size_t next = td_instances_below(instances, bins->edge[i + 1]);
        int64_t next_sum = next > rank ? td_instances_sum(instances, next) : sum;
        bins->number[i] = next - rank;
        bins->total_ns[i] = td_wrap_add(next_sum, -sum);
        bins->most = bins->number[i] > bins->most ? bins->number[i] : bins->most;
        bins->most_ns = bins->total_ns[i] > bins->most_ns ? bins->total_ns[i] : bins->most_ns;
        rank = next;
        sum = next_sum;
    }
}

void td_bins_count(const struct td_bins *bins, const struct td_instances *instances, const uint32_t *number,
                   size_t count, uint64_t *counts)
{
    size_t before = 0;
    for (int i = 0; i <= bins->count; i++) {
        size_t low = before, high = count;
        TD_BISECT(low, high, middle, td_instances_length_of(instances, number[middle]) < bins->edge[i]);
        if (i)
            counts[i - 1] = low - before;
        before = low;
    }
}
