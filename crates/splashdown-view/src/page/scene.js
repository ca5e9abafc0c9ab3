// Draws a frame: particles or surface, bodies, ground.

import * as shaders from "./shaders.js";
import { cross, dot, sub } from "./camera.js";
import { tick } from "./scale.js";

const KIND = { obstacle: 0, container: 1, sheet: 2, liquid: 3 };
/** Above this many particles, spheres are drawn as discs. */
const EXACT_UP_TO = 150_000;
/** Above this many, edges are not smoothed. */
const SMOOTH_UP_TO = 300_000;

export const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

export class Scene {
  constructor(canvas, run) {
    this.canvas = canvas;
    this.run = run;
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("This browser has no WebGL 2, which the viewer draws with.");
    this.gl = gl;
    const link = ({ vertex, fragment }) => program(gl, vertex, fragment);
    this.programs = {
      spheres: link({ vertex: shaders.particles.vertex, fragment: shaders.particles.fragment(true) }),
      discs: link({ vertex: shaders.particles.vertex, fragment: shaders.particles.fragment(false) }),
      mesh: link(shaders.mesh),
      lines: link(shaders.lines),
      ground: link(shaders.ground),
      backdrop: link(shaders.backdrop),
      finish: link(shaders.finish),
    };
    this.middle = run.bounds.min.map((low, k) => (low + run.bounds.max[k]) / 2);
    this.half = run.bounds.min.map((low, k) => (run.bounds.max[k] - low) / 2);
    this.flat = run.dimension === 2;
    this.palette = texture(gl, run.fluid_colors);
    this.ramps = Object.fromEntries(Object.entries(run.ramps).map(([name, colors]) => [name, texture(gl, colors)]));
    this.empty = gl.createVertexArray();
    this.points = { array: gl.createVertexArray(), places: gl.createBuffer(), values: gl.createBuffer(), frame: null, nth: 0 };
    gl.bindVertexArray(this.points.array);
    gl.enableVertexAttribArray(0);
    this.skip(1);
    this.fixed = [];
    this.moving = [];
    this.surface = [];
    this.target = null;
  }

  /** Shows the particles of a frame. */
  setFrame(frame) {
    const { gl, points } = this;
    if (points.frame === frame) return;
    points.frame = frame;
    gl.bindVertexArray(points.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, points.places);
    gl.bufferData(gl.ARRAY_BUFFER, frame.places, gl.STREAM_DRAW);
    if (frame.values) {
      gl.enableVertexAttribArray(1);
      gl.bindBuffer(gl.ARRAY_BUFFER, points.values);
      gl.bufferData(gl.ARRAY_BUFFER, frame.values, gl.STREAM_DRAW);
    } else {
      gl.disableVertexAttribArray(1);
    }
  }

  /** From now on draws every nth particle: attributes are read in larger strides, nothing is copied. */
  skip(nth) {
    const { gl, points } = this;
    if (points.nth === nth) return;
    points.nth = nth;
    gl.bindVertexArray(points.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, points.places);
    gl.vertexAttribPointer(0, 4, gl.UNSIGNED_SHORT, false, 8 * nth, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, points.values);
    gl.vertexAttribPointer(1, 1, gl.UNSIGNED_SHORT, false, 2 * nth, 0);
  }

  /** Replaces `fixed`, `moving` or `surface` by the parts of a mesh. */
  setMesh(which, mesh) {
    if (this[which].mesh === mesh) return;
    this[which].forEach((part) => part.remove());
    this[which] = mesh ? mesh.parts.map((part) => this.upload(part, mesh)) : [];
    this[which].mesh = mesh;
  }

