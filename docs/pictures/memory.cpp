// A program for the pictures of the panel Memory: a game that loads levels, and keeps a part of what it loads. Each
// allocation and release has its call stack.
#include <tracy/Tracy.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

static const int depth = 12; // frames of a call stack

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
    std::this_thread::sleep_for(std::chrono::microseconds(200));
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

__attribute__((noinline)) static void draw_frame(int number)
{
    ZoneScopedC(0x8060a0);
    std::vector<uint8_t> commands(2000 + 300 * (number % 7));
    std::this_thread::sleep_for(std::chrono::microseconds(400));
    FrameMark;
}

int main()
{
    Level *level = load_level(0), *before = nullptr;
    for (unsigned number = 1; number < 5; number++) {
        for (int frame = 0; frame < 20; frame++)
            draw_frame(frame);
        delete before;
        before = level;
        level = load_level(number);
    }
    for (int frame = 0; frame < 20; frame++)
        draw_frame(frame);
    delete before; // the last level stays
    return level ? 0 : 1;
}
