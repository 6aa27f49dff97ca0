/* Shared by imgui_shim.cpp (window, frames, input) and imgui_draw.cpp (drawing, text, widgets). */
#pragma once
#include "host/viewer/ui/imgui_shim.h"
#include "host/viewer/ui/drawing.h"

#include <SDL.h>
#include <SDL_opengl.h>
#include <imgui.h>

#define TD_MAX_KEYS    32
#define TD_MAX_DROPPED 16
#define TD_MAX_BOXES   256
#define TD_MAX_STRIPS  2048 // lines of a texture: every OpenGL 3.3 has as many

// OpenGL functions that the viewer calls itself, loaded at run time, so that no GL library is linked.
/* clang-format off */
#define GL_CALLS(X)                                                                                                 \
    X(void, ClearColor, (GLfloat, GLfloat, GLfloat, GLfloat)) X(void, Clear, (GLbitfield))                          \
    X(void, Viewport, (GLint, GLint, GLsizei, GLsizei)) X(void, PixelStorei, (GLenum, GLint)) \
    X(void, ReadPixels, (GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *))                                   \
    X(void, GenFramebuffers, (GLsizei, GLuint *)) X(void, BindFramebuffer, (GLenum, GLuint))                        \
    X(void, GenRenderbuffers, (GLsizei, GLuint *)) X(void, BindRenderbuffer, (GLenum, GLuint))                      \
    X(void, RenderbufferStorage, (GLenum, GLenum, GLsizei, GLsizei))                                                \
    X(void, FramebufferRenderbuffer, (GLenum, GLenum, GLenum, GLuint)) X(GLenum, CheckFramebufferStatus, (GLenum))   \
    X(void, GenTextures, (GLsizei, GLuint *)) X(void, BindTexture, (GLenum, GLuint))                                \
    X(void, DeleteTextures, (GLsizei, const GLuint *))                                                              \
    X(void, TexParameteri, (GLenum, GLenum, GLint))                                                                 \
    X(void, TexImage2D, (GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *))              \
    X(void, TexSubImage2D, (GLenum, GLint, GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, const void *))
/* clang-format on */

struct gl_calls {
#define X(type, name, args) type(APIENTRY *name) args;
    GL_CALLS(X)
#undef X
};

// A plain rectangle.
struct td_box {
    float x0, y0, x1, y1;
    ImU32 color;
};

// The strips of a frame (strip.h).
struct td_strips {
    td_rgba *pixels;  // of all
    int width, lines; // of `pixels` and of the texture
    int used, wanted; // lines in this frame; more may be wanted than there are
    int first;        // line since td_ui_strips_begin()
    ImDrawList *list; // into which strips are drawn; nullptr: none
    GLuint textures[2];
    int sizes[2][2]; // of the textures
    int turn;        // the texture of this frame
    td_box boxes[TD_MAX_STRIPS];
};

struct td_far_screen; // imgui_remote.cpp

struct td_ui {
    SDL_Window *window;
    SDL_GLContext context;
    gl_calls gl;
    bool offscreen, sdl, sdl_backend, gl_backend;
    ImGuiContext *imgui;
    td_far_screen *remote; // nullptr: SDL and OpenGL draw
    bool events;           // of SDL, without a window
    bool unseen;           // nobody sees frames: only those that are saved are drawn
    int width, height;     // of the picture
    float scale;
    float wanted_scale;                // 0: that of the display
    float next_scale;                  // when its fonts are made
    bool scale_changed;                // next_scale is to be chosen
    char *dropped[TD_MAX_DROPPED + 1]; // the first one was given to the caller
    size_t dropped_count;
    ImFont *fonts[TD_FONTS];
    struct td_fonts *letters;
    ImDrawList *list;
    td_box boxes[TD_MAX_BOXES]; // that are to be added to the list
    int box_count;
    struct td_key_press keys[TD_MAX_KEYS];
    size_t key_count;
    bool typing;
    bool held;     // the frame is shown by td_ui_save_png()
    int last_char; // index in `keys` of the character that was pressed last, and whose text may follow; -1: none
    bool is_closed;    // by its button, in the last poll
    bool focusing;     // a text field gets the keyboard focus in a frame or two
    char early[64];    // text typed until then
    bool shortcut;     // the last key was one: it types nothing
    bool double_click; // by the time of the clicks, however long frames take
    size_t triangles;
    struct td_drawing *drawing; // NULL: nothing is recorded
    const char *recorded;
    bool on_top;
    bool recording; // the current region is recorded
    struct td_frame_cost cost;
    td_strips strips;
    struct td_controls *controls; // nullptr: nobody has asked
    const char *region;           // the id of the current one
};

