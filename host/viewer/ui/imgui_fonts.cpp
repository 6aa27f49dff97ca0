/* The fonts of imgui_shim.h: the letters that most texts have are made at the start, all others when a text has
 * one of them. */
#include "host/viewer/ui/imgui_internal.h"

#include <backends/imgui_impl_opengl3.h>
#ifdef TD_HAVE_FREETYPE
#include <imgui_freetype.h>
#endif
#include <imgui_internal.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TEXT_PIXELS  13.f
#define SMALL_PIXELS 11.f

// Pairs of code points, first and last. At the start: Latin-1, and what the viewer's own texts have (general
// punctuation, the arrows to the left and right).
/* clang-format off */
#define FIRST_GLYPHS 0x20, 0xff, 0x2010, 0x2027, 0x2190, 0x2193
#define ALL_GLYPHS   0x20, 0x24f, 0x370, 0x3ff, 0x400, 0x4ff, 0x2010, 0x2044, 0x2070, 0x209c, 0x2190, 0x21ff, \
                     0x2200, 0x22ff, 0x25a0, 0x25ff
/* clang-format on */

static ImFont *load_font(bool has_glyphs, float pixels, const char *const *files, size_t count)
{
    static const ImWchar few[] = {FIRST_GLYPHS, 0}, all[] = {ALL_GLYPHS, 0};
    ImGuiIO &io = ImGui::GetIO();
    ImFontConfig config;
    config.GlyphRanges = has_glyphs ? all : few;
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

void td_ui_load_fonts_(struct td_ui *ui)
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
#ifdef TD_HAVE_FREETYPE
    ImGuiIO &io = ImGui::GetIO();
    io.Fonts->FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
    io.Fonts->FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif
    const size_t count = sizeof text / sizeof *text;
    ui->fonts[TD_FONT_TEXT] = load_font(ui->has_glyphs, roundf(TEXT_PIXELS * ui->scale), text, count);
    ui->fonts[TD_FONT_BOLD] = load_font(ui->has_glyphs, roundf(TEXT_PIXELS * ui->scale), bold, count);
    ui->fonts[TD_FONT_SMALL] = load_font(ui->has_glyphs, roundf(SMALL_PIXELS * ui->scale), text, count);
}

void td_ui_reload_fonts_(struct td_ui *ui)
{
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui::GetIO().Fonts->Clear();
    td_ui_load_fonts_(ui);
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

// The first byte of a character from U+0100 on is 0xc4 or above.
void td_ui_note_text_(struct td_ui *ui, const char *text, const char *end)
{
    if (ui->has_glyphs)
        return;
    for (const char *c = text; end ? c < end : *c; c++) {
        if ((unsigned char)*c < 0xc4)
            continue;
        unsigned code = 0;
        c += ImTextCharFromUtf8(&code, c, end) - 1;
        const ImWchar few[] = {FIRST_GLYPHS};
        bool known = false;
        for (size_t i = 0; i < sizeof few / sizeof *few; i += 2)
            known |= code >= few[i] && code <= few[i + 1];
        ui->wants_glyphs |= !known;
    }
}
