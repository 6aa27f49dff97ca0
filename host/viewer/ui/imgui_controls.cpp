/* What can be clicked in a frame, for programs that drive the viewer. */
#include "host/viewer/ui/controls.h"
#include "host/viewer/ui/imgui_internal.h"

#include <new>
#include <string>
#include <vector>

struct control {
    std::string region, name;
    ImVec4 place;
};

struct td_controls {
    std::vector<control> all;
    std::vector<td_ui_control> facts;
};

void td_ui_note_control_(struct td_ui *ui, const char *name, float x, float y, float w, float h)
{
    if (!ui->controls)
        return;
    const ImVec2 least = ImGui::GetWindowDrawList()->GetClipRectMin(),
                 most = ImGui::GetWindowDrawList()->GetClipRectMax();
    const ImVec4 seen(x > least.x ? x : least.x, y > least.y ? y : least.y, x + w < most.x ? x + w : most.x,
                      y + h < most.y ? y + h : most.y);
    if (seen.x < seen.z && seen.y < seen.w)
        ui->controls->all.push_back({ui->region ? ui->region : "", name, seen});
}

void td_ui_start_controls_(struct td_ui *ui)
{
    if (ui->controls)
        ui->controls->all.clear();
}

void td_ui_close_controls_(struct td_ui *ui)
{
    delete ui->controls;
    ui->controls = nullptr;
}

size_t td_ui_controls(struct td_ui *ui, const struct td_ui_control **controls)
{
    if (!ui->controls)
        ui->controls = new (std::nothrow) td_controls();
    if (!ui->controls)
        return 0;
    ui->controls->facts.clear();
    for (const control &c : ui->controls->all)
        ui->controls->facts.push_back(
            {c.region.c_str(), c.name.c_str(), c.place.x, c.place.y, c.place.z, c.place.w});
    *controls = ui->controls->facts.data();
    return ui->controls->facts.size();
}
