/* Implements imgui_shim.h: frames and input of a window, a picture, or a screen elsewhere (remote.h). */
#include "host/viewer/ui/imgui_internal.h"

extern "C" {
#include "host/base/debug_log.h"
#include "host/file/out_stream.h"
}

#include <backends/imgui_impl_opengl3.h>
#include <backends/imgui_impl_sdl.h>
#include <stb_image_write.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNSEEN_SECONDS (1.f / 60) // between frames that nobody sees, which take no time to draw

/* ---- opening ---- */

static int open_imgui(struct td_ui *ui, struct td_err *err)
{
    IMGUI_CHECKVERSION();
    ui->imgui = ImGui::CreateContext();
    ImGui::SetCurrentContext(ui->imgui);
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false; // a blinking cursor would need frames while idle
    if (td_ui_open_fonts_(ui) < 0)
        return td_fail_no_memory(err, NULL);
    if (ui->remote) {
        td_ui_start_remote_(ui);
        return 0;
    }
    ui->sdl_backend = ImGui_ImplSDL2_InitForOpenGL(ui->window, ui->context);
    ui->gl_backend = ui->sdl_backend && ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!ui->gl_backend)
        return td_fail(err, TD_E_NOTFOUND, "OpenGL 3.3 does not start");
    td_debug(viewer, "widgets are ready");
    return 0;
}

