"""A web server under asyncio, and clients that ask it in threads."""
import asyncio
import threading
import urllib.request

REQUESTS = 20


async def look_up(path):
    await asyncio.sleep(0.002)
    return f"you asked for {path}"


async def handle(reader, writer):
    request = await reader.readline()
    while (await reader.readline()).strip():
        pass
    body = (await look_up(request.split()[1].decode())).encode()
    writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
    await writer.drain()
    writer.close()


def ask(port, number, answers):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/page/{number}") as answer:
        answers[number] = answer.read().decode()


async def serve():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    answers = {}
    threads = [threading.Thread(target=ask, args=(port, i, answers)) for i in range(REQUESTS)]
    for thread in threads:
        thread.start()
    while len(answers) < REQUESTS:
        await asyncio.sleep(0.005)
    for thread in threads:
        thread.join()
    server.close()
    await server.wait_closed()
    return answers


if __name__ == "__main__":
    result = asyncio.run(serve())
    for key in sorted(result):
        print(result[key])
