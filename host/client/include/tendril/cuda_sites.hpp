// Source locations for the zones that CUPTI's records become, and readable names of kernels.
// tracy/TracyCUDA.hpp includes it.
#ifndef TENDRIL_CUDA_SITES_HPP
#define TENDRIL_CUDA_SITES_HPP

#include "gpu.hpp"

#include <stddef.h>
#include <string.h>

namespace tendril
{
// Decodes mangled C++ names, as far as the names of kernels need.
class CudaName
{
  public:
    // "ns::Class::kernel" for _ZN2ns5ClassIfE6kernelILi4EEEvPT_: without the arguments of templates
    // and functions. `out` has room for twice the text and 32 bytes. A name that cannot be decoded is copied.
    static void Shorten(const char *mangled, char *out)
    {
        CudaName name(mangled + 2);
        char *to = out;
        if (strncmp(mangled, "_Z", 2) == 0 && name.Scopes(&to))
            *to = '\0';
        else
            memcpy(out, mangled, strlen(mangled) + 1);
    }

  private:
    explicit CudaName(const char *at) : m_at(at)
    {
    }
    bool Scopes(char **to)
    {
        const bool nested = *m_at == 'N';
        for (m_at += nested; nested && *m_at && strchr("rVK", *m_at);)
            m_at++;
        for (int count = 0;; count++) {
            if (*m_at == 'I' && count) {
                if (!SkipArguments())
                    return false;
                if (*m_at == 'E' || !nested)
                    return true;
            }
            m_at += *m_at == 'L'; // static
            const char *const text = m_at;
            const size_t size = Identifier();
            if (!size)
                return count && nested && *m_at == 'E';
            static const char none[] = "(anonymous namespace)";
            const char *const part = m_at - size;
            const bool anonymous = text < part && strncmp(part, "_GLOBAL__N_", 11) == 0;
            if (count)
                Append(to, "::", 2);
            Append(to, anonymous ? none : part, anonymous ? sizeof none - 1 : size);
            if (!nested && *m_at != 'I')
                return true;
        }
    }
    static void Append(char **to, const char *text, size_t size)
    {
        memcpy(*to, text, size);
        *to += size;
    }
    // Skips an identifier: a length and that many characters. Returns the length; 0: there is none.
    size_t Identifier()
    {
        size_t size = 0;
        for (; *m_at >= '0' && *m_at <= '9' && size < 4096; m_at++)
            size = 10 * size + size_t(*m_at - '0');
        if (strnlen(m_at, size) < size)
            return 0;
        m_at += size;
        return size;
    }
    void SkipBehind(char c)
    {
        const char *const at = strchr(m_at, c);
        m_at = at ? at + 1 : m_at + strlen(m_at);
    }
    bool IsLower() const
    {
        return *m_at >= 'a' && *m_at <= 'z';
    }
    // Skips from an I or N to the character after its E.
    bool SkipArguments()
    {
        int depth = 0;
        do {
            const char c = *m_at;
            if (c >= '0' && c <= '9') {
                if (!Identifier())
                    return false;
                continue;
            }
            if (c == '\0')
                return false;
            m_at++;
            if (c == 'L' && *m_at != '_') { // a literal: its type, its value
                if (*m_at == 'N' ? !SkipArguments() : *m_at >= '0' && *m_at <= '9' && !Identifier())
                    return false;
                SkipBehind('E');
            } else if ((c == 'S' || c == 'T') && IsLower()) // St and others
                m_at++;
            else if (c == 'S' || c == 'T' || c == 'A') // a substitution, S_, T0_ ..., or an array's size
                SkipBehind('_');
            else if (strchr("ILNXJF", c) || (c == 'D' && (*m_at == 't' || *m_at == 'T')))
                depth++;
            else if (c == 'E')
                depth--;
        } while (depth);
        return true;
    }

    const char *m_at;
};

// A source location that is made at run time, in a list.
struct CudaSite {
    tracy::SourceLocationData location;
    CudaSite *next;
    uint64_t calls; // of a function of CUDA, if calls are counted
};

// Makes the source location for zones of this name; it lives as long as the program. NULL: no memory. For a
// kernel the zone's name is the short one, and the function is the mangled one.
inline CudaSite *MakeCudaSite(const char *name, bool kernel)
{
    const size_t size = strlen(name) + 1;
    CudaSite *const site = static_cast<CudaSite *>(td_client_alloc(sizeof(CudaSite) + 3 * size + 32));
    if (!site)
        return nullptr;
    char *const text = reinterpret_cast<char *>(site + 1), *const title = kernel ? text + size : text;
    memcpy(text, name, size);
    if (kernel)
        CudaName::Shorten(text, title);
    const tracy::SourceLocationData location = {title, text, TracyFile, uint32_t(TracyLine), 0};
    memcpy(&site->location, &location, sizeof location);
    site->next = nullptr;
    site->calls = 0;
    return site;
}

// The source locations of kernels, each made once. For one thread at a time.
class CudaKernels
{
  public:
    CudaKernels() : m_sites()
    {
    }
    const tracy::SourceLocationData *Site(const char *name)
    {
        if (!name)
            name = "a kernel";
        uint32_t hash = 2166136261u;
        for (const char *c = name; *c; c++)
            hash = (hash ^ uint8_t(*c)) * 16777619u;
        CudaSite **const bucket = &m_sites[hash % Buckets];
        for (CudaSite *site = *bucket; site; site = site->next)
            if (strcmp(site->location.function, name) == 0)
                return &site->location;
        CudaSite *const site = MakeCudaSite(name, true);
        static const tracy::SourceLocationData none = {"a kernel", "", TracyFile, TracyLine, 0}; // no memory
        if (!site)
            return &none;
        site->next = *bucket;
        *bucket = site;
        return &site->location;
    }

  private:
    enum : size_t { Buckets = 512 };

    CudaSite *m_sites[Buckets];
};

// The source location of a copy, by its direction.
inline const tracy::SourceLocationData *CudaCopySite(uint8_t kind)
{
    // clang-format off
#define TENDRIL_CUDA_COPY_(what) {"CUDA::memcpy", what, TracyFile, TracyLine, tracy::Color::Blue}
    static const tracy::SourceLocationData sites[] = {
        TENDRIL_CUDA_COPY_("copy"), TENDRIL_CUDA_COPY_("host to device"),
        TENDRIL_CUDA_COPY_("device to host"), TENDRIL_CUDA_COPY_("host to array"),
        TENDRIL_CUDA_COPY_("array to host"), TENDRIL_CUDA_COPY_("array to array"),
        TENDRIL_CUDA_COPY_("array to device"), TENDRIL_CUDA_COPY_("device to array"),
        TENDRIL_CUDA_COPY_("device to device"), TENDRIL_CUDA_COPY_("host to host"),
        TENDRIL_CUDA_COPY_("device to other device")};
#undef TENDRIL_CUDA_COPY_
    // clang-format on
    return &sites[kind < sizeof sites / sizeof *sites ? kind : 0];
}
} // namespace tendril

#endif
