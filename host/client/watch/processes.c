/* Processes and threads are entries of one hash table each. */
#include "host/client/watch/processes.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/client/watch/images.h"
#include "host/perf/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS      4096
#define THREADS_MAX 32768      /* of one process, and processes, at the start */
#define ENDED_MAX   65536      /* threads whose names are known after their end */
#define NAME_BYTES  64         /* the kernel's own threads have names of this length */
#define LOOK_NS     1000000000 /* before the mappings of a process are read again for an unknown address */

struct process_entry {
    struct process_entry *next;
    uint32_t process;
    bool watched;
    int64_t looked_ns; /* when /proc was read last; 0: never */
    struct td_process_map *maps;
    size_t count, room, last; /* last: the mapping that was found last */
};
struct thread_entry {
    struct thread_entry *next;
    uint32_t thread, process;
    bool ended;
    char name[NAME_BYTES];
};

static struct process_entry *processes[CHAINS];
static struct thread_entry *threads[CHAINS];
static uint32_t main_process;     /* 0: all processes are watched */
static uint32_t ended[ENDED_MAX]; /* the threads that ended last, in a ring */
static size_t ended_count;

/* ---- threads ---- */

/* The thread's entry; NULL: no memory, or there is none and it is not to be made. */
static struct thread_entry *thread_at(uint32_t thread, bool make)
{
    struct thread_entry **at = &threads[thread % CHAINS];
    for (; *at; at = &(*at)->next)
        if ((*at)->thread == thread)
            return *at;
    if (make && (*at = calloc(1, sizeof **at)))
        (*at)->thread = thread;
    return *at;
}

/* True: the thread had another name. */
static bool set_thread(uint32_t thread, uint32_t process, const char *name)
{
    struct thread_entry *entry = thread_at(thread, true);
    if (!entry)
        return false;
    entry->process = process;
    entry->ended = false;
    if (!name || !*name || !strncmp(entry->name, name, sizeof entry->name - 1))
        return false;
    snprintf(entry->name, sizeof entry->name, "%s", name);
    return true;
}

static void forget_thread(uint32_t thread)
{
    struct thread_entry **at = &threads[thread % CHAINS];
    while (*at && (*at)->thread != thread)
        at = &(*at)->next;
    struct thread_entry *entry = *at;
    if (!entry || !entry->ended) /* its number may be another thread's by now */
        return;
    *at = entry->next;
    free(entry);
}

static void end_thread(uint32_t thread)
{
    struct thread_entry *entry = thread_at(thread, false);
    uint32_t *place = &ended[ended_count % ENDED_MAX];
    if (!entry)
        return;
    entry->ended = true;
    if (ended_count++ >= ENDED_MAX)
        forget_thread(*place);
    *place = thread;
}

/* An entry with a name; NULL: the thread has ended without one. */
static const struct thread_entry *known_thread(uint32_t thread)
{
    const struct thread_entry *entry = thread_at(thread, false);
    char name[NAME_BYTES];
    if (entry && entry->name[0])
        return entry;
    const uint32_t process = entry ? entry->process : td_proc_process(thread);
    if (!process || !td_proc_name(thread, name, sizeof name))
        return NULL;
    set_thread(thread, process, name);
    return thread_at(thread, false);
}

uint32_t td_processes_of(uint32_t thread, char *name, size_t room)
{
    const struct thread_entry *entry = known_thread(thread);
    const struct thread_entry *first = entry ? known_thread(entry->process) : NULL;
    if (!entry)
        return 0;
    snprintf(name, room, "%s", first ? first->name : entry->name);
    return entry->process;
}

void td_processes_thread_name(uint32_t thread, char *name, size_t room)
{
    const struct thread_entry *entry = known_thread(thread);
    if (!entry) {
        snprintf(name, room, "%u", thread);
        return;
    }
    const struct thread_entry *first = entry->process == thread ? entry : known_thread(entry->process);
    if (entry->process == main_process)
        snprintf(name, room, "%s", entry->name);
    else if (entry->process == thread)
        snprintf(name, room, "%s (%u)", entry->name, thread);
    else
        snprintf(name, room, "%s (%s %u)", entry->name, first ? first->name : "process", entry->process);
}

/* ---- processes ---- */

static struct process_entry *process_at(uint32_t process, bool make)
{
    struct process_entry **at = &processes[process % CHAINS];
    for (; *at; at = &(*at)->next)
        if ((*at)->process == process)
            return *at;
    if (make && (*at = calloc(1, sizeof **at)))
        (*at)->process = process;
    return *at;
}

void td_processes_set_main(uint32_t process)
{
    main_process = process;
}

bool td_processes_is_watched(uint32_t process)
{
    const struct process_entry *entry = main_process ? process_at(process, false) : NULL;
    return !main_process || process == main_process || (entry && entry->watched);
}

static void clear_maps(struct process_entry *entry)
{
    for (size_t i = 0; i < entry->count; i++)
        free(entry->maps[i].path);
    entry->count = entry->last = 0;
}

static bool is_same_map(const struct td_process_map *a, const struct td_process_map *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset && a->inode == b->inode &&
           !strcmp(a->path, b->path);
}

/* Removes mappings that the new one replaces in part or wholly. True: the process has it already. */
static bool make_way(struct process_entry *entry, const struct td_process_map *map)
{
    size_t kept = 0;
    bool has = false;
    for (size_t i = 0; i < entry->count; i++) {
        struct td_process_map *old = &entry->maps[i];
        has |= is_same_map(old, map);
        if (old->start < map->end && map->start < old->end && !is_same_map(old, map))
            free(old->path);
        else
            entry->maps[kept++] = *old;
    }
    entry->count = kept;
    entry->last = 0;
    return has;
}