struct td_ui *td_ui_open(const struct td_ui_options *options, struct td_err *err)
{
    if (options->width < TD_UI_MIN_SIZE || options->height < TD_UI_MIN_SIZE ||
        options->width > TD_UI_MAX_SIZE || options->height > TD_UI_MAX_SIZE) {
        td_fail(err, TD_E_USAGE, "a picture of %dx%d is out of range (%d to %d)", options->width,
                options->height, TD_UI_MIN_SIZE, TD_UI_MAX_SIZE);
        return nullptr;
    }
    struct td_ui *ui = static_cast<struct td_ui *>(calloc(1, sizeof *ui));
    if (!ui) {
        td_fail_no_memory(err, NULL);
        return nullptr;
    }
    ui->offscreen = options->offscreen || options->remote;
    ui->unseen = options->unseen;
    ui->width = options->width;
    ui->height = options->height;
    int rc = options->remote ? td_ui_open_remote_(ui, err) : td_ui_open_video_(ui, err);
    if (rc == 0 && !ui->remote)
        rc = td_ui_open_window_(ui, options, err);
    if (rc == 0 && ui->offscreen && !ui->remote)
        rc = td_ui_open_picture_(ui, err);
    if (rc == 0) {
        ui->wanted_scale = options->scale > 0 ? (float)options->scale : 0;
        ui->scale = ui->wanted_scale > 0 ? ui->wanted_scale
                    : ui->offscreen      ? 1
                                         : td_ui_window_scale_(ui->window);
        ui->next_scale = ui->scale;
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
    if (ui->imgui)
        ImGui::SetCurrentContext(ui->imgui);
    if (ui->gl_backend)
        ImGui_ImplOpenGL3_Shutdown();
    if (ui->sdl_backend)
        ImGui_ImplSDL2_Shutdown();
    td_ui_close_fonts_(ui);
    td_ui_close_controls_(ui);
    td_ui_close_strips_(ui);
    if (ui->imgui)
        ImGui::DestroyContext(ui->imgui);
    td_ui_close_remote_(ui);
    if (ui->context)
        SDL_GL_DeleteContext(ui->context);
    if (ui->window)
        SDL_DestroyWindow(ui->window);
    for (size_t i = 0; i <= ui->dropped_count; i++)
        SDL_free(ui->dropped[i]);
    if (ui->sdl)
        SDL_Quit();
    free(ui);
}

/* ---- frames ---- */

// A key's own character is not always what it types: ':' is Shift+';' on one keyboard, Shift+'.' on another one.
static void take_typed(struct td_ui *ui, const char *text)
{
    const unsigned char c = (unsigned char)text[0];
    if (ui->last_char >= 0 && c > 0x20 && c < 0x7f && !text[1] && !isalpha(c))
        ui->keys[ui->last_char].key = c;
    ui->last_char = -1;
}

static bool handle_event(struct td_ui *ui, const SDL_Event *event)
{
    if (event->type == SDL_TEXTINPUT && ui->shortcut) {
        ui->shortcut = false; // the text of a key that was a shortcut
        take_typed(ui, event->text.text);
        return true;
    }
    if (event->type == SDL_TEXTINPUT && (ui->focusing || ui->early[0])) {
        size_t used = strlen(ui->early);
        snprintf(ui->early + used, sizeof ui->early - used, "%s", event->text.text);
        return true;
    }
    if (event->type == SDL_DROPFILE) {
        if (ui->dropped_count < TD_MAX_DROPPED)
            ui->dropped[++ui->dropped_count] = SDL_strdup(event->drop.file);
        SDL_free(event->drop.file);
        return true;
    }
    // The window may have moved to a display of another density.
    if (event->type == SDL_WINDOWEVENT && (event->window.event == SDL_WINDOWEVENT_DISPLAY_CHANGED ||
                                           event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED))
        ui->scale_changed = true;
    if (ui->remote)
        td_ui_remote_take_(ui, event);
    else
        ImGui_ImplSDL2_ProcessEvent(event);
    if (event->type == SDL_WINDOWEVENT && event->window.event == SDL_WINDOWEVENT_CLOSE) {
        SDL_FlushEvent(SDL_QUIT); // that of the last window; others are signals
        ui->is_closed = true;
        return false;
    }
    if (event->type == SDL_QUIT)
        return false;
    if (event->type == SDL_MOUSEBUTTONDOWN && event->button.button == SDL_BUTTON_LEFT)
        ui->double_click = event->button.clicks > 0 && event->button.clicks % 2 == 0;
    if (event->type == SDL_KEYDOWN)
        ui->shortcut = false;
    if (event->type == SDL_KEYDOWN && ui->key_count < TD_MAX_KEYS) {
        int key = td_ui_key_of_sdl_(event->key.keysym.sym);
        ui->shortcut = key > 0x20 && key < 0x7f && !ui->typing && !ui->focusing;
        ui->last_char = -1;
        if (key) {
            const bool typed = ui->typing || ui->focusing;
            if (key > 0x20 && key < 0x7f && !typed)
                ui->last_char = (int)ui->key_count;
            ui->keys[ui->key_count++] = {key, (event->key.keysym.mod & KMOD_SHIFT) != 0,
                                         (event->key.keysym.mod & KMOD_CTRL) != 0,
                                         (event->key.keysym.mod & KMOD_ALT) != 0, typed};
        }
    }
    return true;
}

// The next event that waits. A shortcut may open a text field, which gets the keys that follow: they wait for the next
// frame, also those that come just now.
static bool next_event(struct td_ui *ui, SDL_Event *event)
{
    const bool shortcut = ui->key_count && !ui->typing && !ui->focusing;
    if (ui->remote)
        return td_ui_remote_event_(ui, shortcut, event);
    if (!shortcut)
        return SDL_PollEvent(event);
    SDL_PumpEvents();
    return SDL_PeepEvents(event, 1, SDL_PEEKEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) == 1 &&
           (event->type != SDL_KEYDOWN || event->key.repeat) &&
           SDL_PeepEvents(event, 1, SDL_GETEVENT, SDL_FIRSTEVENT, SDL_LASTEVENT) == 1;
}

// Waits for an event.
static bool wait_event(struct td_ui *ui, int wait_ms, SDL_Event *event)
{
    if (ui->remote) {
        td_ui_remote_wait_(ui, wait_ms);
        td_ui_start_poll_(ui);
        return next_event(ui, event);
    }
    return wait_ms < 0    ? SDL_WaitEvent(event)
           : wait_ms == 0 ? SDL_PollEvent(event)
                          : SDL_WaitEventTimeout(event, wait_ms);
}

int td_ui_poll(struct td_ui *ui, int wait_ms)
{
    ImGui::SetCurrentContext(ui->imgui);
    SDL_Event event;
    bool open = true;
    int events = 0;
    ui->key_count = 0;
    ui->double_click = false;
    ui->is_closed = false;
    ui->last_char = -1;
    if (td_ui_has_news_of_fonts_(ui)) {
        wait_ms = 0; // the picture lacks letters
        events = 1;
    }
    td_frame_cost_pause(&ui->cost);
    td_frame_cost_wait(&ui->cost);
    bool got = wait_event(ui, wait_ms, &event);
    td_frame_cost_resume(&ui->cost);
    for (; got; got = next_event(ui, &event)) {
        open &= handle_event(ui, &event);
        events = 1;
    }
    return open ? 1 + events : 0;
}

bool td_ui_is_closed(const struct td_ui *ui)
{
    return ui->is_closed;
}

/* The scale that the window is to have. */
static void choose_scale(struct td_ui *ui)
{
    if (ui->scale_changed)
        ui->next_scale = ui->wanted_scale > 0 ? ui->wanted_scale
                         : ui->remote         ? td_ui_remote_scale_(ui)
                         : ui->offscreen      ? 1
                                              : td_ui_window_scale_(ui->window);
    ui->scale_changed = false;
}

void td_ui_set_scale(struct td_ui *ui, double scale)
{
    ui->wanted_scale = scale > 0 ? (float)fmin(fmax(scale, TD_UI_MIN_SCALE), TD_UI_MAX_SCALE) : 0;
    ui->scale_changed = true;
}

void td_ui_set_title(struct td_ui *ui, const char *title)
{
    if (ui->remote)
        td_ui_remote_set_title_(ui, title);
    else
        SDL_SetWindowTitle(ui->window, title);
}

const char *td_ui_dropped(struct td_ui *ui)
{
    SDL_free(ui->dropped[0]);
    ui->dropped[0] = nullptr;
    if (!ui->dropped_count)
        return nullptr;
    memmove(ui->dropped, ui->dropped + 1, ui->dropped_count * sizeof *ui->dropped);
    ui->dropped[ui->dropped_count--] = nullptr;
    return ui->dropped[0];
}

static void begin_on_window(struct td_ui *ui)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplSDL2_NewFrame();
    ImGuiIO &io = ImGui::GetIO();
    if (ui->unseen)
        io.DeltaTime = UNSEEN_SECONDS;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    if (!ui->offscreen) {
        // Window units differ from pixels on some high-density screens. The position is that of the last
        // motion event: the one that the back end queries is late on some X servers.
        float points = io.DisplaySize.x;
        SDL_GL_GetDrawableSize(ui->window, &ui->width, &ui->height);
        float factor = points > 0 ? (float)ui->width / points : 1;
        int x, y;
        SDL_GetMouseState(&x, &y);
        if (SDL_GetMouseFocus() == ui->window)
            io.MousePos = ImVec2((float)x * factor, (float)y * factor);
    }
}