  upload(part, mesh) {
    const { gl } = this;
    const buffers = [];
    const fill = (target, data) => {
      const buffer = gl.createBuffer();
      buffers.push(buffer);
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, data, gl.STATIC_DRAW);
    };
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    fill(gl.ARRAY_BUFFER, part.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
    fill(gl.ARRAY_BUFFER, part.normals);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
    fill(gl.ARRAY_BUFFER, part.values);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 1, gl.UNSIGNED_SHORT, false, 2, 0);
    fill(gl.ELEMENT_ARRAY_BUFFER, part.corners);
    const edges = gl.createVertexArray();
    gl.bindVertexArray(edges);
    fill(gl.ARRAY_BUFFER, part.lines);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
    gl.bindVertexArray(null);
    const remove = () => {
      buffers.forEach((buffer) => gl.deleteBuffer(buffer));
      gl.deleteVertexArray(array);
      gl.deleteVertexArray(edges);
    };
    return { ...part, array, edges, extremes: mesh.extremes, offset: sub(mesh.origin, this.middle), remove };
  }

  /** Draws everything. `look`: what is shown and which colours mean what. */
  draw(camera, look) {
    const { gl } = this;
    const count = look.surface ? 0 : (this.points.frame?.count ?? 0);
    const [width, height] = this.resize(count <= SMOOTH_UP_TO ? 4 : 0);
    camera.aspect = width / height;
    const view = camera.matrices();
    const common = {
      view: view.view,
      projection: view.projection,
      up: turned(view.view, camera.up),
      range: look.range,
      mode: look.ramp ? 0 : 1,
      ramp: { unit: 0, texture: this.ramps[look.ramp] ?? this.palette },
      palette: { unit: 1, texture: this.palette },
      flat2d: this.flat ? 1 : 0,
    };
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target.draw);
    gl.viewport(0, 0, width, height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    this.use("backdrop", { sky: look.theme.sky, horizon: look.theme.horizon });
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.DEPTH_TEST);

    if (look.bodies) this.drawBodies(camera, common, look);
    if (look.surface) {
      this.drawWater(common);
    } else if (count > 0) {
      const { frame, array } = this.points;
      // Fewer particles are larger and fill the same space.
      const nth = count > EXACT_UP_TO ? look.nth : 1;
      this.skip(nth);
      const larger = nth ** (1 / this.run.dimension);
      const radius = 0.5 * this.run.spacing * (this.flat ? 1.25 : 1.05) * larger;
      this.use(count <= EXACT_UP_TO && !this.flat ? "spheres" : "discs", {
        ...common,
        corner: sub(frame.corner, this.middle),
        size: frame.size,
        extremes: frame.extremes,
        radius,
        pixels: (view.projection[5] * height) / 2,
      });
      gl.bindVertexArray(array);
      gl.drawArrays(gl.POINTS, 0, Math.ceil(count / nth));
    }
    if (look.bodies) this.drawLines(common, look);
    if (!this.flat) this.drawGround(camera, common, look);
    this.finish(view, width, height);
  }

  drawBodies(camera, common, look) {
    const { gl } = this;
    const solids = [...this.fixed, ...this.moving];
    let obstacles = 0;
    for (const part of solids.sort((a, b) => a.number - b.number)) {
      const { container, sheet, obstacle } = KIND;
      let color = look.theme.wall;
      if (part.kind === sheet) color = look.theme.sheet;
      if (part.kind === obstacle) color = rgb(this.run.solid_colors[obstacles++ % this.run.solid_colors.length]);
      // In 2D a container is seen from its open side; in 3D only its far walls are drawn.
      if (part.kind === container && this.flat && part.corners.length) continue;
      if (part.kind === container && !this.flat) {
        gl.enable(gl.CULL_FACE);
        gl.cullFace(gl.FRONT);
      }
      const isWall = part.kind === obstacle ? 0 : 1;
      const own = { offset: part.offset, byValue: 0, isWall, number: 0, extremes: [0, 1], alpha: 1, fixedColor: color };
      if (part.corners.length) this.drawPart(part, { ...common, ...own });
      else this.drawCloud(part, common, color);
      gl.disable(gl.CULL_FACE);
    }
  }

  /** The front of the liquid, a little translucent: its depth first, so that no layer lies behind it. */
  drawWater(common) {
    const { gl } = this;
    const draw = (alpha) => {
      for (const part of this.surface) {
        const own = { offset: part.offset, number: part.number, extremes: part.extremes, alpha };
        this.drawPart(part, { ...common, ...own, byValue: 1, isWall: 0, fixedColor: [0, 0, 0] });
      }
    };
    gl.colorMask(false, false, false, false);
    draw(1);
    gl.colorMask(true, true, true, true);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    draw(0.84);
    gl.disable(gl.BLEND);
    gl.depthFunc(gl.LESS);
  }

  drawPart(part, uniforms) {
    const { gl } = this;
    this.use("mesh", uniforms);
    gl.bindVertexArray(part.array);
    gl.drawElements(gl.TRIANGLES, part.corners.length, gl.UNSIGNED_INT, 0);
  }

  /** A body without triangles: its samples, as small crosses of lines would be too many. */
  drawCloud(part, common, color) {
    const { gl } = this;
    if (!part.cloud) {
      // Places in the form of a frame: the same shader draws both.
      const low = [0, 1, 2].map((k) => part.places.reduce((m, x, i) => (i % 3 === k ? Math.min(m, x) : m), Infinity));
      const high = [0, 1, 2].map((k) => part.places.reduce((m, x, i) => (i % 3 === k ? Math.max(m, x) : m), -Infinity));
      const size = sub(high, low);
      const n = part.places.length / 3;
      const places = new Uint16Array(4 * n);
      for (let i = 0; i < n; i++) {
        for (let k = 0; k < 3; k++) {
          places[4 * i + k] = size[k] > 0 ? ((part.places[3 * i + k] - low[k]) / size[k]) * 65535 : 0;
        }
      }
      const array = gl.createVertexArray();
      const buffer = gl.createBuffer();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 4, gl.UNSIGNED_SHORT, false, 8, 0);
      const remove = part.remove;
      part.remove = () => {
        remove();
        gl.deleteBuffer(buffer);
        gl.deleteVertexArray(array);
      };
      part.cloud = { array, low, size, n, palette: texture(gl, [color]) };
    }
    const { array, low, size, n, palette } = part.cloud;
    this.use(this.flat ? "discs" : "spheres", {
      ...common,
      mode: 1,
      palette: { unit: 1, texture: palette },
      corner: low.map((x, k) => x + part.offset[k]),
      size,
      extremes: [0, 1],
      radius: 0.5 * this.run.spacing,
      pixels: (common.projection[5] * this.canvas.height) / 2,
    });
    gl.bindVertexArray(array);
    gl.drawArrays(gl.POINTS, 0, n);
  }

  drawLines(common, look) {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    for (const part of [...this.fixed, ...this.moving]) {
      const edges = part.kind === KIND.container || this.flat;
      if (!edges || !part.lines.length) continue;
      this.use("lines", { ...common, offset: part.offset, ink: look.theme.edge });
      gl.bindVertexArray(part.edges);
      gl.drawArrays(gl.LINES, 0, part.lines.length / 3);
    }
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawGround(camera, common, look) {
    const { gl } = this;
    const height = -this.half.reduce((sum, h, k) => sum + Math.abs(h * camera.up[k]), 0) - 2e-3 * camera.radius;
    const center = camera.up.map((x) => x * height);
    const middle = [camera.across, camera.towards].map((axis) => dot(axis, this.middle));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.use("ground", {
      ...common,
      center,
      sideA: camera.across,
      sideB: cross(camera.across, camera.up).map((x) => -x),
      reach: 5 * camera.radius,
      cell: tick(0, camera.radius, 10),
      groundColor: look.theme.ground,
      gridColor: look.theme.grid,
      middle: [middle[0], -middle[1]],
    });
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  finish(view, width, height) {
    const { gl, target } = this;
    if (target.draw !== target.read) {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, target.draw);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, target.read);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT, gl.NEAREST);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.disable(gl.DEPTH_TEST);
    this.use("finish", {
      picture: { unit: 0, texture: target.color },
      depths: { unit: 1, texture: target.depth },
      nearFar: [view.near, view.far],
      reach: 2.5 * this.run.spacing,
      isFlat: this.flat ? 1 : 0,
      spread: window.devicePixelRatio || 1,
    });
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** Makes the picture as large as the canvas, with so many samples per pixel. */
  resize(samples) {
    const { gl, canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    const old = this.target;
    if (old && old.width === width && old.height === height && old.samples === samples) return [width, height];
    old?.remove();
    canvas.width = width;
    canvas.height = height;
    const image = (internal, format, type) => {
      const t = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, t);
      gl.texImage2D(gl.TEXTURE_2D, 0, internal, width, height, 0, format, type, null);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
      return t;
    };
    const color = image(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE);
    const depth = image(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT);
    const read = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, read);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
    let draw = read;
    const buffers = [];
    if (samples > 0) {
      draw = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, draw);
      const attach = (format, place) => {
        const buffer = gl.createRenderbuffer();
        buffers.push(buffer);
        gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
        gl.renderbufferStorageMultisample(gl.RENDERBUFFER, Math.min(samples, gl.getParameter(gl.MAX_SAMPLES)), format, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
      };
      attach(gl.RGBA8, gl.COLOR_ATTACHMENT0);
      attach(gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT);
    }
    const remove = () => {
      [color, depth].forEach((t) => gl.deleteTexture(t));
      buffers.forEach((b) => gl.deleteRenderbuffer(b));
      new Set([read, draw]).forEach((f) => gl.deleteFramebuffer(f));
    };
    this.target = { width, height, samples, color, depth, read, draw, remove };
    return [width, height];
  }

  /** Chooses a program and sets those of the values that it has. */
  use(name, values) {
    const { gl } = this;
    const { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    for (const [key, { at, type }] of Object.entries(uniforms)) {
      const value = values[key];
      if (value === undefined) throw new Error(`${name} needs ${key}`);
      if (type === gl.FLOAT) gl.uniform1f(at, value);
      else if (type === gl.INT) gl.uniform1i(at, value);
      else if (type === gl.FLOAT_VEC2) gl.uniform2fv(at, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(at, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(at, value);
      else if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(at, false, value);
      else if (type === gl.SAMPLER_2D) {
        gl.activeTexture(gl.TEXTURE0 + value.unit);
        gl.bindTexture(gl.TEXTURE_2D, value.texture);
        gl.uniform1i(at, value.unit);
      }
    }
  }
}

/** A direction as the camera sees it. */
const turned = (m, v) => [0, 1, 2].map((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);

function program(gl, vertex, fragment) {
  const linked = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(linked, shader);
  }
  gl.linkProgram(linked);
  if (!gl.getProgramParameter(linked, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(linked));
  const uniforms = {};
  for (let k = gl.getProgramParameter(linked, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
    const { name, type } = gl.getActiveUniform(linked, k);
    uniforms[name] = { at: gl.getUniformLocation(linked, name), type };
  }
  return { program: linked, uniforms };
}

/** A row of colours; each is `#rrggbb` or three numbers from 0 to 1. */
function texture(gl, colors) {
  const bytes = colors.flatMap((c) => [...(typeof c === "string" ? rgb(c) : c).map((x) => Math.round(255 * x)), 255]);
  const t = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, t);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, colors.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(bytes));
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.LINEAR);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  return t;
}
