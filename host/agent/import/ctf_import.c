/* Imports a CTF 1.8 trace, a folder with a file `metadata`, or all such folders in a folder, by libbabeltrace2: traces of
 * LTTng, of barectf, of Zephyr. */
#include "host/agent/import/ctf_folder.h"
#include "host/agent/import/importer.h"

#ifdef TD_WITH_BABELTRACE
#include "host/agent/import/ctf_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIME_MAX ((INT64_C(1) << 62) - 1)
#define STEP_NS  1000 /* between events without times */
#define WAIT_NS  2000000

struct ctf {
    struct td_ctf shared;
    const struct td_progress *progress;
    bool is_trial;               /* in a child: events are read, but not taken */
    uint64_t events;             /* that were read */
    bool lacks_clock, has_facts; /* has_facts: of this trace */
    const bt_plugin *ctf_plugin, *utils_plugin;
    int bad; /* of the event that ended the run */
    char why[200];
};

static const char purpose[] = "for the events of a CTF trace"; /* of td_fail_no_memory() */

/* ---- messages */

/* Facts about the trace: its environment. */
static int take_environment(struct ctf *ctf, const bt_trace *trace)
{
    const uint64_t count = td_bt.bt_trace_get_environment_entry_count(trace);
    char *text = NULL;
    int bad = 0;
    for (uint64_t i = 0; i < count && !bad; i++) {
        const char *name;
        const bt_value *value;
        td_bt.bt_trace_borrow_environment_entry_by_index_const(trace, i, &name, &value);
        const int bytes =
            td_bt.bt_value_get_type(value) == BT_VALUE_TYPE_STRING
                ? asprintf(&text, "%s: %s", name, td_bt.bt_value_string_get(value))
                : asprintf(&text, "%s: %" PRId64, name, td_bt.bt_value_integer_signed_get(value));
        if (bytes < 0)
            return TD_E_NOMEM;
        bad = td_timeline_fact(ctf->shared.timeline, (struct td_timeline_id){text, (size_t)bytes});
        free(text);
    }
    return bad;
}

static int take_event(struct ctf *ctf, const bt_message *message)
{
    const bt_event *event = td_bt.bt_message_event_borrow_event_const(message);
    const bt_stream_class *of = td_bt.bt_stream_borrow_class_const(td_bt.bt_event_borrow_stream_const(event));
    int64_t ns;
    ctf->events++;
    if (!td_bt.bt_stream_class_borrow_default_clock_class_const(of)) {
        ctf->lacks_clock = true;
        return td_ctf_take_event(&ctf->shared, event, (int64_t)ctf->events * STEP_NS);
    }
    if (td_bt.bt_clock_snapshot_get_ns_from_origin(
            td_bt.bt_message_event_borrow_default_clock_snapshot_const(message), &ns) !=
            BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK ||
        ns > TIME_MAX || ns < -TIME_MAX) {
        td_bt.bt_current_thread_clear_error();
        td_timeline_get_counts(ctf->shared.timeline)->lost[TD_LOSS_TIME]++;
        return 0;
    }
    return td_ctf_take_event(&ctf->shared, event, ns);
}

static int take_message(struct ctf *ctf, const bt_message *message)
{
    switch (td_bt.bt_message_get_type(message)) {
    case BT_MESSAGE_TYPE_EVENT:
        return take_event(ctf, message);
    case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
    case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
        td_timeline_get_counts(ctf->shared.timeline)->lost[TD_LOSS_DROPPED]++;
        return 0;
    case BT_MESSAGE_TYPE_STREAM_BEGINNING: {
        const bt_trace *trace = td_bt.bt_stream_borrow_trace_const(
            td_bt.bt_message_stream_beginning_borrow_stream_const(message));
        const bool has_facts = ctf->has_facts;
        ctf->has_facts = true;
        return has_facts ? 0 : take_environment(ctf, trace);
    }
    default:
        return 0;
    }
}

