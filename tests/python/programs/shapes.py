"""Calls of all shapes; prints what a test compares."""
import contextlib
import functools
import threading


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers(count):
    for i in range(count):
        yield i


def delegating(count):
    yield from numbers(count)


def raising(depth):
    if depth:
        raising(depth - 1)
    raise ValueError("deep")


@contextlib.contextmanager
def opened():
    yield 1


class Shape:
    def __init__(self, sides):
        self.sides = sides

    @property
    def area(self):
        return self.sides * 2

    @staticmethod
    def of(sides):
        return Shape(sides)

    def __del__(self):
        self.sides = 0


@functools.lru_cache
def cached(n):
    return len(str(n))


def closed_early():
    stream = numbers(10)
    next(stream)
    stream.close()
    thrown = numbers(10)
    next(thrown)
    try:
        thrown.throw(KeyError("x"))
    except KeyError:
        pass


def worker(results, n):
    results.append(fib(n))


def main():
    print(fib(12), sum(numbers(50)), sum(delegating(7)))
    try:
        raising(5)
    except ValueError as error:
        print(error)
    with opened() as one:
        print(one, Shape.of(4).area, [cached(i % 3) for i in range(10)])
    closed_early()
    results = []
    threads = [threading.Thread(target=worker, args=(results, n), name=f"worker {n}") for n in (5, 6, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(sorted(results), sorted(map(lambda x: -x, [3, 1, 2])), eval("fib(4)"))


if __name__ == "__main__":
    main()
