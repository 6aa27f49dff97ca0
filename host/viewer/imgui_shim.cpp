#include "host/viewer/imgui_shim.h"

#include <SDL.h>
#include <SDL_opengl.h>
#include <backends/imgui_impl_opengl3.h>
#include <backends/imgui_impl_sdl.h>
#include <imgui.h>
#ifdef TD_HAVE_FREETYPE
#include <imgui_freetype.h>
#endif
#include <stb_image_write.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS      32
#define TEXT_PIXELS   13.f
#define SMALL_PIXELS  11.f
#define ELLIPSIS      "\xe2\x80\xa6"
#define LEAST_LETTERS 3 // of a shortened text; fewer say nothing
#define MIN_SIZE      16
#define MAX_SIZE      16384

namespace
{

// OpenGL beyond what the ImGui back end calls by itself; found at run time, so that no GL library is linked.
/* clang-format off */
#define GL_CALLS(X)                                                                                                 \
    X(void, ClearColor, (GLfloat, GLfloat, GLfloat, GLfloat)) X(void, Clear, (GLbitfield))                          \
    X(void, Viewport, (GLint, GLint, GLsizei, GLsizei)) X(void, PixelStorei, (GLenum, GLint))                       \
    X(void, ReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                                   \
    X(void, GenFramebuffers, (GLsizei, GLuint *)) X(void, BindFramebuffer, (GLenum, GLuint))                        \
    X(void, GenRenderbuffers, (GLsizei, GLuint *)) X(void, BindRenderbuffer, (GLenum, GLuint))                      \
    X(void, RenderbufferStorage, (GLenum, GLenum, GLsizei, GLsizei))                                                \
    X(void, FramebufferRenderbuffer, (GLenum, GLenum, GLenum, GLuint)) X(GLenum, CheckFramebufferStatus, (GLenum))
/* clang-format on */

struct gl_calls {
#define X(type, name, args) type(APIENTRY *name) args;
    GL_CALLS(X)
#undef X
};

template <class F> bool find_call(F &call, const char *name)
{
    call = reinterpret_cast<F>(SDL_GL_GetProcAddress(name));
    return call != nullptr;
}

bool find_calls(gl_calls &gl)
{
    bool all = true;
#define X(type, name, args) all &= find_call(gl.name, "gl" #name);
    GL_CALLS(X)
#undef X
    return all;
}

} // namespace

struct td_ui {
    SDL_Window *window;
    SDL_GLContext context;
    gl_calls gl;
    bool offscreen, sdl, imgui, sdl_backend, gl_backend;
    int width, height; // of the picture
    float scale;
    ImFont *fonts[TD_FONTS];
    ImDrawList *list;
    struct td_key_press keys[MAX_KEYS];
    size_t key_count;
    bool typing;
    size_t triangles;
};

static ImU32 color_of(td_rgba c)
{
    return IM_COL32(c >> 16 & 255, c >> 8 & 255, c & 255, c >> 24);
}

/* ---- opening ---- */

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
    // Screens lie a little about their size: quarter steps, and nothing below the ordinary.
    float scale = roundf(dpi / 96.f * 4) / 4;
    return scale < 1.25f ? 1 : scale > 4 ? 4 : scale;
}

