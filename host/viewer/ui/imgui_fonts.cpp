/* The fonts of imgui_shim.h. At the start they have the letters that most texts need; others are made when a text has
 * one, and all anew when the scale changes. A thread does that, and the frames meanwhile are drawn with the fonts
 * that there are; pictures without a window wait for it. */
#include "host/base/err.h"
#include "host/viewer/ui/imgui_internal.h"

extern "C" {
#include "host/base/thread.h"
#include "host/viewer/ui/font_files.h"
}

#include <backends/imgui_impl_opengl3.h>
#ifdef TD_HAVE_FREETYPE
#include <imgui_freetype.h>
#endif
#include <imgui_internal.h>
#include <limits.h>
#include <math.h>
#include <new>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEXT_PIXELS   13.f
#define SMALL_PIXELS  11.f
#define MOST_CHARS    6000 /* more would make too large a texture */
#define TEXTURE_WIDTH 2048

// Pairs of code points, first and last. At the start: Latin-1, and what the viewer's own texts have (general
// punctuation, the arrows to the left and right). With the first other one: other Latin letters, Greek, Cyrillic,
// signs.
/* clang-format off */
static const ImWchar first_chars[] = {0x20, 0xff, 0x2010, 0x2027, 0x2190, 0x2193, 0};
static const ImWchar more_chars[] = {0x20, 0x24f, 0x370, 0x3ff, 0x400, 0x4ff, 0x2010, 0x2044, 0x2070, 0x209c,
                                     0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
/* clang-format on */

enum { TEXT_FILE, BOLD_FILE, FILES };

/* An atlas that is being made, or was made. */
struct td_font_job {
    pthread_t thread;
    bool running, done; // done: atomic
    float scale;
    td_char_set chars;
    ImFontAtlas *atlas;
    ImFont *fonts[TD_FONTS];
    td_font_file fallbacks[TD_FONT_FALLBACKS];
    ImVector<ImWchar> ranges[TD_FONT_FALLBACKS + 1]; // must live as long as the atlas is being built
};

struct td_fonts {
    char file[FILES][1024]; // "": Dear ImGui's own font
    td_char_set made;       // characters of the fonts, or that no font has
    td_char_set wanted;     // that texts have, and the fonts lack
    size_t count;           // of `made`
    bool wants;
    float scale; // of the fonts
    td_font_job *job;
    td_ui_picture picture; // of a screen elsewhere
};

/* ---- files ---- */

static void find_file(char *to, size_t room, bool bold)
{
    static const char *const paths[][FILES] = {
        {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
         "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"},
        {"/usr/share/fonts/dejavu/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans-Bold.ttf"},
        {"/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
         "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans-Bold.ttf"},
        {"/usr/share/fonts/TTF/DejaVuSans.ttf", "/usr/share/fonts/TTF/DejaVuSans-Bold.ttf"}};
    for (const auto &path : paths) {
        FILE *f = fopen(path[bold], "rb");
        if (!f)
            continue;
        fclose(f);
        snprintf(to, room, "%s", path[bold]);
        return;
    }
    if (!td_font_default(bold, to, room))
        to[0] = 0;
}

// "": the letters of Dear ImGui, which are of one width.
static const char *find_mono()
{
    static const char *const paths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
                                        "/usr/share/fonts/dejavu/DejaVuSansMono.ttf",
                                        "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSansMono.ttf"};
    for (const char *path : paths) {
        FILE *f = fopen(path, "rb");
        if (!f)
            continue;
        fclose(f);
        return path;
    }
    return "";
}

/* ---- making ---- */

static void add_ranges(ImVector<ImWchar> &ranges, const td_char_set &chars)
{
    for (uint32_t c = 1; c < TD_FONT_CHARS; c++) {
        if (!td_char_set_has(&chars, c))
            continue;
        uint32_t last = c;
        while (td_char_set_has(&chars, last + 1))
            last++;
        ranges.push_back(static_cast<ImWchar>(c));
        ranges.push_back(static_cast<ImWchar>(last));
        c = last;
    }
    ranges.push_back(0);
}

