"""What runs while its calls fail: each command on a small input, recordings with their peers, programs with the client.

In the words, {data} is tests/data, {build} the build folder, {in} a folder with what setup() makes, {out} the folder for
outputs, and {port} a free port."""
from typing import NamedTuple


class Scenario(NamedTuple):
    name: str
    words: tuple              # of `tendril`, or a program with its path
    beside: tuple = ()        # commands that run at the same time, without failing calls
    before: tuple = ()        # one that has to run first; it is ready when it has printed a line
    fixed: bool = True        # a run writes the same bytes each time
    text: str = ".*"          # what it prints in the same way each time
    program: str = "tendril"  # the one whose calls fail
    source: str = None        # the library whose calls fail
    variables: tuple = ()
    never: tuple = ()         # kinds of calls that do not fail: what uses them cannot be told
    silent: bool = False      # a program with the client: it ends as without one, whatever fails
    journal: bool = False     # a recording: what cannot be written may stay in a journal, or in the folder of temporary files
    statuses: tuple = ()      # besides 1, exit statuses that say what is wrong
    names_it: str = None      # what it prints where it lists what fails
    ends: int = 0             # the status of a run in which nothing fails
    waits: bool = False       # for another peer, if the first one did not come through
    copies: tuple = ()        # of files of {in} in {tmp2}, for this run alone


FEATURES = "{data}/trace/0.11.1/features.tracy"
SYNTHETIC = "{data}/trace/0.14.0/synthetic.tracy"
KILLED = "{data}/trace/0.14.0/killed.tracy"
MARKED = ("{build}/tests/client_marked", "all")
# A journal stays if its file cannot be looked at: it may be another's.
RECORDS = dict(fixed=False, journal=True, statuses=(2, 3, 5, 6), never=("other",))


def command(name, *words, **more):
    return Scenario(name, words, **more)


