// Draws a picture with WebGL 2.
import { RECT, VERTEX } from "./picture.js";

const UNITS = 16;
const CLEARED = 2000; // pixels of a rectangle from which on clearing is quicker than two triangles
const OPAQUE = 0xff000000;
const CORNERS = 4, SIDES = [0, 1, 2, 2, 1, 3]; // of a rectangle's triangles

const POINTS = `#version 300 es
precision highp float;
uniform vec2 size;     // of the picture, in pixels
uniform vec2 texSize;  // in pixels
layout(location = 0) in ivec4 point;
layout(location = 1) in vec4 tint;
out vec2 uv;
out vec4 color;
void main() {
  vec2 at = vec2(point.xy) / ${UNITS}.0;
  uv = point.z < 0 ? vec2(-1.0) : vec2(point.zw) / (${UNITS}.0 * texSize);
  color = tint;
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}`;

const PIXELS = `#version 300 es
precision highp float;
uniform sampler2D image;
uniform int pixelBytes; // 0: no texture, 1: opacity, 4: colours
in vec2 uv;
in vec4 color;
out vec4 pixel;
void main() {
  vec4 of = vec4(1.0);
  bool done = pixelBytes == 0 || uv.x < 0.0;
  for (; !done; done = true) // a processor runs the body of each if, but not of each loop
    of = textureLod(image, uv, 0.0);
  pixel = color * (pixelBytes == 1 ? vec4(1.0, 1.0, 1.0, of.r) : of);
}`;

// Of one colour: the texture is white there.
function isPlain(rects, rect, texture) {
  const u = rects[rect + 4], v = rects[rect + 5];
  if (!texture)
    return true;
  return u === rects[rect + 6] && v === rects[rect + 7] && u % UNITS === UNITS / 2 && v % UNITS === UNITS / 2 &&
    texture.pixelBytes === 1 && texture.pixels[(v - UNITS / 2) / UNITS * texture.width + (u - UNITS / 2) / UNITS] === 255;
}

// Opaque, large, and of whole pixels.
function isCleared(rects, rect) {
  const [left, top, right, low] = rects.subarray(rect, rect + 4);
  return (rects[rect + 8] & OPAQUE) === (OPAQUE | 0) && (left | top | right | low) % UNITS === 0 &&
    right > left && low > top && (right - left) * (low - top) >= CLEARED * UNITS * UNITS;
}

export class Screen {
  constructor(canvas) {
    this.canvas = canvas;
    // All of it is opaque. To say so costs: the browser then masks alpha in each clear and each triangle.
    this.gl = canvas.getContext("webgl2", { alpha: true, antialias: false, depth: false, preserveDrawingBuffer: true });
    if (!this.gl)
      throw new Error("this browser has no WebGL 2");
    this.start();
  }

