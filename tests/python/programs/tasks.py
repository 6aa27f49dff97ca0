"""Coroutines of all shapes, in tasks, in two event loops at the same time."""
import asyncio
import threading
import types

JOBS = 20


async def numbers(count):
    for i in range(count):
        await asyncio.sleep(0)
        yield i


async def deep(n):
    if n:
        return await deep(n - 1)
    await asyncio.sleep(0.001)
    return 1


class Awaitable:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return 5


@types.coroutine
def generator_based():
    yield from asyncio.sleep(0).__await__()
    return 3


async def cancelled():
    try:
        await asyncio.sleep(100)
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        raise


async def failing():
    await asyncio.sleep(0)
    raise ValueError("in a coroutine")


async def unfinished():
    await asyncio.sleep(1000)


async def job():
    total = 0
    async for i in numbers(3):
        total += i
    total += await deep(5) + await Awaitable() + await generator_based()
    total += sum([i async for i in numbers(2)])
    task = asyncio.create_task(cancelled())
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        total += 1
    for result in await asyncio.gather(failing(), deep(2), return_exceptions=True):
        total += 1 if isinstance(result, ValueError) else result
    async with asyncio.TaskGroup() as group:
        group.create_task(deep(1))
        group.create_task(deep(2))
    return total


async def main():
    left = asyncio.create_task(unfinished())
    results = await asyncio.gather(*[job() for _ in range(JOBS)])
    left_open = numbers(5)
    await left_open.__anext__()
    return sum(results), left.done()


def by_hand():
    coroutine = deep(0)
    try:
        coroutine.send(None)
    except RuntimeError as error:
        print(error)
    coroutine.close()


if __name__ == "__main__":
    other = threading.Thread(target=lambda: print(asyncio.run(main())))
    other.start()
    other.join()
    print(asyncio.run(main()))
    by_hand()
