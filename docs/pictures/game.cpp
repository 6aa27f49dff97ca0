// A program for pictures of the viewer's panels: a game that loads levels, and keeps a part of what it loads. Each
// allocation and release has its call stack, and each frame an image. A thread streams textures under the lock
// that frames need. Its arguments: microseconds for a texture, number of levels,
// microseconds for a frame.
#include <tracy/Tracy.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

static const int depth = 12; // frames of a call stack
static const unsigned width = 160, height = 120;

static unsigned texture_us = 200, frame_us = 400;
static std::atomic<bool> ended;
static TracyLockable(std::mutex, textures_lock);

void *operator new(std::size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        throw std::bad_alloc();
    TracyAllocS(p, bytes, depth);
    return p;
}

void operator delete(void *p) noexcept
{
    TracyFreeS(p, depth);
    free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
    operator delete(p);
}

struct Level {
    std::vector<std::vector<uint8_t>> textures, sounds;
    std::vector<uint32_t> vertices;
};

__attribute__((noinline)) static void load_texture(Level &level, unsigned size)
{
    ZoneScopedC(0x4080c0);
    level.textures.emplace_back(4 * size * size);
    std::this_thread::sleep_for(std::chrono::microseconds(texture_us));
}

__attribute__((noinline)) static void load_sound(Level &level, unsigned bytes)
{
    ZoneScopedC(0x40a060);
    level.sounds.emplace_back(bytes);
    std::this_thread::sleep_for(std::chrono::microseconds(120));
}

__attribute__((noinline)) static void build_mesh(Level &level, unsigned triangles)
{
    ZoneScopedC(0xc09040);
    for (unsigned i = 0; i < 3 * triangles; i++)
        level.vertices.push_back(i);
}

__attribute__((noinline)) static Level *load_level(unsigned number)
{
    ZoneScoped;
    Level *level = new Level;
    for (unsigned i = 0; i < 12; i++)
        load_texture(*level, 16u << (number + i) % 4);
    for (unsigned i = 0; i < 8; i++)
        load_sound(*level, 4000 + 1500 * i);
    build_mesh(*level, 4000 + 2000 * number);
    return level;
}

// The sun goes up behind two hills.
static void send_image(int number)
{
    static uint8_t pixels[4 * width * height];
    const int sun_x = 20 + 6 * number, sun_y = 90 - 4 * number;
    for (int y = 0; y < (int)height; y++)
        for (int x = 0; x < (int)width; x++) {
            uint8_t *p = pixels + 4 * (y * (int)width + x);
            const int near = 105 - (x - 110) * (x - 110) / 120, far = 85 - (x - 40) * (x - 40) / 200;
            const bool hill = y > (int)height - near / 2, behind = y > (int)height - far;
            const bool sun = (x - sun_x) * (x - sun_x) + (y - sun_y) * (y - sun_y) < 150;
            p[0] = hill ? 40 : behind ? 60 : sun ? 255 : (uint8_t)(80 + y);
            p[1] = hill ? 110 : behind ? 90 : sun ? 220 : (uint8_t)(130 + y / 2);
            p[2] = hill ? 50 : behind ? 120 : sun ? 90 : 210;
            p[3] = 255;
        }
    FrameImage(pixels, width, height, 0, false);
}

__attribute__((noinline)) static void draw_frame(int number)
{
    ZoneScopedC(0x8060a0);
    std::vector<uint8_t> commands(2000 + 300 * (number % 7));
    {
        std::lock_guard<LockableBase(std::mutex)> guard(textures_lock);
        std::this_thread::sleep_for(std::chrono::microseconds(frame_us));
    }
    TracyPlot("commands", (int64_t)commands.size());
    send_image(number);
    FrameMark;
}

static void stream_textures()
{
    tracy::SetThreadName("streamer");
    for (unsigned i = 0; !ended; i++) {
        {
            std::lock_guard<LockableBase(std::mutex)> guard(textures_lock);
            ZoneScopedNC("stream texture", 0xa08040);
            std::this_thread::sleep_for(std::chrono::microseconds(i % 8 ? 150 : 1200));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(700));
    }
}

int main(int argc, char **argv)
{
    texture_us = argc > 1 ? (unsigned)atoi(argv[1]) : texture_us;
    const unsigned levels = argc > 2 ? (unsigned)atoi(argv[2]) : 5;
    frame_us = argc > 3 ? (unsigned)atoi(argv[3]) : frame_us;
    std::thread streamer(stream_textures);
    Level *level = load_level(0), *before = nullptr;
    for (unsigned number = 1; number < levels; number++) {
        for (int frame = 0; frame < 20; frame++)
            draw_frame(frame);
        delete before;
        before = level;
        level = load_level(number % 8);
    }
    for (int frame = 0; frame < 20; frame++)
        draw_frame(frame);
    delete before; // the last level stays
    ended = true;
    streamer.join();
    return level ? 0 : 1;
}
