"""Uses every marker."""
import asyncio
import sys
import threading

import tracy
from tracy import signpost, zone


@zone
def plain(n):
    return n + 1


@zone("named", color=0x80FF00)
def named():
    raise ValueError("left by an exception")


@zone("waits")
async def waits():
    await asyncio.sleep(0.001)
    with zone("inner"):
        await asyncio.sleep(0.001)
    return 3


@tracy.frame("decorated")
def framed():
    pass


def recursive(n):
    with zone("deep", text=f"level {n}") as here:
        here.value(n)
        if n:
            recursive(n - 1)
        here.text("after")
        here.name(f"deep {n}")
        here.color(0xFF0000)


def name_thread():
    tracy.thread_name("a thread with a name")
    plain(1)


def main():
    assert plain(1) == 2 and plain.__name__ == "plain"
    try:
        named()
    except ValueError:
        pass
    assert asyncio.run(waits()) == 3
    recursive(2)
    signpost("start")
    signpost(header="Run number 5", message="after warmup")
    tracy.message("a message")
    tracy.message("a red one: \u00e4\udc80".encode("utf-8", "replace").decode(), 0xFF0000)
    for i in range(5):
        tracy.plot("integers", i)
        tracy.plot("reals", i / 2)
        tracy.frame_mark()
        tracy.frame_mark("set")
    tracy.plot_config("reals", format="percentage", step=True, fill=False, color=0xFF)
    with tracy.frame("gaps"):
        pass
    framed()
    tracy.app_info("a line of the description")
    thread = threading.Thread(target=name_thread)
    thread.start()
    thread.join()
    tracy.memory_alloc(0x1000, 64, "pool")
    tracy.memory_free(0x1000, "pool")
    for wrong in (lambda: tracy.plot("x"), lambda: tracy.plot(3, 1), lambda: tracy.plot("x", "y"), lambda: zone(3),
                  lambda: tracy.message(3), lambda: tracy.plot_config("x", format="cubic"), lambda: tracy.nothing):
        try:
            wrong()
            print("no exception")
        except (TypeError, ValueError, AttributeError) as error:
            print(type(error).__name__, error)


main()
sys.stdout.flush()
