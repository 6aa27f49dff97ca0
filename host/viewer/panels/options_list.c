#include "host/viewer/panels/options_list.h"

#define LIST(title, about)                                                                                   \
    {                                                                                                        \
        NULL, title, about, false, 0                                                                         \
    }
#define SWITCH(title, about, on)                                                                             \
    {                                                                                                        \
        NULL, title, about, true, on                                                                         \
    }
#define BEGIN(section, title, about)                                                                         \
    {                                                                                                        \
        section, title, about, false, 0                                                                      \
    }

static const struct td_option_text options[] = {
    [TD_CHOICE_TIMES] = BEGIN("Window", "Times", "four digits with a unit, whole nanoseconds, or as a clock"),
    [TD_CHOICE_COLOURS] = LIST("Colours", "dark, dark with more contrast, or light"),
    [TD_CHOICE_MOUSE] = LIST("Mouse", "what buttons and wheel do: as here, or as in Tracy's viewer"),
    [TD_CHOICE_ZONES] = BEGIN("Zones", "Colours of zones", "of those to which the program gave none"),
    [TD_CHOICE_OWN] = SWITCH("Program's colours", "zones have the colours that the program gave them", 0),
    [TD_CHOICE_INHERIT] =
        SWITCH("Inherited colours", "zones take a darker form of the program's colour around them", 1),
    [TD_CHOICE_NAMES] = LIST("Names of zones", "how much of a long name is shown"),
    [TD_CHOICE_GRID] =
        BEGIN("Cores", "Grid of chips", "tiles where they are on the chip, or by logical coordinates"),
    [TD_CHOICE_CHAIN] =
        LIST("Critical chain", "what the selected zone waited for, and what an operation did"),
    [TD_CHOICE_TRAFFIC] = LIST("NoC traffic in Chips", "bytes on the links, or arrows between tiles"),
    [TD_CHOICE_TRANSFERS] =
        LIST("NoC transfers", "arrows in the timeline: of the chosen zone, of all, or none"),
    [TD_CHOICE_SWITCHES] = {"Rows", "Context switches", "when each thread ran, and when not", true, 0},
    [TD_CHOICE_INACTIVE] =
        SWITCH("Darken what does not run", "zones of a thread while it is off its processor", 1),
    [TD_CHOICE_SAMPLES] = SWITCH("Samples", "marks where call stacks were sampled", 0),
    [TD_CHOICE_CPUS] = SWITCH("CPU data", "what ran on each processor", 0),
    [TD_CHOICE_MIGRATIONS] = LIST("Migrations", "a line that follows a thread from processor to processor"),
    [TD_CHOICE_GHOSTS] = LIST("Ghost zones", "the functions of samples as zones, and for which threads"),
    [TD_CHOICE_LOCKS] = LIST("Locks", "who held each lock, and who waited"),
    [TD_CHOICE_PLOTS] = SWITCH("Plots", "values of the program, and its memory", 0),
    [TD_CHOICE_PLOT_SCALE] = LIST("Scale of plots", "by the values in the visible range, or by all"),
    [TD_CHOICE_GPU] = SWITCH("GPU contexts", "zones of GPUs", 0),
    [TD_CHOICE_OPENS] = BEGIN("Code", "Opened function",
                              "where it is shown: its entry, its most samples, or these if inlined"),
    [TD_CHOICE_OUTSIDE] =
        SWITCH("Dim what is outside", "functions of libraries and the kernel in call stacks and lists", 0),
    [TD_CHOICE_FPS] = BEGIN("Frames", "Target of frames", "frames a second that the program should reach"),
    [TD_CHOICE_STRIP] = SWITCH("Strip of frames", "above the timeline, in traces with frames", 0),
    [TD_CHOICE_TARGETS] = SWITCH("Frames over target", "red in the timeline", 1),
    [TD_CHOICE_EMPTY] = SWITCH("Empty tracks", "show tracks that have nothing in the visible range", 0),
    [TD_CHOICE_HINTS] = {"Help", "Hints", "a line below the timeline, for the first five minutes", true, 0},
};
_Static_assert(sizeof options / sizeof *options == TD_CHOICE_COUNT, "a text for each choice");

const struct td_option_text *td_text_of_option(enum td_choice choice)
{
    return &options[choice];
}
