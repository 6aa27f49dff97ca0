"""Zones of a thread in a GPU context, which trace_dump prints line by line (host/trace/gpu_lines.h)."""

DEPTH, ORDER, PARENT = 0, 13, 14  # in a zone of trace_dump


def in_order_of_begins(lines):
    """Pairs of the depth and the zone, with the order and the nesting that they were sent with, over all lines."""
    zones = []
    for line in lines:
        around = []
        for zone in line:
            depth, order, parent = zone[DEPTH], zone[ORDER], zone[PARENT]
            del around[depth:]
            zones.append((order, around[-1] if depth else parent, zone))
            around.append(order)
    around = []
    for order, parent, zone in sorted(zones, key=lambda item: item[0]):
        while around and around[-1] != parent:
            around.pop()
        yield len(around), zone
        around.append(order)