static ImFont *load_font(float pixels, const char *const *files, size_t count)
{
    static const ImWchar ranges[] = {0x20,   0x24f,  0x370,  0x3ff,  0x400,  0x4ff,  0x2010, 0x2044, 0x2070,
                                     0x209c, 0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
    ImGuiIO &io = ImGui::GetIO();
    ImFontConfig config;
    config.GlyphRanges = ranges;
    config.PixelSnapH = true;
#ifndef TD_HAVE_FREETYPE
    config.OversampleH = 3;
#endif
    for (size_t i = 0; i < count; i++) {
        FILE *f = fopen(files[i], "rb");
        if (!f)
            continue;
        fclose(f);
        return io.Fonts->AddFontFromFileTTF(files[i], pixels, &config);
    }
    ImFontConfig fallback;
    fallback.SizePixels = pixels;
    return io.Fonts->AddFontDefault(&fallback);
}

static void load_fonts(struct td_ui *ui)
{
    static const char *const text[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                       "/usr/share/fonts/dejavu/DejaVuSans.ttf",
                                       "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                       "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                       "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                       "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"};
    static const char *const bold[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf",
                                       "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf",
                                       "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf",
                                       "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf",
                                       "/usr/share/fonts/truetype/noto/NotoSans-Bold.ttf",
                                       "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"};
    ImGuiIO &io = ImGui::GetIO();
#ifdef TD_HAVE_FREETYPE
    io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    io.Fonts->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
    ui->fonts[TD_FONT_TEXT] = load_font(roundf(TEXT_PIXELS * ui->scale), text, sizeof text / sizeof *text);
    ui->fonts[TD_FONT_BOLD] = load_font(roundf(TEXT_PIXELS * ui->scale), bold, sizeof bold / sizeof *bold);
    ui->fonts[TD_FONT_SMALL] = load_font(roundf(SMALL_PIXELS * ui->scale), text, sizeof text / sizeof *text);
}

static void set_style(float scale)
{
    ImGui::StyleColorsDark();
    ImGuiStyle &style = ImGui::GetStyle();
    style.WindowRounding = 0;
    style.ChildRounding = 0;
    style.FrameRounding = 4;
    style.ScrollbarRounding = 4;
    style.ScrollbarSize = 10;
    style.WindowBorderSize = 0;
    style.ChildBorderSize = 0;
    style.FrameBorderSize = 1;
    style.WindowPadding = ImVec2(0, 0);
    style.FramePadding = ImVec2(8, 5);
    style.AntiAliasedLinesUseTex = true;
    ImVec4 *c = style.Colors;
    c[ImGuiCol_Text] = ImColor(0xd9, 0xde, 0xe7);
    c[ImGuiCol_TextDisabled] = ImColor(0x7c, 0x86, 0x96);
    c[ImGuiCol_Border] = ImColor(0x3a, 0x42, 0x4f);
    c[ImGuiCol_FrameBg] = ImColor(0x15, 0x18, 0x1e);
    c[ImGuiCol_FrameBgHovered] = ImColor(0x1b, 0x1f, 0x27);
    c[ImGuiCol_FrameBgActive] = ImColor(0x1b, 0x1f, 0x27);
    c[ImGuiCol_Button] = ImColor(0x2a, 0x30, 0x3b);
    c[ImGuiCol_ButtonHovered] = ImColor(0x35, 0x3d, 0x4b);
    c[ImGuiCol_ButtonActive] = ImColor(0x3f, 0x49, 0x5a);
    c[ImGuiCol_CheckMark] = ImColor(0x6c, 0xb6, 0xd9);
    c[ImGuiCol_ScrollbarBg] = ImColor(0, 0, 0, 0);
    c[ImGuiCol_ScrollbarGrab] = ImColor(0x3a, 0x42, 0x4f);
    c[ImGuiCol_TextSelectedBg] = ImColor(0x2f, 0x5f, 0x7d);
    c[ImGuiCol_NavHighlight] = ImColor(0, 0, 0, 0);
    style.ScaleAllSizes(scale);
    style.FrameBorderSize = 1;
}

static int open_video(struct td_ui *ui, struct td_err *err)
{
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    const char *wanted = SDL_getenv("SDL_VIDEODRIVER");
    bool chosen = wanted && *wanted;
    if (!chosen && ui->offscreen)
        SDL_setenv("SDL_VIDEODRIVER", "offscreen", 1);
    if (!chosen && !ui->offscreen && !getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        return td_fail(err, TD_E_NOTFOUND,
                       "there is no display to open a window on; draw a picture with --screenshot FILE.png");
    int rc = SDL_Init(SDL_INIT_VIDEO);
    if (rc != 0 && ui->offscreen && !chosen) {
        // An SDL without that driver: a hidden window does as well where there is a display.
        SDL_setenv("SDL_VIDEODRIVER", "", 1);
        rc = SDL_Init(SDL_INIT_VIDEO);
    }
    if (rc != 0)
        return td_fail(err, TD_E_NOTFOUND, "SDL finds no way to draw: %s", SDL_GetError());
    ui->sdl = true;
    return 0;
}

static int open_window(struct td_ui *ui, const struct td_ui_options *options, struct td_err *err)
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
    if (ui->window)
        ui->context = SDL_GL_CreateContext(ui->window);
    if (!ui->context)
        return td_fail(err, TD_E_NOTFOUND,
                       "no OpenGL 3.3 here (%s); Debian's software renderer is libgl1-mesa-dri",
                       SDL_GetError());
    if (!find_calls(ui->gl))
        return td_fail(err, TD_E_NOTFOUND, "this OpenGL lacks framebuffer objects");
    if (!ui->offscreen)
        SDL_GL_SetSwapInterval(1);
    return 0;
}

/* A picture of any size to draw into, whatever the window is. */
static int open_picture(struct td_ui *ui, struct td_err *err)
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

static int open_imgui(struct td_ui *ui, struct td_err *err)
{
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ui->imgui = true;
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false; // a blinking caret would keep the processor awake
    set_style(ui->scale);
    load_fonts(ui);
    ui->sdl_backend = ImGui_ImplSDL2_InitForOpenGL(ui->window, ui->context);
    ui->gl_backend = ui->sdl_backend && ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!ui->gl_backend)
        return td_fail(err, TD_E_NOTFOUND, "OpenGL 3.3 does not start here");
    return 0;
}

struct td_ui *td_ui_open(const struct td_ui_options *options, struct td_err *err)
{
    if (options->width < MIN_SIZE || options->height < MIN_SIZE || options->width > MAX_SIZE ||
        options->height > MAX_SIZE) {
        td_fail(err, TD_E_USAGE, "a picture of %dx%d is out of range (%d to %d)", options->width,
                options->height, MIN_SIZE, MAX_SIZE);
        return nullptr;
    }
    struct td_ui *ui = static_cast<struct td_ui *>(calloc(1, sizeof *ui));
    if (!ui) {
        td_fail(err, TD_E_NOMEM, "out of memory");
        return nullptr;
    }
    ui->offscreen = options->offscreen != 0;
    ui->width = options->width;
    ui->height = options->height;
    int rc = open_video(ui, err);
    if (rc == 0)
        rc = open_window(ui, options, err);
    if (rc == 0 && ui->offscreen)
        rc = open_picture(ui, err);
    if (rc == 0) {
        ui->scale = options->scale > 0 ? (float)options->scale
                    : ui->offscreen    ? 1
                                       : display_scale(ui->window);
        rc = open_imgui(ui, err);
    }
    if (rc < 0) {
        td_ui_close(ui);
        return nullptr;
    }
    return ui;
}

void td_ui_close(struct td_ui *ui)
{
    if (!ui)
        return;
    if (ui->gl_backend)
        ImGui_ImplOpenGL3_Shutdown();
    if (ui->sdl_backend)
        ImGui_ImplSDL2_Shutdown();
    if (ui->imgui)
        ImGui::DestroyContext();
    if (ui->context)
        SDL_GL_DeleteContext(ui->context);
    if (ui->window)
        SDL_DestroyWindow(ui->window);
    if (ui->sdl)
        SDL_Quit();
    free(ui);
}

/* ---- frames ---- */

static int key_of(SDL_Keycode sym)
{
    static const struct {
        SDL_Keycode sym;
        int key;
    } keys[] = {{SDLK_LEFT, TD_KEY_LEFT},      {SDLK_RIGHT, TD_KEY_RIGHT},
                {SDLK_UP, TD_KEY_UP},          {SDLK_DOWN, TD_KEY_DOWN},
                {SDLK_PAGEUP, TD_KEY_PAGE_UP}, {SDLK_PAGEDOWN, TD_KEY_PAGE_DOWN},
                {SDLK_HOME, TD_KEY_HOME},      {SDLK_END, TD_KEY_END},
                {SDLK_ESCAPE, TD_KEY_ESCAPE},  {SDLK_RETURN, TD_KEY_ENTER},
                {SDLK_KP_ENTER, TD_KEY_ENTER}, {SDLK_F3, TD_KEY_F3},
                {SDLK_KP_PLUS, '+'},           {SDLK_EQUALS, '+'},
                {SDLK_KP_MINUS, '-'}};
    for (const auto &k : keys)
        if (k.sym == sym)
            return k.key;
    return sym >= 0x20 && sym < 0x7f ? (int)sym : TD_KEY_NONE;
}

static int take_event(struct td_ui *ui, const SDL_Event *event)
{
    ImGui_ImplSDL2_ProcessEvent(event);
    if (event->type == SDL_QUIT ||
        (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_CLOSE))
        return 0;
    if (event->type == SDL_KEYDOWN && ui->key_count < MAX_KEYS) {
        int key = key_of(event->key.keysym.sym);
        bool always = key == TD_KEY_ESCAPE || key == TD_KEY_F3;
        if (key && (always || !ui->typing))
            ui->keys[ui->key_count++] = {key, (event->key.keysym.mod & KMOD_SHIFT) != 0,
                                         (event->key.keysym.mod & KMOD_CTRL) != 0};
    }
    return 1;
}

int td_ui_poll(struct td_ui *ui, int wait_ms)
{
    SDL_Event event;
    int open = 1;
    ui->key_count = 0;
    int got = wait_ms < 0    ? SDL_WaitEvent(&event)
              : wait_ms == 0 ? SDL_PollEvent(&event)
                             : SDL_WaitEventTimeout(&event, wait_ms);
    for (; got; got = SDL_PollEvent(&event))
        open &= take_event(ui, &event);
    return open;
}

void td_ui_begin(struct td_ui *ui)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplSDL2_NewFrame();
    ImGuiIO &io = ImGui::GetIO();
    if (!ui->offscreen) {
        // Points of the window to pixels of the picture: the same but on some screens of high density.
        float points = io.DisplaySize.x;
        SDL_GL_GetDrawableSize(ui->window, &ui->width, &ui->height);
        float factor = points > 0 ? (float)ui->width / points : 1;
        if (ImGui::IsMousePosValid())
            io.MousePos = ImVec2(io.MousePos.x * factor, io.MousePos.y * factor);
    } else {
        io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    }
    io.DisplaySize = ImVec2((float)ui->width, (float)ui->height);
    io.DisplayFramebufferScale = ImVec2(1, 1);
    ImGui::NewFrame();
    ui->typing = io.WantTextInput;
    ui->list = ImGui::GetForegroundDrawList();
}

