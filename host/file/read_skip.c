/* Sections that the model has no place for: walked to their exact end, every count checked against what is
 * there. */
#include "host/file/reader.h"

void td_reader_skip_topology_(struct reader *r)
{
    int dies = r->in.version >= TD_FILE_VERSION(0, 11, 2);
    uint64_t packages = td_in_u64(&r->in);
    for (uint64_t p = 0; p < packages && !r->in.failed; p++) {
        td_in_skip(&r->in, 4);
        uint64_t die_count = dies ? td_in_u64(&r->in) : 1;
        for (uint64_t d = 0; d < die_count && !r->in.failed; d++) {
            if (dies)
                td_in_skip(&r->in, 4);
            uint64_t cores = td_in_u64(&r->in);
            for (uint64_t c = 0; c < cores && !r->in.failed; c++) {
                td_in_skip(&r->in, 4);
                td_in_skip_items(&r->in, td_in_u64(&r->in), 4);
            }
        }
    }
}

/* P6: 0.13.4 had one list, later versions one a category and then descriptions. */
void td_reader_skip_sections_(struct reader *r)
{
    if (r->in.version == TD_FILE_VERSION(0, 13, 4)) {
        td_in_skip_items(&r->in, td_in_u64(&r->in), 15);
        return;
    }
    uint64_t categories = td_in_u64(&r->in);
    for (uint64_t i = 0; i < categories && !r->in.failed; i++) {
        td_in_skip(&r->in, 2);
        td_in_skip_items(&r->in, td_in_u64(&r->in), 15);
    }
    td_in_skip_items(&r->in, td_in_u64(&r->in), 5);
}

void td_reader_skip_foreign_threads_(struct reader *r)
{
    td_in_skip_items(&r->in, td_in_u64(&r->in), 24);
}

void td_reader_skip_table_(struct reader *r)
{
    td_in_skip_items(&r->in, td_in_u64(&r->in), 8);
}

void td_reader_skip_locks_(struct reader *r)
{
    uint64_t locks = td_in_u64(&r->in);
    for (uint64_t i = 0; i < locks && !r->in.failed; i++) {
        td_in_skip(&r->in, 4 + 3 + 2 + 1 + 1 + 8 + 8);
        td_in_skip_items(&r->in, td_in_u64(&r->in), 8);
        td_in_skip_items(&r->in, td_in_u64(&r->in), 12);
    }
}

void td_reader_skip_memory_(struct reader *r)
{
    uint64_t pools = td_in_u64(&r->in);
    td_in_skip(&r->in, 8);
    for (uint64_t i = 0; i < pools && !r->in.failed; i++) {
        td_in_skip(&r->in, 8);
        uint64_t events = td_in_u64(&r->in);
        td_in_skip(&r->in, 16);
        td_in_skip_items(&r->in, events, 42);
        td_in_skip(&r->in, 32);
    }
}

void td_reader_skip_call_stacks_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++)
        td_in_skip_items(&r->in, td_in_u16(&r->in), 8);
}

void td_reader_skip_frames_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        td_in_skip(&r->in, 8);
        uint8_t inlined = td_in_u8(&r->in);
        td_in_skip(&r->in, 3);
        td_in_skip_items(&r->in, inlined, 18);
    }
}

void td_reader_skip_images_(struct reader *r)
{
    td_in_skip(&r->in, td_in_u32(&r->in));
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint32_t width = td_in_u16(&r->in), height = td_in_u16(&r->in);
        td_in_skip(&r->in, 1);
        td_in_skip(&r->in, (uint64_t)width * height / 2);
    }
}

void td_reader_skip_switches_(struct reader *r)
{
    uint64_t threads = td_in_u64(&r->in);
    for (uint64_t i = 0; i < threads && !r->in.failed; i++) {
        td_in_skip(&r->in, 8);
        td_in_skip_items(&r->in, td_in_u64(&r->in), r->in.version >= TD_FILE_VERSION(0, 11, 3) ? 36 : 35);
    }
}

void td_reader_skip_cpu_switches_(struct reader *r)
{
    td_in_skip(&r->in, 8);
    for (int i = 0; i < TD_FILE_CPU_LISTS && !r->in.failed; i++)
        td_in_skip_items(&r->in, td_in_u64(&r->in), 18);
}

void td_reader_skip_pairs_(struct reader *r)
{
    td_in_skip_items(&r->in, td_in_u64(&r->in), 16);
}

void td_reader_skip_cpu_totals_(struct reader *r)
{
    td_in_skip_items(&r->in, td_in_u64(&r->in), 24);
}

void td_reader_skip_symbols_(struct reader *r)
{
    td_in_skip(&r->in, 16);
    td_in_skip_items(&r->in, td_in_u64(&r->in), 32);
}

void td_reader_skip_code_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        td_in_skip(&r->in, 8);
        td_in_skip(&r->in, td_in_u32(&r->in));
    }
}

void td_reader_skip_samples_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        td_in_skip(&r->in, 8);
        for (int k = 0; k < 6; k++)
            td_in_skip_items(&r->in, td_in_u64(&r->in), 8);
    }
}

void td_reader_skip_sources_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        td_in_skip(&r->in, td_in_u32(&r->in));
        td_in_skip(&r->in, td_in_u32(&r->in));
    }
}
