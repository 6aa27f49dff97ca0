/* tt-metal's includes functions of the SFPU, which need its own compiler. */
#pragma once