SCENARIOS = (
    # Commands that print.
    command("version", "--version"),
    command("help", "help"),
    command("help_record", "help", "record"),
    command("commands", "commands"),
    command("completion", "completion", "bash", never=("other",)),  # without the simulator it has no part for `sim`
    command("print_config", "record", "--print-config"),
    command("info", "info", FEATURES),
    command("info_json", "info", "--json", "--all", FEATURES),
    command("info_waits", "info", "--waits", SYNTHETIC),
    command("info_spills", "info", "--memory", "1M", FEATURES),
    command("info_salvage", "info", "--salvage", KILLED),
    command("csvexport", "csvexport", FEATURES),
    command("csvexport_unwrap", "csvexport", "-u", "-p", FEATURES),
    command("csvexport_messages", "csvexport", "-m", FEATURES),
    command("compare", "compare", FEATURES, FEATURES, statuses=(2,)),
    command("compare_json", "compare", "--json", "--all", FEATURES, SYNTHETIC, statuses=(2,)),
    command("query", "query", FEATURES, "SELECT name, count(*), sum(duration_ns) FROM zones GROUP BY name"),
    command("annotate", "annotate", "{in}/sampled.tracy"),
    command("boards", "boards", text=".*\npresent on", names_it="cannot be read", never=("other",)),
    command("doctor", "doctor", ends=1, text=""),
    command("size", "size", "{build}/examples/hello/kernel.elf"),
    command("clients", "clients", fixed=False),
    # Commands that write.
    command("query_file", "query", "--format", "csv", "-o", "{out}/o", FEATURES, "SELECT * FROM zones"),
    command("csvexport_file", "csvexport", "-o", "{out}/o", FEATURES),
    command("export_parquet", "export", "--to", "parquet", "-o", "{out}/o.parquet", FEATURES),
    command("export_folder", "export", "--to", "parquet", "-o", "{out}/o", SYNTHETIC),
    command("export_perfetto", "export", "--to", "perfetto", "-o", "{out}/o", FEATURES),
    command("export_pprof", "export", "--to", "pprof", "-o", "{out}/o", FEATURES),
    command("export_part", "export", "--to", "folded", "-r", "0..1s", "-l", "worker", "-o", "{out}/o", FEATURES),
    command("compare_junit", "compare", "--junit", "{out}/o", "--fail-if", ".:mean+1%", FEATURES, FEATURES,
            statuses=(2,)),
    command("update_zstd", "update", FEATURES, "{out}/o", text=""),
    command("update_lz4", "update", "-4", FEATURES, "{out}/o", text=""),
    command("update_old", "update", "--format", "0.9.1", FEATURES, "{out}/o", text=""),
    command("update_sources", "update", "-c", FEATURES, "{out}/o", text=""),
    command("merge", "merge", "-q", "--align", "first", "-o", "{out}/o", FEATURES, SYNTHETIC),
    command("import_chrome", "import", "-q", "-o", "{out}/o", "{data}/small/async.json", never=("other",)),
    command("import_fuchsia", "import", "-q", "-o", "{out}/o", "{data}/small/t.fxt", never=("other",)),
    command("import_session", "import", "-q", "-o", "{out}/o", "{data}/session/0.14.0/features.stream", never=("other",)),
    command("import_device_log", "import", "-q", "-o", "{out}/o", "{data}/tt/profile_log_device.wh_13col.csv", never=("other",)),
    command("import_noc", "import", "-q", "-o", "{out}/o", "{data}/tt/noc_trace_json_1x2_BLOCK_TO_2x4_HEIGHT.json", never=("other",)),
    command("recover", "recover", "-q", "--keep", "-o", "{out}/o", "{tmp2}/left.journal", copies=("left.journal",)),
    command("report_html", "report", "-q", "--html", "{out}/o", "{in}/device.tracy"),
    command("report", "report", "-q", "-n", "fixed", "-o", "{out}/r", "{in}/device.tracy"),
    # The viewer. What Dear ImGui, SDL and Cairo do without memory is theirs.
    command("view_picture", "view", "--screenshot", "{out}/o", "--size", "640x400", FEATURES, never=("memory",), fixed=False),
    command("view_svg", "view", "--svg", "{out}/o", FEATURES, never=("memory",), fixed=False),
    command("view_pdf", "view", "--pdf", "{out}/o", FEATURES, never=("memory",), fixed=False),
    # Recordings.
    Scenario("capture", ("capture", "-q", "-o", "{out}/t.tracy", "-p", "{port}"), beside=(MARKED,), **RECORDS),
    Scenario("capture_alone", ("capture", "-q", "--no-journal", "-o", "{out}/t.tracy", "-p", "{port}"), beside=(MARKED,),
             **RECORDS),
    Scenario("capture_limit", ("capture", "-q", "-m", "100M", "-o", "{out}/t.tracy", "-p", "{port}"), beside=(MARKED,),
             **RECORDS),
    Scenario("capture_system", ("capture", "-q", "--system", "-o", "{out}/t.tracy", "--", "true"), **RECORDS),
    Scenario("record_program", ("record", "-q", "-b", "none", "-o", "{out}/t.tracy", "--", *MARKED), **RECORDS),
    Scenario("record_board", ("record", "-q", "-o", "{out}/t.tracy", "--grid", "1x1", "--", "{build}/examples/hello/hello"),
             **RECORDS),
    Scenario("record_agent", ("record", "-q", "-b", "none", "--agent", "127.0.0.1:{port}", "-o", "{out}/t.tracy", "--", "true"),
             before=("agent", "--once", "--listen", "{port}", "-b", "none", "--", *MARKED), **RECORDS),
    Scenario("agent", ("agent", "--once", "--listen", "{port}", "-b", "none", "--", *MARKED), fixed=False, waits=True, statuses=(2, 3, 130),
             beside=(("record", "-q", "-b", "none", "--agent", "127.0.0.1:{port}", "-o", "{tmp2}/t.tracy"),)),
    Scenario("serve", ("serve", "--once", "-p", "{port}", FEATURES), fixed=False, waits=True,
             beside=(("capture", "-q", "-f", "-o", "{tmp2}/t.tracy", "-p", "{port}"),)),
    # Programs with the client.
    Scenario("client_saves", MARKED, program="client_marked", variables=(("TENDRIL_SAVE", "{out}/s"),), silent=True, fixed=False),
    Scenario("client_recorded", MARKED, program="client_marked", silent=True, fixed=False,
             beside=(("capture", "-q", "-f", "-o", "{tmp2}/t.tracy", "-p", "{port}"),)),
    Scenario("client_crashes", ("{build}/tests/client_crashes", "null"), program="client_crashes", silent=True, fixed=False,
             variables=(("TENDRIL_SAVE", "{out}/s"),)),
)
