// The release of Tracy whose interface these headers offer. (The protocol on the network is chosen when a
// viewer or recorder connects.)
#ifndef TENDRIL_TRACY_VERSION_HPP
#define TENDRIL_TRACY_VERSION_HPP
namespace tracy
{
namespace Version
{
enum { Major = 0, Minor = 14, Patch = 0 };
}
} // namespace tracy
#endif