  // Also after the browser has lost the graphics card's memory.
  start() {
    const gl = this.gl;
    this.textures = new Map();
    this.places = this.makeProgram();
    this.vertices = new Int32Array(0);
    this.indices = new Uint32Array(0);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    for (let i = 0; i < 2; i++)
      gl.enableVertexAttribArray(i);
    gl.vertexAttribIPointer(0, 4, gl.INT, VERTEX * 4, 0);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, VERTEX * 4, 16);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  }

  makeProgram() {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, POINTS], [gl.FRAGMENT_SHADER, PIXELS]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error("WebGL: " + gl.getProgramInfoLog(program));
    gl.useProgram(program);
    const places = {};
    for (const name of ["size", "texSize", "pixelBytes"])
      places[name] = gl.getUniformLocation(program, name);
    return places;
  }

  // Textures are of every picture; only the last one is drawn.
  takeTextures(picture) {
    const gl = this.gl;
    if (picture.whole) {
      for (const texture of this.textures.values())
        gl.deleteTexture(texture.name);
      this.textures.clear();
    }
    for (const id of picture.gone) {
      const texture = this.textures.get(id);
      this.textures.delete(id);
      if (texture)
        gl.deleteTexture(texture.name);
    }
    for (const { id, width, height, pixelBytes, pixels } of picture.textures) {
      const name = this.textures.has(id) ? this.textures.get(id).name : gl.createTexture();
      const form = pixelBytes === 1 ? [gl.R8, gl.RED] : [gl.RGBA8, gl.RGBA];
      gl.bindTexture(gl.TEXTURE_2D, name);
      for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
        gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
      for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
        gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
      gl.texImage2D(gl.TEXTURE_2D, 0, form[0], width, height, 0, form[1], gl.UNSIGNED_BYTE, pixels);
      this.textures.set(id, { name, width, height, pixelBytes, pixels: pixels.slice() });
    }
  }

  draw(picture) {
    const gl = this.gl, { width, height } = picture;
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.disable(gl.SCISSOR_TEST);
    gl.clearColor(0.06, 0.07, 0.085, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.SCISSOR_TEST);
    const { steps, vertices, indices } = this.plan(picture);
    gl.uniform2f(this.places.size, width, height);
    gl.bufferData(gl.ARRAY_BUFFER, this.vertices, gl.STREAM_DRAW, 0, vertices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, this.indices, gl.STREAM_DRAW, 0, indices);
    for (const { clip, texture, from, end, rect } of steps) {
      if (end > from) {
        this.limit(clip, height);
        this.useTexture(texture);
        gl.drawElements(gl.TRIANGLES, end - from, gl.UNSIGNED_INT, from * 4);
      }
      if (rect !== undefined)
        this.clear(picture, rect, clip);
    }
  }

  limit([left, top, right, low], height) {
    this.gl.scissor(Math.max(left, 0), Math.max(height - low, 0), Math.max(right - Math.max(left, 0), 0),
      Math.max(Math.min(low, height) - top, 0));
  }

  clear({ rects, height }, rect, clip) {
    const edge = i => rects[rect + i] / UNITS, color = i => (rects[rect + 8] >>> i & 255) / 255;
    this.limit([Math.max(edge(0), clip[0]), Math.max(edge(1), clip[1]), Math.min(edge(2), clip[2]), Math.min(edge(3), clip[3])], height);
    this.gl.clearColor(color(0), color(8), color(16), 1);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
  }

  useTexture(texture) {
    const gl = this.gl, { texSize, pixelBytes } = this.places;
    gl.uniform2f(texSize, texture ? texture.width : 1, texture ? texture.height : 1);
    gl.uniform1i(pixelBytes, texture ? texture.pixelBytes : 0);
    gl.bindTexture(gl.TEXTURE_2D, texture ? texture.name : null);
  }

  // The triangles in the order in which they are drawn, as runs: instances, and many calls, are slow without a graphics
  // card. A step may end with a rectangle that is cleared.
  plan(picture) {
    const { rects, meshes } = picture, steps = [], all = rects.length / RECT;
    this.grow(picture.vertices.length + all * CORNERS * VERTEX, picture.indices.length + all * SIDES.length);
    this.vertices.set(picture.vertices);
    let rect = 0, mesh = 0, corner = picture.vertices.length / VERTEX, from = 0, at = 0;
    for (const { clip, texture: id, firstPart, parts } of picture.commands) {
      const texture = this.textures.get(id);
      for (let part = firstPart; part < firstPart + parts; part++) {
        const count = picture.parts[part];
        if ((part - firstPart) % 2 && count) {
          const last = meshes[mesh + count - 1], run = picture.indices.subarray(meshes[mesh].index, last.index + last.indices);
          this.indices.set(run, at);
          at += run.length;
          mesh += count;
          continue;
        }
        for (const end = rect + count * RECT; rect < end; rect += RECT) {
          const plain = isPlain(rects, rect, texture);
          if (plain && isCleared(rects, rect)) {
            steps.push({ clip, texture, from, end: at, rect });
            from = at;
            continue;
          }
          this.addRect(rects, rect, plain, corner, at);
          corner += CORNERS;
          at += SIDES.length;
        }
      }
      steps.push({ clip, texture, from, end: at });
      from = at;
    }
    return { steps, vertices: corner * VERTEX, indices: at };
  }

  grow(vertices, indices) {
    if (this.vertices.length < vertices)
      this.vertices = new Int32Array(vertices * 2);
    if (this.indices.length < indices)
      this.indices = new Uint32Array(indices * 2);
  }

  addRect(rects, rect, plain, corner, index) {
    const to = this.vertices;
    for (let i = 0, at = corner * VERTEX; i < CORNERS; i++, at += VERTEX) {
      const x = rect + (i & 1 ? 2 : 0), y = rect + (i & 2 ? 3 : 1);
      to[at] = rects[x];
      to[at + 1] = rects[y];
      to[at + 2] = plain ? -1 : rects[x + 4];
      to[at + 3] = rects[y + 4];
      to[at + 4] = rects[rect + 8];
    }
    for (let i = 0; i < SIDES.length; i++)
      this.indices[index + i] = corner + SIDES[i];
  }
}
