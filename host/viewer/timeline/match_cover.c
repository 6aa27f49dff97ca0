#include "host/viewer/timeline/match_cover.h"

#include <math.h>

#define WORD        TD_MATCH_ZONES
#define LEAST_SHARE 1e-6 /* of a cell: matches without length are seen, too */

_Static_assert(WORD == TD_PYRAMID_ZONES, "a word is for the zones of a block of the lowest level");

static double zone_length(const struct td_row_reader *reader, uint32_t at)
{
    double end = reader->end[at] == TD_OPEN ? reader->open_ns : (double)reader->end[at];
    return fmax(end - (double)reader->start[at], 0);
}

double td_matches_sum_ns(const struct td_match_row *row, struct td_row_reader *reader, uint64_t first,
                         uint64_t end)
{
    double sum = 0;
    end = end < row->zones ? end : row->zones;
    while (first < end) {
        uint64_t word = first / WORD, stop = (word + 1) * WORD;
        uint64_t bits = td_match_word(row, word);
        if (bits && first % WORD == 0 && stop <= end) {
            sum += (double)row->ns[word];
        } else if (bits) {
            for (uint64_t i = first; i < stop && i < end; i++)
                if (bits >> i % WORD & 1)
                    sum += zone_length(reader, td_row_reader_at(reader, i));
        }
        first = stop;
    }
    return sum;
}

struct match_cover {
    double start_ns, cell_ns;
    unsigned cells;
    double *covered_ns;
};

static void cover_zone(const struct match_cover *m, double from_ns, double length_ns)
{
    const double from = from_ns - m->start_ns, to = from + length_ns;
    if (to < 0 || from >= m->cell_ns * m->cells)
        return;
    for (unsigned c = from > 0 ? (unsigned)(from / m->cell_ns) : 0; c < m->cells; c++) {
        const double cell = c * m->cell_ns, covered = fmin(to, cell + m->cell_ns) - fmax(from, cell);
        m->covered_ns[c] += fmax(covered, LEAST_SHARE * m->cell_ns);
        if (to <= cell + m->cell_ns)
            return;
    }
}

void td_matches_cover(const struct td_match_row *row, const struct td_pyramid *pyramid,
                      struct td_row_reader *reader, double start_ns, double cell_ns, unsigned cells,
                      double *covered_ns)
{
    const struct match_cover m = {start_ns, cell_ns, cells, covered_ns};
    const double end_ns = start_ns + cell_ns * cells;
    const struct td_pyramid_level *blocks = &pyramid->level[0];
    const uint64_t zones = row->zones < reader->zones ? row->zones : reader->zones;
    for (uint64_t at = td_pyramid_after(pyramid, reader, 0, start_ns) & ~(uint64_t)(WORD - 1); at < zones;
         at += WORD) {
        const uint64_t word = at / WORD, bits = td_match_word(row, word);
        const struct td_zone_sum *block = word < blocks->count ? &blocks->blocks[word] : NULL;
        if (block && (double)block->start_ns >= end_ns)
            return;
        if (!bits)
            continue;
        const double cell = block ? floor(((double)block->start_ns - start_ns) / cell_ns) : -1;
        if (cell >= 0 && cell < cells && (double)block->end_ns <= start_ns + (cell + 1) * cell_ns) {
            covered_ns[(unsigned)cell] += fmax((double)row->ns[word], LEAST_SHARE * cell_ns);
            continue;
        }
        for (uint64_t i = at; i < at + WORD && i < zones; i++) {
            if (!(bits >> i % WORD & 1))
                continue;
            const uint32_t p = td_row_reader_at(reader, i);
            if ((double)reader->start[p] >= end_ns)
                return;
            cover_zone(&m, (double)reader->start[p], zone_length(reader, p));
        }
    }
}
