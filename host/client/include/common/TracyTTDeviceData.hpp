// The markers of a Tenstorrent device's core, as programs pass them to tracy/TracyTTDevice.hpp:
// TTDeviceEvent, or, in newer programs, TTDeviceMarker, which has more fields. C++17. Times are ticks of the
// device's clock; INVALID_NUM is "not known". A marker has its metadata only where nlohmann/json.hpp is
// available.
#ifndef TENDRIL_TRACY_TTDEVICEDATA_HPP
#define TENDRIL_TRACY_TTDEVICEDATA_HPP

#include "TracyColor.hpp"

#include <array>
#include <functional>
#include <stddef.h>
#include <stdint.h>
#include <string>
#include <tuple>
#include <unordered_map>
#if defined(__has_include)
#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define TENDRIL_TT_HAS_JSON 1
#endif
#endif

namespace tracy
{
enum class RiscType : uint8_t {
    BRISC,
    NCRISC,
    TRISC_0,
    TRISC_1,
    TRISC_2,
    ERISC,
    TENSIX_RISC_AGG, // all cores of a tile together
    CORE_AGG = TENSIX_RISC_AGG
};
// By the number of a core.
inline std::string riscName[] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2", "ERISC", "CORE_AGG"};

// The row of a core in a context: its number and place, packed. A coordinate of more than 4 bits overlaps the
// field above it.
struct TTDevicePlace {
    static constexpr uint64_t RISC_BIT_COUNT = 3;
    static constexpr uint64_t CORE_X_BIT_COUNT = 4;
    static constexpr uint64_t CORE_Y_BIT_COUNT = 4;
    static constexpr uint64_t CHIP_BIT_COUNT = 8;
    static constexpr uint64_t CORE_X_BIT_SHIFT = RISC_BIT_COUNT;
    static constexpr uint64_t CORE_Y_BIT_SHIFT = CORE_X_BIT_SHIFT + CORE_X_BIT_COUNT;
    static constexpr uint64_t CHIP_BIT_SHIFT = CORE_Y_BIT_SHIFT + CORE_Y_BIT_COUNT;
    static constexpr uint64_t INVALID_NUM = uint64_t(1) << 63;

    uint64_t chip_id = INVALID_NUM, core_x = INVALID_NUM, core_y = INVALID_NUM;

  protected:
    TTDevicePlace() = default;
    TTDevicePlace(uint64_t chip, uint64_t x, uint64_t y) : chip_id(chip), core_x(x), core_y(y)
    {
    }
    explicit TTDevicePlace(uint64_t row)
        : chip_id(Field(row, CHIP_BIT_SHIFT, CHIP_BIT_COUNT)),
          core_x(Field(row, CORE_X_BIT_SHIFT, CORE_X_BIT_COUNT)),
          core_y(Field(row, CORE_Y_BIT_SHIFT, CORE_Y_BIT_COUNT))
    {
    }
    uint64_t Row(uint64_t risc) const
    {
        return risc | core_x << CORE_X_BIT_SHIFT | core_y << CORE_Y_BIT_SHIFT | chip_id << CHIP_BIT_SHIFT;
    }
    static uint64_t Risc(uint64_t row)
    {
        return Field(row, 0, RISC_BIT_COUNT);
    }

  private:
    static uint64_t Field(uint64_t row, uint64_t shift, uint64_t bits)
    {
        return row >> shift & ((uint64_t(1) << bits) - 1);
    }
};

// By time, then by place.
template <class T> struct TendrilByKey {
    friend bool operator<(const T &one, const T &other)
    {
        return one.Key() < other.Key();
    }
    friend bool operator==(const T &one, const T &other)
    {
        return one.Key() == other.Key();
    }
};

enum TTDeviceEventPhase { begin, end, sum };

struct TTDeviceEvent : TTDevicePlace, TendrilByKey<TTDeviceEvent> {
    static constexpr uint64_t RUN_NUM_BIT_COUNT = 16;
    static constexpr uint64_t RUN_NUM_BIT_SHIFT = CHIP_BIT_SHIFT + CHIP_BIT_COUNT;

