"""A program that is marked for Tracy's own Python module."""
import tracy_client as tracy


@tracy.ScopedZoneDecorator(name="decorated", color=tracy.ColorType.Red4)
def work(n):
    return sum(range(n))


@tracy.ScopedFrameDecorator("framed")
def frame():
    return work(10)


def main():
    assert tracy.is_enabled() and tracy.program_name("upstream") and tracy.app_info("by tracy_client")
    tracy.thread_name("the main one")
    size = tracy.plot_config("size", tracy.PlotFormatType.Memory, step=True)
    with tracy.ScopedZone(name="outer", color=tracy.ColorType.Coral) as zone:
        assert zone.is_active and zone.name("renamed") and zone.text("a text") and zone.text(7)
        zone.color(tracy.ColorType.Blue)
        frame()
    with tracy.ScopedZone(name="never", active=False) as zone:
        assert not zone.is_active and not zone.text("lost")
    by_hand = tracy.ScopedZone("by hand")
    by_hand.enter()
    assert tracy.plot(size, 5) and tracy.plot(size, 2.5) and not tracy.plot(1000, 1)
    by_hand.exit()
    assert tracy.message("plain") and tracy.message("coloured", tracy.ColorType.Lime) and not tracy.message("x" * 70000)
    with tracy.ScopedFrame("scoped"):
        pass
    number = tracy.frame_mark_start("by number")
    assert tracy.frame_mark_end(number) and not tracy.frame_mark_end(1000)
    tracy.frame_mark()
    assert tracy.frame_image(bytes(4 * 8 * 4), 8, 4) and not tracy.frame_image(b"", 8, 4)
    pool = tracy.alloc(0x1000, 64, "pool")
    thing = object()
    assert tracy.alloc(thing, 32) is None and tracy.alloc(0x2000, 64, id=pool) == pool
    assert tracy.free(0x1000, pool) and tracy.free(0x2000, pool) and tracy.free(thing) and not tracy.free(1, 1000)


main()