static bt_graph_simple_sink_component_initialize_func_status begin_messages(bt_message_iterator *messages,
                                                                            void *self)
{
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status take_messages(bt_message_iterator *messages,
                                                                        void *self)
{
    struct ctf *ctf = self;
    bt_message_array_const batch;
    uint64_t count = 0;
    switch (td_bt.bt_message_iterator_next(messages, &batch, &count)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
        break;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
    default:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!ctf->bad && !ctf->is_trial)
            ctf->bad = take_message(ctf, batch[i]);
        td_bt.bt_message_put_ref(batch[i]);
    }
    return ctf->bad ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END
                    : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* ---- the graph: the files' streams, in order of time, to take_messages() */

/* Keeps the library's first reason. */
static void keep_reason(struct ctf *ctf)
{
    const bt_error *error = td_bt.bt_current_thread_take_error();
    if (!error)
        return;
    if (!ctf->why[0] && td_bt.bt_error_get_cause_count(error)) {
        snprintf(ctf->why, sizeof ctf->why, "%s",
                 td_bt.bt_error_cause_get_message(td_bt.bt_error_borrow_cause_by_index(error, 0)));
        ctf->why[strcspn(ctf->why, "\n")] = 0;
    }
    td_bt.bt_error_release(error);
}

static bt_value *make_parameters(const char *folder)
{
    bt_value *parameters = td_bt.bt_value_map_create(), *inputs;
    if (parameters &&
        td_bt.bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) ==
            BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
        td_bt.bt_value_array_append_string_element(inputs, folder) == BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
        return parameters;
    td_bt.bt_value_put_ref(parameters);
    return NULL;
}

static bool connect_streams(bt_graph *graph, const bt_component_source *source,
                            const bt_component_filter *muxer, const bt_component_sink *sink)
{
    const uint64_t count = td_bt.bt_component_source_get_output_port_count(source);
    for (uint64_t i = 0; i < count; i++)
        if (td_bt.bt_graph_connect_ports(
                graph, td_bt.bt_component_source_borrow_output_port_by_index_const(source, i),
                td_bt.bt_component_filter_borrow_input_port_by_index_const(muxer, i),
                NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
            return false;
    return td_bt.bt_graph_connect_ports(graph,
                                        td_bt.bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
                                        td_bt.bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                                        NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK;
}

/* *is_empty: the trace has no streams. False: see keep_reason(). */
static bool build_graph(struct ctf *ctf, bt_graph *graph, const char *folder, bool *is_empty)
{
    const bt_component_class_source *reader =
        td_bt.bt_plugin_borrow_source_component_class_by_name_const(ctf->ctf_plugin, "fs");
    const bt_component_class_filter *muxers =
        td_bt.bt_plugin_borrow_filter_component_class_by_name_const(ctf->utils_plugin, "muxer");
    const bt_component_source *source = NULL;
    const bt_component_filter *muxer = NULL;
    const bt_component_sink *sink = NULL;
    bt_value *parameters = reader && muxers ? make_parameters(folder) : NULL;
    const bool good = parameters && td_bt.bt_graph_add_source_component(graph, reader, "trace", parameters,
                                                                        BT_LOGGING_LEVEL_NONE, &source) ==
                                        BT_GRAPH_ADD_COMPONENT_STATUS_OK;
    td_bt.bt_value_put_ref(parameters);
    *is_empty = good && !td_bt.bt_component_source_get_output_port_count(source);
    if (!good || *is_empty)
        return good;
    return td_bt.bt_graph_add_filter_component(graph, muxers, "muxer", NULL, BT_LOGGING_LEVEL_NONE, &muxer) ==
               BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
           td_bt.bt_graph_add_simple_sink_component(graph, "import", begin_messages, take_messages, NULL, ctf,
                                                    &sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK &&
           connect_streams(graph, source, muxer, sink);
}

/* 0, TD_E_NOMEM, TD_E_STOPPED, or TD_E_FORMAT: the trace breaks off. */
static int run_graph(struct ctf *ctf, bt_graph *graph)
{
    for (;;) {
        const bt_graph_run_once_status status = td_bt.bt_graph_run_once(graph);
        if (ctf->bad || status == BT_GRAPH_RUN_ONCE_STATUS_END)
            return ctf->bad;
        if (status == BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR)
            return TD_E_NOMEM;
        if (status != BT_GRAPH_RUN_ONCE_STATUS_OK)
            return TD_E_FORMAT;
        if (ctf->progress->step && ctf->progress->step(ctf->progress->self, 0, 0))
            return TD_E_STOPPED;
    }
}

static int read_folder(struct ctf *ctf, const char *folder)
{
    bt_graph *graph = td_bt.bt_graph_create(0);
    ctf->has_facts = false;
    bool is_empty = false;
    int bad = graph ? 0 : TD_E_NOMEM;
    if (!bad && !build_graph(ctf, graph, folder, &is_empty))
        bad = TD_E_FORMAT;
    if (!bad && !is_empty)
        bad = run_graph(ctf, graph);
    keep_reason(ctf);
    td_bt.bt_graph_put_ref(graph);
    td_ctf_forget_classes(&ctf->shared);
    return bad;
}

/* ---- the trial: the library ends the process where it finds what it did not expect */

/* In the child. */
static void try_folders(struct ctf *ctf, const struct td_ctf_folders *folders)
{
    static const struct td_progress none = {0};
    const struct rlimit no_core = {0, 0};
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    setrlimit(RLIMIT_CORE, &no_core);
    if (null >= 0 && (dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0))
        _exit(1);
    ctf->is_trial = true;
    ctf->progress = &none;
    for (size_t i = 0; i < folders->count; i++)
        read_folder(ctf, folders->paths[i]);
    _exit(0);
}

/* Reads all in a child first: what ends that one would have ended this process. */
static int try_in_child(struct ctf *ctf, const struct td_ctf_folders *folders, struct td_err *err)
{
    const struct timespec pause = {0, WAIT_NS};
    int status, stopped = 0;
    const pid_t child = fork();
    if (!child)
        try_folders(ctf, folders);
    if (child < 0)
        return td_fail_errno(err, "cannot start a process that tries the trace");
    pid_t ended;
    while ((ended = waitpid(child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (!stopped && ctf->progress->step && ctf->progress->step(ctf->progress->self, 0, 0)) {
            stopped = 1;
            kill(child, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
    if (stopped)
        return td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
    if (ended == child && WIFSIGNALED(status))
        return td_fail(err, TD_E_FORMAT, "libbabeltrace2 does not survive reading this CTF trace (%s)",
                       strsignal(WTERMSIG(status)));
    return 0;
}

/* Only plugins of the system: an environment or a home folder could name others. */
static bool find_plugins(struct ctf *ctf)
{
    return td_bt.bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &ctf->ctf_plugin) ==
               BT_PLUGIN_FIND_STATUS_OK &&
           td_bt.bt_plugin_find("utils", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE,
                                &ctf->utils_plugin) == BT_PLUGIN_FIND_STATUS_OK;
}

/* ---- the interface */

static int read_ctf(void *self, const char *file, const struct td_progress *progress, bool *cut,
                    struct td_err *err)
{
    struct ctf *ctf = self;
    struct td_ctf_folders folders = {0};
    int64_t zero_ns;
    ctf->progress = progress;
    if (td_ctf_library_load(err) != 0)
        return err->code;
    if (!find_plugins(ctf)) {
        keep_reason(ctf);
        return td_fail(err, TD_E_NOTFOUND, "the plugins ctf and utils of libbabeltrace2 are missing");
    }
    int bad = td_ctf_folders_find(&folders, file);
    *cut = false;
    if (!bad && try_in_child(ctf, &folders, err) != 0) {
        td_ctf_folders_free(&folders);
        return err->code;
    }
    for (size_t i = 0; i < folders.count && (!bad || bad == TD_E_FORMAT); i++) {
        bad = read_folder(ctf, folders.paths[i]);
        *cut = *cut || bad == TD_E_FORMAT;
    }
    td_ctf_folders_free(&folders);
    if (bad == TD_E_STOPPED)
        return td_fail(err, bad, "stopped; nothing is written");
    if (bad == TD_E_NOMEM || td_ctf_settle(&ctf->shared) != 0)
        return td_fail_no_memory(err, purpose);
    if (*cut && !ctf->events)
        return td_fail(err, TD_E_FORMAT, "the CTF trace cannot be read: %s", ctf->why);
    static const char order[] = "events without a clock are 1 us apart, in the order of their streams";
    if (ctf->lacks_clock &&
        td_timeline_fact(ctf->shared.timeline, (struct td_timeline_id){order, sizeof order - 1}) != 0)
        return td_fail_no_memory(err, purpose);
    return td_timeline_finish(ctf->shared.timeline, &zero_ns, err);
}

static void destroy_ctf(void *self)
{
    struct ctf *ctf = self;
    if (!ctf)
        return;
    if (ctf->ctf_plugin)
        td_bt.bt_plugin_put_ref(ctf->ctf_plugin);
    if (ctf->utils_plugin)
        td_bt.bt_plugin_put_ref(ctf->utils_plugin);
    td_ctf_forget_classes(&ctf->shared);
    td_late_threads_free(&ctf->shared.threads);
    td_map_finish(&ctf->shared.names);
    td_timeline_destroy(ctf->shared.timeline);
    td_text_free(&ctf->shared.text);
    free(ctf->shared.kinds);
    free(ctf);
}

static void *create_ctf(struct td_hub *hub)
{
    struct ctf *ctf = calloc(1, sizeof *ctf);
    if (!ctf)
        return NULL;
    ctf->shared.dict = td_hub_dict(hub);
    ctf->shared.timeline = td_timeline_create(hub);
    if (ctf->shared.timeline)
        return ctf;
    free(ctf);
    return NULL;
}

static const struct td_timeline_counts *counts_of_ctf(const void *self)
{
    return td_timeline_get_counts(((const struct ctf *)self)->shared.timeline);
}
#else
static int read_ctf(void *self, const char *file, const struct td_progress *progress, bool *cut,
                    struct td_err *err)
{
    return td_fail(err, TD_E_NOTFOUND, "this program was built without libbabeltrace2, which reads CTF");
}

static void destroy_ctf(void *self)
{
    td_timeline_destroy(self);
}

static void *create_ctf(struct td_hub *hub)
{
    return td_timeline_create(hub);
}

static const struct td_timeline_counts *counts_of_ctf(const void *self)
{
    return td_timeline_get_counts((struct td_timeline *)self);
}
#endif

static bool is_ctf_folder(const char *path)
{
    struct td_ctf_folders folders = {0};
    const bool is_one = td_ctf_folders_find(&folders, path) == 0 && folders.count > 0;
    td_ctf_folders_free(&folders);
    return is_one;
}

/* It is a folder. */
static bool begins_ctf(const uint8_t *bytes, size_t count)
{
    return false;
}

static int feed_ctf(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "a CTF trace is a folder");
}

const struct td_importer td_import_ctf = {
    .name = "a CTF trace",
    .about = "It is a folder of LTTng, barectf or Zephyr, with a file `metadata` in it or below it. Pairs "
             "such as X_entry "
             "and X_exit become zones, and all other events messages.",
    .begins = begins_ctf,
    .is_folder = is_ctf_folder,
    .create = create_ctf,
    .destroy = destroy_ctf,
    .read = read_ctf,
    .feed = feed_ctf,
    .counts = counts_of_ctf,
};
