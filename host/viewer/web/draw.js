// Draws a picture with WebGL 2.
import { RECT, VERTEX } from "./picture.js";

const UNITS = 16;

const HEAD = `#version 300 es
precision highp float;
uniform vec2 size;     // of the picture, in pixels
uniform vec2 texSize;  // in pixels
out vec2 uv;
out vec4 color;
`;

const RECTS = HEAD + `
layout(location = 0) in vec4 box;
layout(location = 1) in vec4 place;
layout(location = 2) in vec4 tint;
void main() {
  bool right = (gl_VertexID & 1) != 0, low = (gl_VertexID & 2) != 0;
  vec2 at = vec2(right ? box.z : box.x, low ? box.w : box.y) / ${UNITS}.0;
  uv = vec2(right ? place.z : place.x, low ? place.w : place.y) / (${UNITS}.0 * texSize);
  color = tint;
  gl_Position = vec4(at.x / size.x * 2.0 - 1.0, 1.0 - at.y / size.y * 2.0, 0.0, 1.0);
}`;

const MESHES = HEAD + `
layout(location = 0) in vec2 point;
layout(location = 1) in vec2 place;
layout(location = 2) in vec4 tint;
void main() {
  vec2 at = point / ${UNITS}.0;
  uv = place / (${UNITS}.0 * texSize);
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
  vec4 of = pixelBytes == 0 ? vec4(1.0) : texture(image, uv);
  pixel = color * (pixelBytes == 1 ? vec4(1.0, 1.0, 1.0, of.r) : of);
}`;

export class Screen {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, preserveDrawingBuffer: true });
    if (!this.gl)
      throw new Error("this browser has no WebGL 2");
    this.start();
  }

  // Also after the browser has lost the graphics card's memory.
  start() {
    const gl = this.gl;
    this.textures = new Map();
    this.rects = this.makeProgram(RECTS);
    this.meshes = this.makeProgram(MESHES);
    this.rectBuffer = gl.createBuffer();
    this.vertexBuffer = gl.createBuffer();
    this.indexBuffer = gl.createBuffer();
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    for (let i = 0; i < 3; i++)
      gl.enableVertexAttribArray(i);
  }

  makeProgram(vertex) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, PIXELS]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error("WebGL: " + gl.getProgramInfoLog(program));
    const places = { program };
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
      this.textures.set(id, { name, width, height, pixelBytes });
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
    gl.bindBuffer(gl.ARRAY_BUFFER, this.rectBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, picture.rects, gl.STREAM_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertexBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, picture.vertices, gl.STREAM_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indexBuffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, picture.indices, gl.STREAM_DRAW);
    let rect = 0, mesh = 0;
    for (const command of picture.commands) {
      const [left, top, right, low] = command.clip;
      gl.scissor(Math.max(left, 0), Math.max(height - low, 0), Math.max(right - Math.max(left, 0), 0),
        Math.max(Math.min(low, height) - top, 0));
      for (let i = 0; i < command.parts; i++) {
        const count = picture.parts[command.firstPart + i];
        if (i % 2 === 0) {
          this.drawRects(picture, command, rect, count);
          rect += count;
        } else {
          this.drawMeshes(picture, command, mesh, count);
          mesh += count;
        }
      }
    }
  }

  use({ program, size, texSize, pixelBytes }, picture, command) {
    const gl = this.gl, texture = this.textures.get(command.texture);
    gl.useProgram(program);
    gl.uniform2f(size, picture.width, picture.height);
    gl.uniform2f(texSize, texture ? texture.width : 1, texture ? texture.height : 1);
    gl.uniform1i(pixelBytes, texture ? texture.pixelBytes : 0);
    gl.bindTexture(gl.TEXTURE_2D, texture ? texture.name : null);
  }

  drawRects(picture, command, first, count) {
    const gl = this.gl, bytes = RECT * 4, at = first * bytes;
    if (!count)
      return;
    this.use(this.rects, picture, command);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.rectBuffer);
    gl.vertexAttribPointer(0, 4, gl.INT, false, bytes, at);
    gl.vertexAttribPointer(1, 4, gl.INT, false, bytes, at + 16);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, bytes, at + 32);
    this.step(1);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  drawMeshes(picture, command, first, count) {
    const gl = this.gl, bytes = VERTEX * 4;
    if (!count)
      return;
    const from = picture.meshes[first].index, last = picture.meshes[first + count - 1];
    this.use(this.meshes, picture, command);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.vertexBuffer);
    gl.vertexAttribPointer(0, 2, gl.INT, false, bytes, 0);
    gl.vertexAttribPointer(1, 2, gl.INT, false, bytes, 8);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, bytes, 16);
    this.step(0);
    gl.drawElements(gl.TRIANGLES, last.index + last.indices - from, gl.UNSIGNED_INT, from * 4);
  }

  step(instances) {
    for (let i = 0; i < 3; i++)
      this.gl.vertexAttribDivisor(i, instances);
  }
}
