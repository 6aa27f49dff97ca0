/* Names before the items that refer to them. Tendril's recorder asks Tendril's client for it by a ThreadString query
 * of TD_WIRE_AHEAD_KEY, and gets a ThreadName of that key. From then on the client sends, before the frame that uses a
 * name first, a ThreadName of the key plus the number of the query (enum td_query) that would ask for the name, whose
 * text is the query's argument as a hexadecimal number; and then the answer. */
#pragma once
#include <stdint.h>

#define TD_WIRE_AHEAD_KEY (UINT64_C(0xfffffffd) << 32)
