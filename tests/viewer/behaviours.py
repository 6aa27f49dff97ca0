"""What a person does with the viewer, in the window and in the browser: each function is one behaviour of behaviours.txt, and gets a
screen (screens.py) that shows a whole trace, with no panel open."""


def holds(what, *detail):
    if not what:
        raise AssertionError(detail)


def length(screen):
    shown = screen.state()["range"]
    return shown["to_ns"] - shown["from_ns"]


def middle(screen):
    """A place in the rows of the timeline."""
    row = screen.find("Main thread", "rows")
    return 700, (row["top"] + row["bottom"]) / 2


def select(screen, name):
    """Selects a zone, which gets a third of the width."""
    screen.run("find " + name, "next", "find", "zoom", "close details")
    screen.run("zoom", "close details")
    return screen.at(name, "selected")


# ---- moving (of the demo)

def the_wheel_zooms(s):
    before = length(s)
    s.move(*middle(s))
    s.wheel(2)
    holds(length(s) < before * 0.9)
    s.wheel(-2)
    holds(abs(length(s) - before) < before * 0.02)


def shift_and_the_wheel_scroll_the_tracks(s):
    s.run("expand")
    before, whole = s.find("Main thread", "rows")["top"], length(s)
    s.move(700, 500)
    s.wheel(-2, ["shift"])
    after = [c["top"] for c in s.controls() if c["panel"] == "rows" and c["name"] == "Main thread"]
    holds(not after or after[0] < before, before, after)
    holds(length(s) == whole)


def a_drag_pans(s):
    s.run("zoom 1ms..2ms")
    x, y = middle(s)
    s.drag(x, y, x - 200, y)
    shown = s.state()["range"]
    holds(shown["from_ns"] > 1.05e6 and abs(shown["to_ns"] - shown["from_ns"] - 1e6) < 1000, shown)


def keys_pan_and_zoom(s):
    s.run("zoom 1ms..2ms")
    s.key("d")
    later = s.state()["range"]["from_ns"]
    holds(later > 1e6, later)
    s.key("a")
    holds(s.state()["range"]["from_ns"] < later, later, s.state()["range"])
    s.key("w")
    near = length(s)
    holds(near < 0.99e6, near)
    s.key("s")
    holds(length(s) > near, near, length(s))


def arrows_pan(s):
    s.run("zoom 1ms..2ms")
    s.key("right")
    holds(s.state()["range"]["from_ns"] > 1e6, s.state()["range"])


def f_shows_the_whole_trace(s):
    whole = length(s)
    s.run("zoom 1ms..2ms")
    s.key("f")
    holds(abs(length(s) - whole) < 1)


def a_click_selects(s):
    x, y = select(s, "verify")
    s.run("select", "close details")
    s.click(x, y)
    holds(s.state()["selected"]["name"] == "verify", s.state()["selected"])
    holds("details" in s.panels())


def a_double_click_zooms_to_the_zone(s):
    s.run("find verify", "next", "find", "close details")
    x, y = s.at("verify", "selected")
    s.click(x, y, times=2)
    zone, shown = s.state()["selected"], s.state()["range"]
    holds(shown["from_ns"] <= zone["from_ns"] and length(s) < 5 * (zone["to_ns"] - zone["from_ns"]), zone, shown)


def z_zooms_to_the_selected_zone(s):
    s.run("find verify", "next", "find")
    s.key("z")
    zone = s.state()["selected"]
    holds(length(s) < 5 * (zone["to_ns"] - zone["from_ns"]))


def a_right_drag_marks_a_range(s):
    x, y = middle(s)
    s.drag(x, y, x + 200, y, "right")
    holds(s.state()["marked"])
    s.key("z")
    holds(length(s) < 2e6, length(s))
    s.key("escape")


def escape_closes_what_is_open(s):
    s.run("mark 1ms..2ms")
    s.key("?")
    holds("help" in s.panels())
    s.key("escape")
    holds("help" not in s.panels())
    s.key("escape")
    holds(not s.state()["marked"], s.state()["marked"])


def the_overview_moves_the_range(s):
    s.run("zoom 1ms..2ms")
    before = s.state()["range"]
    top = s.find("Main thread", "rows")["top"]
    for y in range(40, int(top), 8):
        s.click(900, y)
        if s.state()["range"] != before:
            return
    holds(False, "nothing moves it above", top)


