// Reads the messages of pictures.h: each is what changed since the picture before it.

const COMMANDS = 0, PARTS = 1, RUNS = 2, LEFT = 3, TOP = 4, WIDTH = 5, HEIGHT = 6, PLACE = 7, COLOR = 8, ALONG = 9,
  MESHES = 10, X = 11, Y = 12, POINT = 13, TINT = 14, INDEX = 15, BEND = 16, COLORS = 17, PLACES = 18, PIXELS = 19,
  STREAMS = 20;

export const RECT = 9;   // numbers of a rectangle: x0, y0, x1, y1, u0, v0, u1, v1, colour
export const VERTEX = 5; // x, y, u, v, colour

class Stream {
  constructor(bytes, at, end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  number() {
    let byte = this.bytes[this.at++];
    if (byte < 0x80)
      return byte;
    let number = byte & 0x7f;
    for (let shift = 7; byte >= 0x80 && shift < 35; shift += 7) {
      byte = this.bytes[this.at++];
      number |= (byte & 0x7f) << shift;
    }
    return number >>> 0;
  }

  signed() {
    const number = this.number();
    return (number >>> 1) ^ -(number & 1);
  }
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Pictures {
  constructor() {
    this.last = null;
    this.colors = [];
    this.places = [];
  }

  // The picture of a message. Messages must be read in their order.
  async read(message) {
    const body = await inflate(message.subarray(1));
    const head = new Stream(body, 0, body.length);
    const picture = { number: head.number(), whole: head.number() === 1, width: head.number(), height: head.number(),
      cursor: head.number(), textures: [], gone: [] };
    if (picture.whole) {
      this.colors.length = this.places.length = 0;
      this.last = null;
    } else if (!this.last) {
      throw new Error("a picture refers to one that is missing");
    }
    for (let count = head.number(); count; count--)
      picture.textures.push({ id: head.number(), width: head.number(), height: head.number(), pixelBytes: head.number() });
    for (let count = head.number(); count; count--)
      picture.gone.push(head.number());
    const [colors, places, commands, parts, rects, meshes, vertices, indices] = Array.from({ length: 8 }, () => head.number());
    const sizes = Array.from({ length: STREAMS }, () => head.number());
    let at = head.at;
    const streams = sizes.map(size => new Stream(body, at, at += size));
    if (at !== body.length)
      throw new Error("a picture is not whole");
    this.readValues(streams, picture, colors, places);
    this.readCommands(streams, picture, commands, parts);
    this.readRects(streams, picture, rects);
    this.readMeshes(streams, picture, meshes, vertices, indices);
    this.last = picture;
    return picture;
  }

  readValues(streams, picture, colors, places) {
    const from = streams[COLORS], view = new DataView(from.bytes.buffer);
    for (; colors; colors--, from.at += 4)
      this.colors.push(view.getInt32(from.at, true));
    for (; places; places--) {
      const before = this.places.length ? this.places[this.places.length - 1] : [0, 0, 0, 0];
      this.places.push(before.map(value => value + streams[PLACES].signed()));
    }
    for (const texture of picture.textures) {
      const count = texture.width * texture.height * texture.pixelBytes;
      texture.pixels = streams[PIXELS].bytes.subarray(streams[PIXELS].at, streams[PIXELS].at += count);
    }
  }

  readCommands(streams, picture, commands, parts) {
    const from = streams[COMMANDS];
    picture.commands = [];
    for (let first = 0; commands; commands--) {
      const command = { clip: [from.signed(), from.signed(), from.signed(), from.signed()], texture: from.number(),
        firstPart: first, parts: from.number() };
      first += command.parts;
      picture.commands.push(command);
    }
    picture.parts = Array.from({ length: parts }, () => streams[PARTS].number());
  }

  readRects(streams, picture, count) {
    const rects = new Int32Array(count * RECT), old = this.last ? this.last.rects : rects;
    const runs = streams[RUNS], along = streams[ALONG];
    let next = 0, dx = 0, dy = 0;
    for (let i = 0; i < rects.length;) {
      const run = runs.number(), end = i + (run >>> 1) * RECT;
      if (end === i || end > rects.length)
        throw new Error("a run is too long");
      if (!(run & 1)) {
        for (; i < end; i += RECT)
          this.readNewRect(streams, rects, i);
        continue;
      }
      next += runs.signed();
      dx += runs.signed();
      dy += runs.signed();
      const first = next * RECT;
      rects.set(old.subarray(first, first + end - i), i);
      next += run >>> 1;
      for (; i < end; i += RECT) {
        rects[i] += dx + along.signed();
        rects[i + 2] += dx + along.signed();
        rects[i + 1] += dy;
        rects[i + 3] += dy;
      }
    }
    picture.rects = rects;
  }

  readNewRect(streams, rects, i) {
    rects[i] = (i ? rects[i - RECT] : 0) + streams[LEFT].signed();
    rects[i + 1] = (i ? rects[i - RECT + 1] : 0) + streams[TOP].signed();
    rects[i + 2] = rects[i] + streams[WIDTH].signed();
    rects[i + 3] = rects[i + 1] + streams[HEIGHT].signed();
    rects.set(this.places[streams[PLACE].number()], i + 4);
    rects[i + 8] = this.colors[streams[COLOR].number()];
  }

  readMeshes(streams, picture, count, vertices, indices) {
    picture.vertices = new Int32Array(vertices * VERTEX);
    picture.indices = new Uint32Array(indices); // from the first vertex of all
    picture.meshes = [];
    const from = streams[MESHES];
    let next = 0, dx = 0, dy = 0, vertex = 0, index = 0;
    for (; count; count--) {
      const mesh = { vertex, index, vertices: 0, indices: 0 };
      if (from.number()) {
        next += from.signed();
        dx += from.signed();
        dy += from.signed();
        this.copyMesh(streams, picture, mesh, this.last.meshes[next++], dx, dy);
      } else {
        mesh.vertices = from.number();
        mesh.indices = from.number();
        this.readNewMesh(streams, picture, mesh);
      }
      vertex += mesh.vertices;
      index += mesh.indices;
      picture.meshes.push(mesh);
    }
  }

  copyMesh(streams, picture, mesh, old, dx, dy) {
    mesh.vertices = old.vertices;
    mesh.indices = old.indices;
    const first = mesh.vertex * VERTEX, to = picture.vertices;
    to.set(this.last.vertices.subarray(old.vertex * VERTEX, (old.vertex + old.vertices) * VERTEX), first);
    for (let i = first; i < first + mesh.vertices * VERTEX; i += VERTEX) {
      to[i] += dx + streams[BEND].signed();
      to[i + 1] += dy + streams[BEND].signed();
    }
    for (let i = 0; i < mesh.indices; i++)
      picture.indices[mesh.index + i] = this.last.indices[old.index + i] - old.vertex + mesh.vertex;
  }

  readNewMesh(streams, picture, mesh) {
    const to = picture.vertices;
    for (let i = mesh.vertex * VERTEX; i < (mesh.vertex + mesh.vertices) * VERTEX; i += VERTEX) {
      to[i] = (i ? to[i - VERTEX] : 0) + streams[X].signed();
      to[i + 1] = (i ? to[i - VERTEX + 1] : 0) + streams[Y].signed();
      const place = this.places[streams[POINT].number()];
      to[i + 2] = place[0];
      to[i + 3] = place[1];
      to[i + 4] = this.colors[streams[TINT].number()];
    }
    for (let i = 0, index = 0; i < mesh.indices; i++) {
      index += streams[INDEX].signed();
      picture.indices[mesh.index + i] = index + mesh.vertex;
    }
  }
}