    uint64_t run_num = INVALID_NUM;
    uint64_t risc = INVALID_NUM;
    uint64_t timer_id = INVALID_NUM;
    uint64_t timestamp = INVALID_NUM;
    uint64_t line = INVALID_NUM;
    std::string file, zone_name;
    TTDeviceEventPhase zone_phase = begin;
    Color::ColorType color = Color::Black;

    TTDeviceEvent() = default;
    TTDeviceEvent(uint64_t run, uint64_t chip, uint64_t x, uint64_t y, uint64_t core, uint64_t timer,
                  uint64_t time, uint64_t at_line, std::string at_file, std::string name,
                  TTDeviceEventPhase phase, Color::ColorType of_color)
        : TTDevicePlace(chip, x, y), run_num(run), risc(core), timer_id(timer), timestamp(time),
          line(at_line), file(std::move(at_file)), zone_name(std::move(name)), zone_phase(phase),
          color(of_color)
    {
    }
    TTDeviceEvent(uint64_t thread_id) : TTDevicePlace(thread_id), risc(Risc(thread_id))
    {
    }
    uint64_t get_thread_id() const
    {
        return Row(risc);
    }
    auto Key() const
    {
        return std::tie(timestamp, chip_id, core_x, core_y, risc, timer_id);
    }
};

enum class TTDeviceMarkerType : uint8_t { ZONE_START, ZONE_END, ZONE_TOTAL, TS_DATA, TS_EVENT, TS_DATA_16B };

// Where a marker is in the source, and what its name says about it.
struct MarkerDetails {
    // clang-format off
    enum class MarkerNameKeyword : uint16_t {
        _FW, BRISC_FW, ERISC_FW, NCRISC_FW, TRISC_FW, _KERNEL, BRISC_KERNEL, ERISC_KERNEL, NCRISC_KERNEL, TRISC_KERNEL,
        SYNC_ZONE, PROFILER, DISPATCH, PROCESS_CMD, RUNTIME_HOST_ID_DISPATCH, PACKED_DATA_DISPATCH,
        PACKED_LARGE_DATA_DISPATCH, COUNT
    };
    static inline std::unordered_map<std::string, MarkerNameKeyword> marker_name_keywords_map = {
        {"-FW", MarkerNameKeyword::_FW}, {"BRISC-FW", MarkerNameKeyword::BRISC_FW},
        {"ERISC-FW", MarkerNameKeyword::ERISC_FW}, {"NCRISC-FW", MarkerNameKeyword::NCRISC_FW},
        {"TRISC-FW", MarkerNameKeyword::TRISC_FW}, {"-KERNEL", MarkerNameKeyword::_KERNEL},
        {"BRISC-KERNEL", MarkerNameKeyword::BRISC_KERNEL}, {"ERISC-KERNEL", MarkerNameKeyword::ERISC_KERNEL},
        {"NCRISC-KERNEL", MarkerNameKeyword::NCRISC_KERNEL}, {"TRISC-KERNEL", MarkerNameKeyword::TRISC_KERNEL},
        {"SYNC-ZONE", MarkerNameKeyword::SYNC_ZONE}, {"PROFILER", MarkerNameKeyword::PROFILER},
        {"DISPATCH", MarkerNameKeyword::DISPATCH}, {"process_cmd", MarkerNameKeyword::PROCESS_CMD},
        {"runtime_host_id_dispatch", MarkerNameKeyword::RUNTIME_HOST_ID_DISPATCH},
        {"packed_data_dispatch", MarkerNameKeyword::PACKED_DATA_DISPATCH},
        {"packed_large_data_dispatch", MarkerNameKeyword::PACKED_LARGE_DATA_DISPATCH},
    };
    // clang-format on
    using KeywordFlags = std::array<bool, static_cast<size_t>(MarkerNameKeyword::COUNT)>;

    std::string marker_name, source_file;
    uint64_t source_line_num;
    KeywordFlags marker_name_keyword_flags{};

