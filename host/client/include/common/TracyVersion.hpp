// The release whose interface these headers offer. (What is spoken on the network is decided when somebody
// connects.)
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
