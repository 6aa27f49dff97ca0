"""Allocates while memory is recorded, in several threads."""
import threading

import tracy

before = [bytes(2000) for _ in range(100)]
kept = []


def work():
    for i in range(200):
        data = bytearray(1000 + i)
        data.extend(bytes(3000))
        kept.append(bytes(5000)) if i % 50 == 0 else None


tracy.memory.start()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
before.clear()
tracy.memory.stop()
after = [bytes(70000) for _ in range(10)]
kept.clear()
with tracy.memory.recorded():
    held = bytes(123456)
print(len(after), len(held))