def backspace_goes_back(s):
    s.run("find verify", "next", "find")
    first = s.state()["selected"]
    s.key(".")
    holds(s.state()["selected"] != first)
    s.key("backspace")
    holds(s.state()["selected"] == first, first, s.state()["selected"])


def u_and_enter_walk_the_tree(s):
    s.run("find launch", "next", "find")
    s.key("u")
    holds(s.state()["selected"]["name"] == "main", s.state()["selected"])
    s.key("enter")
    holds(s.state()["selected"]["name"] != "main")


def comma_and_full_stop_step_through_a_name(s):
    s.run("find launch", "next", "find")
    first = s.state()["selected"]
    s.key(".")
    second = s.state()["selected"]
    holds(second["name"] == first["name"] and second["from_ns"] > first["from_ns"], first, second)
    s.key(",")
    holds(s.state()["selected"] == first)


# ---- finding

def typed_letters_are_searched(s):
    s.key("/")
    s.type("verify")
    holds(s.state()["find"] == "verify" and s.state()["matches"] == 3, s.state()["find"])
    s.key("enter")
    s.key("escape")


def n_goes_through_the_matches(s):
    s.run("find verify")
    s.key("n")
    first = s.state()["selected"]
    s.key("n")
    holds(s.state()["selected"]["from_ns"] > first["from_ns"])
    s.key("N")
    holds(s.state()["selected"] == first)


def f3_does_the_same(s):
    s.run("find verify")
    s.key("f3")
    holds(s.state()["selected"]["name"] == "verify")


def terms_leave_out(s):
    s.run("find pack, -unpack")
    holds(s.state()["matches"] == 108, s.state()["matches"])


def the_map_of_rows_counts_matches(s):
    s.run("find face", "expand")
    holds(s.state()["matches"] == 3240)


# ---- menus and the palette

def a_zone_has_a_menu(s):
    x, y = select(s, "verify")
    s.click(x, y, "right")
    holds({"Mark its time", "Copy the name", "All zones of this name"} <= set(s.names("menu")), s.names("menu"))
    s.menu("Mark its time")
    zone, marked = s.state()["selected"], s.state()["marked"]
    holds(marked and (not zone or abs(marked["from_ns"] - zone["from_ns"]) < 2), marked)


def its_menu_has_a_flame_graph(s):
    x, y = select(s, "verify")
    s.click(x, y, "right")
    s.menu("Flame graph of them")
    holds("flame" in s.panels())
    holds("verify" in s.copied("flame", "lines"))


def a_label_has_a_menu(s):
    s.click_on("Main thread", "rows", "right")
    s.menu("Hide this row")
    holds("Main thread" not in s.names("rows"))
    s.run("show")


def a_click_on_a_label_closes_it(s):
    s.run("expand")
    row = s.find("Main thread", "rows")
    s.click_on("Main thread", "rows")
    lower = s.find("Main thread", "rows")
    holds(lower["bottom"] - lower["top"] < row["bottom"] - row["top"], row, lower)


def a_marked_range_has_a_menu(s):
    x, y = middle(s)
    s.drag(x, y, x + 200, y, "right")
    s.click(x + 100, s.find("Main thread", "rows")["top"] - 30, "right")
    s.menu("Zoom to it")
    holds(length(s) < 2e6)


def a_row_of_a_list_has_a_menu(s):
    s.run("open statistics")
    head = s.find("Visible")
    s.click(300, head["bottom"] + 50, "right")
    holds("Copy CSV" in s.names("menu"), s.names("menu"))
    s.key("escape")


def the_menu_key_opens_the_menu_of_the_selected_zone(s):
    s.run("find verify", "next", "find")
    s.key("menu")
    holds("Mark its time" in s.names("menu"), s.names("menu"))
    s.key("escape")
    s.key("shift+f10")
    holds("Mark its time" in s.names("menu"), s.names("menu"))
    s.key("escape")


def the_palette_opens_a_panel(s):
    s.key("ctrl+p")
    s.type("instan")
    s.key("enter")
    holds("instances" in s.panels())


def the_palette_finds_a_zone(s):
    s.key("ctrl+p")
    s.type("multiply")
    s.key("enter")
    holds(s.state()["find"] == "multiply", s.state()["find"])


