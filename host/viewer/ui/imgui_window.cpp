/* Implements imgui_shim.h: opens the window, or the picture without one, and their OpenGL. */
#include "host/viewer/ui/desktop.h"
#include "host/viewer/ui/imgui_internal.h"

extern "C" {
#include "host/base/debug_log.h"
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

template <class F> static bool load_gl_call(F &call, const char *name)
{
    call = reinterpret_cast<F>(SDL_GL_GetProcAddress(name));
    return call != nullptr;
}

static bool load_gl_calls(gl_calls &gl)
{
    bool all = true;
#define X(type, name, args) all &= load_gl_call(gl.name, "gl" #name);
    GL_CALLS(X)
#undef X
    return all;
}

static float display_scale(SDL_Window *window)
{
    int wide = 0, drawable = 0, unused;
    SDL_GetWindowSize(window, &wide, &unused);
    SDL_GL_GetDrawableSize(window, &drawable, &unused);
    if (wide > 0 && drawable > wide)
        return (float)drawable / (float)wide;
    float dpi = 0;
    int display = SDL_GetWindowDisplayIndex(window);
    if (display < 0 || SDL_GetDisplayDPI(display, nullptr, &dpi, nullptr) != 0)
        return 1;
    // Reported sizes are inexact: round to quarters, and never scale below 1.
    float scale = roundf(dpi / 96.f * 4) / 4;
    return scale < 1.25f ? 1 : scale > 4 ? 4 : scale;
}

// As in Tracy's viewer, TRACY_DPI_SCALE replaces the scale of the display. 0 and invalid numbers are ignored.
float td_ui_window_scale_(SDL_Window *window)
{
    const char *text = getenv("TRACY_DPI_SCALE");
    char *end = nullptr;
    double scale = text ? strtod(text, &end) : 0;
    if (!(scale > 0) || *end)
        return display_scale(window);
    return (float)fmin(fmax(scale, TD_UI_MIN_SCALE), TD_UI_MAX_SCALE);
}

int td_ui_open_video_(struct td_ui *ui, struct td_err *err)
{
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    const char *wanted = SDL_getenv("SDL_VIDEODRIVER");
    bool chosen = wanted && *wanted;
    if (!chosen && ui->offscreen)
        SDL_setenv("SDL_VIDEODRIVER", "offscreen", 1);
    if (!chosen && !ui->offscreen && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return td_fail(err, TD_E_NOTFOUND,
                       "no display to open a window on; write a picture instead with --screenshot FILE.png");
    int rc = SDL_Init(SDL_INIT_VIDEO);
    if (rc != 0 && ui->offscreen && !chosen) {
        // This SDL lacks the offscreen driver: try a hidden window.
        SDL_setenv("SDL_VIDEODRIVER", "", 1);
        rc = SDL_Init(SDL_INIT_VIDEO);
    }
    if (rc != 0)
        return td_fail(err, TD_E_NOTFOUND, "SDL cannot initialise video: %s", SDL_GetError());
    ui->sdl = true;
    // Without a display that answers, SDL takes a driver that shows nothing.
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!chosen && !ui->offscreen && (!strcmp(driver, "offscreen") || !strcmp(driver, "dummy")))
        return td_fail(err, TD_E_NOTFOUND,
                       "display %s cannot be opened; write a picture instead with --screenshot FILE.png",
                       getenv("DISPLAY") ? getenv("DISPLAY") : getenv("WAYLAND_DISPLAY"));
    // The variable is for tests: drawing without a graphics card takes longer than all the rest.
    ui->unseen |=
        ui->offscreen || !strcmp(driver, "offscreen") || !strcmp(driver, "dummy") || getenv("TD_VIEW_UNSEEN");
    td_debug(viewer, "video driver %s", driver);
    return 0;
}

int td_ui_open_window_(struct td_ui *ui, const struct td_ui_options *options, struct td_err *err)
{
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);
    Uint32 flags = SDL_WINDOW_OPENGL;
    flags |= ui->offscreen ? SDL_WINDOW_HIDDEN : SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    ui->window =
        SDL_CreateWindow(options->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                         ui->offscreen ? 64 : options->width, ui->offscreen ? 64 : options->height, flags);
    td_debug(viewer, "the window is made");
    if (ui->window)
        ui->context = SDL_GL_CreateContext(ui->window);
    if (!ui->context)
        return td_fail(err, TD_E_NOTFOUND,
                       "OpenGL 3.3 is not available (%s); Debian's software renderer is libgl1-mesa-dri",
                       SDL_GetError());
    if (!load_gl_calls(ui->gl))
        return td_fail(err, TD_E_NOTFOUND, "OpenGL lacks framebuffer objects");
    if (!ui->offscreen)
        SDL_GL_SetSwapInterval(1);
    td_debug(viewer, "OpenGL is ready");
    return 0;
}

bool td_ui_has_desktop(const struct td_ui *ui)
{
    const char *driver = ui->window && !ui->offscreen ? SDL_GetCurrentVideoDriver() : nullptr;
    return driver && (!strcmp(driver, "x11") || !strcmp(driver, "wayland"));
}

/* Creates a framebuffer of the size of the picture, which may be larger than the window. */
int td_ui_open_picture_(struct td_ui *ui, struct td_err *err)
{
    GLuint frame = 0, pixels = 0;
    ui->gl.GenFramebuffers(1, &frame);
    ui->gl.BindFramebuffer(GL_FRAMEBUFFER, frame);
    ui->gl.GenRenderbuffers(1, &pixels);
    ui->gl.BindRenderbuffer(GL_RENDERBUFFER, pixels);
    ui->gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, ui->width, ui->height);
    ui->gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
    if (ui->gl.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return td_fail(err, TD_E_LIMIT, "OpenGL cannot draw a picture of %dx%d", ui->width, ui->height);
    return 0;
}