void td_ui_end(struct td_ui *ui)
{
    ImGui::Render();
    ui->gl.Viewport(0, 0, ui->width, ui->height);
    ui->gl.ClearColor(0.06f, 0.07f, 0.085f, 1);
    ui->gl.Clear(GL_COLOR_BUFFER_BIT);
    ImDrawData *data = ImGui::GetDrawData();
    ui->triangles = (size_t)data->TotalIdxCount / 3;
    ImGui_ImplOpenGL3_RenderDrawData(data);
    if (!ui->offscreen)
        SDL_GL_SwapWindow(ui->window);
}

static void write_bytes(void *file, void *data, int bytes)
{
    fwrite(data, 1, static_cast<size_t>(bytes), static_cast<FILE *>(file)); // the caller asks ferror()
}

int td_ui_save_png(struct td_ui *ui, const char *path, struct td_err *err)
{
    size_t row = (size_t)ui->width * 3;
    unsigned char *pixels = static_cast<unsigned char *>(malloc(row * (size_t)ui->height));
    if (!pixels)
        return td_fail(err, TD_E_NOMEM, "out of memory for a picture of %dx%d", ui->width, ui->height);
    ui->gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    ui->gl.ReadPixels(0, 0, ui->width, ui->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    FILE *f = fopen(path, "wb");
    if (!f) {
        free(pixels);
        return td_fail_errno(err, "cannot write %s", path);
    }
    // OpenGL's first row is the lowest: begin at the last and go back.
    int good = stbi_write_png_to_func(write_bytes, f, ui->width, ui->height, 3,
                                      pixels + row * (size_t)(ui->height - 1), -(int)row);
    free(pixels);
    good &= !ferror(f);
    good &= fclose(f) == 0;
    return good ? 0 : td_fail_errno(err, "cannot write %s", path);
}

float td_ui_scale(const struct td_ui *ui)
{
    return ui->scale;
}

float td_ui_width(const struct td_ui *ui)
{
    return (float)ui->width;
}

float td_ui_height(const struct td_ui *ui)
{
    return (float)ui->height;
}

double td_ui_seconds(const struct td_ui *)
{
    return ImGui::GetIO().DeltaTime;
}

size_t td_ui_triangles(const struct td_ui *ui)
{
    return ui->triangles;
}

/* ---- input ---- */

float td_ui_mouse_x(const struct td_ui *)
{
    return ImGui::GetIO().MousePos.x;
}

float td_ui_mouse_y(const struct td_ui *)
{
    return ImGui::GetIO().MousePos.y;
}

int td_ui_mouse_down(const struct td_ui *, int button)
{
    return ImGui::IsMouseDown(button);
}

int td_ui_mouse_pressed(const struct td_ui *, int button)
{
    return ImGui::IsMouseClicked(button);
}

int td_ui_mouse_released(const struct td_ui *, int button)
{
    return ImGui::IsMouseReleased(button);
}

int td_ui_double_click(const struct td_ui *)
{
    return ImGui::IsMouseDoubleClicked(0);
}

float td_ui_wheel_x(const struct td_ui *)
{
    return ImGui::GetIO().MouseWheelH;
}

float td_ui_wheel_y(const struct td_ui *)
{
    return ImGui::GetIO().MouseWheel;
}

int td_ui_shift(const struct td_ui *)
{
    return ImGui::GetIO().KeyShift;
}

int td_ui_typing(const struct td_ui *ui)
{
    return ui->typing;
}

size_t td_ui_keys(const struct td_ui *ui, const struct td_key_press **keys)
{
    *keys = ui->keys;
    return ui->key_count;
}

/* ---- regions ---- */

void td_ui_region_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, td_rgba fill,
                        int overlay)
{
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                             ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
    if (!overlay)
        flags |= ImGuiWindowFlags_NoBringToFrontOnFocus;
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(w > 1 ? w : 1, h > 1 ? h : 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, overlay ? 6 * ui->scale : 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, overlay ? 1 : 0);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, color_of(fill));
    ImGui::Begin(id, nullptr, flags);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(3);
    ui->list = ImGui::GetWindowDrawList();
}