def the_line_of_commands_runs_them(s):
    s.key(":")
    s.type("zoom 1ms..2ms")
    s.key("enter")
    holds(abs(length(s) - 1e6) < 1)
    s.key("escape")


def tab_completes_in_the_line(s):
    s.key(":")
    s.type("mar")
    s.key("tab")
    s.type(" 1ms..2ms")
    s.key("enter")
    holds(s.state()["marked"])
    s.key("escape")


def the_button_of_the_bar_opens_a_menu(s):
    s.click_on("menu", "bar")
    holds("Rows" in s.names("menu"), s.names("menu"))
    s.key("escape")


# ---- rows

def p_pins_the_row_under_the_mouse(s):
    s.run("expand")
    s.move(*s.at("Main thread", "rows"))
    s.key("p")
    holds("Main thread" not in s.names("rows"))  # it is above the others
    s.run("unpin")
    holds("Main thread" in s.names("rows"))


def x_hides_and_shows(s):
    s.move(*s.at("Main thread", "rows"))
    s.key("x")
    holds("Main thread" not in s.names("rows"))
    s.key("X")
    holds("Main thread" in s.names("rows"))


def c_closes_and_opens_groups(s):
    s.run("expand")
    count = len(s.names("rows"))
    s.key("c")
    closed = len(s.names("rows"))
    s.key("C")
    holds(closed != count and len(s.names("rows")) == count, count, closed)


def a_filter_chooses_lanes(s):
    s.run("expand")
    s.key("j")
    s.type("TRISC1")
    s.key("enter")
    holds(s.state()["lanes"] == "TRISC1", s.state()["lanes"])
    s.key("escape")
    s.run("lanes")


def cores_are_grouped(s):
    s.run("group kind")
    holds(any("BRISC" in name for name in s.names("rows")), s.names("rows"))
    s.run("group place")


def a_view_is_kept_under_a_name(s):
    s.run("zoom 1ms..2ms", "view save one", "fit", "view one")
    holds(abs(length(s) - 1e6) < 1)
    holds(s.state()["views"] == ["one"])
    s.run("view remove one")


def rows_are_moved(s):
    s.run("expand", "move \"tilize worker\" first")
    names = s.names("rows")
    holds(names.index("tilize worker") < names.index("Main thread"), names)
    s.run("order")


# ---- panels

def layouts_have_keys(s):
    s.key("2")
    holds("chip" in s.panels(), s.panels())
    s.key("1")
    holds("chip" not in s.panels(), s.panels())


def regions_have_keys(s):
    s.run("open statistics")
    s.key("f10")
    holds("statistics" not in s.panels())
    s.key("f10")
    holds("statistics" in s.panels())


def tabs_are_clicked(s):
    s.run("open statistics,instances")
    s.click_on("tab statistics")
    holds("statistics" in s.panels())


def a_region_is_closed_by_its_cross(s):
    s.run("open statistics")
    s.click_on("close")
    holds("statistics" not in s.panels(), s.panels())


def a_tab_is_moved(s):
    s.run("open statistics")
    s.click_on("tab statistics", None, "right")
    s.menu("Move to the left edge")
    place = s.find("tab statistics")
    holds(place["left"] < 400, place)
    s.run("dock statistics bottom")


def f1_shows_the_manual(s):
    s.run("open statistics")
    s.key("f1")
    holds(any(c["panel"] == "manual" for c in s.controls()) or "manual" in s.panels(), s.panels())
    s.key("escape")


def tab_goes_to_the_next_region(s):
    s.run("open statistics", "open lanes")
    s.key("tab")
    s.key("tab")
    s.key("shift+tab")
    holds("lanes" in s.panels())


def statistics_are_limited_to_a_range(s):
    s.run("open statistics")
    whole = s.copied("statistics").count("\n")
    s.run("mark 0ns..20us", "limit marked")
    holds(s.copied("statistics").count("\n") < whole)


def limits_are_clicked(s):
    s.run("open statistics")
    s.click_on("Visible")
    holds(s.state()["limit"] == "visible")
    s.click_on("All")
    holds(s.state()["limit"] == "all")


def instances_are_listed(s):
    s.run("find verify", "next", "open instances")
    holds(s.copied("instances").count("\n") >= 3, s.copied("instances"))


