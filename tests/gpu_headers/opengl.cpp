// A program with every marker of tracy/TracyOpenGL.hpp. It does the same work without TRACY_ENABLE, and
// compiles against Tracy's own header, too. Needs no display. Leaves with 77 where no OpenGL 3.3 is.
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "linger.h"
#include "tracy/Tracy.hpp"
#include "tracy/TracyOpenGL.hpp"

enum { SIDE = 256, ROUNDS = 5 };

static int open_context()
{
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
        return 77;
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        return 77;
    GLuint texture, frame;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIDE, SIDE, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE ? 0 : 1;
}

static void draw()
{
    static float shade;
    shade += 0.1f;
    glClearColor(shade, 1 - shade, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

static void every_kind(const char *title)
{
    (void)title;
    {
        TracyGpuZoneC("colour", 0xff8000);
        draw();
    }
    {
        TracyGpuZoneS("stack", 8);
        draw();
    }
    {
        TracyGpuZoneCS("colour and stack", 0x00ff00, 8);
        draw();
    }
    {
        TracyGpuZoneTransient(made, title, true);
        draw();
    }
    {
        TracyGpuZoneTransientS(made, title, 4, true);
        draw();
    }
    {
        TracyGpuNamedZone(first, "first", true);
        draw();
        TracyGpuNamedZoneC(second, "second", 0x0000ff, true);
        draw();
        TracyGpuNamedZoneS(third, "third", 4, true);
        draw();
        TracyGpuNamedZoneCS(fourth, "fourth", 0xff00ff, 4, true);
        draw();
        TracyGpuNamedZone(never, "never", false);
    }
#ifdef TRACY_ENABLE
    {
        static const tracy::SourceLocationData here = {"by class", "every_kind", __FILE__, __LINE__, 0};
        tracy::GpuCtxScope zone(&here, true);
        draw();
    }
#endif
}

int main()
{
    const int failed = open_context();
    if (failed) {
        printf(failed == 77 ? "no OpenGL 3.3 without a display\n" : "OpenGL does not work\n");
        return failed;
    }
#ifdef TENDRIL_GPU_HPP
    TracyGpuCollect; // without a context of the trace nothing happens
    {
        TracyGpuZone("before");
    }
#endif
    TracyGpuContext;
    TracyGpuContextName("the window", strlen("the window"));
#ifdef TRACY_ENABLE
    tracy::GpuCtx *const made = tracy::GetGpuCtx().ptr;
    if (!made)
        return 1;
#endif
    {
        ZoneScopedN("window");
        for (int i = 0; i < ROUNDS; i++) {
            {
                TracyGpuZone("draw");
                draw();
            }
            glFlush();
            TracyGpuCollect; // may find none yet
        }
        char title[] = "made here";
        every_kind(title);
        memset(title, 'x', sizeof title - 1);
        glFinish();
#ifdef TRACY_OPENGL_AUTO_CALIBRATION
        const struct timespec second = {1, 100000000};
        nanosleep(&second, nullptr);
#endif
        TracyGpuCollect;
    }
    linger();
    return 0;
}