// imgui_controls.cpp
void td_ui_note_control_(struct td_ui *ui, const char *name, float x, float y, float w, float h);
void td_ui_start_controls_(struct td_ui *ui); // before a frame
void td_ui_close_controls_(struct td_ui *ui);

// imgui_strips.cpp: at the start of a frame, before the frame is rendered, and at the end of all.
void td_ui_start_strips_(struct td_ui *ui);
void td_ui_send_strips_(struct td_ui *ui);
void td_ui_close_strips_(struct td_ui *ui);

// imgui_draw.cpp: draws the rectangles that wait for others; before anything else is drawn or a frame ends.
void td_ui_flush_boxes_(struct td_ui *ui);

// imgui_style.cpp: sizes of widgets, after the fonts have got another scale.
void td_ui_set_style_(struct td_ui *ui, float scale);
void td_ui_set_colors_(void); // before a frame

// imgui_fonts.cpp
int td_ui_open_fonts_(struct td_ui *ui); // 0, or TD_E_NOMEM
void td_ui_close_fonts_(struct td_ui *ui);
// Before a frame: takes the fonts that were made, or has some made: of this scale, with the letters of texts.
void td_ui_step_fonts_(struct td_ui *ui, float scale);
bool td_ui_has_news_of_fonts_(const struct td_ui *ui);
// Texts that are drawn or measured; end: nullptr: up to its 0. What they need is there in a later frame.
void td_ui_note_text_(struct td_ui *ui, const char *text, const char *end);

// imgui_window.cpp: 0, or a negative enum td_e.
int td_ui_open_video_(struct td_ui *ui, struct td_err *err);
int td_ui_open_window_(struct td_ui *ui, const struct td_ui_options *options, struct td_err *err);
int td_ui_open_picture_(struct td_ui *ui, struct td_err *err);
float td_ui_window_scale_(SDL_Window *window);

// imgui_remote.cpp: what a screen elsewhere does in place of SDL and OpenGL.
int td_ui_open_remote_(struct td_ui *ui, struct td_err *err);
void td_ui_start_remote_(struct td_ui *ui); // after Dear ImGui has a context
void td_ui_close_remote_(struct td_ui *ui);
void td_ui_begin_remote_(struct td_ui *ui);
void td_ui_end_remote_(struct td_ui *ui);
float td_ui_remote_scale_(const struct td_ui *ui);
void td_ui_remote_set_title_(struct td_ui *ui, const char *title);
td_ui_picture td_ui_remote_picture_(struct td_ui *ui, td_ui_picture old, const uint8_t *pixels, int width,
                                    int height, int pixel_bytes);
void td_ui_remote_free_picture_(struct td_ui *ui, td_ui_picture picture);
uint32_t td_ui_remote_strips_(struct td_ui *ui); // the name of the strips' texture
void td_ui_start_poll_(struct td_ui *ui);
// The next event of the caller; false: there is none, or it is for another frame.
bool td_ui_remote_event_(struct td_ui *ui, bool shortcut, SDL_Event *event);
void td_ui_remote_take_(struct td_ui *ui, const SDL_Event *event);
void td_ui_remote_wait_(const struct td_ui *ui, int wait_ms);

// imgui_keys.cpp: an enum td_ui_key or a character; TD_KEY_NONE, SDLK_UNKNOWN: none.
int td_ui_key_of_sdl_(SDL_Keycode sym);
SDL_Keycode td_ui_sdl_key_(int key);
