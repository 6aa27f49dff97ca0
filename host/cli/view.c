/* The program tendril-view, which `tendril view` becomes. It is a program of its own, so that other commands do not
 * load the libraries of a window. */
#include "host/cli/run.h"
#include "host/tools/commands.h"
#include "host/tools/version.h"
#include "host/viewer/app/viewer.h"

#include <SDL.h>
#include <cairo.h>
#ifdef TD_HAVE_WEB
#include <libwebsockets.h>
#endif
#include <stdio.h>
#include <string.h>

static int run_viewer(int argc, char **argv, struct td_err *err)
{
    return td_viewer_run(argc, argv, td_summary_view, err);
}

static int print_version(void)
{
    SDL_version sdl;
    SDL_GetVersion(&sdl);
    td_print_version(false);
    printf("  SDL          %d.%d.%d\n  cairo        %s\n", sdl.major, sdl.minor, sdl.patch,
           cairo_version_string());
#ifdef TD_HAVE_WEB
    printf("  libwebsockets %s\n", lws_get_library_version());
#else
    printf("  libwebsockets left out: there is no --web\n");
#endif
    return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct td_command view = {"view", td_summary_view, run_viewer};
    if (argc == 2 && !strcmp(argv[1], "--version"))
        return print_version();
    return cli_run(&view, argc, argv);
}