// NULL: the file cannot be read. Dear ImGui's own function stops the program then.
static ImFont *add_file(td_font_job &job, const char *path, float pixels, const ImFontConfig &config)
{
    FILE *f = fopen(path, "rb");
    const long bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    void *data = bytes > 0 && bytes <= INT_MAX ? IM_ALLOC(static_cast<size_t>(bytes)) : nullptr;
    const bool is_read = data && fseek(f, 0, SEEK_SET) == 0 &&
                         fread(data, 1, static_cast<size_t>(bytes), f) == static_cast<size_t>(bytes);
    if (f)
        fclose(f);
    if (is_read) // the atlas frees it
        return job.atlas->AddFontFromMemoryTTF(data, static_cast<int>(bytes), pixels, &config);
    IM_FREE(data);
    return nullptr;
}

static ImFont *add_font(td_font_job &job, const char *file, float pixels, size_t fallbacks)
{
    ImFontConfig config;
    config.GlyphRanges = job.ranges[0].Data;
    config.PixelSnapH = true;
#ifndef TD_HAVE_FREETYPE
    config.OversampleH = 3;
#endif
    ImFont *font = *file ? add_file(job, file, pixels, config) : nullptr;
    if (!font) {
        ImFontConfig own;
        own.SizePixels = pixels;
        return job.atlas->AddFontDefault(&own);
    }
    for (size_t i = 0; i < fallbacks; i++) {
        config.MergeMode = true;
        config.FontNo = job.fallbacks[i].face;
        config.GlyphRanges = job.ranges[i + 1].Data;
        add_file(job, job.fallbacks[i].path, pixels, config);
    }
    return font;
}

static void build_atlas(td_font_job &job, const td_fonts &fonts, bool with_fallbacks)
{
    const size_t fallbacks =
        with_fallbacks ? td_font_fallbacks(fonts.file[TEXT_FILE], &job.chars, job.fallbacks) : 0;
    job.atlas = IM_NEW(ImFontAtlas);
    job.atlas->TexDesiredWidth = with_fallbacks ? TEXTURE_WIDTH : 0;
#ifdef TD_HAVE_FREETYPE
    job.atlas->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    job.atlas->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
    add_ranges(job.ranges[0], job.chars);
    for (size_t i = 0; i < fallbacks; i++)
        add_ranges(job.ranges[i + 1], job.fallbacks[i].chars);
    const float text = roundf(TEXT_PIXELS * job.scale), small = roundf(SMALL_PIXELS * job.scale);
    job.fonts[TD_FONT_TEXT] = add_font(job, fonts.file[TEXT_FILE], text, fallbacks);
    job.fonts[TD_FONT_BOLD] = add_font(job, fonts.file[BOLD_FILE], text, fallbacks);
    job.fonts[TD_FONT_SMALL] = add_font(job, fonts.file[TEXT_FILE], small, fallbacks);
    job.fonts[TD_FONT_MONO] = add_font(job, find_mono(), text, fallbacks);
    unsigned char *pixels;
    int width, height;
    job.atlas->GetTexDataAsRGBA32(&pixels, &width, &height); // the form that the window takes
}

static void *build_in_thread(void *self)
{
    td_ui *ui = static_cast<td_ui *>(self);
    build_atlas(*ui->letters->job, *ui->letters, true);
    __atomic_store_n(&ui->letters->job->done, true, __ATOMIC_RELEASE);
    td_ui_wake();
    return nullptr;
}

static void free_job(td_font_job *job)
{
    if (!job)
        return;
    if (job->running)
        pthread_join(job->thread, nullptr);
    if (job->atlas)
        IM_DELETE(job->atlas);
    delete job;
}

/* ---- the fonts that are used ---- */

static size_t count_chars(const td_char_set &set)
{
    size_t count = 0;
    for (uint64_t word : set.bits)
        count += static_cast<size_t>(__builtin_popcountll(word));
    return count;
}