/* Copies the mapping and its path. Without memory, the mapping is missing. */
static void add_map(struct process_entry *entry, const struct td_process_map *map)
{
    if (map->end <= map->start || make_way(entry, map))
        return;
    char *path = strdup(map->path);
    if (!path || td_grow(&entry->maps, &entry->room, entry->count + 1, sizeof *entry->maps)) {
        free(path);
        return;
    }
    entry->maps[entry->count] = *map;
    entry->maps[entry->count++].path = path;
}

static void read_maps(struct process_entry *entry)
{
    char path[48], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "/proc/%u/maps", entry->process);
    FILE *file = fopen(path, "re");
    entry->looked_ns = td_mono_ns();
    while (file && getline(&line, &room, file) > 0) {
        struct td_code_map code;
        char *image = NULL;
        if (!td_code_map_parse(line, &code, &image))
            continue;
        add_map(entry, &(const struct td_process_map){.start = code.start,
                                                      .end = code.end,
                                                      .offset = code.offset,
                                                      .device = code.device,
                                                      .inode = code.inode,
                                                      .path = image});
    }
    free(line);
    if (file)
        fclose(file);
}

static struct td_process_map *find_map(struct process_entry *entry, uint64_t address)
{
    for (size_t n = 0; n < entry->count; n++) {
        const size_t i = (entry->last + n) % entry->count;
        if (address < entry->maps[i].start || address >= entry->maps[i].end)
            continue;
        entry->last = i;
        return &entry->maps[i];
    }
    return NULL;
}

uint64_t td_processes_address(uint32_t process, uint64_t address)
{
    struct process_entry *entry = process_at(process, true);
    if (!entry)
        return TD_IMAGES_NOWHERE;
    struct td_process_map *map = find_map(entry, address);
    if (!map && (!entry->looked_ns || td_mono_ns() - entry->looked_ns > LOOK_NS)) {
        read_maps(entry);
        map = find_map(entry, address);
    }
    return td_images_address(process, map, address);
}

/* ---- the kernel's records ---- */

static void take_fork(const struct td_perf_record *record)
{
    const struct thread_entry *parent = known_thread(record->news.parent);
    set_thread(record->tid, record->pid, parent ? parent->name : NULL);
    struct process_entry *from = process_at(record->news.parent, true);
    if (record->pid == record->news.parent || !from)
        return;
    if (!from->looked_ns)
        read_maps(from);
    struct process_entry *to = process_at(record->pid, true);
    if (!to)
        return;
    clear_maps(to);
    to->watched = true; /* only such processes' starts are reported */
    to->looked_ns = from->looked_ns;
    for (size_t i = 0; i < from->count; i++)
        add_map(to, &from->maps[i]);
}

static void take_map(const struct td_perf_record *record)
{
    const struct td_perf_mapping *news = (const struct td_perf_mapping *)record->stack;
    struct process_entry *entry = process_at(record->pid, true);
    const struct td_process_map map = {.start = news->start,
                                       .end = news->start + news->bytes,
                                       .offset = news->offset,
                                       .device = news->device,
                                       .inode = news->inode,
                                       .path = (char *)news->path};
    if (entry)
        add_map(entry, &map);
}

static bool take_name(const struct td_perf_record *record)
{
    struct process_entry *entry = record->news.began ? process_at(record->pid, false) : NULL;
    if (entry) {
        clear_maps(entry);
        entry->looked_ns = 0;
    }
    return set_thread(record->tid, record->pid, (const char *)record->stack);
}

/* Mappings take memory; the names of what has ended are asked for later. */
static void take_exit(const struct td_perf_record *record)
{
    struct process_entry **at = &processes[record->pid % CHAINS];
    end_thread(record->tid);
    while (*at && (*at)->process != record->pid)
        at = &(*at)->next;
    if (!*at || record->pid != record->tid)
        return;
    struct process_entry *ended = *at;
    *at = ended->next;
    clear_maps(ended);
    free(ended->maps);
    free(ended);
}

bool td_processes_news(const struct td_perf_record *record)
{
    switch ((enum td_perf_news)record->news.what) {
    case TD_PERF_NEWS_NAME:
        return take_name(record);
    case TD_PERF_NEWS_FORK:
        take_fork(record);
        break;
    case TD_PERF_NEWS_EXIT:
        take_exit(record);
        break;
    case TD_PERF_NEWS_MAP:
        take_map(record);
        break;
    }
    return false;
}

/* ---- /proc ---- */

static void look_at(uint32_t process, bool watched, uint32_t *list)
{
    char name[NAME_BYTES];
    struct process_entry *entry = process_at(process, true);
    const int count = td_proc_threads(process, list, THREADS_MAX);
    for (int i = 0; i < count && i < THREADS_MAX; i++)
        if (td_proc_name(list[i], name, sizeof name))
            set_thread(list[i], process, name);
    if (entry)
        read_maps(entry);
    if (entry && watched)
        entry->watched = true;
}

void td_processes_look(uint32_t process, bool children)
{
    uint32_t *list = malloc(2 * THREADS_MAX * sizeof *list);
    int count = 0;
    if (!list)
        return;
    uint32_t *spare = list + THREADS_MAX;
    if (!process)
        count = td_proc_processes(list, THREADS_MAX);
    else if (children)
        count = td_proc_descendants(process, list, spare, THREADS_MAX);
    if (process)
        look_at(process, false, spare);
    for (int i = 0; i < count && i < THREADS_MAX; i++)
        look_at(list[i], process != 0, spare);
    free(list);
}