void td_ui_region_end(struct td_ui *ui)
{
    ImGui::End();
    ui->list = ImGui::GetForegroundDrawList();
}

int td_ui_region_hovered(const struct td_ui *)
{
    return ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
}

void td_ui_on_top(struct td_ui *ui, int on)
{
    ui->list = on ? ImGui::GetForegroundDrawList() : ImGui::GetWindowDrawList();
}

/* ---- drawing ---- */

void td_ui_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding)
{
    ui->list->AddRectFilled(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), rounding);
}

void td_ui_frame_rect(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float rounding,
                      float thickness)
{
    ui->list->AddRect(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), rounding, 0, thickness);
}

void td_ui_line(struct td_ui *ui, float x0, float y0, float x1, float y1, td_rgba color, float thickness)
{
    ui->list->AddLine(ImVec2(x0, y0), ImVec2(x1, y1), color_of(color), thickness);
}

void td_ui_triangle(struct td_ui *ui, const float xy[6], td_rgba color)
{
    ui->list->AddTriangleFilled(ImVec2(xy[0], xy[1]), ImVec2(xy[2], xy[3]), ImVec2(xy[4], xy[5]),
                                color_of(color));
}

void td_ui_polyline(struct td_ui *ui, const float *xy, int points, td_rgba color, float thickness)
{
    static_assert(sizeof(ImVec2) == 2 * sizeof(float), "points are pairs of floats");
    ui->list->AddPolyline(reinterpret_cast<const ImVec2 *>(xy), points, color_of(color), 0, thickness);
}