void td_ui_begin(struct td_ui *ui)
{
    ImGui::SetCurrentContext(ui->imgui);
    if (!ui->focusing && ui->early[0]) {
        ImGui::GetIO().AddInputCharactersUTF8(ui->early);
        ui->early[0] = 0;
    }
    td_ui_start_controls_(ui);
    choose_scale(ui);
    td_ui_step_fonts_(ui, ui->next_scale);
    if (ui->remote)
        td_ui_begin_remote_(ui);
    else
        begin_on_window(ui);
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2((float)ui->width, (float)ui->height);
    io.DisplayFramebufferScale = ImVec2(1, 1);
    td_ui_set_colors_();
    ImGui::NewFrame();
    td_ui_start_strips_(ui);
    ui->typing = io.WantTextInput;
    ui->list = ImGui::GetForegroundDrawList();
}

// Draws the frame that ended last.
static void draw_last_frame(struct td_ui *ui)
{
    ui->gl.Viewport(0, 0, ui->width, ui->height);
    ui->gl.ClearColor(0.06f, 0.07f, 0.085f, 1);
    ui->gl.Clear(GL_COLOR_BUFFER_BIT);
    td_ui_send_strips_(ui);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void td_ui_end(struct td_ui *ui)
{
    td_ui_flush_boxes_(ui);
    td_frame_cost_pause(&ui->cost);
    td_frame_cost_add(&ui->cost);
    ImGui::Render();
    ui->triangles = (size_t)ImGui::GetDrawData()->TotalIdxCount / 3;
    if (ui->remote) {
        td_ui_end_remote_(ui);
    } else if (!ui->unseen) {
        draw_last_frame(ui);
        if (!ui->held)
            SDL_GL_SwapWindow(ui->window);
    }
    td_frame_cost_resume(&ui->cost);
}

struct td_frame_cost td_ui_take_cost(struct td_ui *ui)
{
    return td_frame_cost_take(&ui->cost);
}

void td_ui_hold(struct td_ui *ui)
{
    ui->held = true;
}

static void show_held(struct td_ui *ui)
{
    if (ui->held && !ui->unseen)
        SDL_GL_SwapWindow(ui->window);
    ui->held = false;
}

static void write_bytes(void *file, void *data, int bytes)
{
    fwrite(data, 1, static_cast<size_t>(bytes), static_cast<FILE *>(file)); // the stream keeps its error
}

int td_ui_save_png(struct td_ui *ui, const char *path, struct td_err *err)
{
    if (ui->remote)
        return td_fail(err, TD_E_USAGE, "the browser has the picture: save it there");
    size_t row = (size_t)ui->width * 3;
    unsigned char *pixels = static_cast<unsigned char *>(malloc(row * (size_t)ui->height));
    if (!pixels)
        show_held(ui);
    if (!pixels)
        return td_fail(err, TD_E_NOMEM, "out of memory for a picture of %dx%d", ui->width, ui->height);
    if (ui->unseen)
        draw_last_frame(ui);
    ui->gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    ui->gl.ReadPixels(0, 0, ui->width, ui->height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    show_held(ui);
    td_out_stream stream;
    const int rc = td_out_stream_open(&stream, path, TD_OUT_REPLACE, err);
    if (rc < 0) {
        free(pixels);
        return rc;
    }
    // OpenGL's first row is the lowest: write from the last row to the first.
    int good = stbi_write_png_to_func(write_bytes, stream.to, ui->width, ui->height, 3,
                                      pixels + row * (size_t)(ui->height - 1), -(int)row);
    free(pixels);
    return td_out_stream_close(&stream, good ? 0 : td_fail_no_memory(err, NULL));
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

bool td_ui_mouse_down(const struct td_ui *, int button)
{
    return ImGui::IsMouseDown(button);
}

bool td_ui_mouse_pressed(const struct td_ui *, int button)
{
    return ImGui::IsMouseClicked(button);
}

bool td_ui_double_click(const struct td_ui *ui)
{
    return ui->double_click;
}

float td_ui_wheel_x(const struct td_ui *)
{
    return ImGui::GetIO().MouseWheelH;
}

float td_ui_wheel_y(const struct td_ui *)
{
    return ImGui::GetIO().MouseWheel;
}

bool td_ui_shift(const struct td_ui *)
{
    return ImGui::GetIO().KeyShift;
}

bool td_ui_ctrl(const struct td_ui *)
{
    return ImGui::GetIO().KeyCtrl;
}

void td_ui_take_key(struct td_ui *ui, size_t index)
{
    ui->keys[index].key = TD_KEY_NONE;
}

size_t td_ui_keys(const struct td_ui *ui, const struct td_key_press **keys)
{
    *keys = ui->keys;
    return ui->key_count;
}