def i_opens_the_instances_of_the_selected_zone(s):
    s.run("find verify", "next", "find")
    s.key("i")
    holds("instances" in s.panels() and s.copied("instances").count("\n") >= 3)


def operations_are_stepped_through(s):
    s.run("open operations")
    whole = length(s)
    s.run("operation 1")
    holds(length(s) < whole)
    s.key("down")


def lanes_have_a_table(s):
    s.key("e")
    holds("lanes" in s.panels() and "TRISC1" in s.copied("lanes"))


def the_chip_is_drawn(s):
    s.key("b")
    holds("chip" in s.panels())
    s.key("2")


def the_range_is_a_matrix(s):
    s.key("r")
    holds("cells" in s.panels() and "multiply" in s.copied("cells"))


def losses_are_stepped_through(s):
    before = s.state()["range"]
    s.key("l")
    holds("losses" in s.panels() and s.state()["range"] != before, s.panels())


def the_bar_names_losses(s):
    alarms = [c for c in s.controls() if c["name"].startswith("alarm")]
    holds(alarms)
    s.click((alarms[0]["left"] + alarms[0]["right"]) / 2, (alarms[0]["top"] + alarms[0]["bottom"]) / 2)
    holds("losses" in s.panels())


def waits_are_summed(s):
    s.key("W")
    holds("waits" in s.panels() and s.copied("waits").count("\n") > 1)


def the_chain_is_walked(s):
    s.run("find multiply", "next", "find")
    first = s.state()["selected"]
    s.key("[")
    holds(s.state()["selected"] != first, first)


def a_note_is_made_by_a_key(s):
    count = len(s.state()["notes"])
    s.run("mark 1ms..2ms")
    s.key("m")
    s.type("here")
    s.key("enter")
    notes = s.state()["notes"]
    holds(len(notes) == count + 1 and any("here" in str(note) for note in notes), notes)
    s.key("escape")
    s.run("open notes")
    s.key("'")
    s.key("delete")
    holds(len(s.state()["notes"]) == count, s.state()["notes"])


def a_search_names_its_share_of_the_flame_graph(s):
    s.key("G")
    s.run("flame search multiply")
    holds("flame" in s.panels() and "multiply" in s.copied("flame", "lines"))
    s.run("flame search")


def control_and_a_click_find_a_name_of_the_flame_graph(s):
    s.run("open flame", "flame zoom verify")
    panel = s.find("Copy", "flame")
    for row in range(8):
        s.click(640, panel["bottom"] + 30 + 9 + 18 * row, held=["ctrl"])
        if s.state()["find"]:
            holds(s.state()["find"] == "verify", s.state()["find"])
            break
    holds(s.state()["find"])
    s.run("flame reset")


# ---- settings

def options_are_found_by_a_part_of_their_name(s):
    s.key("ctrl+,")
    holds("options" in s.panels())
    s.run("close options")


def times_are_exact_on_request(s):
    s.run("set times exact", "open statistics")
    holds(s.state()["settings"]["times"] == "exact")
    s.run("set times short")


def colours_have_themes(s):
    s.run("set colours light")
    holds(s.state()["settings"]["colours"] == "light")
    s.settle()
    s.run("set colours dark")


def the_scale_has_keys(s):
    row = s.find("Main thread", "rows")
    s.key("ctrl++")
    s.settle()
    larger = s.find("Main thread", "rows")
    s.key("ctrl+0")
    holds(larger["bottom"] - larger["top"] > row["bottom"] - row["top"], row, larger)


def the_mouse_can_be_tracys(s):
    s.run("set mouse tracy", "zoom 1ms..2ms")
    x, y = middle(s)
    s.drag(x, y, x - 200, y, "right")
    shown = s.state()["range"]
    s.run("set mouse tendril")
    holds(shown["from_ns"] > 1.05e6, shown)


def help_lists_the_keys(s):
    s.key("?")
    holds("help" in s.panels())
    s.key("right")
    s.key("escape")
    holds("help" not in s.panels())


# ---- messages, frames, plots, memory, locks: from here on of the trace features

def messages_are_listed_and_followed(s):
    s.key("M")
    holds("messages" in s.panels() and s.copied("messages").count("\n") >= 100)
    before = s.state()["range"]
    s.key("down")
    s.key("down")
    holds(s.state()["range"] is not before)


