"""What tracy_client offers, but for the colours. Names of frames, plots and pools have a number, by which later calls
refer to them. Depths of call stacks are accepted, and mean nothing: they would show the interpreter."""

import enum

from tracy import _tracy
from tracy._tracy import frame_mark as _frame_mark
from tracy._tracy import thread_name  # noqa: F401
from tracy.markers import decorated, frame

TEXT_MAX = 65535

_names = []
_numbers = {}


def _number(name):
    if not isinstance(name, str):
        raise TypeError(f"a name is a str, not {type(name).__name__}")
    number = _numbers.get(name)
    if number is None:
        number = _numbers[name] = len(_names)
        _names.append(name)
    return number


def _name(number):
    return _names[number] if 0 <= number < len(_names) else None


class PlotFormatType(enum.IntEnum):
    Number = 0
    Memory = 1
    Percentage = 2
    Watt = 3


def is_enabled():
    return True


def program_name(name):
    _tracy.program_name(name)
    return True


def app_info(text):
    if len(text.encode()) >= TEXT_MAX:
        return False
    _tracy.app_info(text)
    return True


def message(message, color=0):
    if len(message.encode()) >= TEXT_MAX:
        return False
    _tracy.message(message, int(color))
    return True


def frame_mark():
    _frame_mark()


def frame_mark_start(name):
    number = _number(name)
    _tracy.frame_begin(name)
    return number


def frame_mark_end(id):
    name = _name(id)
    if name is None:
        return False
    _tracy.frame_end(name)
    return True


def frame_image(image, width, height, offset=0, flip=False):
    """RGBA, four bytes a pixel. False: the size is no multiple of four pixels, or the bytes are too few."""
    if width % 4 or height % 4 or len(image) < 4 * width * height:
        return False
    _tracy.frame_image(image, width, height, offset, flip)
    return True


def plot_config(name, type, step=False, fill=False, color=0):
    number = _number(name)
    _tracy.plot_config(name, PlotFormatType(type).name.lower(), step, fill, int(color))
    return number


def plot(id, value):
    name = _name(id)
    if name is None:
        return False
    _tracy.plot(name, value)
    return True


def _address(thing):
    return thing if isinstance(thing, int) else id(thing)


def alloc(ptr, size, name=None, id=None, depth=None):
    """The number of the pool's name; None: there is none."""
    if id is not None:
        name = _name(id)
        if name is None:
            return None
    elif name is None:
        _tracy.memory_alloc(_address(ptr), size)
        return None
    _tracy.memory_alloc(_address(ptr), size, name)
    return _number(name)


def free(ptr, id=None, depth=None):
    name = None if id is None else _name(id)
    if id is not None and name is None:
        return False
    _tracy.memory_free(_address(ptr), name)
    return True


class ScopedZone(_tracy.zone):
    """`with ScopedZone("load", color=ColorType.Red) as zone:`"""

    is_active = True

    def __new__(cls, name=None, color=0, depth=None, active=True):
        return super().__new__(cls if active else _InactiveZone, name, int(color))

    def enter(self):
        self.__enter__()

    def exit(self):
        self.__exit__()

    def name(self, name):
        super().name(name)
        return True

    def text(self, text):
        super().text(str(text))
        return True

    def color(self, color):
        super().color(int(color))


class _InactiveZone(ScopedZone):
    is_active = False

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def name(self, name):
        return False

    def text(self, text):
        return False

    def color(self, color):
        pass


class ScopedFrame(frame):
    """`with ScopedFrame("simulation"):`"""


def ScopedZoneDecorator(name=None, color=0, depth=None, active=True, class_name=None):
    """Functions are named with their classes by themselves, so class_name means nothing."""

    def decorate(function):
        return decorated(function, name, int(color), None) if active else function

    return decorate


def ScopedFrameDecorator(name):
    return frame(name)