    MarkerDetails(const std::string &name, const std::string &file, uint64_t line)
        : marker_name(name), source_file(file), source_line_num(line)
    {
        for (const auto &[text, keyword] : marker_name_keywords_map)
            marker_name_keyword_flags[static_cast<size_t>(keyword)] = name.find(text) != std::string::npos;
    }
};
inline const MarkerDetails UnidentifiedMarkerDetails("", "", 0);

struct TTDeviceMarker : TTDevicePlace, TendrilByKey<TTDeviceMarker> {
    uint64_t runtime_host_id = INVALID_NUM, trace_id = INVALID_NUM, trace_id_counter = INVALID_NUM;
    RiscType risc = RiscType::BRISC;
    uint16_t marker_id = 0;
    uint64_t timestamp = INVALID_NUM;
    uint64_t data = INVALID_NUM, data_high = INVALID_NUM;
    std::string op_name;
    uint64_t line = INVALID_NUM;
    std::string file, marker_name;
    TTDeviceMarkerType marker_type = TTDeviceMarkerType::ZONE_START;
    uint32_t color = 0; // 0: the core's
    MarkerDetails::KeywordFlags marker_name_keyword_flags{};
#ifdef TENDRIL_TT_HAS_JSON
    nlohmann::json meta_data = nlohmann::json::object();
#endif

    TTDeviceMarker() = default;
    TTDeviceMarker(uint32_t thread_id)
        : TTDevicePlace(thread_id), risc(static_cast<RiscType>(Risc(thread_id)))
    {
    }
#ifdef TENDRIL_TT_HAS_JSON
    TTDeviceMarker(uint64_t host_id, uint64_t trace, uint64_t trace_counter, uint64_t chip, uint64_t x,
                   uint64_t y, RiscType core, uint16_t id, uint64_t time, uint64_t value,
                   const std::string &op, uint64_t at_line, const std::string &at_file,
                   const std::string &name, TTDeviceMarkerType type, const MarkerDetails::KeywordFlags &flags,
                   const nlohmann::json &meta)
        : TTDevicePlace(chip, x, y), runtime_host_id(host_id), trace_id(trace),
          trace_id_counter(trace_counter), risc(core), marker_id(id), timestamp(time), data(value),
          op_name(op), line(at_line), file(at_file), marker_name(name), marker_type(type),
          marker_name_keyword_flags(flags), meta_data(meta)
    {
    }
#endif
    uint32_t get_thread_id() const
    {
        return static_cast<uint32_t>(Row(static_cast<uint64_t>(risc)));
    }
    auto Key() const
    {
        return std::tie(timestamp, chip_id, core_x, core_y, risc, marker_id);
    }
    // What is known, a line each: "key: value".
    std::string to_string() const
    {
        std::string text;
        const auto add = [&text](const char *key, const std::string &value) {
            if (!value.empty())
                text += (text.empty() ? "" : "\n") + std::string(key) + ": " + value;
        };
        const auto number = [](uint64_t value) {
            return value == INVALID_NUM ? std::string() : std::to_string(value);
        };
        add("Op name", op_name);
        add("Op ID", number(runtime_host_id));
        add("Trace ID", number(trace_id));
        add("Trace run", number(trace_id_counter));
        add("Data", number(data));
        add("Data high", number(data_high));
#ifdef TENDRIL_TT_HAS_JSON
        for (const auto &entry : meta_data.items())
            add(entry.key().c_str(),
                entry.value().is_string() ? entry.value().get<std::string>() : entry.value().dump());
#endif
        return text;
    }
};

// For sets of events: combines all fields of Key().
template <class T> size_t TendrilHash(const T &marked)
{
    size_t hash = 0;
    std::apply(
        [&hash](const auto &...parts) {
            ((hash ^=
              std::hash<uint64_t>()(static_cast<uint64_t>(parts)) + 0x9e3779b9 + (hash << 6) + (hash >> 2)),
             ...);
        },
        marked.Key());
    return hash;
}
} // namespace tracy

template <> struct std::hash<tracy::TTDeviceEvent> {
    size_t operator()(const tracy::TTDeviceEvent &event) const
    {
        return tracy::TendrilHash(event);
    }
};
template <> struct std::hash<tracy::TTDeviceMarker> {
    size_t operator()(const tracy::TTDeviceMarker &marker) const
    {
        return tracy::TendrilHash(marker);
    }
};
#endif