def frames_are_stepped_through(s):
    before = s.state()["range"]
    s.key("k")
    first = s.state()["range"]
    holds(first != before)
    s.key("k")
    holds(s.state()["range"] != first)
    s.key("K")


def a_frame_is_gone_to_by_its_number(s):
    s.run("open frames", "frame 5")
    holds(length(s) < 100e6, length(s))


def the_set_of_frames_is_chosen(s):
    s.run("open frames")
    s.key("v")
    s.key("q")
    holds("frames" in s.panels())
    s.run("set fps 60")


def plots_are_listed(s):
    s.key("P")
    holds("plots" in s.panels() and s.copied("plots").count("\n") >= 3, s.copied("plots"))


def memory_has_pages(s):
    s.key("ctrl+m")
    holds("memory" in s.panels())
    for page in ("allocations", "active", "map", "stacks"):
        s.run("memory " + page)
        s.settle()
    s.run("memory allocations")
    holds(s.copied("memory").count("\n") > 10)


def locks_are_listed(s):
    s.key("ctrl+l")
    holds("locks" in s.panels() and s.copied("locks").count("\n") >= 3)


def images_are_played(s):
    s.key("B")
    holds("playback" in s.panels())
    s.key("end")
    s.key("home")
    s.run("playback next", "playback previous")


def control_and_a_click_on_a_frame_show_its_image(s):
    s.run("frame 2")
    row = s.find("Frame", "rows")
    s.click(700, (row["top"] + row["bottom"]) / 2, held=["ctrl"])
    holds("playback" in s.panels(), s.panels())


def facts_of_the_trace_are_shown(s):
    s.key("I")
    holds("trace" in s.panels() and "features" in s.copied("trace", "lines"))


def the_trace_is_described(s):
    s.run("describe how it was before")
    holds(s.state()["description"] == "how it was before")
    s.run("describe")


def stacks_and_symbols_are_shown(s):
    for key, panel in (("A", "callstack"), ("T", "symbols"), ("E", "entries"), ("V", "waitstacks"), ("S", "source")):
        s.key(key)
        holds(panel in s.panels(), panel, s.panels())
        s.run("close " + panel)


def gpu_clocks_drift(s):
    context = s.state()["gpu"]
    holds(context)


def a_zone_is_copied(s):
    s.run("find recurse", "next")
    holds("recurse" in s.copied("details", "lines") or s.state()["selected"]["name"] == "recurse")


def rows_of_plots_are_left_out_on_request(s):
    before = len(s.names("rows"))
    s.run("set plots hidden")
    after = len(s.names("rows"))
    s.run("set plots shown")
    holds(after <= before and s.state()["settings"]["plots"] == "shown")


def compare_says_what_has_become_slower(s):
    s.run("compare " + s.state()["file"])
    holds("compare" in s.panels() and "worker" in s.copied("compare"))


FIRST_OF_FEATURES = messages_are_listed_and_followed


# ---- keyboard alone and mouse alone, in the window

def every_panel_and_command_is_reached_by_keys(s, panels, commands):
    for panel in panels:
        s.key(":")
        s.type("open " + panel)
        s.key("enter")
        s.key("escape")
        holds(panel in s.panels(), panel, s.panels())
        s.run("close " + panel)
    for command in commands:
        s.key("ctrl+p")
        s.type(command)
        found = " ".join(s.names("palette"))
        s.key("escape")
        holds(command in found, command, found)


def every_panel_and_menu_is_reached_by_the_mouse(s, panels):
    def entries():
        return s.names("menu")

    def open_menu(name):
        s.click_on("menu", "bar")
        s.menu(name)

    reached = set()
    open_menu("Panels")
    for title in entries():
        before = set(s.panels())
        if "Panels" not in title:
            s.menu(title)
        for panel in set(s.panels()) - before:
            reached.add(panel)
            s.run("close " + panel)
        if not entries():
            open_menu("Panels")
    holds(set(panels) <= reached, set(panels) - reached)
    s.click(900, 300)
    for name, has in (("Layouts", "Cores: chip and lanes"), ("Rows", "Close all groups"), ("Groups of cores", "Order of the grid"),
                      ("Time", "Back")):
        open_menu(name)
        holds(has in entries(), name, entries())
        s.click(1200, 790)
    s.click_on("menu", "bar")
    s.menu("Commands, names, tracks ...")
    holds(s.names("palette"))
    s.key("escape")