/* Replaces the fonts of the context, between two frames. */
static void take_job(struct td_ui *ui)
{
    td_fonts &fonts = *ui->letters;
    td_font_job *job = fonts.job;
    ImGuiIO &io = ImGui::GetIO();
    if (job->running)
        pthread_join(job->thread, nullptr);
    job->running = false;
    ImFontAtlas *old = io.Fonts;
    if (ui->gl_backend)
        ImGui_ImplOpenGL3_DestroyFontsTexture();
    io.Fonts = job->atlas;
    job->atlas = nullptr;
    if (ui->gl_backend)
        ImGui_ImplOpenGL3_CreateFontsTexture();
    IM_DELETE(old);
    if (ui->remote) {
        unsigned char *opacity;
        int width, height;
        io.Fonts->GetTexDataAsAlpha8(&opacity, &width, &height);
        fonts.picture = td_ui_remote_picture_(ui, fonts.picture, opacity, width, height, 1);
        io.Fonts->SetTexID((ImTextureID)(intptr_t)fonts.picture);
    }
    if (ui->gl_backend || ui->remote)
        io.Fonts->ClearTexData();
    io.Fonts->ClearInputData();
    memcpy(ui->fonts, job->fonts, sizeof ui->fonts);
    fonts.made = job->chars;
    fonts.count = count_chars(fonts.made);
    fonts.scale = job->scale;
    fonts.job = nullptr;
    free_job(job);
    // What was wanted meanwhile is still to be made.
    fonts.wants = false;
    for (size_t i = 0; i < TD_FONT_CHARS / 64; i++) {
        fonts.wanted.bits[i] &= ~fonts.made.bits[i];
        fonts.wants |= fonts.wanted.bits[i] != 0;
    }
    td_ui_set_style_(ui, fonts.scale);
}

static void add_pairs(td_char_set &set, const ImWchar *pairs)
{
    for (; *pairs; pairs += 2)
        for (uint32_t c = pairs[0]; c <= pairs[1]; c++)
            td_char_set_add(&set, c);
}

static void start_job(struct td_ui *ui, float scale)
{
    td_fonts &fonts = *ui->letters;
    td_font_job *job = new (std::nothrow) td_font_job();
    if (!job)
        return;
    job->scale = scale;
    job->chars = fonts.made;
    if (fonts.wants)
        add_pairs(job->chars, more_chars);
    for (size_t i = 0; i < TD_FONT_CHARS / 64; i++)
        job->chars.bits[i] |= fonts.wanted.bits[i];
    fonts.job = job;
    job->running = !ui->offscreen && td_thread_create(&job->thread, nullptr, build_in_thread, ui) == 0;
    if (job->running)
        return;
    build_atlas(*job, fonts, true);
    take_job(ui);
}

int td_ui_open_fonts_(struct td_ui *ui)
{
    ui->letters = new (std::nothrow) td_fonts();
    td_font_job *job = ui->letters ? new (std::nothrow) td_font_job() : nullptr;
    if (!job)
        return TD_E_NOMEM;
    find_file(ui->letters->file[TEXT_FILE], sizeof ui->letters->file[TEXT_FILE], false);
    find_file(ui->letters->file[BOLD_FILE], sizeof ui->letters->file[BOLD_FILE], true);
    job->scale = ui->scale;
    add_pairs(job->chars, first_chars);
    build_atlas(*job, *ui->letters, false);
    ui->letters->job = job;
    take_job(ui);
    return 0;
}

void td_ui_close_fonts_(struct td_ui *ui)
{
    if (!ui->letters)
        return;
    free_job(ui->letters->job);
    delete ui->letters;
}

void td_ui_step_fonts_(struct td_ui *ui, float scale)
{
    td_fonts &fonts = *ui->letters;
    if (fonts.job && __atomic_load_n(&fonts.job->done, __ATOMIC_ACQUIRE))
        take_job(ui);
    if (!fonts.job && (fonts.wants || fonts.scale != scale))
        start_job(ui, scale);
}

bool td_ui_lacks_letters(const struct td_ui *ui)
{
    return ui->letters->job || ui->letters->wants;
}

// What a frame can take, or begin, at once.
bool td_ui_has_news_of_fonts_(const struct td_ui *ui)
{
    const td_fonts &fonts = *ui->letters;
    return fonts.job ? __atomic_load_n(&fonts.job->done, __ATOMIC_ACQUIRE) : fonts.wants;
}

// The first byte of a character from U+0100 on is 0xc4 or above.
void td_ui_note_text_(struct td_ui *ui, const char *text, const char *end)
{
    td_fonts &fonts = *ui->letters;
    for (const char *c = text; end ? c < end : *c; c++) {
        if (static_cast<unsigned char>(*c) < 0xc4)
            continue;
        unsigned code = 0;
        c += ImTextCharFromUtf8(&code, c, end) - 1;
        if (code >= TD_FONT_CHARS || td_char_set_has(&fonts.made, code) ||
            td_char_set_has(&fonts.wanted, code) || fonts.count >= MOST_CHARS)
            continue;
        td_char_set_add(&fonts.wanted, code);
        fonts.count++;
        fonts.wants = true;
    }
}
