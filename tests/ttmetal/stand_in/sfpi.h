/* Vectors of the SFPU, which need the own compiler of tt-metal. */
#pragma once