void td_ui_bezier(struct td_ui *ui, const float xy[8], td_rgba color, float thickness)
{
    ui->list->AddBezierCubic(ImVec2(xy[0], xy[1]), ImVec2(xy[2], xy[3]), ImVec2(xy[4], xy[5]),
                             ImVec2(xy[6], xy[7]), color_of(color), thickness);
}

void td_ui_area(struct td_ui *ui, const float *xy, int points, float base, td_rgba color)
{
    ImDrawListFlags flags = ui->list->Flags;
    ui->list->Flags &= ~ImDrawListFlags_AntiAliasedFill; // smooth edges would show where pieces meet
    for (int i = 0; i + 1 < points; i++)
        ui->list->AddQuadFilled(ImVec2(xy[2 * i], xy[2 * i + 1]), ImVec2(xy[2 * i + 2], xy[2 * i + 3]),
                                ImVec2(xy[2 * i + 2], base), ImVec2(xy[2 * i], base), color_of(color));
    ui->list->Flags = flags;
}

void td_ui_clip(struct td_ui *ui, float x0, float y0, float x1, float y1)
{
    ui->list->PushClipRect(ImVec2(x0, y0), ImVec2(x1, y1), true);
}

void td_ui_unclip(struct td_ui *ui)
{
    ui->list->PopClipRect();
}

/* ---- text ---- */

static const char *line_end(const char *text)
{
    return text + strcspn(text, "\r\n");
}

float td_ui_text_width(struct td_ui *ui, enum td_font font, const char *text)
{
    ImFont *f = ui->fonts[font];
    return f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, text, line_end(text)).x;
}

float td_ui_text_height(struct td_ui *ui, enum td_font font)
{
    return ui->fonts[font]->FontSize;
}

static float draw_text(struct td_ui *ui, ImFont *f, float x, float y, td_rgba color, const char *text,
                       const char *end)
{
    // Glyphs are sharp on whole pixels only.
    ui->list->AddText(f, f->FontSize, ImVec2(floorf(x), floorf(y)), color_of(color), text, end);
    return f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, text, end).x;
}

float td_ui_text(struct td_ui *ui, enum td_font font, float x, float y, td_rgba color, const char *text)
{
    return draw_text(ui, ui->fonts[font], x, y, color, text, line_end(text));
}

float td_ui_text_fit(struct td_ui *ui, enum td_font font, float x, float y, float width, td_rgba color,
                     const char *text)
{
    ImFont *f = ui->fonts[font];
    const char *end = line_end(text), *rest = end;
    if (width <= 0 || text == end)
        return 0;
    f->CalcTextSizeA(f->FontSize, width, 0, text, end, &rest);
    if (rest == end)
        return draw_text(ui, f, x, y, color, text, end);
    float dots = f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, ELLIPSIS).x;
    f->CalcTextSizeA(f->FontSize, width - dots, 0, text, end, &rest);
    // CalcTextSizeA takes at least one letter, fitting or not.
    float wide = f->CalcTextSizeA(f->FontSize, FLT_MAX, 0, text, rest).x;
    if (wide + dots > width || rest - text < LEAST_LETTERS)
        return 0;
    wide = draw_text(ui, f, x, y, color, text, rest);
    draw_text(ui, f, x + wide, y, color, ELLIPSIS, nullptr);
    return wide + dots;
}

/* ---- widgets ---- */

int td_ui_button(struct td_ui *ui, const char *label, float x, float y, float w, float h)
{
    ImGui::PushFont(ui->fonts[TD_FONT_TEXT]);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    bool clicked = ImGui::Button(label, ImVec2(w, h));
    ImGui::PopFont();
    return clicked;
}

int td_ui_checkbox(struct td_ui *ui, const char *label, float x, float y, int *on)
{
    bool value = *on != 0;
    ImGui::PushFont(ui->fonts[TD_FONT_TEXT]);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(2 * ui->scale, 2 * ui->scale));
    bool changed = ImGui::Checkbox(label, &value);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    *on = value;
    return changed;
}

int td_ui_click_area(struct td_ui *, const char *id, float x, float y, float w, float h, int *hovered)
{
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    bool clicked = ImGui::InvisibleButton(id, ImVec2(w > 1 ? w : 1, h > 1 ? h : 1));
    if (hovered)
        *hovered = ImGui::IsItemHovered();
    return clicked;
}

int td_ui_input(struct td_ui *ui, const char *id, const char *hint, float x, float y, float w, float h,
                char *text, size_t bytes, int focus)
{
    ImGui::PushFont(ui->fonts[TD_FONT_TEXT]);
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::SetNextItemWidth(w);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(8 * ui->scale, (h - ImGui::GetFontSize()) / 2));
    if (focus)
        ImGui::SetKeyboardFocusHere();
    bool enter = ImGui::InputTextWithHint(id, hint, text, bytes, ImGuiInputTextFlags_EnterReturnsTrue);
    int result = enter ? TD_INPUT_ENTER : 0;
    ImGui::PopStyleVar();
    if (ImGui::IsItemEdited())
        result |= TD_INPUT_CHANGED;
    if (ImGui::IsItemActive())
        result |= TD_INPUT_ACTIVE;
    ImGui::PopFont();
    return result;
}

void td_ui_blur(struct td_ui *)
{
    ImGui::SetWindowFocus(nullptr);
}

void td_ui_list_begin(struct td_ui *ui, const char *id, float x, float y, float w, float h, int rows,
                      float row_height, int *first, int *last, float *top)
{
    ImGui::SetCursorScreenPos(ImVec2(x, y));
    ImGui::BeginChild(id, ImVec2(w, h), false, ImGuiWindowFlags_NoNav);
    float scroll = ImGui::GetScrollY();
    int from = (int)(scroll / row_height), to = (int)((scroll + h) / row_height) + 1;
    *first = from < 0 ? 0 : from;
    *last = to > rows ? rows : to;
    *top = y - scroll + (float)*first * row_height;
    ImGui::SetCursorPos(ImVec2(0, 0));
    ImGui::Dummy(ImVec2(1, row_height * (float)rows));
    ui->list = ImGui::GetWindowDrawList();
}

void td_ui_list_end(struct td_ui *ui)
{
    ImGui::EndChild();
    ui->list = ImGui::GetWindowDrawList();
}
